import DaybookTestSupport
import Foundation
import Testing

@testable import DaybookApple
@testable import DaybookContracts
@testable import DaybookSQLite

/// Databases that somebody built to do harm, or that were harmed: they end in an error, and never in anything else.
@Suite struct HostileSQLiteTests {
    private static func refusal(_ sql: String, _ options: String) throws -> String {
        try SQLiteTrial(sql).refusal(ImportSqlite.self, options) ?? "not refused"
    }

    @Test("what is no database is told apart", arguments: ["", "\u{1f}\u{8b}", "name,count\n", "SQLite format 2\0"])
    func noDatabase(_ text: String) throws {
        let bytes = text == "\u{1f}\u{8b}" ? Data([0x1f, 0x8b, 8, 0]) : Data(text.utf8)
        let refusal = try SQLiteTrial(bytes).refusal(ImportSqlite.self, "table: words")
        let expected =
            text.isEmpty
            ? "'store.sqlite' is empty"
            : text == "\u{1f}\u{8b}"
                ? "'store.sqlite' is compressed" : "'store.sqlite' is not an SQLite database, or it is encrypted"
        #expect(refusal == expected)
    }

    @Test("a cut database is damaged")
    func cut() throws {
        let trial = try SQLiteTrial("CREATE TABLE t (a); INSERT INTO t VALUES (1), (2)")
        let whole = try Data(contentsOf: trial.url)
        for length in [16, 99, 100, 512, 4096, 5000] {
            let refusal = try SQLiteTrial(whole.prefix(length)).refusal(ImportSqlite.self, "table: t")
            #expect(
                refusal?.contains("is damaged") == true || refusal?.contains("is not an SQLite") == true,
                "\(length)"
            )
        }
    }

    @Test(
        "a query that could do more than read, or calls what is random, is refused",
        arguments: [
            "DELETE FROM t", "INSERT INTO t VALUES (1) RETURNING a", "UPDATE t SET a = 2", "DROP TABLE t", "VACUUM",
            "ATTACH 'other.sqlite' AS other", "PRAGMA journal_mode = DELETE", "PRAGMA query_only = OFF", "BEGIN",
            "COMMIT",
            "SELECT 1; SELECT 2", "", "-- nothing", "SELECT ?", "SELECT random()", "SELECT * FROM t ORDER BY RANDOM()",
            "SELECT load_extension('x')", "SELECT hex(randomblob(4))", "EXPLAIN SELECT 1", "SELECT * FROM nothing",
            "CREATE TEMP TABLE x AS SELECT 1", "SELECT a FROM t WHERE a = \"text\"", "SELEC 1",
        ]
    )
    func queries(_ query: String) throws {
        let trial = try SQLiteTrial("CREATE TABLE t (a); INSERT INTO t VALUES (1)")
        let before = try trial.traces()
        let stage = try ExampleRunner.make(ImportSqlite.self, "path: x\nquery: |-\n  \(query)\n")
        #expect(throws: DaybookError.self) { try trial.read(stage) }
        #expect(try trial.traces() == before)
    }

    @Test("a query may be anything that reads")
    func reading() throws {
        let trial = try SQLiteTrial("CREATE TABLE t (a); INSERT INTO t VALUES (1), (2)")
        let query =
            "query: WITH x(n) AS (SELECT max(a) FROM t) SELECT n, n * 1.5 AS half, upper('a') AS c FROM x; -- so"
        #expect(try trial.read(ImportSqlite.self, query).rows == "n:integer,half:decimal,c:text\n2,3,A")
        let twice = trial.refusal(ImportSqlite.self, "query: SELECT a, a FROM t")
        #expect(twice == "the query gives two columns named 'a'")
    }

    @Test("views and triggers of the store do nothing but read")
    func views() throws {
        let trial = try SQLiteTrial(
            """
            CREATE TABLE t (a);
            INSERT INTO t VALUES (1);
            CREATE VIEW v AS SELECT a, random() AS r FROM t;
            CREATE VIEW loaded AS SELECT load_extension('/tmp/x') FROM t;
            CREATE VIEW circle AS SELECT * FROM circle2;
            CREATE VIEW circle2 AS SELECT * FROM circle;
            CREATE VIEW fine AS SELECT a + 1 AS b FROM t;
            CREATE TRIGGER instead INSTEAD OF INSERT ON v BEGIN DELETE FROM t; END;
            """
        )
        let before = try trial.traces()
        #expect(try trial.read(ImportSqlite.self, "table: fine").rows == "b:integer\n2")
        for view in ["v", "loaded", "circle"] {
            #expect(trial.refusal(ImportSqlite.self, "table: \(view)")?.hasPrefix("cannot read 'store.sqlite'") == true)
        }
        #expect(try trial.traces() == before)
    }

    @Test("a view that never gives a row is given up")
    func endless() throws {
        let sql =
            "CREATE VIEW v AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n WHERE i < 0"
        #expect(
            try Self.refusal(sql, "table: v") == "'store.sqlite' holds something that takes too long to look at"
        )
    }

    @Test("a value larger than memory allows is an error")
    func huge() throws {
        let sql =
            "CREATE VIEW v AS SELECT hex(zeroblob(60000000)) AS a; CREATE TABLE t (a BLOB, b); "
            + "INSERT INTO t VALUES (zeroblob(70000000), 1)"
        for table in ["v", "t"] {
            #expect(
                try Self.refusal(sql, "table: \(table)")
                    == "'store.sqlite' holds a value or a row that is too large: more than 64 MiB"
            )
        }
        let trial = try SQLiteTrial(sql)
        #expect(try trial.read(ImportSqlite.self, "query: SELECT b FROM t").rows == "b:integer\n1")
    }

    @Test("full-text tables are read like others")
    func fullText() throws {
        let trial = try SQLiteTrial(
            "CREATE VIRTUAL TABLE notes USING fts5(title, body); INSERT INTO notes VALUES ('a', 'b c')"
        )
        #expect(try trial.read(ImportSqlite.self, "table: notes").rows == "title:text,body:text\na,b c")
    }

    private static let coreData = """
        CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
        INSERT INTO Z_PRIMARYKEY VALUES (1, 'Word', 0, 3), (2, 'Verb', 1, 0);
        CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
        CREATE TABLE ZWORD (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZDAY TIMESTAMP, ZTEXT VARCHAR,
            ZPHOTO BLOB, ZCOUNT INTEGER, ZWEIGHT FLOAT);
        CREATE INDEX Z_WORD_DAY ON ZWORD (ZDAY);
        """

    @Test("thousands of changed databases never end the process", arguments: TestSize.seeds(8, of: 40))
    func mutations(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var read = 0
        let list = try PropertyListSerialization.data(
            fromPropertyList: ["NSStoreModelVersionHashes": ["Word": Data(count: 32), "Verb": Data(count: 32)]],
            format: .binary,
            options: 0
        )
        let hex = list.map { String(format: "%02x", $0) }.joined()
        let rows = (1...40).map { "(\($0), \($0 % 2 + 1), 1, \($0)e5, '단어\($0)', x'00\(10 + $0)', \($0), 0.5)" }
        let sql =
            Self.coreData + "INSERT INTO Z_METADATA VALUES (1, 'u', x'\(hex)');"
            + "INSERT INTO ZWORD VALUES \(rows.joined(separator: ", "));"
        for (form, count) in [
            (SQLStore.Form(pageSize: 512), 250), (SQLStore.Form(pageSize: 1024, keepsLog: true), 125),
        ] {
            let trial = try SQLiteTrial(sql, as: form)
            let whole = try Data(contentsOf: trial.url)
            let log = form.keepsLog ? try Data(contentsOf: URL(fileURLWithPath: trial.url.path + "-wal")) : nil
            for _ in 0..<count { read += try survive(whole, log, &random) }
        }
        // Some changes do no harm, and some are refused; else this would show nothing.
        #expect(read > 100 && read < 1_100, "\(read) of 1,125 were read")
    }

    /// How many of three ways to read a changed database succeed.
    private func survive(_ whole: Data, _ log: Data?, _ random: inout SeededGenerator) throws -> Int {
        var bytes = whole
        var log = log
        for _ in 0..<Int.random(in: 1...12, using: &random) {
            let value = [0, 1, 0x7F, 0x80, 0xFF, UInt8.random(in: .min ... .max, using: &random)]
                .randomElement(using: &random)!
            if let count = log?.count, Bool.random(using: &random) {
                log![Int.random(in: 0..<count, using: &random)] = value
            } else {
                // Behind the words by which it is known, or nothing would be looked at.
                bytes[Int.random(in: 16..<bytes.count, using: &random)] = value
            }
        }
        if Int.random(in: 0..<10, using: &random) == 0 {
            bytes = bytes.prefix(Int.random(in: 100...bytes.count, using: &random))
        }
        let trial = try SQLiteTrial(bytes, log: log)
        var succeeded = 0
        for read in [
            { try trial.read(ImportSqlite.self, "table: ZWORD") },
            { try trial.read(ImportSqlite.self, "query: SELECT ZDAY, count(*) AS n FROM ZWORD GROUP BY ZDAY") },
            { try trial.read(ImportCoreData.self, "entity: Verb\nkey_column: key\nentity_column: kind") },
        ] {
            do {
                _ = try read()
                succeeded += 1
            } catch is DaybookError {}
        }
        return succeeded
    }
}
