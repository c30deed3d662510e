/// Which rows have no value: one bit a row, set where the value is missing.
///
/// A column without gaps has no mask at all, so a loop can ask once and then never again.
public struct Mask: Sendable, Hashable {
    public private(set) var words: [UInt64]
    public let count: Int

    public init(count: Int) {
        self.count = count
        words = [UInt64](repeating: 0, count: (count + 63) / 64)
    }

    /// Sets the rows for which `isSet` says so, a word at a time. What it says cannot be foretold, so nothing branches on it.
    @inlinable
    public init(count: Int, where isSet: (_ row: Int) -> Bool) {
        var words = [UInt64](repeating: 0, count: (count + 63) / 64)
        for place in words.indices {
            var word: UInt64 = 0
            for bit in 0..<min(64, count - place << 6) {
                word |= (isSet(place << 6 | bit) ? 1 : 0) &<< UInt64(truncatingIfNeeded: bit)
            }
            words[place] = word
        }
        self.init(words: words, count: count)
    }

    /// One word for each 64 rows, as `words` gives them.
    public init(words: [UInt64], count: Int) {
        precondition(words.count == (count + 63) / 64, "a mask of \(count) rows has \(words.count) words")
        self.words = words
        self.count = count
    }

    @inlinable
    public subscript(row: Int) -> Bool { words[row >> 6] >> UInt64(row & 63) & 1 == 1 }

    public mutating func insert(_ row: Int) { words[row >> 6] |= 1 << UInt64(row & 63) }

    /// Leaves only the rows that `other` sets too. Both are of one length.
    public mutating func formIntersection(_ other: Mask) {
        precondition(other.count == count, "masks of \(count) and \(other.count) rows are joined")
        for place in words.indices { words[place] &= other.words[place] }
    }

    /// Leaves only the rows that `other` does not set. Both are of one length.
    public mutating func subtract(_ other: Mask) {
        precondition(other.count == count, "masks of \(count) and \(other.count) rows are joined")
        for place in words.indices { words[place] &= ~other.words[place] }
    }

    /// The rows that this mask sets and `other` does not. Both are of one length.
    public func subtracting(_ other: Mask) -> Mask {
        var result = self
        result.subtract(other)
        return result
    }

    /// Sets every row that `other` sets. Both are of one length.
    public mutating func formUnion(_ other: Mask) {
        precondition(other.count == count, "masks of \(count) and \(other.count) rows are joined")
        for place in words.indices { words[place] |= other.words[place] }
    }

    /// The rows that are set, in order.
    public var rows: [Int] {
        var rows: [Int] = []
        rows.reserveCapacity(missingCount)
        for (place, word) in words.enumerated() {
            var rest = word
            while rest != 0 {
                rows.append(place << 6 | rest.trailingZeroBitCount)
                rest &= rest - 1
            }
        }
        return rows
    }

    public var missingCount: Int { words.reduce(0) { $0 + $1.nonzeroBitCount } }
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

    /// The mask of the rows in `kept`, in that order.
    public func keeping(_ kept: [Int32]) -> Mask? {
        guard let self else { return nil }
        var result: Mask?
        for (row, old) in kept.enumerated() where self[Int(old)] { result.insert(row, of: kept.count) }
        return result
    }
}
