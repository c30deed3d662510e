import DaybookCore

/// A key and the row that it stands in.
struct HashedKey: PartedElement, TableKey {
    /// The key itself where it is a whole number, else a hash of it.
    var word: UInt64
    /// The upper 24 bits of a second hash, above the 40 of the row's number.
    private var tail: UInt64

    init(word: UInt64, second: UInt64 = 0, row: Int) {
        self.word = word
        tail = (second & ~HashedKey.rowMask) | UInt64(truncatingIfNeeded: row)
    }

    private static let rowMask: UInt64 = 1 << 40 - 1

    var hashed: HashedKey { self }
    var row: Int { Int(truncatingIfNeeded: tail & HashedKey.rowMask) }
    var part: Int { Int(truncatingIfNeeded: KeyHash.spread(word) >> 56) }

    @inline(__always)
    func isSameKey(as other: HashedKey) -> Bool { word == other.word && (tail ^ other.tail) & ~HashedKey.rowMask == 0 }

    func raised(by rows: Int) -> HashedKey {
        var result = self
        result.tail += UInt64(truncatingIfNeeded: rows)
        return result
    }
}
