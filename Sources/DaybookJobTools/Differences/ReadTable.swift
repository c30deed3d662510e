import DaybookBytes
import DaybookDiscover
import DaybookEngine
import DaybookReports

/// An output of a run, and the format of its text.
public struct WrittenTable: Sendable {
    /// The absolute path.
    public var path: String
    /// How its job would read it; nil to read it as the name of the file says.
    public var readBack: ReadBack?

    public init(_ path: String, _ readBack: ReadBack? = nil) { (self.path, self.readBack) = (path, readBack) }

    /// Whether the name of a file says that it can be read as a table.
    public static func isTable(named name: String) -> Bool { ReadTable.byName(name) != nil }
}

extension ReadBack {
    /// With those options in the place of its own.
    fileprivate func replacing(_ others: [OptionNode.Entry]) -> ReadBack {
        let keys = Set(others.map(\.key))
        return ReadBack(stage, options.filter { !keys.contains($0.key) } + others)
    }
}

/// A written file, read again as a table.
struct ReadTable {
    /// The absolute path.
    private(set) var path: String
    private let table: StageTable
    private let readBack: ReadBack
    private let isCancelled: @Sendable () -> Bool

    /// Throws for a file whose name names no format that can be read without its job.
    ///
    /// - Parameter earlier: the table of which it is a later version, and which tells how both are to be read, but for their encoding.
    init(
        _ written: WrittenTable,
        _ table: StageTable,
        like earlier: ReadTable? = nil,
        isCancelled: @escaping @Sendable () -> Bool
    ) throws(DaybookErrors) {
        let known =
            written.readBack
            ?? ReadTable.byName(written.path).map { named in
                let found = ReadTable.guessed(written.path, named, table, isCancelled)
                guard let earlier = earlier?.readBack, earlier.stage == found.stage else { return found }
                return earlier.replacing(found.options.filter { $0.key == "encoding" })
            }
        guard let readBack = known else {
            let names = DisplayText.list((ReadTable.csv + ReadTable.json).map { "*\($0)" }, "or")
            throw DaybookErrors([
                DaybookError("no-table", "only files called \(names) are compared row by row", blame: .data)
            ])
        }
        (path, self.table, self.isCancelled) = (written.path, table, isCancelled)
        self.readBack = readBack
    }

    /// The same for another file, as this one is read.
    func reading(_ path: String) -> ReadTable {
        var other = self
        other.path = path
        return other
    }

    /// Whether it is a file of rows in lines, each byte of which is read as it stands.
    var isPlainCSV: Bool {
        readBack.stage == "import_csv" && ReadTable.csv.contains(where: path.lowercased().hasSuffix)
    }

    /// Whether both are read in the same way.
    func isRead(like other: ReadTable) -> Bool {
        readBack.stage == other.readBack.stage && readBack.options.count == other.readBack.options.count
            && readBack.options.allSatisfy { own in other.readBack.options.contains { $0.isSame(as: own) } }
    }

    fileprivate static func byName(_ path: String) -> ReadBack? {
        var name = FilePath.name(of: path).lowercased()
        for packed in [".gz", ".zst"] where name.hasSuffix(packed) { name.removeLast(packed.count) }
        if csv.contains(where: name.hasSuffix) { return .csv() }
        return json.contains(where: name.hasSuffix) ? .json : nil
    }

    /// The format that a name tells, with what the file itself tells of it: without a header, with titles above it, inside of a field.
    private static func guessed(
        _ path: String,
        _ named: ReadBack,
        _ table: StageTable,
        _ isCancelled: @escaping @Sendable () -> Bool
    ) -> ReadBack {
        let detector = FormatDetector(
            table: table,
            what: "a comparison",
            limit: 1 << 20,
            isCancelled: isCancelled
        )
        guard let input = try? detector.groups([path]).first?.inputs.first, let found = try? detector.detect(input),
            found.stage == named.stage, let options = found.firstImport?.options.filter({ $0.key != "columns" }),
            let job = try? InferenceRun.job(
                """
                daybook: 1
                stages:
                  - \(found.stage): \(YAMLScalar.of(.map(options)))
                """,
                table
            )
        else { return named }
        return named.replacing(job.stages[0].options)
    }

    private static let csv = [".csv", ".tsv"]
    private static let json = [".json", ".ndjson", ".jsonl"]

    /// The columns; empty for an empty file.
    func columns() throws(DaybookErrors) -> [String] { try run(FirstRows(limit: 0))?.schema.names ?? [] }

    /// The result of an observer, what it has told of rows, and how many records could not be read; nil for an empty file.
    func run<Observer: RowObserver>(
        _ observer: Observer
    ) throws(DaybookErrors) -> (seen: Observer.Partial, schema: Schema, told: [RenderedFinding], unread: Int)? {
        let settings = [ParamSetting(name: "path", value: path)]
        let text = """
            daybook: 1
            params: { path: none }
            rejects: { allow: 100% }
            stages:
              - \(readBack.stage): { path: "${path}" }
            """
        var job = try JobParser(settings: settings, stageNames: table.names) { _ in nil }
            .job(Array(text.utf8), file: "the table")
        job.stages[0].options += readBack.options
        let observed = ObservedJob(table: table, directory: "/", isCancelled: isCancelled)
        let result = try observed.run(job, asOf: CalendarDay(number: 0), by: observer)
        let errors = result.outcome.errors.filter { $0.code != "no-columns" }
        // Hints are about options of a job, and here nobody has written one.
        guard errors.isEmpty else { throw DaybookErrors(errors.map(ReadTable.withoutHint)) }
        guard result.outcome.errors.isEmpty else { return nil }
        let outcome = result.outcome
        return (result.seen, result.schema, outcome.findings, outcome.ledger.first?.rejected ?? 0)
    }

    private static func withoutHint(_ error: DaybookError) -> DaybookError {
        var error = error
        error.hint = nil
        return error
    }
}

extension OptionNode.Entry {
    /// Whether the options are the same ones, wherever they stand.
    fileprivate func isSame(as other: OptionNode.Entry) -> Bool { key == other.key && value.isSame(as: other.value) }
}

extension OptionNode {
    fileprivate func isSame(as other: OptionNode) -> Bool {
        switch (content, other.content) {
        case (.text(let one, let quoted), .text(let two, let otherQuoted)): one == two && quoted == otherQuoted
        case (.list(let one), .list(let two)): one.elementsEqual(two) { $0.isSame(as: $1) }
        case (.map(let one), .map(let two)): one.elementsEqual(two) { $0.isSame(as: $1) }
        case (.nothing, .nothing): true
        default: false
        }
    }
}
