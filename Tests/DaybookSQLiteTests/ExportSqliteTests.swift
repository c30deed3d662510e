import DaybookContracts
import DaybookSQLite
import DaybookTestSupport
import Foundation
import Synchronization
import Testing

/// Databases that are written: what comes back from them, what stays in them, and what they refuse.
@Suite struct ExportSqliteTests {
    private let place: TemporaryDirectory

    init() throws { place = try TemporaryDirectory() }

    /// Writes rows in batches of `size` beside the old database, and gives the new one.
    private func write(
        _ rows: String,
        _ options: String,
        over old: String? = nil,
        size: Int = 1000,
        isCancelled: @escaping @Sendable () -> Bool = { false }
    ) throws -> SQLiteTrial {
        let stage = try ExampleRunner.make(ExportSqlite.self, "path: out.sqlite\n" + options)
        let input = try BatchText.read(rows)
        _ = try stage.bind(StageInputs(input.schema))
        let scratch = place.url.appendingPathComponent("scratch-\(UUID())").path
        let url = place.url.appendingPathComponent("out.sqlite")
        if let old { try SQLStore.write(old, to: url) }
        let base =
            FileManager.default.fileExists(atPath: url.path)
            ? BaseFile(path: url.path) { () throws(DaybookError) in Bytes() } : nil
        let inputs = [StageInput(id: "rows", schema: input.schema)]
        let context = SinkContext(inputs, base: base, isCancelled: isCancelled) { () throws(DaybookError) in scratch }
        let writer = try stage.writer(in: context)
        let out = MemoryOutput()
        try writer.begin(out)
        for part in input.cut(into: size) {
            var findings = Findings()
            try writer.append(stage.piece(of: part, from: 0, reporting: &findings), input: 0, to: out)
        }
        try writer.finish(RunSummary(job: "test", asOf: ExampleRunner.context.asOf, ledger: []), out)
        return try SQLiteTrial(Data(out.written.array))
    }

    private func refusal(_ rows: String, _ options: String, over old: String? = nil) -> String? {
        do {
            _ = try write(rows, options, over: old)
            return nil
        } catch let error as DaybookError { return error.message } catch { return "\(error)" }
    }

    private static let all = """
        i:integer,d:decimal,t:text,f:flag,day:day,at:instant
        1,0.1,가,true,2026-03-01,2026-03-01T09:30:00.123456Z
        ,,,,,
        -9223372036854775808,-1e+300,"",false,0001-01-01,1969-12-31T23:59:59.999999Z
        """

    @Test("rows come back as they were written")
    func roundTrip() throws {
        let written = try write(Self.all, "table: t")
        #expect(try written.read(ImportSqlite.self, "table: t").rows == Self.all)
    }

    @Test("any rows come back, in batches of any size", arguments: 1...12 as ClosedRange<UInt64>)
    func anyRows(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let like = try BatchText.read(
            "t:text,i:integer,f:flag,day:day,at:instant,d:decimal\n007,1,true,2026-03-01,,0.5"
        )
        let rows = try RandomRows.batch(like: like, count: 12, &random)
        let text = BatchText.write(rows)
        let kinds = "columns: { t: text, i: integer, f: flag, day: day, at: instant, d: decimal }"
        let written = try write(text, "table: t", size: Int(seed))
        let whole = try write(text, "table: t")
        #expect(try Data(contentsOf: written.url) == Data(contentsOf: whole.url))
        let back = try written.read(ImportSqlite.self, "table: t\n" + kinds)
        // SQLite has infinity, which an import refuses, and keeps -0.0 as 0.
        if !text.contains("inf") { #expect(back.rows == text.replacing("-0.0", with: "0"), "\(random)") }
    }

    @Test("instants become the numbers that apps store", arguments: ["apple_seconds", "epoch_seconds", "epoch_millis"])
    func numbers(_ dates: String) throws {
        let written = try write(
            "at:instant\n2026-03-01T00:00:00.500Z\n2026-03-01T00:00:01Z",
            "table: t\ndates: \(dates)"
        )
        let expected = [
            "apple_seconds": "at:decimal\n794016000.5\n794016001",
            "epoch_seconds": "at:decimal\n1772323200.5\n1772323201",
            "epoch_millis": "at:integer\n1772323200500\n1772323201000",
        ]
        #expect(try written.read(ImportSqlite.self, "table: t").rows == expected[dates])
    }

    private static let old = """
        CREATE TABLE kept (a TEXT); INSERT INTO kept VALUES ('as it was');
        CREATE TABLE words (id INTEGER PRIMARY KEY, word TEXT UNIQUE NOT NULL, note TEXT DEFAULT 'none');
        CREATE INDEX by_word ON words (word, id);
        CREATE TABLE log (word TEXT);
        CREATE TRIGGER noted AFTER INSERT ON words BEGIN INSERT INTO log VALUES (new.word); END;
        INSERT INTO words VALUES (1, 'old', 'x');
        """

    @Test("other tables stay, rows are replaced, and a table with the same columns keeps its definition")
    func replacing() throws {
        let written = try write("word:text,id:integer\nnew,5", "table: WORDS", over: Self.old)
        #expect(
            try written.read(ImportSqlite.self, "table: words").rows == "id:integer,word:text,note:text\n5,new,none"
        )
        #expect(try written.read(ImportSqlite.self, "table: kept").rows == "a:text\nas it was")
        #expect(try written.read(ImportSqlite.self, "table: log").rows == "word:text\nold\nnew")
        let sql = try written.read(ImportSqlite.self, "query: SELECT count(*) AS n FROM sqlite_schema")
        #expect(sql.rows == "n:integer\n6")
        #expect(
            refusal("word:text,id:integer\nsame,5\nsame,6", "table: words", over: Self.old)
                == "row 2 may not go into table 'words' of 'out.sqlite': UNIQUE constraint failed: words.word"
        )
    }

    @Test("a table with other columns is made anew when the job says so, with its indexes and triggers")
    func remaking() throws {
        #expect(
            refusal("id:text,word:text,more:decimal\na,b,1.5", "table: words", over: Self.old)
                == "the rows do not fit into table 'words' of 'out.sqlite': "
                + "its column 'id' would change what column 'id' holds"
        )
        let written = try write("id:text,word:text,more:decimal\na,b,1.5", "table: words\nmode: remake", over: Self.old)
        #expect(try written.read(ImportSqlite.self, "table: words").rows == "id:text,word:text,more:decimal\na,b,1.5")
        #expect(try written.read(ImportSqlite.self, "table: log").rows == "word:text\nold\nb")
        #expect(
            refusal("id:text,other:text\na,b", "table: words\nmode: remake", over: Self.old)
                == "'by_word' of table 'words' does not fit its new columns: no such column: word"
        )
    }

    @Test("rows are appended to a table that takes them as they are")
    func appending() throws {
        let written = try write("word:text\nnew", "table: words\nmode: append", over: Self.old)
        #expect(
            try written.read(ImportSqlite.self, "table: words").rows
                == "id:integer,word:text,note:text\n1,old,x\n2,new,none"
        )
        for (rows, problem) in [
            ("note:text\nx", "the rows have no column 'word'"),
            ("word:text,other:text\na,b", "it has no column 'other'"),
            ("id:text,word:text\n1,a", "its column 'id' would change what column 'id' holds"),
            ("word:integer\n1", "its column 'word' would change what column 'word' holds"),
        ] {
            #expect(
                refusal(rows, "table: words\nmode: append", over: Self.old)
                    == "the rows do not fit into table 'words' of 'out.sqlite': \(problem)"
            )
        }
        #expect(
            refusal("a:text\nx", "table: v\nmode: append", over: "CREATE VIEW v AS SELECT 1 AS a")
                == "'v' is a view in 'out.sqlite', and only tables hold rows"
        )
    }

    @Test("no row is lost in the table, whatever it says of conflicts and whatever its triggers do")
    func lossyTables() throws {
        let replacing = "CREATE TABLE t (a TEXT UNIQUE ON CONFLICT REPLACE)"
        #expect(
            refusal("a:text\nx\nx", "table: t", over: replacing)
                == "row 2 may not go into table 't' of 'out.sqlite': UNIQUE constraint failed: t.a"
        )
        let dropping = "CREATE TABLE t (a TEXT); CREATE TRIGGER no BEFORE INSERT ON t BEGIN SELECT RAISE(IGNORE); END"
        #expect(refusal("a:text\nx", "table: t", over: dropping) == "a trigger of table 't' keeps row 1 out of it")
        let staying =
            "CREATE TABLE t (a TEXT); INSERT INTO t VALUES ('old'); "
            + "CREATE TRIGGER no BEFORE DELETE ON t BEGIN SELECT RAISE(IGNORE); END"
        #expect(
            refusal("a:text\nx", "table: t", over: staying)
                == "a trigger of table 't' keeps its rows from being deleted"
        )
    }

    @Test(
        "rows that a trigger takes out are missed, in each way to write",
        arguments: ["table: t\nmode: append", "table: t\nupsert: [a]", "table: t\nreplace_by: [b]"]
    )
    func deletingTriggers(_ options: String) {
        let deleting = """
            CREATE TABLE t (a TEXT PRIMARY KEY, b TEXT); INSERT INTO t VALUES ('old', 'x'), ('older', 'x');
            CREATE TRIGGER gone AFTER INSERT ON t BEGIN DELETE FROM t WHERE b = 'x'; END
            """
        let message =
            "a trigger takes rows out of table 't' while others are written: it holds 1 row instead of 3"
        #expect(refusal("a:text,b:text\nnew,y", options, over: deleting) == message)
    }

    @Test func `a row that a trigger takes out again is missed in an upsert too`() {
        let deleting = """
            CREATE TABLE t (id INTEGER PRIMARY KEY, v INTEGER); INSERT INTO t VALUES (1, 0);
            CREATE TRIGGER gone AFTER INSERT ON t WHEN new.id = 2 BEGIN DELETE FROM t WHERE id = 2; END
            """
        let message = "a trigger takes rows out of table 't' while others are written: it holds 2 rows instead of 3"
        #expect(refusal("id:integer,v:integer\n1,1\n2,1\n3,1", "table: t\nupsert: [id]", over: deleting) == message)
    }

    @Test("a trigger that never ends is stopped with the run")
    func endlessTriggers() throws {
        let endless = """
            CREATE TABLE t (a TEXT); CREATE TABLE u (n INTEGER);
            CREATE TRIGGER long AFTER INSERT ON t BEGIN INSERT INTO u WITH RECURSIVE n(i) AS
            (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n; END
            """
        let looks = Mutex(0)
        let error = #expect(throws: DaybookError.self) {
            try write("a:text\nx", "table: t\nmode: append", over: endless) {
                looks.withLock { looks in
                    looks += 1
                    return looks > 100
                }
            }
        }
        #expect(error?.code == DaybookError.interrupted.code)
    }

    @Test("a database that is in use, and a file that is none, are left alone")
    func inUse() throws {
        try SQLStore.write(
            Self.old,
            to: place.url.appendingPathComponent("out.sqlite"),
            as: SQLStore.Form(keepsLog: true)
        )
        #expect(
            refusal("word:text\na", "table: words")
                == "'out.sqlite' has a write-ahead log beside it: an app has it open, or was stopped while it had"
        )
        try FileManager.default.removeItem(at: place.url.appendingPathComponent("out.sqlite-wal"))
        try place.write("not a database", to: "out.sqlite")
        #expect(refusal("word:text\na", "table: words") == "'out.sqlite' is there already and is no SQLite database")
        try place.write("", to: "out.sqlite")
        #expect(refusal("word:text\na", "table: words") == nil)
    }

    @Test("a database that is set to keep a log stays so")
    func keepsLog() throws {
        let url = place.url.appendingPathComponent("out.sqlite")
        try SQLStore.write(Self.old, to: url)
        var bytes = try Data(contentsOf: url)
        bytes[18] = 2
        bytes[19] = 2
        try bytes.write(to: url)
        let written = try write("word:text\nnew", "table: words\nmode: append")
        let new = try Data(contentsOf: written.url)
        #expect(new[18] == 2 && new[19] == 2)
        let words = try written.read(ImportSqlite.self, "query: SELECT word FROM words ORDER BY id")
        #expect(words.rows == "word:text\nold\nnew")
    }

    @Test("changed databases are refused or written over, and never end the process", arguments: 0..<4 as Range<UInt64>)
    func mutatedBases(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let url = place.url.appendingPathComponent("out.sqlite")
        try SQLStore.write(Self.old, to: url, as: SQLStore.Form(pageSize: 512))
        let whole = try Data(contentsOf: url)
        for round in 0..<75 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...10, using: &random) {
                bytes[Int.random(in: 16..<bytes.count, using: &random)] = UInt8.random(
                    in: .min ... .max,
                    using: &random
                )
            }
            try bytes.write(to: url)
            let mode = round % 2 == 0 ? "append" : "replace"
            do {
                _ = try write("word:text,id:integer\nnew,9\nnewer,", "table: words\nmode: \(mode)")
            } catch is DaybookError {}
            #expect(try Data(contentsOf: url) == bytes)
        }
    }
}
