import DaybookCore

/// A set of keys, each the hash of a value, for rows to be looked up in.
struct KeySet: Sendable {
    /// Open addressing; `KeyHash.none` for a free place.
    private let slots: [UInt64]

    /// The keys of columns, but for the rows that have no value.
    init(_ columns: [(column: Column, hashes: [UInt64])]) {
        let count = columns.reduce(0) { $0 + $1.hashes.count }
        var size = 16
        while size < count * 2 { size *= 2 }
        var slots = [UInt64](repeating: KeyHash.none, count: size)
        slots.withUnsafeMutableBufferPointer { slots in
            for (column, hashes) in columns {
                let missing = column.missing
                for row in hashes.indices where !missing.isMissing(row) { KeySet.insert(hashes[row], slots) }
            }
        }
        self.slots = slots
    }

    private static func insert(_ hash: UInt64, _ slots: UnsafeMutableBufferPointer<UInt64>) {
        let mask = slots.count - 1
        var slot = Int(truncatingIfNeeded: hash >> 20) & mask
        while slots[slot] != KeyHash.none, slots[slot] != hash { slot = (slot + 1) & mask }
        slots[slot] = hash
    }

    @inline(__always)
    func contains(_ hash: UInt64) -> Bool {
        slots.withUnsafeBufferPointer { slots in
            let mask = slots.count - 1
            var slot = Int(truncatingIfNeeded: hash >> 20) & mask
            while slots[slot] != KeyHash.none {
                if slots[slot] == hash { return true }
                slot = (slot + 1) & mask
            }
            return false
        }
    }
}
