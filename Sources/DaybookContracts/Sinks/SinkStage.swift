import Foundation

/// Rows become the bytes of one output, and go on as they are: what a stage with options declares, or a program.
public protocol Sink: Sendable {
    /// True when `from` may name several stages.
    static var takesSeveral: Bool { get }

    /// Where the output goes, and what of an old one stays.
    var target: SinkTarget { get }

    /// What writes rows with these columns, or an error at the option that asks for what is not there. Called anew whenever the columns are
    /// known better.
    func bind(_ inputs: StageInputs) throws(DaybookError) -> Binding

    /// What is asked about a commit that it took part in, after a kill; nil where it writes files alone.
    static var service: (any CommitService)? { get }

    /// The same as one that shows figures of the whole run; nil where it shows none.
    var asMeasuring: (any MeasuringSink)? { get }
}

extension Sink {
    public static var takesSeveral: Bool { false }
    public static var service: (any CommitService)? { nil }
    public var asMeasuring: (any MeasuringSink)? { nil }
}

/// A stage that writes an output.
public protocol SinkStage: Stage, Sink {}

/// An output that shows figures of the whole run, some of them beside those of earlier runs.
public protocol MeasuringSink: Sink {
    /// The stages whose lines of the ledger it shows, by their ids.
    var countedStages: [(id: String, place: SourcePlace?)] { get }

    /// What its measures want to know of earlier runs, by their titles.
    var pastRequests: [String: PastRequest] { get }
}

extension MeasuringSink {
    public var asMeasuring: (any MeasuringSink)? { self }
}

/// Where an output goes, and what of an old one stays.
public struct SinkTarget: Sendable {
    /// How an output grows from run to run. The run may then read it too, as it was at the start.
    public struct Growth: Sendable {
        /// Whether a row that comes again takes the place of the one before, so that the output is the same.
        public var replacesByKey: Bool
        /// Whether the file that rows are added to has some already.
        public var holdsRows: @Sendable (BaseFile) -> Bool

        public init(replacesByKey: Bool = false, holdsRows: @escaping @Sendable (BaseFile) -> Bool) {
            (self.replacesByKey, self.holdsRows) = (replacesByKey, holdsRows)
        }
    }

    /// One of several things in one file, each written by a stage of its own: a table of a database.
    public struct Part: Sendable, Hashable {
        public var format: String
        public var name: String

        public init(of format: String, _ name: String) { (self.format, self.name) = (format, name) }
    }

    /// Nil where no file is written: rows go to a service, or a program keeps them.
    public var path: PathText?
    /// Where a service is that rows go to, without secrets: as messages and manifests name it. Its writer joins the commit of the run.
    public private(set) var service: PathText?
    /// Whether it is a directory of parts, of which each shard writes its own. Then the pieces are bytes that stand one behind the other as
    /// they are made.
    public var isInParts = false
    /// The file that the output starts from and keeps parts of; it may be the output's own old file.
    public var base: SinkBase?
    /// Nil where the rows take the place of those that the output held.
    public var growth: Growth?
    /// Stages with one path write one file together where each writes another part: the context of the second has the writer of the first,
    /// and the last of all to finish writes the bytes.
    public var part: Part?

    public init(_ path: PathText?) { self.path = path }

    public init(service address: PathText) { service = address }

    /// Whether both may go to one path.
    public func shares(with other: SinkTarget) -> Bool {
        guard let part, let otherPart = other.part else { return false }
        return part.format == otherPart.format && part.name != otherPart.name
    }

    /// The same output, made anew at another place, from its base or from nothing.
    public func redirected(to path: PathText, startsAnew: Bool) -> SinkTarget {
        var target = SinkTarget(path)
        target.part = part
        if !startsAnew { target.base = base }
        return target
    }
}

/// What makes the bytes of an output.
public protocol SinkOperator: Sendable {
    /// What one batch becomes; made by any worker, in any order.
    associatedtype Piece: Sendable
    associatedtype Writer: SinkWriter where Writer.Piece == Piece

    /// Makes the part of the output that stands for `batch`, which comes from the input with that index. Rows to reject are named in
    /// `findings`; the batch does not yet lack them, so the piece must.
    func piece(of batch: Batch, from input: Int, reporting findings: inout Findings) -> Piece

    func writer(in context: SinkContext) throws(DaybookError) -> Writer
}

/// Puts the pieces of an output together, in the order of the input, on one thread at a time.
public protocol SinkWriter: Sendable {
    associatedtype Piece: Sendable

    /// How many rows were written, counted where they were written.
    var writtenRows: Int { get }

    /// The measures that the output shows, once it is finished.
    var measures: [SinkMeasure] { get }

    mutating func begin(_ out: any ByteOutput) throws(DaybookError)
    /// Adds a piece of the input with that index.
    mutating func append(_ piece: Piece, input: Int, to out: any ByteOutput) throws(DaybookError)
    mutating func finish(_ run: RunSummary, _ out: any ByteOutput) throws(DaybookError)
}

/// A measure of an output: what the rows of a run came to, as the history keeps it.
public struct SinkMeasure: Sendable, Hashable {
    public var title: String
    /// Nil for what is no number, and where there is none.
    public var value: Double?
    /// As the output shows it.
    public var text: String

    public init(title: String, value: Double?, text: String) {
        (self.title, self.value, self.text) = (title, value.flatMap { $0.isFinite ? $0 : nil }, text)
    }
}

extension SinkWriter {
    public var measures: [SinkMeasure] { [] }

    /// Adds a piece whose type is no longer named.
    public mutating func append(erased piece: any Sendable, input: Int, to out: any ByteOutput) throws(DaybookError) {
        guard let piece = piece as? Piece else { preconditionFailure("an output was handed the piece of another") }
        try append(piece, input: input, to: out)
    }
}

/// Where the bytes of an output go.
public protocol ByteOutput: AnyObject {
    /// Writes a part of what `bytes` holds.
    func write(_ bytes: Bytes, _ part: Range<Int>) throws(DaybookError)
}

extension ByteOutput {
    public func write(_ bytes: Bytes) throws(DaybookError) { try write(bytes, 0..<bytes.count) }

    public func write(_ text: String) throws(DaybookError) { try write(Bytes(text)) }
}

/// What an output may say about the run that made it.
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
    /// Whether the run is refused when there is no such file.
    public var mustExist: Bool

    public init(_ path: PathText, mustExist: Bool) {
        self.path = path
        self.mustExist = mustExist
    }
}

/// The base of an output as the run found it.
public struct BaseFile: Sendable {
    /// The absolute path, for a library that opens files itself and only reads this one.
    public let path: String
    private let content: @Sendable () throws(DaybookError) -> Bytes

    public init(path: String, content: @escaping @Sendable () throws(DaybookError) -> Bytes) {
        self.path = path
        self.content = content
    }

    /// Whether it has a line that is not blank behind so many others. Looks at its first MiB; what is longer has rows.
    public func hasLine(behind lines: Int) -> Bool {
        guard let file = FileHandle(forReadingAtPath: path) else { return false }
        defer { try? file.close() }
        let size = 1 << 20
        let head = (try? file.read(upToCount: size)) ?? Data()
        let blanks: Set<UInt8> = [0x00, 0x09, 0x0D, 0x20, 0xEF, 0xBB, 0xBF, 0xFE, 0xFF]
        let count = head.split(separator: 0x0A).count { !$0.allSatisfy(blanks.contains) }
        return head.count == size || count > lines
    }

    /// The whole file.
    public func read() throws(DaybookError) -> Bytes { try content() }
}

/// What a writer may ask of the run beside its output.
///
/// A library that writes files itself does so at a scratch path; when the file is complete, the writer copies its bytes to
/// the output, so that hashing and all-or-nothing are the same for every output.
public struct SinkContext: Sendable {
    /// What the output reads.
    public let inputs: [StageInput]
    /// The base that the target names; nil when it names none, or one that need not exist and does not.
    public let base: BaseFile?
    /// The writer of the other stage with which this one shares its output; nil for the first of them.
    public let shared: (any SinkWriter)?
    private let makePath: @Sendable () throws(DaybookError) -> String
    private let takePart: @Sendable (any CommitParticipant) throws(DaybookError) -> Void

    public init(
        _ inputs: [StageInput],
        base: BaseFile? = nil,
        shared: (any SinkWriter)? = nil,
        scratchPath: @escaping @Sendable () throws(DaybookError) -> String,
        join: @escaping @Sendable (any CommitParticipant) throws(DaybookError) -> Void = { _ in }
    ) {
        (self.inputs, self.base, self.shared) = (inputs, base, shared)
        (makePath, takePart) = (scratchPath, join)
    }

    /// The columns of the first stage that the output reads.
    public var schema: Schema { inputs.first?.schema ?? Schema() }

    /// The path of a file that does not exist yet. It vanishes with the run, as do files beside it whose names begin with
    /// its own.
    public func scratchPath() throws(DaybookError) -> String { try makePath() }

    /// Lets a service take part in the commit of the run. To be called before it keeps anything of the run, so that another command can take
    /// that back after a kill.
    public func join(_ participant: any CommitParticipant) throws(DaybookError) { try takePart(participant) }
}

/// The rows of one batch as text: CSV, or JSON with what belongs between two rows but not around them.
public struct TextPiece: Sendable, BinaryForm {
    package var bytes: Bytes
    package var rows: Int

    package init(bytes: Bytes, rows: Int) { (self.bytes, self.rows) = (bytes, rows) }

    public init(reading reader: inout ByteReader) throws(DaybookError) {
        rows = Int(try reader.raw(UInt32.self))
        bytes = try Bytes(reading: &reader)
    }

    public func write(to out: Bytes) {
        out.append(raw: UInt32(rows))
        bytes.write(to: out)
    }
}

/// Whether an output is one file or a directory of parts.
package enum OutputParts: String, OptionChoice {
    case one, shards

    package static let help = """
        One file, or a directory of that name with a part for each shard, such as part-000000.csv; one behind the other they are the \
        file. Needs 'publish'.
        """
}

extension SinkTarget {
    /// A text output.
    ///
    /// - Parameters:
    ///   - appends: whether rows come behind those that the file holds.
    ///   - holdsRows: whether it holds some; by default where a line of it is not blank.
    package init(
        _ output: PathText,
        _ parts: OutputParts,
        appends: Bool,
        holdsRows: @escaping @Sendable (BaseFile) -> Bool = { $0.hasLine(behind: 0) }
    ) {
        self.init(output)
        isInParts = parts == .shards
        guard appends else { return }
        base = SinkBase(output, mustExist: false)
        growth = Growth(holdsRows: holdsRows)
    }
}

extension OptionReader {
    /// Reads whether rows come behind those that a text output holds already.
    package mutating func readAppend(to output: PathText, _ parts: OutputParts) -> Bool {
        let appends = read(
            "append",
            default: false,
            help: "Whether the rows come behind those that the file holds already, in the place of them."
        )
        if appends, output.isStandardStream {
            refuse("append", "to a stream nothing is added", hint: "name a file, or leave 'append' out")
        }
        if appends, parts == .shards {
            refuse("append", "an output in parts is made anew by every run", hint: "leave 'append' or 'parts' out")
        }
        return appends
    }
}
