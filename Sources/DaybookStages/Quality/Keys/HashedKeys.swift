import DaybookCore

/// A key and the row that it stands in.
struct HashedKey: PartedElement {
    /// The key itself where it is a whole number, else a hash of it.
    var word: UInt64
    /// The upper 24 bits of a second hash, above the 40 of the row's number.
    private var tail: UInt64

    init(word: UInt64, second: UInt64 = 0, row: Int) {
        self.word = word
        tail = (second & ~HashedKey.rowMask) | UInt64(truncatingIfNeeded: row)
    }

    private static let rowMask: UInt64 = 1 << 40 - 1

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
    /// Few keys are not laid in parts until there are more of them.
    private static let enoughForParts = 1 << 12

    private(set) var blocks = PartedBlocks<HashedKey>()
    private var loose: [HashedKey] = []
    /// The bounds of the words, as signed numbers.
    private(set) var least = Int64.max
    private(set) var most = Int64.min

    init() {}

    var count: Int { blocks.count + loose.count }
    var footprint: Int { blocks.footprint + loose.count * MemoryLayout<HashedKey>.stride }
    var isOnDisk: Bool { blocks.isOnDisk }

    mutating func append(_ keys: [HashedKey]) {
        for key in keys {
            least = min(least, Int64(bitPattern: key.word))
            most = max(most, Int64(bitPattern: key.word))
        }
        if keys.count >= HashedKeys.enoughForParts {
            layInParts()
            blocks.append(keys) { $0.part }
        } else {
            add(loose: keys)
        }
    }

    private mutating func add(loose keys: [HashedKey]) {
        loose += keys
        if loose.count >= HashedKeys.enoughForParts { layInParts() }
    }

    mutating func layInParts() {
        blocks.append(loose) { $0.part }
        loose.removeAll(keepingCapacity: true)
    }

    mutating func append(_ later: HashedKeys, raisedBy rows: Int) {
        // The keys of a part stay in the order of the rows.
        if later.blocks.count > 0 { layInParts() }
        blocks.append(later.blocks, raisedBy: rows)
        add(loose: later.loose.map { $0.raised(by: rows) })
        least = min(least, later.least)
        most = max(most, later.most)
    }

    mutating func spill(to scratch: any Scratch) throws(DaybookError) {
        layInParts()
        try blocks.spill(to: scratch)
    }

    /// All keys, ordered as signed numbers and then by row; for where there are few.
    func sorted() throws(DaybookError) -> [HashedKey] {
        var keys = loose
        for part in 0..<Parts.count { keys += try blocks.elements(of: part) }
        keys.sort {
            $0.word == $1.word ? $0.row < $1.row : Int64(bitPattern: $0.word) < Int64(bitPattern: $1.word)
        }
        return keys
    }
}

extension HashedKeys {
    func write(to bytes: Bytes) throws(DaybookError) {
        bytes.append(array: loose)
        bytes.append(raw: least)
        bytes.append(raw: most)
        try blocks.write(to: bytes)
    }

    init(reading reader: inout ByteReader) throws(DaybookError) {
        loose = try reader.array()
        least = try reader.raw()
        most = try reader.raw()
        blocks = try PartedBlocks(reading: &reader) { $0.part }
    }
}
