/// A declaration that reads more than one stage.
///
/// Rows of its main inputs flow through it as through any stage. Its sides are read to their end first, for it looks things
/// up in them. A stage whose main rows and sides come from one source is no special case: the engine holds rows back.
public protocol Joining: Sendable {
    /// What the stages under `from` are to it.
    static var inputs: JoinedInputs { get }

    /// Stages that the options name beside `from`, each read to its end before any row comes.
    var sides: [BuildSideReference] { get }
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

extension Joining {
    public static var inputs: JoinedInputs { .one }
    public var sides: [BuildSideReference] { [] }
}

extension Transform where Self: Joining {
    public var asJoining: (any Joining)? { self }
}

extension Fold where Self: Joining {
    public var asJoining: (any Joining)? { self }
}
