import CScan

/// The whole numbers of one batch, each as its distance from the smallest in as few bytes as they need.
///
/// Consecutive numbers need no bytes.
struct KeyPack: Sendable, BitwiseCopyable {
    /// The number of the first row of the batch, and how many rows it has.
    var first = 0
    let rows: Int
    /// The smallest and the largest key, and the key of a row in the middle: one outlier affects the first two and not
    /// the third.
    let least: Int64
    let most: Int64
    let middle: Int64
    /// Whether every key is larger than the one before it, or every key smaller.
    let isStrict: Bool
    /// How many bytes a distance has: 1, 2, 4 or 8; 0 where keys are counted up.
    private let width: Int
    /// Whether some rows have no key. Then a bit for each row, set without a key, follows the distances.
    private let hasGaps: Bool
    /// Offset of its bytes in a spill log.
    var start = 0

    var length: Int { rows * width + tail }

    /// The bytes behind the distances: the gaps, or slack for reading the last distance.
    private var tail: Int {
        let size = MemoryLayout<UInt64>.size
        return hasGaps ? (rows + 63) / 64 * size : width > 0 ? size : 0
    }

    /// - Parameters:
    ///   - keys: the keys of all rows; arbitrary under a gap.
    ///   - gaps: the rows without a key.
    /// - Returns: the pack and its bytes; nil if no row has a key.
    static func make(_ keys: [Int64], gaps: Mask?) -> (KeyPack, bytes: [UInt8])? {
        if gaps == nil, let first = keys.first, keys.areCountedUp {
            let last = first + Int64(keys.count - 1)
            let pack = KeyPack(
                rows: keys.count,
                least: first,
                most: last,
                middle: first + Int64(keys.count / 2),
                isStrict: true,
                width: 0,
                hasGaps: false
            )
            return (pack, [])
        }
        let half = keys.count / 2
        guard
            let middle = (half..<keys.count).first(where: { !gaps.isMissing($0) })
                ?? (0..<half).last(where: { !gaps.isMissing($0) })
        else { return nil }
        let own = gaps.map { gaps in keys.indices.filter { !gaps[$0] }.map { keys[$0] } } ?? keys
        let (least, most) = own.bounds
        let widest = UInt64(bitPattern: most &- least)
        let pack = KeyPack(
            rows: keys.count,
            least: least,
            most: most,
            middle: keys[middle],
            isStrict: own.areStrict,
            width: widest < 1 << 8 ? 1 : widest < 1 << 16 ? 2 : widest < 1 << 32 ? 4 : 8,
            hasGaps: gaps != nil
        )
        return (pack, pack.packed(keys, gaps))
    }

    private func packed(_ keys: [Int64], _ gaps: Mask?) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: length) { bytes, filled in
            let bytes = UnsafeMutableRawBufferPointer(bytes)
            switch width {
            case 1: lay(keys, bytes, as: UInt8.self)
            case 2: lay(keys, bytes, as: UInt16.self)
            case 4: lay(keys, bytes, as: UInt32.self)
            default: lay(keys, bytes, as: UInt64.self)
            }
            let rest = UnsafeMutableRawBufferPointer(rebasing: bytes[(rows * width)...])
            if let gaps {
                gaps.words.withUnsafeBytes { rest.copyMemory(from: $0) }
            } else {
                rest.initializeMemory(as: UInt8.self, repeating: 0)
            }
            filled = length
        }
    }

    @inline(__always)
    private func lay<Distance: FixedWidthInteger & BitwiseCopyable>(
        _ keys: [Int64],
        _ bytes: UnsafeMutableRawBufferPointer,
        as type: Distance.Type
    ) {
        let size = MemoryLayout<Distance>.size
        keys.withUnsafeBufferPointer { keys in
            for row in 0..<keys.count {
                let distance = Distance(truncatingIfNeeded: keys[row] &- least)
                bytes.storeBytes(of: distance.littleEndian, toByteOffset: row * size, as: type)
            }
        }
    }

    /// The key of a row that has one.
    func key(of row: Int, _ bytes: UnsafeBufferPointer<UInt8>) -> Int64 { key(at: row - first, bytes) }

    @inline(__always)
    private func key(at place: Int, _ bytes: UnsafeBufferPointer<UInt8>) -> Int64 {
        guard width > 0 else { return least &+ Int64(truncatingIfNeeded: place) }
        let word = UnsafeRawPointer(bytes.baseAddress.unsafelyUnwrapped)
            .loadUnaligned(fromByteOffset: place &* width, as: UInt64.self)
        return least &+ Int64(bitPattern: word.littleEndian & (.max &>> UInt64(truncatingIfNeeded: 64 &- 8 &* width)))
    }

    /// Calls `body` with each row that has a key, in order.
    @inline(__always)
    func forEachKey(_ bytes: UnsafeBufferPointer<UInt8>, _ body: (_ row: Int, _ key: Int64) -> Void) {
        forEachGroup(bytes) { group in
            group.forEachKey(among: group.keyed) { place, key in body(group.row &+ place, key) }
        }
    }

    /// Calls `body` with up to 64 rows at a time, in order.
    @inline(__always)
    func forEachGroup(_ bytes: UnsafeBufferPointer<UInt8>, _ body: (Group) -> Void) {
        for place in stride(from: 0, to: rows, by: 64) { body(Group(pack: self, place: place, bytes: bytes)) }
    }

    /// Up to 64 adjacent rows of a pack. Sets of rows have a bit for each.
    struct Group {
        fileprivate let pack: KeyPack
        fileprivate let place: Int
        fileprivate let bytes: UnsafeBufferPointer<UInt8>

        /// The number of the first row.
        var row: Int { pack.first &+ place }

        /// The rows that have a key.
        @inline(__always)
        var keyed: UInt64 {
            let all = UInt64.max &>> UInt64(truncatingIfNeeded: max(64 &- (pack.rows &- place), 0))
            guard pack.hasGaps else { return all }
            let start = pack.rows &* pack.width &+ place / 8
            return all & ~UnsafeRawBufferPointer(bytes).loadUnaligned(fromByteOffset: start, as: UInt64.self)
        }

        /// Rows whose keys increase by 1 from row to row, and the key of the group's first row if it is one of them;
        /// none if other rows also have one of these 64 keys.
        @inline(__always)
        func countedUp(among keyed: UInt64) -> (rows: UInt64, first: Int64) {
            guard pack.width > 0 else { return (keyed, pack.least &+ Int64(truncatingIfNeeded: place)) }
            guard place &+ 64 <= pack.rows else { return (0, 0) }
            let found = scan_counted(bytes.baseAddress.unsafelyUnwrapped + place &* pack.width, pack.width)
            guard (found.near ^ found.counted) & keyed == 0 else { return (0, 0) }
            return (found.counted & keyed, pack.least &+ Int64(bitPattern: found.first))
        }

        /// Calls `body` with some rows that have a key, in order, each by its place in the group.
        @inline(__always)
        func forEachKey(among rows: UInt64, _ body: (_ place: Int, _ key: Int64) -> Void) {
            var rest = rows
            while rest != 0 {
                let next = rest.trailingZeroBitCount
                rest &= rest &- 1
                body(next, pack.key(at: place &+ next, bytes))
            }
        }
    }
}

extension [Int64] {
    /// The smallest and the largest.
    fileprivate var bounds: (least: Int64, most: Int64) {
        withUnsafeBufferPointer { keys in
            // Two at a time, so that one does not wait for the other.
            var (least, most) = (Int64.max, Int64.min)
            var (otherLeast, otherMost) = (least, most)
            for row in stride(from: 0, to: keys.count - 1, by: 2) {
                (least, most) = (Swift.min(least, keys[row]), Swift.max(most, keys[row]))
                (otherLeast, otherMost) = (Swift.min(otherLeast, keys[row + 1]), Swift.max(otherMost, keys[row + 1]))
            }
            if let last = keys.last { (least, most) = (Swift.min(least, last), Swift.max(most, last)) }
            return (Swift.min(least, otherLeast), Swift.max(most, otherMost))
        }
    }

    /// Whether each is larger than the key before it, or each smaller.
    fileprivate var areStrict: Bool {
        withUnsafeBufferPointer { keys in
            var (rises, falls) = (true, true)
            for row in stride(from: 1, to: keys.count, by: 1) {
                rises = rises && keys[row - 1] < keys[row]
                falls = falls && keys[row - 1] > keys[row]
                guard rises || falls else { return false }
            }
            return true
        }
    }

    /// Whether each is larger by 1 than the key before it.
    fileprivate var areCountedUp: Bool {
        guard let first, !first.addingReportingOverflow(Int64(count - 1)).overflow else { return false }
        return withUnsafeBufferPointer { keys in
            var faults: Int64 = 0
            for row in 0..<keys.count { faults |= keys[row] ^ (first &+ Int64(row)) }
            return faults == 0
        }
    }
}
