import DaybookCore

/// What happens to the rows that a stage rejects: where they are written, and how many are too many.
public struct RejectPolicy: Sendable {
    public var path: PathText?
    /// How many rows may be rejected; nil where the job leaves it to the default, which is none.
    public var allow: Allowance?
    public var place: SourcePlace
}
