/// Up to where a stage has read a store.
public struct StageMark: Sendable {
    public var column: String
    public var value: StoreMark

    public init(column: String, value: StoreMark) { (self.column, self.value) = (column, value) }
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
        return SinceBound(known.value, isInclusive: false)
    }
}
