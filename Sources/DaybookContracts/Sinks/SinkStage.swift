import Foundation

/// A sink writes rows as the bytes of one output and passes them on: declared by a stage with options, or a program.
public protocol Sink: Sendable {
    /// True when `from` may name several stages.
    static var takesSeveral: Bool { get }

    /// Where the output goes, and what it keeps of an old one.
    var target: SinkTarget { get }

    /// The operator that writes rows with these columns, or an error at the option that names something missing. Called
    /// again whenever the columns are known better.
    func bind(_ inputs: StageInputs) throws(DaybookError) -> Binding

    /// The service that reports the outcome of a commit after a kill; nil for stages that write files only.
    static var service: (any CommitService)? { get }

    /// The sink as one that shows figures of the whole run; nil if it shows none.
    var asMeasuring: (any MeasuringSink)? { get }

    /// The import that reads what it writes; nil if none does.
    var readBack: ReadBack? { get }
}

extension Sink {
    public static var takesSeveral: Bool { false }
    public static var service: (any CommitService)? { nil }
    public var asMeasuring: (any MeasuringSink)? { nil }
    public var readBack: ReadBack? { nil }
}

/// A stage that writes an output.
public protocol SinkStage: Stage, Sink {}

/// An output that shows figures of the whole run, some compared with earlier runs.
public protocol MeasuringSink: Sink {
    /// The stages whose lines of the ledger it shows, by their ids.
    var countedStages: [(id: String, place: SourcePlace?)] { get }

    /// The figures of earlier runs that its measures need, by their titles.
    var pastRequests: [String: PastRequest] { get }
}

extension MeasuringSink {
    public var asMeasuring: (any MeasuringSink)? { self }
}

/// Where an output goes, and what it keeps of an old one.
public struct SinkTarget: Sendable {
    /// How an output grows from run to run. The run may then read it too, as it was at the start.
    public struct Growth: Sendable {
        /// Whether a repeated row replaces the earlier one, so that the output is the same.
        public var replacesByKey: Bool
        /// The columns of groups, such as a day, whose rows take the place of all earlier ones of the group.
        public var groups: [ColumnName]
        public var replacesGroups: Bool { !groups.isEmpty }
        /// Whether the file that rows are added to has some already.
        public var holdsRows: @Sendable (BaseFile) -> Bool

        public init(
            replacesByKey: Bool = false,
            groups: [ColumnName] = [],
            holdsRows: @escaping @Sendable (BaseFile) -> Bool
        ) {
            (self.replacesByKey, self.groups) = (replacesByKey || !groups.isEmpty, groups)
            self.holdsRows = holdsRows
        }
    }

    /// One of several parts of a file, each written by a stage of its own: a table of a database.
    public struct Part: Sendable, Hashable {
        public var format: String
        public var name: String

        public init(of format: String, _ name: String) { (self.format, self.name) = (format, name) }
    }

    /// Nil if no file is written: rows go to a service, or to a program.
    public var path: PathText?
    /// The service that receives the rows, without secrets, as messages and manifests name it. Joins the commit.
    public private(set) var service: PathText?
    /// Whether the output is a directory of parts, one for each shard. The pieces are then bytes that are written in
    /// the order in which they are made.
    public var isInParts = false
    /// The file that the output starts from and keeps parts of; it may be the output's own old file.
    public var base: SinkBase?
    /// Nil if the new rows replace the old rows of the output.
    public var growth: Growth?
    /// Stages with one path write one file together if each writes another part: the context of the second has the
    /// writer of the first, and the last to finish writes the bytes.
    public var part: Part?

    public init(_ path: PathText?) { self.path = path }

    public init(service address: PathText) { service = address }

    /// Whether both may write to one path.
    public func shares(with other: SinkTarget) -> Bool {
        guard let part, let otherPart = other.part else { return false }
        return part.format == otherPart.format && part.name != otherPart.name
    }

    /// The same output, rebuilt at another path, from a base or from nothing.
    public func redirected(to path: PathText, from base: SinkBase?) -> SinkTarget {
        var target = SinkTarget(path)
        (target.part, target.base) = (part, base)
        return target
    }
}

/// Makes the bytes of an output.
public protocol SinkOperator: Sendable {
    /// The output of one batch; made concurrently, in any order.
    associatedtype Piece: Sendable
    associatedtype Writer: SinkWriter where Writer.Piece == Piece

    /// Makes the part of the output for `batch`, which comes from the input with that index. `findings` names the rows
    /// to reject; the batch still has them, so the piece must leave them out.
    func piece(of batch: Batch, from input: Int, reporting findings: inout Findings) -> Piece

    func writer(in context: SinkContext) throws(DaybookError) -> Writer
}

/// Joins the pieces of an output, in the order of the input, on one thread at a time.
public protocol SinkWriter: Sendable {
    associatedtype Piece: Sendable

    /// How many rows were written, counted where they were written.
    var writtenRows: Int { get }

    /// The measures that the output shows, once it is finished.
    var measures: [SinkMeasure] { get }

    /// What a mail about the run shows of the output, once it is finished; nil for outputs that are no pages.
    var page: SinkPage? { get }

    /// The groups that it wrote, once it is finished; nil for outputs that keep no groups apart.
    var groups: SinkGroups? { get }

    mutating func begin(_ out: any ByteOutput) throws(DaybookError)
    /// Adds a piece of the input with that index.
    mutating func append(_ piece: Piece, input: Int, to out: any ByteOutput) throws(DaybookError)
    mutating func finish(_ run: RunSummary, _ out: any ByteOutput) throws(DaybookError)
}

/// A measure of an output: a figure of the rows of a run, as the history stores it.
public struct SinkMeasure: Sendable, Hashable {
    public var title: String
    /// Nil for values other than numbers, and without a value.
    public var value: Double?
    /// As the output shows it.
    public var text: String
    /// The figures of the days that the run makes, in order; empty for a figure of the run.
    public var made: [DayFigure]
    /// How it changed since earlier runs; nil without a comparison.
    public var change: Change?
    /// Its values by day, the earliest first and this run's last; empty without a comparison.
    public var days: [Day] = []

    /// A change as the output shows it.
    public struct Change: Sendable, Hashable {
        /// `+3.2 %`.
        public var text: String
        /// The reference: `2026-11-20: €3,155`.
        public var before: String
        /// Whether it went the way it should; nil where that is not known.
        public var isGood: Bool?

        public init(text: String, before: String, isGood: Bool?) {
            (self.text, self.before, self.isGood) = (text, before, isGood)
        }
    }

    /// The value of a day.
    public struct Day: Sendable, Hashable {
        public var day: CalendarDay
        public var value: Double

        public init(_ day: CalendarDay, _ value: Double) { (self.day, self.value) = (day, value) }
    }

    public init(title: String, value: Double?, text: String, made: [DayFigure] = []) {
        (self.title, self.value, self.text) = (title, value.flatMap { $0.isFinite ? $0 : nil }, text)
        self.made = made
    }
}

/// What a mail about a run shows of a page: where people find it, and the beginnings of some of its tables.
public struct SinkPage: Sendable {
    /// The first rows of a section.
    public struct Table: Sendable {
        public var title: String
        public var headings: [String]
        /// Which columns are numbers.
        public var numbers: [Bool]
        public var rows: [[String]]
        /// How many rows and columns there are in all.
        public var size: (rows: Int, columns: Int)

        public init(
            title: String,
            headings: [String],
            numbers: [Bool],
            rows: [[String]],
            of size: (rows: Int, columns: Int)
        ) {
            (self.title, self.headings, self.numbers) = (title, headings, numbers)
            (self.rows, self.size) = (rows, size)
        }
    }

    /// A web address; nil where only the file is known.
    public var address: String?
    public var tables: [Table]

    public init(address: String?, tables: [Table]) { (self.address, self.tables) = (address, tables) }
}

extension SinkWriter {
    public var measures: [SinkMeasure] { [] }

    public var page: SinkPage? { nil }

    public var groups: SinkGroups? { nil }

    /// Adds a piece whose type is no longer named.
    public mutating func append(erased piece: any Sendable, input: Int, to out: any ByteOutput) throws(DaybookError) {
        guard let piece = piece as? Piece else { preconditionFailure("an output was handed the piece of another") }
        try append(piece, input: input, to: out)
    }
}

/// Receives the bytes of an output.
public protocol ByteOutput: AnyObject {
    /// Writes a part of `bytes`.
    func write(_ bytes: Bytes, _ part: Range<Int>) throws(DaybookError)
}

extension ByteOutput {
    public func write(_ bytes: Bytes) throws(DaybookError) { try write(bytes, 0..<bytes.count) }

    public func write(_ text: String) throws(DaybookError) { try write(Bytes(text)) }
}

/// The facts of a run that an output may show.
public struct RunSummary: Sendable {
    public var job: String
    public var asOf: CalendarDay
    public var ledger: [LedgerLine]
    /// Which stages read which.
    public var links: [Link]

    /// A stage that reads another, both as numbers of the ledger.
    public struct Link: Sendable, Hashable {
        public var from: Int
        public var to: Int
        /// Whether it reads the rows that the other rejected.
        public var isOfRejects: Bool

        public init(from: Int, to: Int, isOfRejects: Bool = false) {
            self.from = from
            self.to = to
            self.isOfRejects = isOfRejects
        }
    }

    public init(job: String, asOf: CalendarDay, ledger: [LedgerLine], links: [Link] = []) {
        self.job = job
        self.asOf = asOf
        self.ledger = ledger
        self.links = links
    }
}

/// A file that an output starts from and keeps parts of.
public struct SinkBase: Sendable {
    public var path: PathText
    /// Whether the run is refused if the file does not exist.
    public var mustExist: Bool

    public init(_ path: PathText, mustExist: Bool) {
        self.path = path
        self.mustExist = mustExist
    }
}

/// The base of an output as the run found it.
public struct BaseFile: Sendable {
    /// The absolute path.
    public let path: String
    /// The file, opened for reading; nil if it is gone.
    public let open: @Sendable () -> FileHandle?
    /// The whole file.
    public let read: @Sendable () throws(DaybookError) -> Bytes

    /// - Parameter open: opens a file that the system does not find by its path, as one in an archive.
    public init(
        path: String,
        open: (@Sendable () -> FileHandle?)? = nil,
        content: @escaping @Sendable () throws(DaybookError) -> Bytes
    ) {
        self.path = path
        self.open = open ?? { FileHandle(forReadingAtPath: path) }
        read = content
    }

    /// Whether a non-blank line follows so many lines. Examines the first MiB; a longer text has rows.
    public func hasLine(behind lines: Int) -> Bool {
        guard let file = open() else { return false }
        defer { try? file.close() }
        let size = 1 << 20
        let head = (try? file.read(upToCount: size)) ?? Data()
        guard head.count < size else { return true }
        let blanks: Set<UInt8> = [0x00, 0x09, 0x0D, 0x20, 0xEF, 0xBB, 0xBF, 0xFE, 0xFF]
        return head.split(separator: 0x0A).count { !$0.allSatisfy(blanks.contains) } > lines
    }
}

/// The services of the run for a writer, beside its output.
///
/// A library that writes files itself does so at a scratch path; the writer then copies the complete file to the
/// output, so that hashing and all-or-nothing are the same for every output.
public struct SinkContext: Sendable {
    /// The stages that the output reads.
    public let inputs: [StageInput]
    /// The base that the target names; nil when it names none, or one that need not exist and does not.
    public let base: BaseFile?
    /// The writer of the other stage with which this stage shares its output; nil for the first stage.
    public let shared: (any SinkWriter)?
    /// The days that the imports of its rows read, where they name days: all of their rows are there.
    public let days: [CalendarDay]
    /// The column that has the day of a row, where they name days.
    public let dayColumn: ColumnName?
    /// Whether an earlier run is repeated, and its output compared with what stands there.
    public let isRepeated: Bool
    /// Whether the run is to end now. Work of a writer that may take long looks at it.
    public let isCancelled: @Sendable () -> Bool
    /// The path of a file that does not exist yet. The file is deleted at the end of the run, as are files beside it
    /// whose names begin with its name.
    public let scratchPath: @Sendable () throws(DaybookError) -> String
    /// Adds a service to the commit of the run. To be called before the service stores anything of the run, so that
    /// another command can roll that back after a kill.
    public let join: @Sendable (_ participant: any CommitParticipant) throws(DaybookError) -> Void

    public init(
        _ inputs: [StageInput],
        base: BaseFile? = nil,
        shared: (any SinkWriter)? = nil,
        days: [CalendarDay] = [],
        dayColumn: ColumnName? = nil,
        isRepeated: Bool = false,
        isCancelled: @escaping @Sendable () -> Bool = { false },
        scratchPath: @escaping @Sendable () throws(DaybookError) -> String,
        join: @escaping @Sendable (any CommitParticipant) throws(DaybookError) -> Void = { _ in }
    ) {
        (self.inputs, self.base, self.shared, self.days, self.dayColumn) = (inputs, base, shared, days, dayColumn)
        (self.isRepeated, self.isCancelled, self.scratchPath, self.join) = (isRepeated, isCancelled, scratchPath, join)
    }

    /// The columns of the first stage that the output reads.
    public var schema: Schema { inputs.first?.schema ?? Schema() }
}

/// The rows of one batch as text: CSV, or JSON with what belongs between two rows but not around them.
public struct TextPiece: Sendable, BinaryForm {
    public var bytes: Bytes
    public var rows: Int
    /// The rows that were rejected because the program for which the output is would refuse all of it for them.
    public var refused: Int

    public init(bytes: Bytes, rows: Int, refused: Int = 0) {
        (self.bytes, self.rows, self.refused) = (bytes, rows, refused)
    }

    public init(reading reader: inout ByteReader) throws(DaybookError) {
        (rows, refused) = (Int(try reader.raw(UInt32.self)), Int(try reader.raw(UInt32.self)))
        bytes = try Bytes(reading: &reader)
    }

    public func write(to out: Bytes) {
        out.append(raw: UInt32(rows))
        out.append(raw: UInt32(refused))
        bytes.write(to: out)
    }
}

/// The import that reads what a stage wrote, as rows.
public struct ReadBack: Sendable {
    /// Name of the import.
    public var stage: String
    /// Its options, without the path.
    public var options: [OptionNode.Entry]

    public init(_ stage: String, _ options: [OptionNode.Entry] = []) { (self.stage, self.options) = (stage, options) }

    /// Options with plain scalars as values.
    public init(_ stage: String, _ options: KeyValuePairs<String, String>) {
        self.init(stage, options.map { OptionNode.Entry(written: $0.key, .text($0.value, quoted: false)) })
    }

    /// JSON as an array, as lines, or as one object.
    public static var json: ReadBack { ReadBack("import_json", ["empty": "allow"]) }

    /// CSV in which a row that equals the header is a row, since a run wrote it.
    public static func csv(hasHeader: Bool = true, encoding: TextEncoding = .utf8) -> ReadBack {
        ReadBack(
            "import_csv",
            [
                "empty": "allow", "header": hasHeader ? "true" : "false", "encoding": encoding.name,
                "delimiter": "auto", "repeated_header": "keep", "second_header": "keep",
            ]
        )
    }
}

extension OptionNode.Entry {
    /// An option that no file holds.
    public init(written key: String, _ content: OptionNode.Content) {
        let place = SourcePlace(file: "the table", line: 1, column: 1)
        self.init(key: key, keyPlace: place, value: OptionNode(content, at: place))
    }
}
