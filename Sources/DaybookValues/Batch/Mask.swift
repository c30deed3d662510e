/// The rows without a value: one bit per row, set if the value is missing.
///
/// A column without gaps has no mask at all, so a loop checks once.
public struct Mask: Sendable, Hashable {
    public private(set) var words: [UInt64]
    public let count: Int

    public init(count: Int) {
        self.count = count
        words = [UInt64](repeating: 0, count: (count + 63) / 64)
    }

    /// Sets the rows for which `isSet` is true, a word at a time. Without branches, for its result cannot be predicted.
    @inlinable
    @inline(__always)
    public init(count: Int, where isSet: (_ row: Int) -> Bool) {
        let words = [UInt64](unsafeUninitializedCapacity: (count + 63) / 64) { words, filled in
            let whole = count >> 6
            for word in 0..<whole {
                var bits: UInt64 = 0
                let first = word << 6
                for bit in 0..<64 { bits |= (isSet(first &+ bit) ? 1 : 0) << UInt64(truncatingIfNeeded: bit) }
                words.initializeElement(at: word, to: bits)
            }
            if count & 63 != 0 {
                var bits: UInt64 = 0
                for row in whole << 6..<count { bits |= (isSet(row) ? 1 : 0) << UInt64(truncatingIfNeeded: row & 63) }
                words.initializeElement(at: whole, to: bits)
            }
            filled = (count + 63) / 64
        }
        self.init(words: words, count: count)
    }

    /// A mask with every row set.
    package static func full(count: Int) -> Mask { Mask(count: count).inverted }

    /// One word for each 64 rows, as `words` gives them.
    public init(words: [UInt64], count: Int) {
        precondition(words.count == (count + 63) / 64, "a mask of \(count) rows has \(words.count) words")
        self.words = words
        self.count = count
    }

    @inlinable
    public subscript(row: Int) -> Bool { words[row >> 6] >> UInt64(row & 63) & 1 == 1 }

    public mutating func insert(_ row: Int) { words[row >> 6] |= 1 << UInt64(row & 63) }

    @inline(__always)
    private mutating func combine(_ other: Mask, _ body: (UInt64, UInt64) -> UInt64) {
        precondition(other.count == count, "masks of \(count) and \(other.count) rows are combined")
        for place in words.indices { words[place] = body(words[place], other.words[place]) }
    }

    /// Leaves only the rows that `other` sets too. Both are of one length.
    public mutating func formIntersection(_ other: Mask) { combine(other) { $0 & $1 } }

    /// Leaves only the rows that `other` does not set. Both are of one length.
    public mutating func subtract(_ other: Mask) { combine(other) { $0 & ~$1 } }

    /// Sets every row that `other` sets. Both are of one length.
    public mutating func formUnion(_ other: Mask) { combine(other) { $0 | $1 } }

    private func changed(_ change: (inout Mask) -> Void) -> Mask {
        var result = self
        change(&result)
        return result
    }

    public func intersection(_ other: Mask) -> Mask { changed { $0.formIntersection(other) } }
    public func union(_ other: Mask) -> Mask { changed { $0.formUnion(other) } }
    /// The rows that this mask sets and `other` does not; nil sets none.
    public func subtracting(_ other: Mask?) -> Mask { other.map { other in changed { $0.subtract(other) } } ?? self }

    /// The rows that are not set.
    public var inverted: Mask {
        changed {
            for place in $0.words.indices { $0.words[place] = ~$0.words[place] }
            // No bit behind the last row is set.
            if count & 63 != 0 { $0.words[count >> 6] &= (1 << UInt64(count & 63)) - 1 }
        }
    }

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

    /// The rows that are set, in order.
    public var rows: [Int] {
        var rows: [Int] = []
        rows.reserveCapacity(setCount)
        forEachRow { rows.append($0) }
        return rows
    }

    /// The rows that are not set, in order, as batches take them.
    var unsetRows: [Int32] {
        var rows: [Int32] = []
        rows.reserveCapacity(count - setCount)
        inverted.forEachRow { rows.append(Int32(truncatingIfNeeded: $0)) }
        return rows
    }

    /// How many rows are set.
    public var setCount: Int { words.reduce(0) { $0 + $1.nonzeroBitCount } }

    /// The mask, or nil when no row is set.
    package var orNil: Mask? { words.allSatisfy { $0 == 0 } ? nil : self }
}

extension Mask? {
    /// Whether the row has no value.
    @inlinable
    public func isMissing(_ row: Int) -> Bool { self?[row] ?? false }

    /// The mask with `row` set, made when it is the first.
    public mutating func insert(_ row: Int, of count: Int) {
        if self == nil { self = Mask(count: count) }
        self?.insert(row)
    }

    package func union(_ other: Mask?) -> Mask? {
        guard let self else { return other }
        return other.map { self.union($0) } ?? self
    }

    /// The mask of the rows in `kept`, in that order.
    public func keeping(_ kept: [Int32]) -> Mask? {
        guard let self else { return nil }
        var result: Mask?
        for (row, old) in kept.enumerated() where self[Int(old)] { result.insert(row, of: kept.count) }
        return result
    }
}
