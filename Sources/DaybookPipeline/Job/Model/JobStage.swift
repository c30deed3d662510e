import DaybookCore

/// One entry under `stages`.
public struct JobStage: Sendable {
    /// The name of the stage type, such as `import_csv`.
    public var type: String
    public var typePlace: SourcePlace
    public var options: [OptionNode.Entry]
    /// Where the options stand; where they would stand when there are none.
    public var optionsPlace: SourcePlace
    /// What stands in the place of the options and is no map of them.
    public var misplacedValue: OptionNode?
    /// The name by which `from` calls this stage, unique in the job.
    ///
    /// Without an `id` it is the type when the job has one such stage, and `type_1`, `type_2` when it has several.
    public var id: String
    /// Where the `id` was written; nil for one that was made.
    public var idPlace: SourcePlace?
    /// What the stage reads. Empty means the stage above.
    public var from: [StageReference]
    public var rejects: RejectPolicy?
}

/// A name under `from`: what an earlier stage passed on, or what it rejected.
public struct StageReference: Sendable, Hashable {
    public enum Port: String, Sendable, Hashable {
        case rows, rejects
    }

    public var id: String
    public var port: Port
    public var place: SourcePlace
}
