import DaybookCore

/// The whole numbers of one batch, each as its distance from the smallest in as few bytes as they need.
///
/// Numbers that are counted up by 1 need none.
struct KeyPack: Sendable, BitwiseCopyable {
    /// The number of the first row of the batch, and how many rows it has.
    var first = 0
    let rows: Int
    /// The smallest and the largest key, and that of a row in the middle: one key far off says much of the first two and nothing
    /// of the third.
    let least: Int64
    let most: Int64
    let middle: Int64
    /// Whether every key is larger than the one before it, or every key smaller.
    let isStrict: Bool
    /// How many bytes a distance has: 1, 2, 4 or 8; 0 where keys are counted up.
    private let width: Int
    /// Whether some rows have no key. Then a bit for each, set where there is none, stands behind the distances.
    private let hasGaps: Bool
    /// Where its bytes stand in a trail.
    var start = 0

    var length: Int { rows * width + (hasGaps ? KeyPack.gapBytes(rows) : 0) }

    private static func gapBytes(_ rows: Int) -> Int { (rows + 63) / 64 * MemoryLayout<UInt64>.size }

    /// - Parameters:
    ///   - keys: the keys of all rows; what stands under a gap is arbitrary.
    ///   - gaps: the rows that have no key.
    /// - Returns: the pack and its bytes; nil where no row has a key.
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
            gaps?.words.withUnsafeBytes { rest.copyMemory(from: $0) }
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
                bytes.storeBytes(of: distance, toByteOffset: row * size, as: type)
            }
        }
    }

    /// The key of a row that has one.
    func key(of row: Int, _ bytes: UnsafeBufferPointer<UInt8>) -> Int64 {
        let place = row - first
        let bytes = UnsafeRawBufferPointer(bytes)
        let distance =
            switch width {
            case 0: UInt64(place)
            case 1: UInt64(bytes[place])
            case 2: UInt64(bytes.loadUnaligned(fromByteOffset: place * 2, as: UInt16.self))
            case 4: UInt64(bytes.loadUnaligned(fromByteOffset: place * 4, as: UInt32.self))
            default: bytes.loadUnaligned(fromByteOffset: place * 8, as: UInt64.self)
            }
        return least &+ Int64(bitPattern: distance)
    }

    /// Calls `body` with each row that has a key, in order.
    @inline(__always)
    func forEachKey(_ bytes: UnsafeBufferPointer<UInt8>, _ body: (_ row: Int, _ key: Int64) -> Void) {
        let bytes = UnsafeRawBufferPointer(bytes)
        switch width {
        case 0: for row in 0..<rows { body(first + row, least &+ Int64(row)) }
        case 1: forEachKey(bytes, as: UInt8.self, body)
        case 2: forEachKey(bytes, as: UInt16.self, body)
        case 4: forEachKey(bytes, as: UInt32.self, body)
        default: forEachKey(bytes, as: UInt64.self, body)
        }
    }

    @inline(__always)
    private func forEachKey<Distance: FixedWidthInteger & BitwiseCopyable>(
        _ bytes: UnsafeRawBufferPointer,
        as type: Distance.Type,
        _ body: (_ row: Int, _ key: Int64) -> Void
    ) {
        let size = MemoryLayout<Distance>.size
        for row in 0..<rows {
            if hasGaps {
                let word = bytes.loadUnaligned(fromByteOffset: rows * size + row >> 6 * 8, as: UInt64.self)
                guard word >> UInt64(row & 63) & 1 == 0 else { continue }
            }
            let distance = bytes.loadUnaligned(fromByteOffset: row * size, as: type)
            body(first + row, least &+ Int64(truncatingIfNeeded: distance))
        }
    }
}

extension [Int64] {
    /// The smallest and the largest.
    fileprivate var bounds: (least: Int64, most: Int64) {
        withUnsafeBufferPointer { keys in
            var (least, most) = (Int64.max, Int64.min)
            for key in keys { (least, most) = (Swift.min(least, key), Swift.max(most, key)) }
            return (least, most)
        }
    }

    /// Whether each is larger than the one before it, or each smaller.
    fileprivate var areStrict: Bool {
        withUnsafeBufferPointer { keys in
            var (rises, falls) = (true, true)
            for row in stride(from: 1, to: keys.count, by: 1) where rises || falls {
                rises = rises && keys[row - 1] < keys[row]
                falls = falls && keys[row - 1] > keys[row]
            }
            return rises || falls
        }
    }

    /// Whether each is larger by 1 than the one before it.
    fileprivate var areCountedUp: Bool {
        guard let first, !first.addingReportingOverflow(Int64(count - 1)).overflow else { return false }
        return withUnsafeBufferPointer { keys in
            var faults: Int64 = 0
            for row in 0..<keys.count { faults |= keys[row] ^ (first &+ Int64(row)) }
            return faults == 0
        }
    }
}
