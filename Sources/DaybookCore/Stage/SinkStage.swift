/// A stage that turns batches into the bytes of one output, and passes its rows on.
public protocol SinkStage: Stage {
    /// What one batch becomes; made by any worker, in any order.
    associatedtype Piece: Sendable
    associatedtype Writer: SinkWriter where Writer.Piece == Piece

    /// True when `from` may name several stages.
    static var takesSeveral: Bool { get }

    var output: PathText { get }

    /// Whether the output is a directory of parts, of which each shard writes its own. Then the pieces are bytes that stand one behind the
    /// other as they are made.
    var isInParts: Bool { get }

    /// The file that the output starts from and keeps parts of; it may be the output's own old file.
    var base: SinkBase? { get }

    /// Whether its rows come behind those that the output holds already. The run may then read the output too, as it was at the start.
    var extendsOutput: Bool { get }

    /// Whether a row that comes again takes the place of the one before, so that the output is the same.
    var replacesByKey: Bool { get }

    /// Whether both write parts of one output, when they have one path: tables of a database. The writer of the second is then given that of
    /// the first, and the last of all to finish writes the bytes.
    func shares(with other: any SinkStage) -> Bool

    /// Whether the file that rows are added to has some already.
    func holdsRows(_ base: BaseFile) -> Bool

    /// Refuses columns that the output cannot hold.
    func check(_ input: Schema) throws(DaybookError)

    /// The stage that knows what it reads, before the first row; or an error at the option that asks for what is not there. Asked anew
    /// whenever the columns are known better.
    func reading(_ inputs: [SinkInput]) throws(DaybookError) -> Self

    /// The same stage without what it shows of other inputs than these: a replay leaves out those from which no row comes again.
    func limited(to ids: [String]) -> Self

    /// What is allowed and likely not meant, given what the output reads.
    func notes(on inputs: [SinkInput]) -> [JobWarning]

    /// The stages whose lines of the ledger it shows, by their ids.
    var countedStages: [(id: String, place: SourcePlace?)] { get }

    /// What its measures want to know of earlier runs, by their titles.
    var pastRequests: [String: PastRequest] { get }

    /// The same stage, whose measures now know earlier runs, by their titles. One that is told nothing has no past.
    func knowing(_ past: [String: FigurePast]) -> Self

    /// Makes the part of the output that stands for `batch`. Rows to reject are named in `findings`; the batch does not
    /// yet lack them, so the piece must.
    func piece(of batch: Batch, reporting findings: inout Findings) -> Piece

    /// The same for an output that does not treat all of its inputs alike.
    func piece(of batch: Batch, from input: Int, reporting findings: inout Findings) -> Piece

    func writer(for inputs: [SinkInput]) -> Writer

    /// The same for a writer that needs its base, or room of its own.
    func writer(for inputs: [SinkInput], in room: SinkContext) throws(DaybookError) -> Writer
}

extension SinkStage {
    public static var takesSeveral: Bool { false }
    public var isInParts: Bool { false }
    public var base: SinkBase? { nil }
    public var extendsOutput: Bool { false }
    public var replacesByKey: Bool { false }
    public func shares(with other: any SinkStage) -> Bool { false }
    public func holdsRows(_ base: BaseFile) -> Bool { base.hasLine(behind: 0) }
    public func check(_ input: Schema) throws(DaybookError) {}
    public func limited(to ids: [String]) -> Self { self }
    public func notes(on inputs: [SinkInput]) -> [JobWarning] { [] }
    public var countedStages: [(id: String, place: SourcePlace?)] { [] }
    public var pastRequests: [String: PastRequest] { [:] }
    public func knowing(_ past: [String: FigurePast]) -> Self { self }

    public func reading(_ inputs: [SinkInput]) throws(DaybookError) -> Self {
        for input in inputs { try check(input.schema) }
        return self
    }

    public func piece(of batch: Batch, from input: Int, reporting findings: inout Findings) -> Piece {
        piece(of: batch, reporting: &findings)
    }

    public func writer(for inputs: [SinkInput], in room: SinkContext) throws(DaybookError) -> Writer {
        writer(for: inputs)
    }
}

/// One stage whose rows an output takes.
public struct SinkInput: Sendable {
    /// The id of the stage, with `.rejects` behind it for the rows that it rejects.
    public let id: String
    public let schema: Schema

    public init(id: String, schema: Schema) {
        self.id = id
        self.schema = schema
    }
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
