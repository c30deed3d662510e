/// A stage that turns the rows of files into batches which a library opens itself, such as databases.
///
/// The runner finds the files, copies them where that is needed, hashes them and draws the batches; the stage opens them.
/// A store and all that belongs to it is only read.
public protocol StoreSource: Source {
    /// What the stage knows of one file once it is open.
    associatedtype Store: OpenedStore

    /// What is put behind the path of a store to name the files that belong to it, such as `-wal`.
    static var companions: [String] { get }

    var paths: [PathText] { get }

    /// The column by which new rows are known; nil where every run reads all rows. It asks for one file at most.
    var since: SinceColumn? { get }

    /// Opens one file and looks at as much of it as tells the columns.
    func open(_ file: StoreFile) throws(DaybookError) -> Store

    /// The columns of all stores together, or an error that names the file that differs.
    func schema(of stores: [Store]) throws(DaybookError) -> Schema

    /// The columns that the options name and no store has, each as the error that says so.
    func missing(from stores: [Store]) -> [DaybookError]

    /// The rows of one store, with exactly the fields of `schema`, which are those of `schema(of:)` that a later stage
    /// needs.
    func rows(of store: Store, schema: Schema) throws(DaybookError) -> any StoreRows
}

extension StoreSource {
    public var since: SinceColumn? { nil }
    public func missing(from stores: [Store]) -> [DaybookError] { [] }
}

/// A store that is open.
public protocol OpenedStore: Sendable {
    var source: SourceName { get }
    /// What the file was found to be and to hold, in a few words each; for the manifest.
    var recognised: [String] { get }
    /// What is odd about the whole of it, of no row alone, in words that need no value.
    var warnings: [Finding.Kind] { get }
    /// What came of asking for new rows; nil where all are read.
    var since: SinceReading? { get }
}

extension OpenedStore {
    public var since: SinceReading? { nil }
    public var warnings: [Finding.Kind] { [] }
}

/// A file that a library is to open, and what may be done with it.
public struct StoreFile: Sendable {
    public let source: SourceName
    /// Where it is: absolute, with all links followed.
    public let path: String
    /// How long it is, in bytes.
    public let size: Int
    /// Its first bytes, at most `headSize`.
    public let head: Bytes
    /// How long the files beside it are that belong to it, by what is put behind its path; those that are not there are
    /// left out.
    public let companions: [String: Int]
    public let room: any StoreContext
    /// Which rows are asked for; nil for all, as for a look at the columns.
    public var since: SinceBound?

    public static let headSize = 4096

    public init(
        source: SourceName,
        path: String,
        size: Int,
        head: Bytes,
        companions: [String: Int],
        room: any StoreContext
    ) {
        self.source = source
        self.path = path
        self.size = size
        self.head = head
        self.companions = companions
        self.room = room
    }
}

/// What a run offers to whoever opens one store.
public protocol StoreContext: Sendable {
    /// Asked often; true stops the run.
    var isCancelled: Bool { get }

    /// Copies the store and the files that belong to it, and opens the copy: for a library that would write to them.
    ///
    /// The names of the copies are gone when this returns; what is open by then can still be read and written.
    func copying<Opened>(
        _ open: (_ path: String) throws(DaybookError) -> Opened
    ) throws(DaybookError) -> Opened

    /// A file of the stage's own that vanishes with the run.
    func makeFile() throws(DaybookError) -> any ScratchFile
}

/// The rows of one store, drawn batch by batch, and looked up again for findings.
///
/// Batches are drawn by one thread at a time; rows are looked up by any thread, also meanwhile.
public protocol StoreRows: AnyObject, Sendable {
    /// The columns of every batch.
    var schema: Schema { get }

    /// How much of the rows was drawn, from 0 to 1, as far as that can be known.
    var share: Double { get }

    /// The next rows in the order of the store, about `size` bytes of them, or nil behind the last.
    ///
    /// Every row of the store becomes a row of the batch. Those with a value that is not of its column's kind hold a filler
    /// there and are rejected in `findings`, which is told how many there were. Their origins are those of a store: the
    /// numbers by which `record(again:)` finds them.
    func next(_ size: Int, reporting findings: inout Findings) throws(DaybookError) -> Batch?

    /// Where a row, or a field of it, stands in the store: `/words/12/word`.
    func pointer(to field: String?, row: Int64) -> String

    /// The row as it stands in the store; nil where it cannot be read again.
    func record(again row: Int64) -> StoredRecord?
}

/// One row of a store as a person would read it.
public struct StoredRecord: Sendable {
    /// The row as one line of JSON.
    public let json: Bytes
    /// The values as text, by column; nil for a missing one.
    public let values: [(field: String, text: Bytes?)]

    public init(json: Bytes, values: [(field: String, text: Bytes?)]) {
        self.json = json
        self.values = values
    }

    public func value(of field: String) -> Bytes? { values.first { $0.field == field }?.text }
}
