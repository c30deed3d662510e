/// A stage that reads rows: from texts in files (`TextSource`), from files that a library opens (`StoreSource`), or
/// from a service (`ServiceSource`).
public protocol Source: Stage {
    /// The columns that the options guarantee; open if the data decides.
    var declaredSchema: Schema { get }

    /// Which of its inputs it reads.
    var intake: FileIntake { get }

    /// The column with the name of each row's file, or nil without such a column. The engine fills it.
    var fileColumn: ColumnName? { get }
}

extension Source {
    public var intake: FileIntake { FileIntake() }
    public var fileColumn: ColumnName? { nil }
}

/// A source whose rows come from a service: a database, a sheet, a queue. It has an address instead of files.
public protocol ServiceSource: Source {
    /// Where it is, without secrets: as messages and manifests name it.
    var address: PathText { get }

    /// Connects, and fixes one state of the data. All rows are from that state, however long they take.
    func open(_ context: any ServiceContext) throws(DaybookError) -> any OpenedService
}

/// A service opened at one state of its data.
public protocol OpenedService: Sendable {
    /// The columns. `source` of a field is its name in the service, if that differs.
    var schema: Schema { get }
    /// The version that identifies the state.
    var version: InputVersion { get }

    /// The rows, with exactly the fields of `schema`, which are the fields of the service that later stages need.
    func rows(_ schema: Schema) throws(DaybookError) -> any StoreRows
}

/// The services of a run for opening a service.
public protocol ServiceContext: Sendable {
    /// By which findings name the service.
    var source: SourceName { get }
    /// Checked often; true stops the run.
    var isCancelled: Bool { get }
    /// A file of the stage's own that vanishes with the run.
    func makeFile() throws(DaybookError) -> any ScratchFile
}

/// A version of a service's data, as the service itself names it. Two reads of one version return the same rows.
public struct InputVersion: Sendable, Hashable {
    public enum Kind: String, Sendable {
        /// A snapshot or a version of a table.
        case snapshot
        /// A position in a log, such as an LSN.
        case position
        /// The entity tag of HTTP, RFC 9110, section 8.8.3.
        case etag
    }

    public let kind: Kind
    public let token: String

    public init(_ kind: Kind, _ token: String) { (self.kind, self.token) = (kind, token) }

    public var text: String { "\(kind) \(token)" }
}

/// A stage that makes batches from the rows of files that a library opens itself, such as databases.
///
/// The runner finds the files, copies them if needed, hashes them and fetches the batches; the stage opens them. A
/// store and its companion files are only read.
public protocol StoreSource: Source {
    /// One opened file of the stage.
    associatedtype Store: OpenedStore

    /// The suffixes that name the companion files of a store, such as `-wal`.
    static var companions: [String] { get }

    var paths: [PathText] { get }

    /// The column that marks new rows; nil if every run reads all rows. Requires a single file.
    var since: SinceColumn? { get }

    /// Opens one file and reads enough of it to know the columns.
    func open(_ file: StoreFile) throws(DaybookError) -> Store

    /// The columns of all stores together, or an error that names the file that differs.
    func schema(of stores: [Store]) throws(DaybookError) -> Schema

    /// The columns that the options name and no store has, each as its error.
    func missing(from stores: [Store]) -> [DaybookError]

    /// The rows of one store, with exactly the fields of `schema`, which are the fields of `schema(of:)` that later
    /// stages need.
    func rows(of store: Store, schema: Schema) throws(DaybookError) -> any StoreRows
}

extension StoreSource {
    public var since: SinceColumn? { nil }
    public func missing(from stores: [Store]) -> [DaybookError] { [] }
}

/// An open store.
public protocol OpenedStore: Sendable {
    var source: SourceName { get }
    /// The detected format and content of the file, in a few words each; for the manifest.
    var recognised: [String] { get }
    /// Warnings about the whole store, not about single rows, in words that need no value.
    var warnings: [Finding.Kind] { get }
    /// The result of a request for new rows; nil if all are read.
    var since: SinceReading? { get }
}

extension OpenedStore {
    public var since: SinceReading? { nil }
    public var warnings: [Finding.Kind] { [] }
}

/// A file for a library to open, and the allowed operations on it.
public struct StoreFile: Sendable {
    public let source: SourceName
    /// Where it is: absolute, with all links followed.
    public let path: String
    /// How long it is, in bytes.
    public let size: Int
    /// Its first bytes, at most `headSize`.
    public let head: Bytes
    /// The lengths of its companion files, by suffix; missing files are left out.
    public let companions: [String: Int]
    public let room: any StoreContext
    /// Whether it lies in an archive, so that only a copy has a path that a library finds.
    public var isPacked = false
    /// Which rows are requested; nil for all, as when only the columns are examined.
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

/// The services of a run for opening one store.
public protocol StoreContext: Sendable {
    /// Checked often; true stops the run.
    var isCancelled: Bool { get }

    /// Copies the store and its companion files, and opens the copy: for a library that would write to them.
    ///
    /// The copies are unlinked when this returns; files open by then can still be read and written.
    func copying<Opened>(_ open: (_ path: String) throws(DaybookError) -> Opened) throws(DaybookError) -> Opened

    /// A file of the stage's own that vanishes with the run.
    func makeFile() throws(DaybookError) -> any ScratchFile
}

/// The rows of one store, fetched batch by batch, and looked up again for findings.
///
/// Batches are fetched by one thread at a time; rows are looked up by any thread, also meanwhile.
public protocol StoreRows: AnyObject, Sendable {
    /// The columns of every batch.
    var schema: Schema { get }

    /// The share of rows fetched, from 0 to 1, as far as that can be known.
    var share: Double { get }

    /// The next rows in the order of the store, about `size` bytes of them, or nil after the last.
    ///
    /// Every row of the store becomes a row of the batch. A row with a value of another kind than its column gets a
    /// filler and is rejected in `findings`, which also receives the number of rows. The origins are the row numbers by
    /// which `record(again:)` finds the rows.
    func next(_ size: Int, reporting findings: inout Findings) throws(DaybookError) -> Batch?

    /// The place of a row, or of a field of it, in the store: `/words/12/word`.
    func pointer(to field: String?, row: Int64) -> String

    /// The row as it is in the store; nil if it cannot be read again.
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
