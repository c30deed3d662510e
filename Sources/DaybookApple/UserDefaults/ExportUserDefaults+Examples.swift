extension ExportUserDefaults {
    static let examples: [StageExample] = [
        StageExample(
            "anniversaries as the app keeps them, beside what else it kept",
            options: """
                path: restored.json
                key: DdayManager
                format: json
                dates: apple_seconds
                fields: { targetDate: date, dday: integer, backgroundColor: { from: colour, kind: text? } }
                into: dump.json
                """,
            base: """
                {
                  "launches": 12,
                  "DdayManager": "W10=",
                  "volume": 0.50
                }

                """,
            input: """
                targetDate:day,dday:integer,colour:text
                2026-03-01,100,#EC007F
                2026-06-09,200,
                ,300,#000000
                """,
            output: """
                {
                  "launches": 12,
                  "DdayManager": "W3sidGFyZ2V0RGF0ZSI6NzkzOTgzNjAwLCJkZGF5IjoxMDAsImJhY2tncm91bmRDb2xvciI6IiNFQzAwN0YifSx7InRhcmdldERhdGUiOjgwMjYyMzYwMCwiZGRheSI6MjAwfV0=",
                  "volume": 0.50
                }

                """,
            findings: ["3 targetDate missing-value"]
        ),
        StageExample(
            "an XML property list, with dotted columns made objects again",
            options: "path: restored.plist\nkey: places\nformat: xml",
            input: """
                name:text,main.temp:decimal
                Seoul,21.3
                """,
            output: """
                <?xml version="1.0" encoding="UTF-8"?>
                <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
                <plist version="1.0">
                <dict>
                	<key>places</key>
                	<data>
                	W3sibmFtZSI6IlNlb3VsIiwibWFpbiI6eyJ0ZW1wIjoyMS4zfX1d
                	</data>
                </dict>
                </plist>

                """
        ),
        StageExample(
            "what is missing has no key, as JSONEncoder leaves it out; an object without keys is none",
            options: "path: restored.json\nkey: log\nformat: json\nas: text",
            input: """
                title:text,place.lat:decimal,place.lon:decimal,place.city.name:text
                a,37.5,,Seoul
                b,,,
                """,
            output: """
                {"log":"[{\\"title\\":\\"a\\",\\"place\\":{\\"lat\\":37.5,\\"city\\":{\\"name\\":\\"Seoul\\"}}},{\\"title\\":\\"b\\"}]"}

                """
        ),
        StageExample(
            "a key that is new, beside one of nearly its name; dots kept in names",
            options: "path: out.json\nkey: todos_old\ninto: dump.json\nnew_key: true\nas: text\nnest: false",
            base: "{\"todos.old\":1}",
            input: "a.b:integer\n1",
            output: "{\"todos.old\":1,\"todos_old\":\"[{\\\"a.b\\\":1}]\"}"
        ),
        StageExample(
            "the property list of an earlier version gives way to the JSON of later ones",
            options: "path: out.json\nkey: todos\ninto: dump.json\nreplaces: property_list",
            base: "{\"todos\":\"YnBsaXN0MDCgCAAAAAAAAAEBAAAAAAAAAAEAAAAAAAAAAAAAAAAAAAAJ\"}",
            input: "a:integer\n1",
            output: "{\"todos\":\"W3siYSI6MX1d\"}"
        ),
        StageExample(
            "one model alone, for an app that keeps its JSON as text",
            options: """
                path: restored.json
                key: settings
                format: json
                layout: object
                content: text
                """,
            input: "units:text,alarm:flag\nmetric,true",
            output: "{\"settings\":\"{\\\"units\\\":\\\"metric\\\",\\\"alarm\\\":true}\"}\n"
        ),
        StageExample(
            "the records of a wrapper, whose version goes up; what is beside them stays as it is",
            options: "path: out.json\nkey: todos\ninto: dump.json\nrecords: /items\nset: { /version: 2 }",
            base: """
                {"todos":"{\\"version\\": 1, \\"items\\": [], \\"sort\\": \\"due\\"}"}
                """,
            input: "id:integer\n7",
            output: """
                {"todos":"{\\"version\\": 2, \\"items\\": [{\\"id\\":7}], \\"sort\\": \\"due\\"}"}
                """
        ),
        StageExample(
            "a dictionary of the app, in which each day has its record",
            options: "path: out.json\nkey: diary\ninto: dump.json\nrecords: { each_key: day }",
            base: """
                {"diary":"{\\"2026-03-01\\":{\\"mood\\":\\"good\\"}}"}
                """,
            input: "day:day,mood:text\n2026-03-01,fine\n2026-03-02,bad",
            output: """
                {"diary":"{\\"2026-03-01\\":{\\"mood\\":\\"fine\\"},\\"2026-03-02\\":{\\"mood\\":\\"bad\\"}}"}
                """
        ),
        StageExample(
            "records that stand in the property list itself, with dates of its own",
            options: "path: out.plist\nkey: days\ninto: old.plist",
            base: """
                <?xml version="1.0" encoding="UTF-8"?>
                <plist version="1.0">
                <dict><key>days</key><array><dict><key>at</key><date>2026-11-20T05:00:00Z</date></dict></array></dict>
                </plist>
                """,
            input: "at:instant,share:decimal\n2026-11-21T05:00:00Z,1",
            output: """
                <?xml version="1.0" encoding="UTF-8"?>
                <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
                <plist version="1.0">
                <dict>
                	<key>days</key>
                	<array>
                		<dict>
                			<key>at</key>
                			<date>2026-11-21T05:00:00Z</date>
                			<key>share</key>
                			<real>1</real>
                		</dict>
                	</array>
                </dict>
                </plist>

                """
        ),
        StageExample(
            "the app's own type reads what is written",
            options: """
                path: out.json
                key: todos
                format: json
                as: text
                model: { swift: "struct Todo: Codable { let id: Int; let due: Date? }", type: "[Todo]" }
                """,
            input: "id:integer,due:instant\n7,2026-11-21T05:00:00Z",
            output: "{\"todos\":\"[{\\\"id\\\":7,\\\"due\\\":816930000}]\"}\n"
        ),
        StageExample(
            "the fields that no column names are kept where each row is a record of JSON",
            options: "path: out.json\nkey: todos\nunlisted: { drop: [draft] }",
            input: "id:integer",
            refused:
                "'unlisted' is about the records that rows came from, and here a row is no record of JSON any more"
        ),
        StageExample(
            "all keys of a file, after stages that rename, drop and add some",
            options: "path: out.json\nkeys: rows\nformat: json",
            input: """
                key:text,type:text,value:json
                app.volume,real,0.50
                todos,string,\"""[]\"""
                """,
            output: "{\n  \"app.volume\": 0.50,\n  \"todos\": \"[]\"\n}\n"
        ),
        StageExample(
            "a pointer that leads nowhere adds nothing by mistake",
            options: "path: out.json\nkey: todos\nset: { version: 2 }",
            input: "id:integer\n7",
            refused: "'version' is no JSON pointer to a value, such as /version"
        ),
        StageExample(
            "text is not read as a date here",
            options: "path: out.plist\nkey: days\nfields: { day: date }",
            input: "day:text\n1 March",
            refused: "column 'day' holds text, and the field 'day' is date"
        ),
    ]
}
