/// Packed rows and their order.
package struct PackedRows {
    package let bytes: Bytes
    /// Where each row begins, and where its key stands.
    package internal(set) var starts: [UInt32] = []
    package internal(set) var keys: [KeySpan] = []
    package internal(set) var order: [UInt32] = []

    /// Rows one behind the other in their order, with marks for a run on disk.
    package struct Ordered: Sendable {
        package let bytes: Bytes
        package let marks: RunMarks
    }

    /// - Parameter step: about how many bytes stand between two marks.
    package func ordered(markedEvery step: Int = RunMarks.stepOnDisk) -> Ordered {
        let result = Bytes(capacity: bytes.count)
        var marks = RunMarks()
        for row in order {
            let start = bytes.base + Int(starts[Int(row)])
            let packed = PackedRow(start)
            marks.note(packed.key, at: result.count, every: step)
            result.append(UnsafeBufferPointer(start: start, count: packed.end - start))
        }
        withExtendedLifetime(bytes) {}
        return Ordered(bytes: result, marks: marks)
    }
}

extension PackedRows {
    /// How many of the first rows take so many bytes together.
    package func count(within limit: Int) -> Int {
        defer { withExtendedLifetime(bytes) {} }
        var total = 0
        return order.firstIndex { row in
            total += PackedRow(bytes.base + Int(starts[Int(row)])).whole.count
            return total > limit
        } ?? order.count
    }

    /// Takes in the rows from one byte up to another, whose numbers grow by `raise`.
    mutating func add(_ start: Int, _ end: Int, raise: Int?) {
        let target = UnsafeMutableRawPointer(bytes.mutableBase)
        var next = bytes.base + start
        while next < bytes.base + end {
            let row = PackedRow(next)
            starts.append(UInt32(next - bytes.base))
            let key = row.key.baseAddress.unsafelyUnwrapped - bytes.base
            keys.append(KeySpan(start: UInt32(key), end: UInt32(key + row.key.count)))
            if let raise, raise > 0 {
                let number = row.number &+ raise
                target.storeBytes(of: Int64(number), toByteOffset: row.end - bytes.base - 8, as: Int64.self)
            }
            next = row.end
        }
    }
}
