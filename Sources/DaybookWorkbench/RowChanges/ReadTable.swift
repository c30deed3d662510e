/// A file that a run has written, read again as a table.
struct ReadTable {
    /// From the root.
    let path: String
    private let table: StageTable
    private let text: String
    private let isCancelled: @Sendable () -> Bool

    /// Nil for a file that is known to hold no table which can be read without its job.
    init?(_ path: String, _ table: StageTable, isCancelled: @escaping @Sendable () -> Bool) {
        let name = FilePath.name(of: path).lowercased()
        guard let form = ReadTable.forms.first(where: { form in form.endings.contains { name.hasSuffix($0) } }) else {
            return nil
        }
        (self.path, self.table, self.isCancelled) = (path, table, isCancelled)
        text = """
            daybook: 1
            params: { path: none }
            rejects: { allow: 100% }
            stages:
              - \(form.stage): { path: "${path}", empty: allow\(form.options) }
            """
    }

    private static let forms = [
        (endings: [".csv", ".tsv"], stage: "import_csv", options: ", delimiter: auto"),
        (endings: [".json", ".ndjson", ".jsonl"], stage: "import_json", options: ""),
    ]

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
        guard errors.isEmpty else { throw DaybookErrors(errors) }
        guard result.outcome.errors.isEmpty else { return nil }
        return (result.seen, result.schema, result.outcome.ledger.first?.rejected ?? 0)
    }
}
