/// For each row of a batch, whether a condition is true, false or missing.
public struct Truth: Sendable, Hashable {
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
    public var missingCount: Int { missingRows?.setCount ?? 0 }
    public var falseCount: Int { count - trueCount - missingCount }

    /// The rows for which it is true, in order.
    public var rowsKept: [Int32] {
        var rows: [Int32] = []
        rows.reserveCapacity(trueCount)
        trueRows.forEachRow { rows.append(Int32(truncatingIfNeeded: $0)) }
        return rows
    }

    /// True for false and false for true; missing stays.
    var negated: Truth { Truth(trueRows.inverted, missing: missingRows, uncomputable: uncomputableRows) }

    /// False as soon as one of the two is, true when both are, and else missing.
    func and(_ other: Truth) -> Truth {
        let both = trueRows.intersection(other.trueRows)
        guard missingRows != nil || other.missingRows != nil else { return Truth(both, missing: nil) }
        return Truth(both, unknown: possible.intersection(other.possible).subtracting(both), self, other)
    }

    /// True as soon as one of the two is, false when both are, and else missing.
    func or(_ other: Truth) -> Truth {
        let either = trueRows.union(other.trueRows)
        guard missingRows != nil || other.missingRows != nil else { return Truth(either, missing: nil) }
        let unknown = missingRows.union(other.missingRows).map { $0.subtracting(either) }
        return Truth(either, unknown: unknown ?? Mask(count: count), self, other)
    }

    /// The rows that are not false.
    private var possible: Mask { missingRows.map(trueRows.union) ?? trueRows }

    private init(_ isTrue: Mask, unknown: Mask, _ first: Truth, _ second: Truth) {
        trueRows = isTrue
        missingRows = unknown.orNil
        uncomputableRows = first.uncomputableRows.union(second.uncomputableRows)?.intersection(unknown).orNil
    }
}

extension Truth {
    /// A column of flags as truth.
    init(_ flags: Values<Bool>, uncomputable: Mask?) {
        let isTrue = flags.elements.withUnsafeBufferPointer { flags in Mask.rows(flags.count) { flags[$0] } }
        self.init(isTrue, missing: flags.missing, uncomputable: uncomputable)
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

extension Mask {
    /// Calls `body` with every row that is set, in order.
    @inlinable
    public func forEachRow(_ body: (Int) -> Void) {
        for index in words.indices {
            var word = words[index]
            while word != 0 {
                body(index << 6 + word.trailingZeroBitCount)
                word &= word &- 1
            }
        }
    }
}
