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
