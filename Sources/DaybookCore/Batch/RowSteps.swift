/// Writes and reads origins as differences from row to row.
///
/// A row that lies to the row before it as that one lies to its own is only its length.
public struct RowSteps: Sendable {
    /// The row that was written or read last.
    public private(set) var origin = RowOrigin(source: 0, offset: 0, length: 0, line: 0, record: 0)
    /// How far it lay behind the end of the row before it, and how many lines and records on.
    private var gap: Int64 = 0
    private var lines: Int64 = 1
    private var records: Int64 = 1
    /// Where the next byte is read.
    public private(set) var next = 0

    public init() {}

    /// A row has at most so many bytes.
    private static let mostBytes = 50

    /// Writes the next row behind the bytes.
    public mutating func put(_ new: RowOrigin, _ bytes: inout [UInt8]) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: RowSteps.mostBytes) { target in
            guard let start = target.baseAddress else { return }
            bytes.append(contentsOf: UnsafeBufferPointer(start: start, count: put(new, to: start)))
        }
    }

    /// Writes the next row, and gives the number of its bytes.
    private mutating func put(_ new: RowOrigin, to target: UnsafeMutablePointer<UInt8>) -> Int {
        var end = target
        let source = Int64(new.source) - Int64(origin.source)
        let newGap = new.offset &- origin.offset &- Int64(origin.length)
        let newLines = new.line &- origin.line
        let newRecords = new.record &- origin.record
        let isRegular = source == 0 && newGap == gap && newLines == lines && newRecords == records
        RowSteps.put(UInt64(new.length) << 1 | (isRegular ? 0 : 1), &end)
        if !isRegular {
            RowSteps.put(zigzag(source), &end)
            RowSteps.put(zigzag(newGap), &end)
            RowSteps.put(zigzag(newLines), &end)
            RowSteps.put(zigzag(newRecords), &end)
            (gap, lines, records) = (newGap, newLines, newRecords)
        }
        origin = new
        return end - target
    }

    /// So that small negative differences stay small.
    @inline(__always)
    private func zigzag(_ step: Int64) -> UInt64 { UInt64(bitPattern: (step << 1) ^ (step >> 63)) }

    @inline(__always)
    private static func put(_ value: UInt64, _ end: inout UnsafeMutablePointer<UInt8>) {
        var rest = value
        while rest >= 0x80 {
            end.pointee = UInt8(truncatingIfNeeded: rest) | 0x80
            end += 1
            rest >>= 7
        }
        end.pointee = UInt8(truncatingIfNeeded: rest)
        end += 1
    }

    /// Reads the next row.
    public mutating func take(_ bytes: UnsafeBufferPointer<UInt8>) {
        let head = number(bytes)
        if head & 1 == 1 {
            origin.source &+= Int32(truncatingIfNeeded: step(bytes))
            gap = step(bytes)
            lines = step(bytes)
            records = step(bytes)
        }
        origin.offset = origin.offset &+ Int64(origin.length) &+ gap
        origin.line &+= lines
        origin.record &+= records
        origin.length = UInt32(truncatingIfNeeded: head >> 1)
    }

    private mutating func step(_ bytes: UnsafeBufferPointer<UInt8>) -> Int64 {
        let value = number(bytes)
        return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
    }

    private mutating func number(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while next < bytes.count {
            let byte = bytes[next]
            next += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { break }
            shift += 7
        }
        return value
    }
}
