import DaybookCore

/// The keys of many rows as hashes, in the order of the rows, and where the rows stand.
struct KeyHashes: RuleMemory {
    /// A row whose key an earlier row has, and the first such row.
    struct Repeat {
        var row: Int
        var first: Int
    }

    /// `KeyHash.none` for a row without a key.
    var hashes: [UInt64]
    var places: RowPlaces

    init(hashes: [UInt64], places: RowPlaces) {
        self.hashes = hashes
        self.places = places
    }

    func write(to bytes: Bytes) {
        bytes.append(array: hashes)
        places.write(to: bytes)
    }

    init(reading reader: inout ByteReader) throws(DaybookError) {
        hashes = try reader.array(UInt64.self)
        places = try RowPlaces(reading: &reader)
    }

    /// The rows whose key stands in an earlier row, in order.
    ///
    /// The hashes are looked through several times, each time for those that begin with other bits, so that the table of those
    /// met stays in the cache and takes a few megabytes whatever the number of rows.
    func repeats() -> [Repeat] {
        var passes = 1
        while hashes.count / passes > 1 << 19 { passes *= 2 }
        var size = 16
        while size < hashes.count / passes * 2 + 16 { size *= 2 }
        var repeats: [Repeat] = []
        var slots = [UInt32](repeating: 0, count: size)
        hashes.withUnsafeBufferPointer { hashes in
            for pass in 0..<passes {
                if pass > 0 { for slot in slots.indices { slots[slot] = 0 } }
                slots.withUnsafeMutableBufferPointer { slots in
                    KeyHashes.look(for: UInt64(pass), of: UInt64(passes), hashes, slots, &repeats)
                }
            }
        }
        if passes > 1 { repeats.sort { $0.row < $1.row } }
        return repeats
    }

    private static func look(
        for pass: UInt64,
        of passes: UInt64,
        _ hashes: UnsafeBufferPointer<UInt64>,
        _ slots: UnsafeMutableBufferPointer<UInt32>,
        _ repeats: inout [Repeat]
    ) {
        let mask = slots.count - 1
        var filled = 0
        for row in 0..<hashes.count {
            let hash = hashes[row]
            guard hash != KeyHash.none, hash & (passes - 1) == pass else { continue }
            var slot = Int(truncatingIfNeeded: hash >> 20) & mask
            while true {
                let entry = slots[slot]
                if entry == 0 {
                    // Hashes that all begin alike would fill the table: the seed keeps that from happening by design.
                    precondition(filled < mask, "the table of keys is full")
                    filled += 1
                    slots[slot] = UInt32(truncatingIfNeeded: row + 1)
                    break
                }
                if hashes[Int(entry) - 1] == hash {
                    repeats.append(Repeat(row: row, first: Int(entry) - 1))
                    break
                }
                slot = (slot + 1) & mask
            }
        }
    }
}
