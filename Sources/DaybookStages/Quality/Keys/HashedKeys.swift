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

/// Keys in no order, with their rows, in the order of these.
struct HashedKeys: Sendable {
    private(set) var parted = PartedBlocks<HashedKey> { $0.part }
    /// The bounds of the words, as signed numbers.
    private(set) var least = Int64.max
    private(set) var most = Int64.min

    init() {}

    var count: Int { parted.count }
    var footprint: Int { parted.footprint }
    var isOnDisk: Bool { parted.isOnDisk }

    mutating func append(_ keys: [HashedKey]) {
        for key in keys {
            least = min(least, Int64(bitPattern: key.word))
            most = max(most, Int64(bitPattern: key.word))
        }
        parted.append(keys)
    }

    mutating func append(_ later: HashedKeys, raisedBy rows: Int) {
        parted.append(later.parted, raisedBy: rows)
        least = min(least, later.least)
        most = max(most, later.most)
    }

    mutating func spill(to scratch: any Scratch) throws(DaybookError) { try parted.spill(to: scratch) }

    /// All keys in their parts.
    var inParts: PartedBlocks<HashedKey> {
        var result = parted
        result.layInParts()
        return result
    }

    /// All keys, ordered as signed numbers and then by row; for where there are few.
    func sorted() throws(DaybookError) -> [HashedKey] {
        let parted = inParts
        var keys: [HashedKey] = []
        for part in 0..<Parts.count { keys += try parted.elements(of: part) }
        keys.sort {
            $0.word == $1.word ? $0.row < $1.row : Int64(bitPattern: $0.word) < Int64(bitPattern: $1.word)
        }
        return keys
    }
}

extension HashedKeys {
    func write(to bytes: Bytes) throws(DaybookError) {
        bytes.append(raw: least)
        bytes.append(raw: most)
        try parted.write(to: bytes)
    }

    init(reading reader: inout ByteReader) throws(DaybookError) {
        least = try reader.raw()
        most = try reader.raw()
        try parted.read(&reader)
    }
}
