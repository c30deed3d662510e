import CScan
import Synchronization

/// The ends of the cells and records of some delimited text, found by vector instructions.
///
/// The cutter makes it and the reader of the morsel uses it, so every byte is scanned once.
final class CSVIndex: MorselNotes, @unchecked Sendable {
    private(set) var found: csv_index
    /// Never written after the initialiser.
    let buffer: IndexBuffer
    private let lineEnd: LineEnd

    /// The length in bytes of the whole records in the index.
    var length: Int { found.length }

    /// Nil if an index does not apply: if a quote is out of place, the text ends inside quotes, something is escaped, a
    /// delimiter has several bytes, or lines may be comments.
    init?(_ base: UnsafePointer<UInt8>, _ count: Int, _ dialect: CSVDialect, isLast: Bool) {
        guard dialect.comment == nil, dialect.delimiterTail.count == 0 else { return nil }
        if let escape = dialect.escape, scan_count(base, count, escape).quotes > 0 { return nil }
        lineEnd = dialect.lineEnd
        buffer = ScratchPool.shared.take(count)
        let (delimiter, quote, isReturn) = (dialect.delimiter, dialect.quote, lineEnd == .carriageReturn)
        found = csv_index_text(base, count, delimiter, quote, isLast, isReturn, buffer.places)
        if found.irregular || (isLast && found.ends_inside) { return nil }
    }

    deinit { ScratchPool.shared.give(buffer) }

    /// How many physical line ends are in its records.
    func lines(_ base: UnsafePointer<UInt8>, _ count: Int) -> Int {
        // A line ends with every record, unless one ends inside quotes or the last record has no line end.
        let mayEndInCR = found.has_carriage_returns && lineEnd == .carriageReturn
        if found.has_long_records || mayEndInCR || base[length - 1] != CSVDialect.lineFeed {
            let text = UnsafeBufferPointer(start: base, count: length)
            return lineEnd.count(in: text, next: length < count ? base[length] : 0)
        }
        return found.records
    }

    /// Drops all records but the first ones. Only for the owner.
    func keep(_ records: Int) {
        guard records > 0, records < found.records else { return }
        let ended = Int(buffer.records[records - 1] & ~CSV_LONG_RECORD)
        found.records = records
        found.positions = ended
        found.length = Int(buffer.positions[ended - 1]) + 1
        while found.quoted > 0, buffer.quoted[found.quoted - 1] >= UInt32(ended) { found.quoted -= 1 }
    }

    /// Drops the records that do not end before `end`, if one does. Only for the owner.
    func keep(before end: Int) {
        var records = found.records
        while records > 0, Int(buffer.positions[cells(of: records - 1).upperBound - 1]) >= end { records -= 1 }
        keep(records)
    }

    /// The numbers of the cells of a record.
    func cells(of record: Int) -> Range<Int> {
        let first = record == 0 ? 0 : Int(buffer.records[record - 1] & ~CSV_LONG_RECORD)
        return first..<Int(buffer.records[record] & ~CSV_LONG_RECORD)
    }

    /// The range of a cell, its quotes included.
    func range(of cell: Int, in bytes: UnsafeBufferPointer<UInt8>) -> Range<Int> {
        let start = Int(buffer.positions[cell - 1] &+ 1)
        var end = Int(buffer.positions[cell])
        if end > start, bytes[end - 1] == CSVDialect.carriageReturn { end -= 1 }
        return start..<max(start, end)
    }

    /// The starts of the last records that are not blank lines, in order.
    func lastStarts(_ most: Int, in bytes: UnsafeBufferPointer<UInt8>) -> [Int] {
        var starts: [Int] = []
        var record = found.records
        while record > 0, starts.count < most {
            record -= 1
            let start = range(of: cells(of: record).lowerBound, in: bytes).lowerBound
            if start < bytes.count, !CSVDialect.mayEndLine(bytes[start]) { starts.append(start) }
        }
        return starts.reversed()
    }

    /// The number of records before the first that is longer than so many bytes and has several lines.
    func records(beforeLonger longest: Int) -> Int {
        guard found.has_long_records else { return found.records }
        var start = 0
        for record in 0..<found.records {
            let ended = Int(buffer.records[record] & ~CSV_LONG_RECORD)
            let end = Int(buffer.positions[ended - 1]) + 1
            if buffer.records[record] & CSV_LONG_RECORD != 0, end - start > longest { return record }
            start = end
        }
        return found.records
    }
}

/// The buffer for the index of one morsel, lent to one morsel at a time.
struct IndexBuffer: @unchecked Sendable {
    /// The ends of cells; the number before the first is -1, so that every cell starts one byte after an end.
    let positions: UnsafeMutablePointer<UInt32>
    let records: UnsafeMutablePointer<UInt32>
    let quoted: UnsafeMutablePointer<UInt32>
    let capacity: Int

    init(capacity: Int) {
        self.capacity = capacity
        let memory = UnsafeMutablePointer<UInt32>.allocate(capacity: capacity * 5 / 2 + 256)
        memory.pointee = .max
        positions = memory + 1
        records = memory + capacity + 80
        quoted = records + capacity + 80
    }

    var places: csv_room { csv_room(positions: positions, records: records, quoted: quoted) }

    func free() { (positions - 1).deallocate() }
}

/// Pools released index buffers, for all files of the process.
final class ScratchPool: Sendable {
    static let shared = ScratchPool()
    private let free = Mutex<[IndexBuffer]>([])

    func take(_ length: Int) -> IndexBuffer {
        let buffer = free.withLock { $0.popLast() }
        if let buffer, buffer.capacity >= length { return buffer }
        buffer?.free()
        return IndexBuffer(capacity: max(length, 1 << 20))
    }

    /// A buffer grown for one giant record is not pooled.
    func give(_ buffer: IndexBuffer) {
        if buffer.capacity > 8 << 20 { return buffer.free() }
        free.withLock { $0.append(buffer) }
    }
}
