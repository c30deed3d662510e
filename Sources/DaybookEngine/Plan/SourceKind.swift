/// What a source stage reads, which decides how it is opened.
package enum SourceKind: Sendable {
    /// Files of bytes, which the run reads and cuts into records.
    case files(any TextSource)
    /// Files that a library opens.
    case stores(any StoreSource)
    /// A service.
    case service(any ServiceSource)
    /// Records from elsewhere.
    case given(any GivenSource)

    /// The paths of its files; none of a service.
    package var paths: [PathText] {
        switch self {
        case .files(let stage): stage.paths
        case .stores(let stage): stage.paths
        case .service: []
        case .given(let source): source.paths
        }
    }

    /// The columns that are known before any file is opened.
    package var declaredSchema: Schema {
        switch self {
        case .files(let stage): stage.declaredSchemaWithFile
        case .stores(let stage): stage.declaredSchemaWithFile
        case .service(let stage): stage.declaredSchema
        case .given(let source): source.declaredSchema
        }
    }

    /// Which of its files it reads.
    package var intake: FileIntake {
        switch self {
        case .files(let stage): stage.intake
        case .stores(let stage): stage.intake
        case .service(let stage): stage.intake
        case .given: FileIntake()
        }
    }

    /// What is put behind the path of a file to name those that belong to it.
    var companions: [String] { if case .stores(let stage) = self { type(of: stage).companions } else { [] } }

    /// Where the service is; nil for files.
    package var address: PathText? { if case .service(let stage) = self { stage.address } else { nil } }

    /// The stage, where it reads files of bytes.
    package var fileStage: (any TextSource)? { if case .files(let stage) = self { stage } else { nil } }

    /// The paths whose files are looked for before the source is opened.
    var patterns: [PathText] { if case .given = self { [] } else { paths } }
}

/// A source whose records are not in the files of a job: given by a test, or replayed.
package protocol GivenSource: Sendable {
    /// The files that are read all the same, which no output may replace.
    var paths: [PathText] { get }
    var declaredSchema: Schema { get }
    /// Gets ready, and learns the columns. Sources that findings may name are added to `registry`.
    func open(_ registry: SourceRegistry, _ settings: RunSettings) throws(DaybookError) -> any OpenedInputs
}

extension GivenSource {
    package var paths: [PathText] { [] }
}
