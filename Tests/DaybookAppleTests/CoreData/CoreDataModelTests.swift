import DaybookBytes
import Foundation
import Testing

@testable import DaybookApple
@testable import DaybookContracts

/// What the model in a store tells of attributes.
@Suite struct CoreDataModelTests {
    @Test("a store of Core Data: names in their case, flags, dates, and to-one relationships")
    func coreData() throws {
        let trial = try CoreDataTrial(
            try CoreDataTrial.stored("to-do-2018.sql") + """
                DELETE FROM ZTODOITEM WHERE Z_PK > 2; INSERT INTO ZPROJECT VALUES (7, 1, 1, 3, 'home');
                UPDATE ZTODOITEM SET ZDONE = 1, ZPROJECT = 7 WHERE Z_PK = 1;
                """
        )
        let outcome = try trial.read("entity: TodoItem")
        #expect(
            outcome.rows == """
                done:flag,repeats:integer,project:integer,date:instant,name:text,notes:text
                true,0,7,2018-02-26T20:18:05.083766Z,name 1,
                ,0,,2018-02-26T20:18:05.083452Z,name 2,
                """
        )
        #expect(outcome.findings.isEmpty && outcome.warnings.isEmpty)
    }

    @Test("a store of SwiftData: names of several words, UUIDs, and numbers that are text in the model")
    func swiftData() throws {
        let trial = try CoreDataTrial(try CoreDataTrial.stored("items-swift-data-2024.sql"))
        #expect(
            try trial.read("entity: Component").rows == """
                count:integer,craftingRecipe:integer,item:integer,id:text
                2,1,3,C8AD661E-8B9C-40E8-B736-6BF3C3A7DB3B
                """
        )
        #expect(
            try trial.read("entity: CraftingRecipe").rows == """
                producedItem:integer,producedItemCount:text
                1,produceditemcount 1
                4,produceditemcount 2
                """
        )
    }

    /// A store of one entity with an attribute of each kind.
    private func kinds(_ rows: String, external: Set<String> = []) throws -> CoreDataTrial {
        var model = ModelArchive()
        model.entity(
            "Word",
            [
                ("isDone", .boolean), ("savedDate", .date), ("theID", .uuid), ("link", .uri), ("cost", .decimal),
                ("share", .double), ("count16", .integer16), ("title", .string), ("photo", .binary),
                ("tagList", .transformable),
            ],
            external: external
        )
        return try CoreDataTrial(
            """
            CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
            INSERT INTO Z_PRIMARYKEY VALUES (1, 'Word', 0, 2);
            CREATE TABLE ZWORD (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZISDONE INTEGER, ZCOUNT16 INTEGER,
                ZSAVEDDATE TIMESTAMP, ZSHARE FLOAT, ZCOST DECIMAL, ZTITLE VARCHAR, ZLINK VARCHAR, ZPHOTO BLOB, ZTHEID BLOB,
                ZTAGLIST BLOB);
            \(model.table) \(rows)
            """
        )
    }

    private func archived(_ value: Any) throws -> String {
        [UInt8](try NSKeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: false)).literal
    }

    private static let head =
        "isDone:flag,count16:integer,savedDate:instant,share:decimal,cost:decimal,title:text,link:text,photo:text,theID:text"

    @Test("every kind of attribute, also in a store without values of it, and what a transformer archived is JSON")
    func everyKind() throws {
        #expect(try kinds("").read("entity: Word").rows == Self.head + ",tagList:json")
        let tags = try archived(["a", 1] as [Any])
        let list = Array(try PropertyListSerialization.data(fromPropertyList: ["k": 2], format: .binary, options: 0))
        let trial = try kinds(
            """
            INSERT INTO ZWORD VALUES
                (1, 1, 1, 1, 5, 0, 1, 2.5, 'x', 'https://a.example', x'00FF', x'00000000000000000000000000000001', \(tags)),
                (2, 1, 1, 0, NULL, NULL, NULL, 3, NULL, NULL, NULL, NULL, \(list.literal)),
                (3, 1, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, x'5B317D5D'),
                (4, 1, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, CAST('[true]' AS BLOB));
            DELETE FROM ZWORD WHERE Z_PK = 3;
            """
        )
        #expect(
            try trial.read("entity: Word").rows == Self.head + #"""
                ,tagList:json
                true,5,2001-01-01T00:00:00Z,1,2.5,x,https://a.example,AP8=,00000000-0000-0000-0000-000000000001,"[""a"",1]"
                false,,,,3,,,,,"{""k"":2}"
                ,,,,,,,,,[true]
                """#
        )
    }

    @Test("what only the app can read of a transformer's is base64, and what comes later than the sample is rejected")
    func opaque() throws {
        let sealed = try kinds("INSERT INTO ZWORD (Z_PK, Z_ENT, ZTAGLIST) VALUES (1, 1, x'0102'), (2, 1, x'5B5D');")
        #expect(try sealed.read("entity: Word").rows == Self.head + ",tagList:text\n,,,,,,,,,AQI=\n,,,,,,,,,W10=")
        let late = try kinds(
            """
            WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
                INSERT INTO ZWORD (Z_PK, Z_ENT, ZTAGLIST) SELECT i, 1, x'5B5D' FROM n;
            INSERT INTO ZWORD (Z_PK, Z_ENT, ZTAGLIST) VALUES (1001, 1, x'0102');
            """
        )
        #expect(try late.read("entity: Word").findings == ["1001 tagList not-json"])
        #expect(late.refusal("entity: Word\nblobs: refuse")?.code.rawValue == "blob-column")
    }

    @Test("what the job says wins over the model")
    func job() throws {
        let trial = try kinds(
            "INSERT INTO ZWORD (Z_PK, Z_ENT, ZISDONE, ZSAVEDDATE, ZTITLE, ZTAGLIST) VALUES (1, 1, 1, 0.5, '7', x'5B5D');"
        )
        let options = """
            entity: Word
            attributes: { SAVED: ZSAVEDDATE, name: ZTITLE }
            columns: { isDone: integer, name: text, tagList: text }
            dates: apple_seconds
            """
        #expect(
            try trial.read(options).rows == """
                isDone:integer,count16:integer,SAVED:decimal,share:decimal,cost:decimal,name:text,link:text,photo:text,\
                theID:text,tagList:text
                1,,0.5,,,7,,,,W10=
                """
        )
        #expect(try trial.read("entity: Word\nattributes: [isdone]").rows.hasPrefix("isdone:flag,"))
        let error = trial.refusal("entity: Word\nattributes: [savedDay]")
        #expect(error?.code.rawValue == "unknown-attribute" && error?.hint == "did you mean 'savedDate'?")
        let data = try kinds("INSERT INTO ZWORD (Z_PK, Z_ENT, ZPHOTO) VALUES (1, 1, \(try archived(["k": 1.5])));")
        #expect(
            try data.read("entity: Word\ncolumns: { photo: json }").rows.hasSuffix("\n,,,,,,,\"{\"\"k\"\":1.5}\",,")
        )
        // Where no value is as the model says, the values tell, as they do of a declared type.
        let other = try kinds(
            "INSERT INTO ZWORD (Z_PK, Z_ENT, ZISDONE, ZCOST) VALUES (1, 1, 7, '1e400x'), (2, 1, 8, 2);"
        )
        #expect(try other.read("entity: Word").rows.hasSuffix("\n7,,,,1e400x,,,,,\n8,,,,2,,,,,"))
    }

    @Test("entities of one table that declare the same name, and columns of other entities only")
    func siblings() throws {
        var model = ModelArchive()
        model.entity("Item", [("createdAt", .date)])
        model.entity("Note", [("createdAt", .date), ("title", .string), ("isPinned", .boolean)])
        model.entity("Folder", [("title", .string), ("itemCount", .integer32)])
        let trial = try CoreDataTrial(
            """
            CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
            INSERT INTO Z_PRIMARYKEY VALUES (1, 'Item', 0, 2), (2, 'Note', 1, 0), (3, 'Folder', 1, 0);
            CREATE TABLE ZITEM (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZISPINNED INTEGER,
                ZITEMCOUNT INTEGER, ZCREATEDAT TIMESTAMP, ZTITLE VARCHAR, ZTITLE1 VARCHAR, ZOTHER VARCHAR);
            INSERT INTO ZITEM VALUES (1, 2, 1, 1, NULL, 0, NULL, 'note', 'o'), (2, 3, 1, NULL, 4, 0, 'folder', NULL, NULL);
            \(model.table)
            """
        )
        #expect(
            try trial.read("entity: Note").rows
                == "isPinned:flag,createdAt:instant,title:text,other:text\ntrue,2001-01-01T00:00:00Z,note,o"
        )
        #expect(
            try trial.read("entity: Item").rows == """
                isPinned:flag,itemCount:integer,createdAt:instant,title:text,other:text
                true,,2001-01-01T00:00:00Z,note,o
                ,4,2001-01-01T00:00:00Z,folder,
                """
        )
        #expect(
            try trial.read("entity: Folder\nattributes: { second: ZTITLE1, pinned: ZISPINNED }").rows
                == "pinned:integer,itemCount:integer,createdAt:instant,title:text,second:text,other:text\n"
                + ",4,2001-01-01T00:00:00Z,folder,,"
        )
    }

    // MARK: - Models that cannot be read

    private static let plain = """
        CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
        INSERT INTO Z_PRIMARYKEY VALUES (1, 'Word', 0, 1);
        CREATE TABLE ZWORD (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZISDONE INTEGER);
        INSERT INTO ZWORD VALUES (1, 1, 1, 1);
        """

    private static var word: ModelArchive {
        var model = ModelArchive()
        model.entity("Word", [("isDone", .boolean)])
        return model
    }

    @Test("a store without a model, and one whose model has no row or does not know the entity, are read as tables")
    func absent() throws {
        var other = ModelArchive()
        other.entity("Verb", [("isDone", .boolean)])
        for table in ["", "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB);", other.table] {
            let outcome = try CoreDataTrial(Self.plain + table).read("entity: Word")
            #expect(outcome == CoreDataTrial.Outcome(rows: "isdone:integer\n1"))
        }
    }

    @Test("a damaged model is warned of, and the store is read as one without")
    func damaged() throws {
        let archive = Self.word.archive()
        let deflated = ModelArchive.deflated(archive)
        var looped = BinaryList()
        let inner = looped.array([0])
        looped.point(inner, to: [inner])
        looped.root = looped.dictionary([("$objects", inner)])
        var long = ModelArchive()
        long.entity("Word", [(String(repeating: "n", count: 1_001), .boolean)])
        let blobs: [(String, [UInt8])] = [
            ("no deflate stream", Array("garbage".utf8)), ("empty", []), ("cut off", deflated.dropLast(40)),
            ("a bomb", ModelArchive.zeros(atLeast: 9 << 20)), ("no archive", ModelArchive.deflated([1, 2, 3])),
            ("no model", ModelArchive.deflated(BinaryList.everything(offsetSize: 4, referenceSize: 2).file)),
            ("a list that holds itself", ModelArchive.deflated(looped.file)),
            ("a name without end", ModelArchive.deflated(long.archive())),
            ("no entities", ModelArchive.deflated(ModelArchive().archive())),
        ]
        for (what, blob) in blobs {
            let outcome = try CoreDataTrial(Self.plain + ModelArchive.table(blob)).read("entity: Word")
            let expected = CoreDataTrial.Outcome(rows: "isdone:integer\n1", warnings: ["damaged-model"])
            #expect(outcome == expected, "\(what)")
        }
        for table in [
            "CREATE TABLE Z_MODELCACHE (OTHER BLOB);",
            "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB); INSERT INTO Z_MODELCACHE VALUES ('text');",
        ] {
            #expect(try CoreDataTrial(Self.plain + table).read("entity: Word").warnings == ["damaged-model"])
        }
    }

    @Test("objects of a model may refer to one another in circles")
    func cyclic() throws {
        let blob = ModelArchive.deflated(Self.word.archive(isCyclic: true))
        let outcome = try CoreDataTrial(Self.plain + ModelArchive.table(blob)).read("entity: Word")
        #expect(outcome == CoreDataTrial.Outcome(rows: "isDone:flag\ntrue"))
    }

    @Test("a model whose bytes were changed anywhere does no harm")
    func changed() throws {
        let archive = Self.word.archive()
        for place in archive.indices {
            for value in [0, 0x0F, 0xA1, 0xFF] as [UInt8] {
                var bytes = archive
                bytes[place] = value
                let copy = Bytes()
                copy.append(bytes)
                _ = try? ManagedObjectModel(archive: copy)
            }
        }
    }

    @Test("deflate streams that a limit cuts are refused, and one that is exactly as long is not")
    func limits() throws {
        let zeros = ModelArchive.zeros(atLeast: 1_000)
        func inflated(_ limit: Int) throws -> Int {
            try zeros.withUnsafeBufferPointer { try Deflate.inflate($0, limit: limit).count }
        }
        let count = try inflated(1 << 20)
        #expect(count > 1_000)
        #expect(try inflated(count) == count)
        #expect(throws: Deflate.Fault.tooLarge) { try inflated(count - 1) }
    }
}
