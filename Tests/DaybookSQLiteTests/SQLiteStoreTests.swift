import DaybookTestSupport
import Foundation
import Testing

@testable import DaybookContracts
@testable import DaybookSQLite

/// What databases do that no example of a stage can say.
@Suite struct SQLiteStoreTests {
    private static let words = """
        CREATE TABLE words (id INTEGER PRIMARY KEY, word TEXT);
        INSERT INTO words VALUES (1, 'a'), (2, 'b');
        """

    @Test("what stands in a write-ahead log is read, and nothing beside the store is touched")
    func writeAheadLog() throws {
        let trial = try SQLiteTrial(Self.words, as: SQLStore.Form(keepsLog: true))
        let before = try trial.traces()
        #expect(before.keys.sorted() == ["store.sqlite", "store.sqlite-wal"])
        let outcome = try trial.read(ImportSqlite.self, "table: words")
        #expect(outcome.rows == "id:integer,word:text\n1,a\n2,b")
        #expect(outcome.recognised == ["SQLite database", "table 'words'", "write-ahead log"])
        #expect(try trial.traces() == before)
        try FileManager.default.removeItem(at: trial.place.url.appendingPathComponent("store.sqlite-wal"))
        #expect(trial.refusal(ImportSqlite.self, "table: words") == "'store.sqlite' has no table 'words'")
    }

    @Test("a store in a directory that cannot be written to is read", arguments: [false, true])
    func readOnlyDirectory(keepsLog: Bool) throws {
        let trial = try SQLiteTrial(Self.words, as: SQLStore.Form(keepsLog: keepsLog))
        let before = try trial.traces()
        let manager = FileManager.default
        for name in before.keys {
            let path = trial.place.url.appendingPathComponent(name).path
            try manager.setAttributes([.posixPermissions: 0o444], ofItemAtPath: path)
        }
        try manager.setAttributes([.posixPermissions: 0o555], ofItemAtPath: trial.place.url.path)
        defer { try? manager.setAttributes([.posixPermissions: 0o755], ofItemAtPath: trial.place.url.path) }
        #expect(try trial.read(ImportSqlite.self, "table: words").rows == "id:integer,word:text\n1,a\n2,b")
        #expect(try trial.traces() == before)
    }

    @Test("a database that is set to keep a log, and has none, is read where it is without making one")
    func emptyLog() throws {
        let trial = try SQLiteTrial(Self.words, as: SQLStore.Form(keepsLog: true))
        let closed = try SQLiteTrial(Self.words)
        var bytes = try Data(contentsOf: closed.url)
        bytes[18] = 2
        bytes[19] = 2
        try bytes.write(to: closed.url)
        for log in [nil, Data()] as [Data?] {
            let set = try SQLiteTrial(bytes, log: log)
            let before = try set.traces()
            #expect(try set.read(ImportSqlite.self, "table: words").rows == "id:integer,word:text\n1,a\n2,b")
            #expect(try set.traces() == before)
        }
        // The file alone, of a database whose rows still stand in the log, has none of them.
        let alone = try SQLiteTrial(try Data(contentsOf: trial.url))
        #expect(alone.refusal(ImportSqlite.self, "table: words") == "'store.sqlite' has no table 'words'")
    }

    @Test("a transaction that was interrupted is undone in a copy")
    func interruptedTransaction() throws {
        let trial = try SQLiteTrial(Self.words)
        // A journal of a transaction that grew the database: a header that says how long the file was, and the first page.
        let database = try Data(contentsOf: trial.url)
        let pageSize = 4096
        func number(_ value: UInt32) -> Data { withUnsafeBytes(of: value.bigEndian) { Data($0) } }
        let nonce: UInt32 = 7
        var journal = Data([0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7])
        journal += number(1) + number(nonce) + number(UInt32(database.count / pageSize)) + number(512)
        journal += number(UInt32(pageSize)) + Data(count: 512 - 28)
        let page = database.prefix(pageSize)
        var sum = nonce
        var place = pageSize - 200
        while place > 0 {
            sum = sum &+ UInt32(page[place])
            place -= 200
        }
        journal += number(1) + page + number(sum)
        var damaged = database
        for place in 100..<200 { damaged[place] = 0xAA }
        try damaged.write(to: trial.url)
        #expect(trial.refusal(ImportSqlite.self, "table: words")?.contains("is damaged") == true)
        try trial.place.write(journal, to: "store.sqlite-journal")
        let before = try trial.traces()
        #expect(try trial.read(ImportSqlite.self, "table: words").rows == "id:integer,word:text\n1,a\n2,b")
        #expect(try trial.traces() == before)
    }

    @Test("names that SQL or addresses would misread are names")
    func names() throws {
        let trial = try SQLiteTrial(
            #"CREATE TABLE "a ""b"" c" ("x""y", "z?#%"); INSERT INTO "a ""b"" c" VALUES (1, 2)"#
        )
        let renamed = trial.place.url.appendingPathComponent("odd ?#% 이름.sqlite")
        var bytes = try Data(contentsOf: trial.url)
        bytes[18] = 2
        bytes[19] = 2
        try bytes.write(to: renamed)
        let stage = try ExampleRunner.make(ImportSqlite.self, #"{ path: x, table: 'a "b" c' }"#)
        let store = try stage.open(try StoreFile(renamed, companions: ImportSqlite.companions))
        let rows = try stage.rows(of: store, schema: try stage.schema(of: [store]))
        var findings = Findings()
        let batch = try #require(try rows.next(1 << 20, reporting: &findings))
        #expect(BatchText.write(batch) == "\"x\"\"y:integer\",z?#%:integer\n1,2")
        #expect(rows.pointer(to: "x/y", row: 1) == #"/a "b" c/1/x~1y"#)
    }

    @Test("rows without a number are read in the order of their key, and found again by counting")
    func withoutRowNumbers() throws {
        let trial = try SQLiteTrial(
            """
            CREATE TABLE pairs (a TEXT, b INTEGER, c TEXT, PRIMARY KEY (a, b)) WITHOUT ROWID;
            CREATE INDEX all_columns ON pairs (c, b, a);
            INSERT INTO pairs VALUES ('x', 2, 'p'), ('x', 1, 'q'), ('a', 9, 'r'), ('b', 0, x'00');
            CREATE VIEW upside AS SELECT a, b FROM pairs ORDER BY c;
            """
        )
        let outcome = try trial.read(ImportSqlite.self, "table: pairs", batchSize: 1)
        #expect(outcome.rows == "a:text,b:integer,c:text\na,9,r\nx,1,q\nx,2,p")
        #expect(outcome.findings == ["c unexpected-kind"])
        #expect(try trial.read(ImportSqlite.self, "table: upside").rows == "a:text,b:integer\nx,2\nx,1\na,9\nb,0")
        let stage = try ExampleRunner.make(ImportSqlite.self, "{ path: x, table: pairs }")
        let store = try stage.open(try StoreFile(trial.url, companions: ImportSqlite.companions))
        let rows = try stage.rows(of: store, schema: try stage.schema(of: [store]))
        for (row, json) in [
            (4, #"{"a":"x","b":2,"c":"p"}"#), (2, #"{"a":"b","b":0,"c":"AA=="}"#), (1, #"{"a":"a","b":9,"c":"r"}"#),
        ] as [(Int64, String)] {
            let record = try #require(rows.record(again: row))
            #expect(String(decoding: record.json.array, as: UTF8.self) == json)
        }
        #expect(rows.record(again: 5) == nil && rows.record(again: 0) == nil)
        #expect(rows.pointer(to: "c", row: 2) == "/pairs/2/c")
    }

    @Test("numbers keep their digits, or are refused")
    func numbers() throws {
        let trial = try SQLiteTrial(
            """
            CREATE TABLE t (i INTEGER, r REAL, n NUMERIC, f BOOLEAN);
            INSERT INTO t VALUES (9223372036854775807, 0.1, 1, 1), (-9223372036854775808, 1e300, 2.5, 0),
                (NULL, 9e999, NULL, NULL), (2.5, 1, 1, 1), (1, 1, 9007199254740993, 1), (1, 1, 1, 2);
            """
        )
        let outcome = try trial.read(ImportSqlite.self, "table: t")
        #expect(
            outcome.rows == """
                i:integer,r:decimal,n:decimal,f:flag
                9223372036854775807,0.1,1,true
                -9223372036854775808,1e+300,2.5,false
                """
        )
        #expect(outcome.findings == ["r not-a-number", "i not-an-integer", "n not-exact", "f not-a-flag"])
    }

    @Test("what a type promises and no value keeps is what the values are")
    func misleadingTypes() throws {
        let trial = try SQLiteTrial(
            """
            CREATE TABLE t (day DATE, saved TIMESTAMP, done BOOL, point "FLOATING POINT", note VARCHAR, empty DATE);
            INSERT INTO t VALUES (20260301, 1772323200.5, 'ja', 1.5, x'00', NULL);
            """
        )
        let outcome = try trial.read(ImportSqlite.self, "table: t")
        #expect(
            outcome.rows == """
                day:integer,saved:decimal,done:text,point:decimal,note:text,empty:day
                20260301,1772323200.5,ja,1.5,AA==,
                """
        )
        let declared = try trial.read(ImportSqlite.self, "table: t\ncolumns: { day: day, point: text, done: json }")
        #expect(declared.findings == ["day not-a-day", "done not-json"])
    }

    @Test("text that is no UTF-8 is rejected")
    func encoding() throws {
        let trial = try SQLiteTrial("CREATE TABLE t (a TEXT); INSERT INTO t VALUES (CAST(x'EA' AS TEXT)), ('감')")
        let outcome = try trial.read(ImportSqlite.self, "table: t")
        #expect(outcome.rows == "a:text\n감")
        #expect(outcome.findings == ["a invalid-encoding"])
        // Readers in C take the text to end with the NUL.
        let cut = try SQLiteTrial("CREATE TABLE t (a TEXT); INSERT INTO t VALUES (CAST(x'610062' AS TEXT)), ('감')")
        #expect(try cut.read(ImportSqlite.self, "table: t").findings == ["a nul-character"])
    }
}
