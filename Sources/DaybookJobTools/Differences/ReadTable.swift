import DaybookBytes
import DaybookDiscover
import DaybookEngine
import DaybookReports
import Foundation
import Synchronization

/// An output of a run, and the format of its text.
public struct WrittenTable: Sendable {
    /// The absolute path.
    public var path: String
    /// How its job would read it; nil to read it as the name of the file says.
    public var readBack: ReadBack?

    public init(_ path: String, _ readBack: ReadBack? = nil) { (self.path, self.readBack) = (path, readBack) }

    /// Whether the name of a file says that it can be read as a table.
    public static func isTable(named name: String) -> Bool { ReadTable.byName(name) != nil }

    /// The mistake of naming a file that is no table.
    ///
    /// - Parameter path: as it was named, where only one was.
    public static func notCompared(_ path: String? = nil) -> DaybookError {
        let names = DisplayText.list((ReadTable.csv + ReadTable.json).map { "*\($0)" }, "or")
        let message = "only files called \(names) are compared row by row"
        return DaybookError("no-table", message, hint: path.map { "'\($0)' is called otherwise" })
    }
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
        guard let known else {
            throw DaybookErrors(WrittenTable.notCompared())
        }
        (path, self.table, self.isCancelled, readBack) = (written.path, table, isCancelled, known)
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
        let detector = FormatDetector(table: table, what: "a comparison", limit: 1 << 20, isCancelled: isCancelled)
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

    fileprivate static let csv = [".csv", ".tsv"]
    fileprivate static let json = [".json", ".ndjson", ".jsonl"]

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
        guard errors.isEmpty else { throw DaybookErrors(errors.map(ReadTable.withoutHint)) }
        let outcome = result.outcome
        guard outcome.errors.isEmpty else { return nil }
        return (result.seen, result.schema, outcome.findings, outcome.ledger.first?.rejected ?? 0)
    }

    /// Hints are about options of a job, and here nobody has written one.
    private static func withoutHint(_ error: DaybookError) -> DaybookError {
        var error = error
        error.hint = nil
        return error
    }
}

extension OptionNode.Entry {
    /// Whether the options are the same ones, wherever they stand.
    fileprivate func isSame(as other: OptionNode.Entry) -> Bool {
        key == other.key && value.equals(other.value)
    }
}

extension OptionNode {
    /// Whether both trees say the same, wherever they stand, except at the paths in `others`.
    func equals(_ other: OptionNode, beside others: Set<[String]> = [], _ path: [String] = []) -> Bool {
        if others.contains(path) { return true }
        return switch (content, other.content) {
        case (.nothing, .nothing): true
        case (.text(let one, let quoted), .text(let two, let otherQuoted)): one == two && quoted == otherQuoted
        case (.list(let one), .list(let two)):
            one.count == two.count
                && zip(one, two).enumerated().allSatisfy { index, pair in
                    pair.0.equals(pair.1, beside: others, path + [String(index)])
                }
        case (.map(let one), .map(let two)):
            one.elementsEqual(two) { $0.key == $1.key && $0.value.equals($1.value, beside: others, path + [$0.key]) }
        default: false
        }
    }
}

/// A copy of a part of a table's file, read as the table is; gone with its last user.
final class TableCopy: Sendable {
    let table: ReadTable
    private let place = ScratchPlace()
    /// How many lines of the file stand before a byte of the copy, and not in it.
    let linesLeftOut: @Sendable (Int) -> Int

    /// Nil where it cannot be written.
    init?(_ bytes: Bytes, of table: ReadTable, _ linesLeftOut: @escaping @Sendable (Int) -> Int = { _ in 0 }) {
        self.linesLeftOut = linesLeftOut
        let path = FilePath.join(place.path, FilePath.name(of: table.path))
        self.table = table.reading(path)
        do {
            try place.make()
            try Descriptor(opening: path, O_WRONLY | O_CREAT | O_EXCL).writeAll(bytes)
        } catch { return nil }
    }

    deinit { place.remove() }
}

/// Two results that are found at the same time; of two errors, the first.
func together<First: Sendable, Second: Sendable, Failure: Error>(
    _ first: @Sendable () throws(Failure) -> First,
    _ second: @Sendable () throws(Failure) -> Second
) throws(Failure) -> (First, Second) {
    let one = Mutex(Result<First, Failure>?.none)
    let other = Mutex(Result<Second, Failure>?.none)
    DispatchQueue.concurrentPerform(iterations: 2) { side in
        if side == 0 {
            let found = Result(catching: first)
            one.withLock { $0 = found }
        } else {
            let found = Result(catching: second)
            other.withLock { $0 = found }
        }
    }
    guard let found = one.withLock({ $0 }), let second = other.withLock({ $0 }) else {
        preconditionFailure("both have ended")
    }
    return (try found.get(), try second.get())
}
