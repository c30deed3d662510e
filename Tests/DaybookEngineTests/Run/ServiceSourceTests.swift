import DaybookHistory
import DaybookStandard
import DaybookTestSupport
import Foundation
import Synchronization
import Testing

@testable import DaybookContracts
@testable import DaybookEngine

/// What a service holds, whose rows are read at one state.
private final class Words: Sendable {
    static let shared = Mutex<[String: [String]]>([:])

    static func set(_ words: [String], at address: String) { shared.withLock { $0[address] = words } }
    static func words(at address: String) -> [String]? { shared.withLock { $0[address] } }
}

private struct AskWords: ServiceSource {
    static let description = StageDescription(name: "ask_words", summary: "Ask for words.", examples: [])

    let address: PathText
    let intake: FileIntake

    init(reading options: inout OptionReader) {
        address = options.read("at", help: "Where they are.")
        intake = options.readIntake(declaresColumns: true)
    }

    var declaredSchema: Schema { Schema([Field("word", .text)]) }

    func open(_ context: any ServiceContext) throws(DaybookError) -> any OpenedService {
        guard let words = Words.words(at: address.text) else { throw .machine("no-words", "nobody answers") }
        return Opened(schema: declaredSchema, words: words, source: context.source)
    }

    private struct Opened: OpenedService {
        let schema: Schema
        let words: [String]
        let source: SourceName
        var version: InputVersion { InputVersion(.position, "\(words.count)") }
        func rows(_ schema: Schema) -> any StoreRows { Rows(schema, words, source) }
    }

    private final class Rows: StoreRows {
        let schema: Schema
        let words: [String]
        let source: SourceName
        private let isDrawn = Atomic(false)

        init(_ schema: Schema, _ words: [String], _ source: SourceName) {
            (self.schema, self.words, self.source) = (schema, words, source)
        }

        var share: Double { 0 }

        func next(_ size: Int, reporting findings: inout Findings) -> Batch? {
            guard !isDrawn.exchange(true, ordering: .relaxed) else { return nil }
            findings.saw(records: words.count)
            let columns = schema.fields.map { _ in Column.text(TextColumn(words, at: words.indices)) }
            let rows = words.indices.map { StoreRow(Int64($0) + 1, at: $0) }
            return Batch(schema, columns, count: words.count, provenance: .store(source, rows: rows))
        }

        func pointer(to field: String?, row: Int64) -> String { "/\(row)" + (field.map { "/\($0)" } ?? "") }
        func record(again row: Int64) -> StoredRecord? { nil }
    }
}

/// A source without files: rows, places, and the state by which manifests and plans of shards know it.
@Suite struct ServiceSourceTests {
    private let scratch = Scratch()
    private let address = "words://\(UUID().uuidString)"
    private let table = StageTable(StageTable.builtIn.stages + [AskWords.self])

    private func plan(_ options: String = "", then stages: String = "") throws -> Plan {
        let text = """
            daybook: 1
            job: words
            stages:
              - ask_words: { at: "\(address)"\(options) }
            \(stages)
              - export_csv: { path: out.csv }

            """
        let job = try JobParser(stageNames: table.names, environment: { _ in nil }).job(
            Array(text.utf8),
            file: "w.yaml"
        )
        return try Plan(job, table: table, asOf: CalendarDay(number: 0))
    }

    private func settings() -> RunSettings {
        RunSettings(threads: 2, directory: scratch.path, state: StateDirectory(scratch["state"]))
    }

    @Test func `rows come of one state, by which the run names it`() throws {
        Words.set(["apple", "pear"], at: address)
        let outcome = Runner(try plan(), settings()).run()
        #expect(outcome.errors.isEmpty && outcome.exitCode == 0)
        #expect(scratch.read("out.csv") == "word\napple\npear\n")
        #expect(outcome.inputs.map(\.path) == [address])
        #expect(outcome.inputs[0].version == InputVersion(.position, "2"))
    }

    @Test func `a rejected row is told by its place in the service`() throws {
        Words.set(["apple", "12"], at: address)
        let outcome = Runner(
            try plan(then: "  - check_rows: { rules: [matches: { column: word, pattern: '[a-z]+' }] }"),
            settings()
        ).run()
        #expect(outcome.exitCode == 1)
        let finding = try #require(outcome.findings.first)
        #expect(finding.source == address)
        #expect(finding.pointer == "/2/word")
    }

    @Test func `a state that a run has taken is not read again where only new ones are`() throws {
        Words.set(["apple"], at: address)
        var settings = settings()
        var taken = IngestedFiles(mask: SecretMask([]), ofJob: "w.yaml")
        let first = Runner(try plan(", new_only: true"), settings).run()
        taken.add(path: address, bytes: 0, xxh128: try #require(first.inputs[0].digest).xxh128, run: nil)
        settings.ingested = taken
        let again = Runner(try plan(", new_only: true"), settings).run()
        #expect(again.ledger[0].rowsIn == 0 && again.intakes.map(\.taken) == [1])
        Words.set(["apple", "pear"], at: address)
        let later = Runner(try plan(", new_only: true"), settings).run()
        #expect(later.ledger[0].rowsIn == 2)
    }

    @Test func `a service that does not answer fails the run with its address`() throws {
        let outcome = Runner(try plan(), settings()).run()
        #expect(outcome.errors.map(\.code) == ["no-words"])
        #expect(outcome.errors[0].file == address)
        #expect(outcome.exitCode == 3)
    }
}
