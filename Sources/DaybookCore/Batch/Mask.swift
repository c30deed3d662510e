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

    /// One word for each 64 rows, as `words` gives them.
    public init(words: [UInt64], count: Int) {
        precondition(words.count == (count + 63) / 64, "a mask of \(count) rows has \(words.count) words")
        self.words = words
        self.count = count
    }

    @inlinable
    public subscript(row: Int) -> Bool { words[row >> 6] >> UInt64(row & 63) & 1 == 1 }

    public mutating func insert(_ row: Int) { words[row >> 6] |= 1 << UInt64(row & 63) }

    /// Sets every row that `other` sets. Both are of one length.
    public mutating func formUnion(_ other: Mask) {
        precondition(other.count == count, "masks of \(count) and \(other.count) rows are joined")
        for place in words.indices { words[place] |= other.words[place] }
    }

    /// Calls `body` with every row that is set, in order.
    @inlinable
    public func forEach(_ body: (_ row: Int) -> Void) {
        for (place, word) in words.enumerated() {
            var rest = word
            while rest != 0 {
                body(place << 6 | rest.trailingZeroBitCount)
                rest &= rest - 1
            }
        }
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
