extension ImportCoreData {
    static let examples: [StageExample] = [
        StageExample(
            "attributes are columns, and dates count from 2001",
            options: "path: EveryDay.sqlite\nentity: Word\nattributes: [savedDate]",
            input: """
                CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
                INSERT INTO Z_PRIMARYKEY VALUES (1, 'Word', 0, 2);
                CREATE TABLE ZWORD (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZSAVEDDATE TIMESTAMP,
                    ZTEXT VARCHAR);
                INSERT INTO ZWORD VALUES (1, 1, 1, 794016000, '사과'), (2, 1, 4, 794016000.25, NULL);
                """,
            output: """
                savedDate:instant,text:text
                2026-03-01T00:00:00Z,사과
                2026-03-01T00:00:00.250Z,
                """
        ),
        StageExample(
            "the files of a folder that need not hold any yet, each read by one run that holds",
            options: """
                path: inbox/*.sqlite
                entity: Word
                columns: { text: text }
                optional: true
                new_only: true
                describe: { text: The word itself }
                """,
            input: """
                CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
                INSERT INTO Z_PRIMARYKEY VALUES (1, 'Word', 0, 1);
                CREATE TABLE ZWORD (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTEXT VARCHAR);
                INSERT INTO ZWORD VALUES (1, 1, 1, '사과');
                """,
            output: "text:text\n사과"
        ),
        StageExample(
            "entities that inherit stand in one table; relationships are keys",
            options: """
                path: Family-2026-03-01.sqlite
                entity: Note
                attributes: { isDone: ZISDONE }
                columns: { isDone: flag }
                key_column: key
                entity_column: entity
                file_column: file
                day: { from: name, pattern: "Family-{yyyy-MM-dd}.sqlite", column: saved }
                redelivery: { other_bytes: redo }
                late: { after: 3 days, then: warn }
                """,
            input: """
                CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
                INSERT INTO Z_PRIMARYKEY VALUES (1, 'Item', 0, 9), (2, 'Note', 1, 0), (3, 'Memo', 2, 0);
                CREATE TABLE ZITEM (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZISDONE INTEGER,
                    ZOWNER INTEGER, Z_FOK_OWNER INTEGER);
                INSERT INTO ZITEM VALUES (1, 1, 1, 0, NULL, 0), (2, 2, 1, 1, 1, 0), (5, 3, 1, 0, 2, 0);
                """,
            output: """
                key:integer,entity:text,isDone:flag,owner:integer,file:text,saved:day
                2,Note,true,1,Family-2026-03-01.sqlite,2026-03-01
                5,Memo,false,2,Family-2026-03-01.sqlite,2026-03-01
                """
        ),
        StageExample(
            "a date finer than a microsecond is cut, which is said once; another kind is rejected",
            options: "path: EveryDay.sqlite\nentity: Word\ndates: instant\nblobs: base64",
            input: """
                CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
                INSERT INTO Z_PRIMARYKEY VALUES (1, 'Word', 0, 3);
                CREATE TABLE ZWORD (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZDAY TIMESTAMP, ZPHOTO BLOB);
                INSERT INTO ZWORD VALUES (1, 1, 1, 0.0000125, x'FF'), (2, 1, 1, 0.0000002, NULL), (3, 1, 1, 'now', NULL);
                """,
            output: "day:instant,photo:text\n2001-01-01T00:00:00.000012Z,/w==\n2001-01-01T00:00:00Z,",
            findings: ["1 day finer-than-a-microsecond", "3 day not-a-date"]
        ),
        StageExample(
            "a UUID is text; data that stands in a file beside the store is warned of",
            options: "path: EveryDay.sqlite\nentity: Word",
            input: """
                CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
                INSERT INTO Z_PRIMARYKEY VALUES (1, 'Word', 0, 2);
                CREATE TABLE ZWORD (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZID BLOB, ZPHOTO BLOB);
                INSERT INTO ZWORD VALUES (1, 1, 1, x'E621E1F8C36C495A93FC0C247A3E6E5F', x'01FF'), (2, 1, 1, NULL,
                    x'0246364339444431442D424639442D344338422D393333412D34363333354638443137333700');
                """,
            output: """
                id:text,photo:text
                E621E1F8-C36C-495A-93FC-0C247A3E6E5F,Af8=
                ,AkY2QzlERDFELUJGOUQtNEM4Qi05MzNBLTQ2MzM1RjhEMTczNwA=
                """,
            findings: ["2 photo external-data"]
        ),
        StageExample(
            "a store that keeps the app's model: names, kinds, and relationships to many as the keys of their targets",
            options: "path: EveryDay.sqlite\nentity: Word\nkey_column: key\nrelationships: [tags]",
            input: """
                CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
                INSERT INTO Z_PRIMARYKEY VALUES (1, 'Word', 0, 2), (2, 'Tag', 0, 3);
                CREATE TABLE ZWORD (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZISDONE INTEGER,
                    ZSAVEDDATE TIMESTAMP);
                INSERT INTO ZWORD VALUES (1, 1, 1, 1, 794016000), (2, 1, 1, 0, NULL);
                CREATE TABLE Z_1TAGS (Z_1WORDS INTEGER, Z_2TAGS INTEGER, PRIMARY KEY (Z_1WORDS, Z_2TAGS));
                INSERT INTO Z_1TAGS VALUES (1, 3), (1, 2);
                CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB);
                INSERT INTO Z_MODELCACHE VALUES (x'558F4D4F13511486CFE94029E5A33320425BAD15471015287E836842A80984301A678A96348C537A538694B9E3DCDB6A575E\
                134CFC58B931316E0CBA72E382ADF13F0CBAF18F18638C71FA118D677392F3E47DF29EA25BB119CF64BE6048EAE89CCBAB96\
                B7B965D7887757A5C56DB2C999A172EA9A724CD357489D9416DAFCA33C18EE8AF4F52B0383878E1C3D716AE2ECE4CCF9CB39\
                D5A9562A7966D548296B7172D01DEDE96D861738F7EC629513A3EE920D4DBFE5519778BCAE593B44917605AED92C4B9D4622\
                262B525A4806B7CA4C37AC72EE01F54AECEB50F4F0F0483C915CD7F455EBE122AD3ADC94474C4DCF12C66DC7E236756E38DC\
                6E394D3911A06527A8CAC86D526962B665BB0D2883E81461D165DC09CC7EEA58A09C6ABFFB2E7D7C54844487881CA827C7C6\
                0B9AFECF59F85BDB264C748BA8E104D7A0F1E9334AE893E86D554C8EC5FDD4D4DE7446F489FE40923827627EEAC2DEC54BA2\
                47C8FE95D9F5B6B32151FCABF38647291703108118C46114C661166E420E4C28410D9EC053780E2FE115BC8637F016DEC307\
                D887CFF00DBEC30FF809BFE0374A184605877018E398C4344EE21CCEE3755CC4255CC1555CC33C167003EF21C1326EE30E52\
                BC8F1C1FE163DCC567D09C10B6365C83FF065FFC01');
                """,
            output: """
                key:integer,isDone:flag,savedDate:instant,tags:json
                1,true,2026-03-01T00:00:00Z,"[2,3]"
                2,false,,[]
                """
        ),
        StageExample(
            "a store without the app's model does not tell its relationships",
            options: "path: EveryDay.sqlite\nentity: Word\nrelationships: [tags]",
            input: """
                CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
                INSERT INTO Z_PRIMARYKEY VALUES (1, 'Word', 0, 0);
                CREATE TABLE ZWORD (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZISDONE INTEGER);
                """,
            refused:
                "'relationships' needs the app's model, to know the tables and columns of relationships, and that of 'EveryDay.sqlite' is not in it"
        ),
        StageExample(
            "an entity that the store does not know is refused",
            options: "path: EveryDay.sqlite\nentity: word",
            input: """
                CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
                INSERT INTO Z_PRIMARYKEY VALUES (1, 'Word', 0, 2);
                """,
            refused: "'EveryDay.sqlite' has no entity 'word'"
        ),
    ]
}
