/// A stage that gives rows: of the texts of files (`TextSource`), of files that a library opens (`StoreSource`), or of a service
/// (`ServiceSource`).
public protocol Source: Stage {
    /// The columns that the options alone make certain; open where the data decides.
    var declaredSchema: Schema { get }

    /// Which of its inputs it reads.
    var intake: FileIntake { get }

    /// The column that holds the name of each row's file, or nil when nobody asked for one. The engine fills it.
    var fileColumn: ColumnName? { get }
}

extension Source {
    public var intake: FileIntake { FileIntake() }
    public var fileColumn: ColumnName? { nil }
}

/// A source whose rows come from a service: a database, a sheet, a queue. It has an address in the place of files.
public protocol ServiceSource: Source {
    /// Where it is, without secrets: as messages and manifests name it.
    var address: PathText { get }

    /// Connects, and settles on one state of the data. All rows are of that state, however long they take.
    func open(_ context: any ServiceContext) throws(DaybookError) -> any OpenedService
}

/// A service that is open at one state of its data.
public protocol OpenedService: Sendable {
    /// The columns. `source` of a field is its name in the service, where that is another.
    var schema: Schema { get }
    /// By which the state is known again.
    var version: InputVersion { get }

    /// The rows, with exactly the fields of `schema`, which are those of the service that a later stage needs.
    func rows(_ schema: Schema) throws(DaybookError) -> any StoreRows
}

/// What a run offers to whoever opens a service.
public protocol ServiceContext: Sendable {
    /// By which findings name the service.
    var source: SourceName { get }
    /// Asked often; true stops the run.
    var isCancelled: Bool { get }
    /// A file of the stage's own that vanishes with the run.
    func makeFile() throws(DaybookError) -> any ScratchFile
}

/// A state of the data of a service, as the service itself names it. Two reads of one version give the same rows.
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
