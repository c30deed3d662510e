import CScan
import Synchronization

/// Cuts delimited text between two records.
///
/// The structural index finds the end of the last record, and is passed on with the morsel. If quotes are misplaced or
/// lines may be comments, records are read one by one instead. However long the text behind a stray quote is, each
/// morsel is bounded: in bytes, and in records, for each bad record costs far more than its bytes.
struct CSVCutter: RecordCutter {
    let dialect: CSVDialect
    /// The likeness of rows, to distinguish a long record from rows that a quote has swallowed.
    var likeness = CSVRowLikeness()
    /// The footer at the end of the file; nil without one, and in a part that does not reach the end.
    var footer: CSVFooter?
    /// The start of the footer in the remaining bytes, once the end of the file was seen.
    var footerStart: (start: Int, records: Int)?
    /// The search for a second table; nil if it is off, and in a part of a file, all of which was searched before.
    var tables: StackedTables?
    /// Whether all records of the last cut without an index have as many cells as the header.
    var areEven = false
    /// A record longer than this has a quote that was never closed; without a quote it is refused.
    var longestRecord = 32 << 20

    /// A longer record of several lines is passed on alone, or its first line is where a quote has swallowed rows.
    static let longRecord = 256 << 10
    /// More bytes than this are not indexed at a time: an index may have many times as many.
    static let longestIndex = 4 << 20
    /// The limit of bytes in a cut if records are read one by one.
    private static let carefulLength = 1 << 20

    mutating func cut(_ bytes: Cell, isLast: Bool) throws(DaybookError) -> RecordCut {
        let cut = try cutRows(bytes, isLast: isLast)
        guard cut.length > 0, let second = secondTable(in: cut, of: bytes), let tables else { return cut }
        let hint = "cut the file in two before this line; 'second_header: keep' reads its rows as those of the first"
        throw second.error(in: tables.file, behind: tables.width, hint: hint)
    }

    /// The header of a second table among the records that were cut.
    private mutating func secondTable(in cut: RecordCut, of bytes: Cell) -> StackedTables.Table? {
        if let index = cut.notes as? CSVIndex { return tables?.look(index, in: bytes, lines: cut.lines) }
        let end = (cut.notes as? CSVFooter.Notes)?.start ?? cut.length
        return tables?.look(Cell(rebasing: bytes[..<end]), areEven: areEven, lines: cut.lines)
    }

    /// Cuts records before the footer, and the footer with the last of them.
    private mutating func cutRows(_ bytes: Cell, isLast: Bool) throws(DaybookError) -> RecordCut {
        guard let footer, bytes.count > 0 else { return try recordCut(bytes, isLast: isLast) }
        if isLast, footerStart == nil { footerStart = footer.found(in: bytes) }
        guard let end = footerStart else {
            let cut = try recordCut(bytes, isLast: false)
            guard cut.length > 0 else { return cut }
            let length = footer.rows(before: cut.length, of: bytes)
            if length == 0, bytes.count >= 2 * longestRecord {
                let message = "the last \(footer.records) records may be longer than \(longestRecord >> 19) MiB"
                let hint = "let 'skip_footer' be smaller; are 'delimiter' and 'quote' right?"
                throw DaybookError.data("record-too-long", message, hint: hint)
            }
            return shortened(cut, to: length, bytes)
        }
        if end.start == 0 {
            guard isLast else { return RecordCut(length: 0, lines: 0) }
            return lines(in: bytes, bytes.count, notes: CSVFooter.Notes(start: 0, records: end.records))
        }
        let rows = Cell(rebasing: bytes.prefix(end.start))
        let cut = try recordCut(rows, isLast: rows.count == end.start)
        footerStart?.start -= cut.length
        // The footer is in the morsel of the last rows, if all of it is there.
        guard isLast, cut.length == end.start else { return cut }
        return lines(in: bytes, bytes.count, notes: CSVFooter.Notes(start: end.start, records: end.records))
    }

    /// The same records without the records that may belong to the footer.
    private func shortened(_ cut: RecordCut, to length: Int, _ bytes: Cell) -> RecordCut {
        if length == cut.length { return cut }
        if length == 0 { return RecordCut(length: 0, lines: 0) }
        guard let index = cut.notes as? CSVIndex else { return lines(in: bytes, length) }
        index.keep(before: length)
        return lines(in: bytes, length, notes: index)
    }

    private mutating func recordCut(_ bytes: Cell, isLast: Bool) throws(DaybookError) -> RecordCut {
        areEven = false
        guard let base = bytes.baseAddress, bytes.count > 0 else { return RecordCut(length: 0, lines: 0) }
        var length = 0
        if bytes.count <= CSVCutter.longestIndex, let index = CSVIndex(base, bytes.count, dialect, isLast: isLast) {
            let whole = index.records(beforeLonger: CSVCutter.longRecord)
            if whole > 0 {
                index.keep(min(whole, Morsel.mostRecords))
                return RecordCut(length: index.length, lines: index.lines(base, bytes.count), notes: index)
            }
            if index.found.records > 0 { length = carefulCut(bytes, isLast) }
        } else {
            length = carefulCut(bytes, isLast)
        }
        return try lines(in: bytes, length == 0 && bytes.count >= longestRecord ? spoiltRecord(bytes) : length)
    }

    /// The end of the first record when its quote is given up: the end of the line on which it opens.
    ///
    /// Only that record is cut short; the rest is cut as usual.
    private func spoiltRecord(_ bytes: Cell) throws(DaybookError) -> Int {
        var scanner = CSVRecordScanner(dialect: dialect, most: likeness.mostFields)
        let record = scanner.scan(bytes, from: 0, isLast: true)
        guard record.end < bytes.count else {
            let hint = "is it a CSV file, and are its 'delimiter' and 'quote' right?"
            throw DaybookError.data("record-too-long", "a record is longer than \(longestRecord >> 20) MiB", hint: hint)
        }
        return record.end
    }

    private func lines(in bytes: Cell, _ length: Int, notes: (any MorselNotes)? = nil) -> RecordCut {
        let next: UInt8 = length < bytes.count ? bytes[length] : 0
        let text = Cell(rebasing: bytes[..<length])
        return RecordCut(length: length, lines: dialect.lineEnd.count(in: text, next: next), notes: notes)
    }

    private mutating func carefulCut(_ bytes: Cell, _ isLast: Bool) -> Int {
        var scanner = CSVRecordScanner(dialect: dialect, most: likeness.mostFields)
        var position = 0
        var records = 0
        areEven = true
        while position < bytes.count, position < CSVCutter.carefulLength, records < Morsel.mostRecords {
            var record = scanner.scan(bytes, from: position, isLast: isLast)
            if record.kind == .unfinished { break }
            if record.end - position > CSVCutter.longRecord {
                // Alone, or not yet.
                if position > 0 { break }
                areEven = false
                let own = Cell(rebasing: bytes[..<record.end])
                if record.kind == .fields, let quote = likeness.strayOpening(among: scanner.fields, own) {
                    record = scanner.givingUp(quote, from: 0, in: own)
                }
                return record.end
            }
            if record.kind != .comment {
                areEven = areEven && record.kind == .fields && scanner.fields.count == tables?.width
            }
            position = record.end
            records += 1
        }
        return position
    }
}

/// The records at the end of a file that are not rows, such as a sum or a remark.
///
/// The cutter buffers as many records until it has seen the end of the file, so the buffer is as long as they are.
struct CSVFooter: Sendable {
    /// The limit of records in a footer.
    static let most = 1000

    /// How many records it has; blank lines and comments are not counted.
    var records: Int
    var dialect: CSVDialect

    /// The start of the footer, for the reader of a file's last morsel.
    final class Notes: MorselNotes {
        /// In bytes of the morsel.
        let start: Int
        let records: Int

        init(start: Int, records: Int) { (self.start, self.records) = (start, records) }
    }

    /// The start and the number of the last records, for a text that ends with its file.
    func found(in bytes: Cell) -> (start: Int, records: Int) {
        let starts = lastStarts(in: bytes)
        return (starts.first ?? bytes.count, starts.count)
    }

    /// How many of the first `length` bytes are certainly before the footer, if the file continues behind `bytes`.
    func rows(before length: Int, of bytes: Cell) -> Int {
        let needed = records - count(in: Cell(rebasing: bytes[length...]))
        guard needed > 0 else { return length }
        let starts = lastStarts(in: Cell(rebasing: bytes[..<length]))
        return starts.count < needed ? 0 : starts[starts.count - needed]
    }

    /// The number of whole records, up to the footer's.
    private func count(in bytes: Cell) -> Int {
        var scanner = CSVRecordScanner(dialect: dialect, most: 1)
        var (count, position) = (0, 0)
        while count < records, let record = scanner.next(in: bytes, at: &position, isLast: false) {
            if record.kind != .blank, record.kind != .comment { count += 1 }
        }
        return count
    }

    /// Where the last records begin, as many as the footer has.
    private func lastStarts(in bytes: Cell) -> [Int] {
        if let base = bytes.baseAddress, bytes.count <= CSVCutter.longestIndex,
            let index = CSVIndex(base, bytes.count, dialect, isLast: true)
        {
            return index.lastStarts(records, in: bytes)
        }
        var scanner = CSVRecordScanner(dialect: dialect, most: 1)
        var starts: [Int] = []
        var position = 0
        while position < bytes.count {
            let record = scanner.scan(bytes, from: position, isLast: true)
            if record.kind != .blank, record.kind != .comment { starts.append(position) }
            if starts.count > 2 * records { starts.removeFirst(starts.count - records) }
            position = record.end
        }
        return starts.suffix(records)
    }
}

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
            let text = Cell(start: base, count: length)
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
    func range(of cell: Int, in bytes: Cell) -> Range<Int> {
        let start = Int(buffer.positions[cell - 1] &+ 1)
        var end = Int(buffer.positions[cell])
        if end > start, bytes[end - 1] == CSVDialect.carriageReturn { end -= 1 }
        return start..<max(start, end)
    }

    /// The starts of the last records that are not blank lines, in order.
    func lastStarts(_ most: Int, in bytes: Cell) -> [Int] {
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
