/// Up to where a stage has read a store.
public struct StageMark: Sendable {
    public var column: String
    public var value: StoreMark
    /// How many rows lay up to it; nil where nobody counted.
    public var rows: Int?
    /// The rows that lie in the overlap, as they were read; nil where nobody kept them.
    public var overlap: [OverlapRow]?
    /// Which rows up to it a run read that is done again.
    public var reread: [StoreMark]?

    public init(column: String, value: StoreMark, rows: Int? = nil, overlap: [OverlapRow]? = nil) {
        (self.column, self.value, self.rows, self.overlap) = (column, value, rows, overlap)
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
            var bound = SinceBound(since.start, isInclusive: true)
            bound.overlap = since.overlap
            return bound
        }
        var bound = SinceBound(known.value, isInclusive: false)
        (bound.known, bound.overlap, bound.kept) = (known.rows, since.overlap, known.overlap)
        bound.reread = known.reread
        return bound
    }
}

extension Plan {
    /// Refuses to add rows once more that were read before and have changed, to outputs that do not write over them by key.
    func checkChanged(_ since: SinceReading, of stage: PlannedStage) throws(DaybookError) {
        guard let changed = since.overlap?.changed, changed > 0 else { return }
        var (reached, waiting) = (Set<Int>(), [stage.index])
        while let next = waiting.popLast() {
            guard reached.insert(next).inserted else { continue }
            waiting += (stages[next].consumers + stages[next].rejectConsumers).map(\.stage)
        }
        for stage in stages where reached.contains(stage.index) {
            guard let target = stage.target, let path = target.path, target.growth?.replacesByKey == false else {
                continue
            }
            throw DaybookError(
                "row-changed",
                "\(Spoken.count(changed, "row")) of those that were read before \(changed == 1 ? "has" : "have") changed in the database, and '\(path.text)' "
                    + "would hold \(changed == 1 ? "it" : "them") twice",
                at: path.place,
                hint:
                    "write over rows by key, with 'upsert' of export_sqlite; or read all with '--full-refresh', into an output that is removed first",
                blame: .data
            )
        }
    }
}
