/// For each row of a batch, whether a condition is true, false or missing.
public struct TernaryMask: Sendable, Hashable {
    public let trueRows: Mask
    /// Rows for which nobody can say, because a value is missing; nil when there are none. None of them is true.
    public let missingRows: Mask?
    /// Those among the missing rows for which a value could not be computed: a division by 0, a number too large.
    public let uncomputableRows: Mask?

    /// - Parameter isTrue: What it says of missing rows does not count.
    init(_ isTrue: Mask, missing: Mask?, uncomputable: Mask? = nil) {
        trueRows = isTrue.subtracting(missing)
        missingRows = missing
        uncomputableRows = uncomputable
    }

    public var count: Int { trueRows.count }

    public func isTrue(_ row: Int) -> Bool { trueRows[row] }
    public func isMissing(_ row: Int) -> Bool { missingRows.isMissing(row) }
    public func isFalse(_ row: Int) -> Bool { !trueRows[row] && !missingRows.isMissing(row) }

    public var trueCount: Int { trueRows.setCount }

    /// True for false and false for true; missing stays.
    var negated: TernaryMask { TernaryMask(trueRows.inverted, missing: missingRows, uncomputable: uncomputableRows) }

    /// False as soon as one of the two is, true when both are, and else missing.
    func and(_ other: TernaryMask) -> TernaryMask {
        let both = trueRows.intersection(other.trueRows)
        guard missingRows != nil || other.missingRows != nil else { return TernaryMask(both, missing: nil) }
        return TernaryMask(both, unknown: possible.intersection(other.possible).subtracting(both), self, other)
    }

    /// True as soon as one of the two is, false when both are, and else missing.
    func or(_ other: TernaryMask) -> TernaryMask {
        let either = trueRows.union(other.trueRows)
        guard missingRows != nil || other.missingRows != nil else { return TernaryMask(either, missing: nil) }
        let unknown = missingRows.union(other.missingRows).map { $0.subtracting(either) }
        return TernaryMask(either, unknown: unknown ?? Mask(count: count), self, other)
    }

    /// The rows that are not false.
    private var possible: Mask { missingRows.map(trueRows.union) ?? trueRows }

    private init(_ isTrue: Mask, unknown: Mask, _ first: TernaryMask, _ second: TernaryMask) {
        trueRows = isTrue
        missingRows = unknown.orNil
        uncomputableRows = first.uncomputableRows.union(second.uncomputableRows)?.intersection(unknown).orNil
    }
}

extension TernaryMask {
    /// A column of flags as truth.
    init(_ flags: Values<Bool>, uncomputable: Mask?) {
        let elements = flags.elements.span
        self.init(Mask(count: elements.count) { elements[$0] }, missing: flags.missing, uncomputable: uncomputable)
    }

    var flags: Values<Bool> {
        let words = trueRows.words
        let elements = [Bool](unsafeUninitializedCapacity: count) { new, filled in
            for row in 0..<count { new.initializeElement(at: row, to: words[row >> 6] >> UInt64(row & 63) & 1 == 1) }
            filled = count
        }
        return Values(elements, missing: missingRows)
    }
}
