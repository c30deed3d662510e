/// A stage that reads more than one other.
///
/// Rows of its main inputs flow through it as through any stage. Its sides are read to their end first, for it looks things
/// up in them. A stage whose main rows and sides come from one source is no special case: the engine holds rows back.
public protocol JoiningStage: Stage {
    /// What the stages under `from` are to it.
    static var inputs: JoinedInputs { get }

    /// Stages that the options name beside `from`, each read to its end before any row comes.
    var sides: [BuildSideReference] { get }

    /// The columns of a side that are needed, by its number: those of `from` first, then `sides`.
    func columns(neededOfBuildSide side: Int) -> ColumnSet

    /// Whether it has to know where the rows of a side stand, which takes 32 bytes of memory each.
    func needsOrigins(ofBuildSide side: Int) -> Bool

    /// The same stage, which now knows what the stages under `from` are called.
    func reading(_ names: [String]) -> Self

    /// The same stage, which now knows the columns of all that it reads: `inputs` as they stand under `from`, `sides` as it
    /// names them. Throws what does not fit together.
    func joined(to inputs: [Schema], sides: [Schema]) throws(DaybookError) -> Self

    /// About how many bytes of a side stay in memory; more are handed over on disk.
    var buildSideMemory: Int { get }

    /// The same stage, which now knows the rows of its sides, in the order of `columns(neededOfBuildSide:)`.
    func knowing(_ sides: [BuildSide], scratch: any Scratch) throws(DaybookError) -> Self
}

/// What the stages under `from` are to a stage that reads several.
public enum JoinedInputs: Sendable {
    /// One main input, as for any stage.
    case one
    /// A main input, and one that is looked things up in.
    case mainAndBuildSide
    /// Two or more main inputs, one after another.
    case several
}

extension JoiningStage {
    public static var inputs: JoinedInputs { .one }
    public var sides: [BuildSideReference] { [] }
    public func columns(neededOfBuildSide side: Int) -> ColumnSet { .all }
    public func needsOrigins(ofBuildSide side: Int) -> Bool { true }
    public func reading(_ names: [String]) -> Self { self }
    public var buildSideMemory: Int { 256 << 20 }
    public func knowing(_ sides: [BuildSide], scratch: any Scratch) throws(DaybookError) -> Self { self }
}
