/// Up to where a stage has read a store.
public struct StageMark: Sendable {
    public var column: String
    public var value: StoreMark
    /// How many rows lay up to it; nil where nobody counted.
    public var rows: Int?

    public init(column: String, value: StoreMark, rows: Int? = nil) {
        (self.column, self.value, self.rows) = (column, value, rows)
    }
}

extension PlannedStage {
    /// The column by which the stage knows new rows of a store; nil where it reads all.
    package var since: SinceColumn? {
        if case .source(.stores(let source)) = role { source.since } else { nil }
    }

    /// Which rows of a store the stage asks for, where earlier runs have come to `marks`; nil for all.
    package func bound(after marks: [String: StageMark]) -> SinceBound? {
        guard let since else { return nil }
        guard let known = marks[id], known.column == since.column else {
            return SinceBound(since.start, isInclusive: true)
        }
        var bound = SinceBound(known.value, isInclusive: false)
        bound.known = known.rows
        return bound
    }
}
