import DaybookBytes
import DaybookDiscover
import DaybookEngine

/// An output of a run, and how its text was written.
public struct WrittenTable: Sendable {
    /// From the root.
    public var path: String
    /// Whether the first record of a CSV file names the columns.
    public var hasHeader: Bool
    public var encoding: String

    public init(_ path: String, hasHeader: Bool = true, encoding: String = TextEncoding.utf8.name) {
        (self.path, self.hasHeader, self.encoding) = (path, hasHeader, encoding)
    }
}

/// A file that a run has written, read again as a table.
struct ReadTable {
    /// From the root.
    let path: String
    private let table: StageTable
    private let text: String
    private let isCancelled: @Sendable () -> Bool

    /// Throws for a file whose name does not say that it holds a table which can be read without its job.
    init(
        _ written: WrittenTable,
        _ table: StageTable,
        isCancelled: @escaping @Sendable () -> Bool
    ) throws(DaybookErrors) {
        let name = FilePath.name(of: written.path).lowercased()
        let form =
            if ReadTable.csv.contains(where: name.hasSuffix) {
                // A row that is like the header is a row: a run wrote it.
                (
                    stage: "import_csv",
                    options:
                        ", header: \(written.hasHeader), delimiter: auto, repeated_header: keep, second_header: keep"
                )
            } else if ReadTable.json.contains(where: name.hasSuffix) {
                (stage: "import_json", options: "")
            } else {
                throw DaybookErrors([
                    DaybookError(
                        "no-table",
                        "only files called \(Spoken.list((ReadTable.csv + ReadTable.json).map { "*\($0)" }, "or")) "
                            + "are compared row by row",
                        blame: .data
                    )
                ])
            }
        (path, self.table, self.isCancelled) = (written.path, table, isCancelled)
        text = """
            daybook: 1
            params: { path: none }
            rejects: { allow: 100% }
            stages:
              - \(form.stage): { path: "${path}", empty: allow, encoding: \(written.encoding)\(form.options) }
            """
    }

    private static let csv = [".csv", ".tsv"]
    private static let json = [".json", ".ndjson", ".jsonl"]

    /// The columns; none of a file that holds nothing.
    func columns() throws(DaybookErrors) -> [String] { try run(FirstRows(limit: 0))?.schema.names ?? [] }

    /// What an observer makes of the rows, and how many records could not be read; nil of a file that holds nothing.
    func run<Observer: RowObserver>(
        _ observer: Observer
    ) throws(DaybookErrors) -> (seen: Observer.Partial, schema: Schema, unread: Int)? {
        let settings = [ParamSetting(name: "path", value: path)]
        let job = try JobParser(settings: settings, stageNames: table.names) { _ in nil }
            .job(Array(text.utf8), file: "the table")
        let observed = ObservedJob(table: table, directory: "/", isCancelled: isCancelled)
        let result = try observed.run(job, asOf: CalendarDay(number: 0), by: observer)
        let errors = result.outcome.errors.filter { $0.code != "no-columns" }
        // What hints advise is for the options of a job, and nobody here has written one.
        guard errors.isEmpty else { throw DaybookErrors(errors.map(ReadTable.withoutHint)) }
        guard result.outcome.errors.isEmpty else { return nil }
        return (result.seen, result.schema, result.outcome.ledger.first?.rejected ?? 0)
    }

    private static func withoutHint(_ error: DaybookError) -> DaybookError {
        var error = error
        error.hint = nil
        return error
    }
}
