import DaybookStandard
import Foundation
import Testing

@testable import DaybookContracts
@testable import DaybookDelimited
@testable import DaybookEngine

/// A source of another package, whose name does not begin with `import_`.
private struct ReadWords: TextSource {
    let wrapped: ImportCSV

    static let description = StageDescription(name: "read_words", summary: "Read words.", examples: [])

    init(reading options: inout OptionReader) { wrapped = ImportCSV(reading: &options) }

    var paths: [PathText] { wrapped.paths }
    var encoding: TextEncoding { wrapped.encoding }
    var declaredSchema: Schema { wrapped.declaredSchema }

    func format(of head: SourceHead) throws(DaybookError) -> CSVFormat { try wrapped.format(of: head) }
    func schema(of formats: [CSVFormat]) throws(DaybookError) -> Schema { try wrapped.schema(of: formats) }
    func reader(of format: CSVFormat, schema: Schema) -> any RecordReader { wrapped.reader(of: format, schema: schema) }
}

/// A stage that lets rows pass, whose name begins like that of a source.
private struct ImportNothing: TransformStage {
    static let description = StageDescription(name: "import_nothing", summary: "Import nothing.", examples: [])

    init(reading options: inout OptionReader) {}

    func schema(after input: Schema) throws(DaybookError) -> Schema { input }
    func process(_ batch: Batch, reporting findings: inout Findings) -> Batch { batch }
}

/// What a stage does is told by its role and never by its name.
@Suite struct SourceRoleTests {
    @Test("a page counts the rows that sources read, whatever they are called")
    func rowsRead() throws {
        let scratch = Scratch()
        scratch.write("words.csv", "word\napple\npear\n")
        let text = """
            daybook: 1
            job: words
            stages:
              - read_words: { path: words.csv }
              - import_nothing:
              - export_html: { path: words.html }

            """
        let table = StageTable(StageTable.builtIn.stages + [ReadWords.self, ImportNothing.self])
        let job = try JobParser(stageNames: table.names, environment: { _ in nil }).job(
            Array(text.utf8),
            file: "words.yaml"
        )
        let plan = try Plan(job, table: table, asOf: CalendarDay(number: 0))
        let settings = RunSettings(threads: 1, directory: scratch.path, state: StateDirectory(scratch["state"]))
        let outcome = Runner(plan, settings).run()
        #expect(outcome.errors.isEmpty)
        #expect(outcome.ledger.map(\.isSource) == [true, false, false])
        #expect(scratch.read("words.html")?.contains("2 rows read · ") == true)
    }
}
