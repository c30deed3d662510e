import DaybookTestSupport
import Foundation
import Testing

@testable import DaybookContracts
@testable import DaybookSQLite

/// Write-ahead logs that are not whole, of which SQLite reads what it can without a word.
@Suite struct SQLiteLogTests {
    private static let words = """
        CREATE TABLE words (id INTEGER PRIMARY KEY, word TEXT);
        INSERT INTO words VALUES (1, 'a'), (2, 'b');
        INSERT INTO words VALUES (3, 'c');
        """
    private static let frame = 24 + 4096

    private func parts() throws -> (database: Data, log: Data) {
        let trial = try SQLiteTrial(Self.words, as: SQLStore.Form(keepsLog: true))
        return (try Data(contentsOf: trial.url), try #require(try trial.traces()["store.sqlite-wal"]))
    }

    private func warnings(_ database: Data, _ log: Data) throws -> [Finding.Kind] {
        let trial = try SQLiteTrial(database, log: log)
        let stage = try ExampleRunner.make(ImportSqlite.self, "{ path: x, table: words }")
        return try stage.open(try StoreFile(trial.url, companions: ImportSqlite.companions)).warnings
    }

    @Test("a log that ends inside its header or a frame is refused, and one that ends between two is not")
    func cut() throws {
        let (database, log) = try parts()
        #expect((log.count - 32) % Self.frame == 0)
        #expect(try warnings(database, log).isEmpty)
        for (length, message) in [
            (1, "it ends inside its header"), (31, "it ends inside its header"), (33, "it ends inside a page"),
            (log.count - 1, "it ends inside a page"), (log.count - 4096, "it ends inside a page"),
        ] {
            let trial = try SQLiteTrial(database, log: log.prefix(length))
            #expect(
                trial.refusal(ImportSqlite.self, "table: words") == "'store.sqlite-wal' is cut off: \(message)",
                "\(length) bytes"
            )
        }
        let last = try SQLiteTrial(database, log: log.prefix(log.count - Self.frame))
        #expect(try last.read(ImportSqlite.self, "table: words").rows == "id:integer,word:text\n1,a\n2,b")
    }

    @Test("a log whose beginning is damaged is refused; SQLite would read the database without it")
    func header() throws {
        var (database, log) = try parts()
        log[12] ^= 1
        #expect(
            try SQLiteTrial(database, log: log).refusal(ImportSqlite.self, "table: words")
                == "'store.sqlite-wal' is no write-ahead log, or its beginning is damaged"
        )
    }

    @Test("pages behind the last whole transaction are warned of, and leftovers of an earlier log are not")
    func unfinished() throws {
        let (database, log) = try parts()
        let start = log.count - Self.frame
        // The last transaction, of one page, does not end, so its checksum is not right either.
        var open = log
        for place in start + 4..<start + 8 { open[place] = 0 }
        let found = try warnings(database, open)
        #expect(found.map(\.code) == ["unfinished-transaction"])
        #expect(found.allSatisfy { $0.severity == .warning })
        #expect(found.first?.message.hasPrefix("a page at the end of 'store.sqlite-wal' is not read") == true)
        var old = open
        old[start + 8] ^= 1
        #expect(try warnings(database, old).isEmpty)
    }

    @Test("a log that is named as the database is told to be one")
    func named() throws {
        let (_, log) = try parts()
        let trial = try SQLiteTrial(log)
        #expect(
            trial.refusal(ImportSqlite.self, "table: words")
                == "'store.sqlite' is the write-ahead log of an SQLite database"
        )
    }

    @Test("a query is one statement, in words of our own")
    func statements() throws {
        let trial = try SQLiteTrial(Self.words)
        for (query, problem) in [
            ("SELECT 1 AS a; DROP TABLE words", "it holds more than one statement"),
            ("SELECT 1 AS a; nonsense", "it holds more than one statement"),
            ("'; SELECT 1 AS a; SELECT 2 AS b'", "it holds more than one statement"),
            ("' -- nothing'", "it holds no statement"), ("' ; '", "it holds no statement"),
        ] {
            #expect(
                trial.refusal(ImportSqlite.self, "query: \(query)")
                    == "'query' cannot be run on 'store.sqlite': \(problem)"
            )
        }
        #expect(try trial.read(ImportSqlite.self, "query: 'SELECT 1 AS a; -- one'").rows == "a:integer\n1")
    }
}
