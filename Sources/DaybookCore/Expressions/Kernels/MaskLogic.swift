extension Mask {
    /// A mask with every row set.
    static func full(count: Int) -> Mask { Mask(count: count).inverted }

    /// The rows that are not set.
    public var inverted: Mask {
        var words = words
        for index in words.indices { words[index] = ~words[index] }
        return Mask(words: words, count: count).trimmed
    }

    /// Without bits behind the last row.
    var trimmed: Mask {
        guard count & 63 != 0, var words = Optional(words) else { return self }
        words[words.count - 1] &= (1 << UInt64(count & 63)) - 1
        return Mask(words: words, count: count)
    }

    @inline(__always)
    func combined(_ other: Mask, _ body: (UInt64, UInt64) -> UInt64) -> Mask {
        precondition(count == other.count, "masks of \(count) and \(other.count) rows are combined")
        var words = words
        for index in words.indices { words[index] = body(words[index], other.words[index]) }
        return Mask(words: words, count: count)
    }

    func union(_ other: Mask) -> Mask { combined(other) { $0 | $1 } }
    func intersection(_ other: Mask) -> Mask { combined(other) { $0 & $1 } }
    func subtracting(_ other: Mask?) -> Mask { other.map { combined($0) { $0 & ~$1 } } ?? self }

    /// How many rows are set.
    public var setCount: Int { missingCount }

    /// The mask, or nil when no row is set.
    var orNil: Mask? { words.allSatisfy { $0 == 0 } ? nil : self }

    /// The rows for which `test` holds.
    @inline(__always)
    static func rows(_ count: Int, _ test: (Int) -> Bool) -> Mask {
        let words = [UInt64](unsafeUninitializedCapacity: (count + 63) / 64) { words, filled in
            let whole = count >> 6
            for word in 0..<whole {
                var bits: UInt64 = 0
                let first = word << 6
                for bit in 0..<64 { bits |= (test(first &+ bit) ? 1 : 0) << UInt64(truncatingIfNeeded: bit) }
                words.initializeElement(at: word, to: bits)
            }
            if count & 63 != 0 {
                var bits: UInt64 = 0
                for row in whole << 6..<count { bits |= (test(row) ? 1 : 0) << UInt64(truncatingIfNeeded: row & 63) }
                words.initializeElement(at: whole, to: bits)
            }
            filled = (count + 63) / 64
        }
        return Mask(words: words, count: count)
    }
}

extension Mask? {
    func union(_ other: Mask?) -> Mask? {
        guard let self else { return other }
        return other.map { self.union($0) } ?? self
    }
}
