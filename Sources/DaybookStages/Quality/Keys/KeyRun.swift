import DaybookCore

/// The keys of one batch that rise from row to row, or fall, as an interval and the steps in it.
///
/// Numbers that are counted up need no memory of their own: their interval is all there is to know. Elsewhere a byte or two for
/// each row tell its step from the one before. Rows that break the order, or have no key, are left out.
struct KeyRun: Sendable, BitwiseCopyable {
    /// The number of the first row of the batch, and how many rows it has.
    var first: Int
    let rows: Int
    /// The smallest and the largest key.
    let least: Int64
    let most: Int64
    /// Where its bytes stand in a trail: the steps, then the rows that are left out, four bytes each.
    var start = 0
    /// How many rows are left out.
    let leftOut: Int
    /// How many bytes a step has: 0 where every step is 1.
    let width: Int
    /// Whether the keys fall.
    let falls: Bool

    /// How many rows have a key in it.
    var count: Int { rows - leftOut }
    var length: Int { max(0, count - 1) * width + leftOut * MemoryLayout<Int32>.size }

    /// A run of nearly all rows, and the rows that are left out; nil when the keys are in no order.
    ///
    /// - Parameter hasNone: the rows that have no key.
    static func find(_ keys: [Int64], hasNone: (Int) -> Bool, isWhole: Bool) -> (KeyRun, bytes: [UInt8], [Int32])? {
        guard let first = keys.first, let last = keys.last else { return nil }
        if isWhole, withoutStrays(keys) == keys.indices, let widest = widestStep(keys, falls: last < first) {
            return made(keys, of: keys.count, without: [], falls: last < first, widest)
        }
        // Turned round, keys that fall rise.
        for turn: Int64 in last < first ? [-1, 0] : [0, -1] {
            guard var rows = rising(keys, hasNone, turn) else { continue }
            rows = Array(rows[withoutStrays(rows.map { keys[Int($0)] })])
            var leftOut: [Int32] = []
            var next: Int32 = 0
            for row in rows + [Int32(truncatingIfNeeded: keys.count)] {
                leftOut += next..<row
                next = row + 1
            }
            let kept = rows.map { keys[Int($0)] }
            guard let widest = widestStep(kept, falls: turn < 0) else { continue }
            return made(kept, of: keys.count, without: leftOut, falls: turn < 0, widest)
        }
        return nil
    }

    /// The keys without those at either end that stand further away than all the rest reaches: one of them would stretch the
    /// interval over those of other batches.
    private static func withoutStrays(_ keys: [Int64]) -> Range<Int> {
        var (low, high) = (0, keys.count)
        func distance(_ one: Int, _ other: Int) -> UInt64 {
            UInt64(bitPattern: max(keys[one], keys[other]) &- min(keys[one], keys[other]))
        }
        while high - low > 3, distance(low, low + 1) > distance(low + 1, high - 2) { low += 1 }
        while high - low > 3, distance(high - 2, high - 1) > distance(low, high - 2) { high -= 1 }
        return low..<high
    }

    /// The largest step between neighbours; nil unless all of them rise, or all fall.
    private static func widestStep(_ keys: [Int64], falls: Bool) -> UInt64? {
        keys.withUnsafeBufferPointer { keys in
            var widest: UInt64 = 1
            var isBroken = false
            let sign: Int64 = falls ? -1 : 1
            for place in 1..<max(1, keys.count) {
                let (before, after) = falls ? (keys[place], keys[place - 1]) : (keys[place - 1], keys[place])
                isBroken = isBroken || before >= after
                widest = max(widest, UInt64(bitPattern: (keys[place] &- keys[place - 1]) &* sign))
            }
            return isBroken ? nil : widest
        }
    }

    /// Rows whose keys rise, which are nearly all; nil when they would be fewer.
    ///
    /// A key that is not above the one before it is left out, unless it stands above the one before that: then that one was
    /// too large.
    private static func rising(_ keys: [Int64], _ hasNone: (Int) -> Bool, _ turn: Int64) -> [Int32]? {
        let enough = keys.count - keys.count / 8
        var rows: [Int32] = []
        rows.reserveCapacity(keys.count)
        var (last, beforeLast) = (Int64.min, Int64.min)
        for row in keys.indices where !hasNone(row) {
            // What is left may not be enough any more.
            guard rows.count + keys.count - row >= enough else { return nil }
            let key = keys[row] ^ turn
            if rows.isEmpty || key > last {
                (last, beforeLast) = (key, rows.isEmpty ? .min : last)
            } else if key < last, rows.count == 1 || key > beforeLast {
                rows.removeLast()
                last = key
            } else {
                continue
            }
            rows.append(Int32(truncatingIfNeeded: row))
        }
        return !rows.isEmpty && rows.count >= enough ? rows : nil
    }

    private static func made(
        _ keys: [Int64],
        of rows: Int,
        without leftOut: [Int32],
        falls: Bool,
        _ widest: UInt64
    ) -> (KeyRun, bytes: [UInt8], [Int32]) {
        let width = widest == 1 ? 0 : widest < 1 << 8 ? 1 : widest < 1 << 16 ? 2 : widest < 1 << 32 ? 4 : 8
        let ends = (keys[0], keys[keys.count - 1])
        let run = KeyRun(
            first: 0,
            rows: rows,
            least: min(ends.0, ends.1),
            most: max(ends.0, ends.1),
            leftOut: leftOut.count,
            width: width,
            falls: falls
        )
        let bytes = [UInt8](unsafeUninitializedCapacity: run.length) { bytes, filled in
            var end = 0
            if width > 0 {
                for place in 1..<max(1, keys.count) {
                    var step = keys[place] &- keys[place - 1]
                    if falls { step = 0 &- step }
                    for byte in 0..<width { bytes[end + byte] = UInt8(truncatingIfNeeded: step >> Int64(byte * 8)) }
                    end += width
                }
            }
            leftOut.withUnsafeBytes { rows in
                for byte in rows {
                    bytes[end] = byte
                    end += 1
                }
            }
            filled = end
        }
        return (run, bytes, leftOut)
    }

    /// The keys with their rows, in the order of the rows.
    func keys(_ bytes: UnsafeBufferPointer<UInt8>) -> [HashedKey] {
        var leftOut = self.leftOut(bytes)[...]
        var keys: [HashedKey] = []
        keys.reserveCapacity(count)
        var key = falls ? most : least
        var place = 0
        for row in 0..<rows {
            if let next = leftOut.first, Int(next) == row {
                leftOut.removeFirst()
                continue
            }
            keys.append(HashedKey(word: UInt64(bitPattern: key), row: first + row))
            var step: UInt64 = width == 0 ? 1 : 0
            if place + width <= bytes.count {
                for byte in 0..<width { step |= UInt64(bytes[place + byte]) << UInt64(byte * 8) }
            }
            place += width
            key = falls ? key &- Int64(bitPattern: step) : key &+ Int64(bitPattern: step)
        }
        return keys
    }

    /// The rows that are left out, counted from the first of the batch.
    private func leftOut(_ bytes: UnsafeBufferPointer<UInt8>) -> [Int32] {
        let size = MemoryLayout<Int32>.size
        let start = length - leftOut * size
        return (0..<leftOut).map {
            UnsafeRawBufferPointer(bytes).loadUnaligned(fromByteOffset: start + $0 * size, as: Int32.self)
        }
    }
}
