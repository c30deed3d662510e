/// Finds the places of the records in one morsel; fastest in the order of the records.
///
/// The morsel and source data that each finding needs are copied here as plain integers and addresses, which avoids
/// reference counting.
struct MorselPlaces {
    private let morsel: Morsel
    private let known: KnownSource
    /// Index of the source among the inputs.
    let index: Int
    private let text: Cell
    private let name: Cell
    private let offset: Int
    private let firstRecord: Int
    private let isConverted: Bool
    private let hasPointers: Bool
    private let isHeld: Bool
    private var cursor: LineCursor
    private let pointed = Bytes()
    private let firstSource = Bytes()

    /// - Parameter fields: field of the source by subject; nil for subjects without a field.
    init(_ morsel: Morsel, of registry: SourceRegistry, _ fields: [String?]) {
        let source = KnownSource(registry[morsel.source.index], fields, holder: morsel.holder)
        (self.morsel, known, index) = (morsel, source, morsel.source.index)
        text = Cell(start: morsel.bytes.base, count: morsel.length)
        name = source.path.filled
        (offset, firstRecord, isConverted) = (morsel.offset, morsel.firstRecord, morsel.isConverted)
        (hasPointers, isHeld) = (source.hasPointers, source.holder != nil)
        cursor = LineCursor(text, firstLine: morsel.firstLine, firstColumn: morsel.firstColumn, lineEnd: morsel.lineEnd)
    }

    /// Whether places are only lines and bytes: no record has a pointer or belongs to another file.
    var isPlain: Bool { !hasPointers && !isHeld }

    /// Sets the place of a record, or of the field in it that the finding is about.
    ///
    /// - Parameters:
    ///   - number: index of the record in the morsel, from 0.
    ///   - fault: offset of the faulty byte, for a record that did not become a row.
    ///   - inside: path from the field to an inner value that the finding is about.
    ///   - takesInner: whether the value is the inner one, if the record has it.
    ///   - takesValue: whether to take the value from the record.
    mutating func place(
        _ span: RecordSpan,
        _ number: Int,
        at fault: Int? = nil,
        inside: [String] = [],
        takesInner: Bool = false,
        takesValue: Bool,
        _ facts: inout ResolvedFinding
    ) {
        let record = Cell(rebasing: text[Int(span.start)..<Int(span.end)])
        var range = known.range(of: facts.subject, in: record)
        let inner = inside.isEmpty ? nil : range.flatMap { known.range(of: inside, in: record, $0) }
        range = inner ?? range
        let target = fault ?? Int(span.start) + (range?.lowerBound ?? 0)
        facts.source = name
        facts.record = firstRecord + number + 1
        // Converted text has no byte offset in the file, except for undecodable bytes. Line and column remain correct.
        facts.byte = isConverted ? fault.flatMap(rawOffset) : offset + target
        facts.byteInRecord = isConverted ? nil : target - Int(span.start)
        facts.original = record.withoutLineEnd
        if hasPointers {
            let index = firstRecord + number
            facts.pointer = known.pointer(to: facts.subject, inside: inside, record: index, of: record, in: pointed)
        }
        let place = cursor.place(of: target)
        (facts.line, facts.column, facts.lineEnd) = (place.line, place.column, morsel.lineEnd)
        if takesValue || takesInner && inner != nil, let range { facts.value = Cell(rebasing: record[range]) }
        if isHeld, let holder = known.holder { facts.lie(in: holder, pointed, firstSource) }
    }

    /// Lines of some rows, if neither their records nor the records between them contain a line end; nil otherwise.
    func lines(of rows: [UInt32], _ spans: [RecordSpan], _ numbers: [UInt32]) -> [Int64]? {
        guard !isHeld, known.recordsBeginLines, let first = rows.first, let last = rows.last else { return nil }
        if morsel.hasALinePerRecord(spans, numbers) {
            return lines(of: rows, spans, numbers, from: Int64(morsel.firstLine))
        }
        let (head, tail) = (spans[Int(first)], spans[Int(last)])
        guard head.start <= tail.start else { return nil }
        // Each record but the last has at least one line end after it, so this number of line ends leaves no others.
        guard lineEnds(from: head.start, to: tail.start) == Int(numbers[Int(last)]) - Int(numbers[Int(first)]) else {
            return nil
        }
        let record = tail.bytes(of: morsel).withoutLineEnd
        guard lineEnds(from: tail.start, to: tail.start + UInt32(record.count)) == 0 else { return nil }
        // Line of the record with number 0.
        let line = Int64(morsel.firstLine + lineEnds(from: 0, to: head.start)) - Int64(numbers[Int(first)])
        return lines(of: rows, spans, numbers, from: line)
    }

    /// The lines of some rows in ascending order, where record 0 stands on `line`, and each on one line.
    private func lines(of rows: [UInt32], _ spans: [RecordSpan], _ numbers: [UInt32], from line: Int64) -> [Int64]? {
        var falls = 0
        var before: UInt32 = 0
        let lines = rows.map { row in
            let start = spans[Int(row)].start
            falls |= start < before ? 1 : 0
            before = start
            return line &+ Int64(numbers[Int(row)])
        }
        return falls == 0 ? lines : nil
    }

    private func lineEnds(from start: UInt32, to end: UInt32) -> Int {
        let lines = Cell(rebasing: text[Int(start)..<Int(end)])
        return morsel.lineEnd.count(in: lines, next: morsel.bytes.base[Int(end)])
    }

    /// Offset of undecodable bytes in the file.
    private func rawOffset(_ at: Int) -> Int? {
        morsel.faults.first { Int($0.at) == at }.map { Int($0.rawOffset) }
    }
}

extension ResolvedFinding {
    /// Converts a place in the text to the place in the file that contains the text.
    ///
    /// `pointed` and `firstSource` are buffers for texts.
    package mutating func lie(in holder: TextHolder, _ pointed: Bytes, _ firstSource: Bytes) {
        guard let copy = holder.copy else {
            (line, column) = (holder.line, holder.column)
            byte = holder.byte.flatMap { start in byte.map { start + $0 } }
            return
        }
        let place = copy.place(of: byte ?? copy.offset)
        (line, column, byte, byteInRecord) = (place.line, place.column, place.byte, nil)
        record = place.line
        pointed.removeAll()
        pointed.append(holder.pointer)
        pointer = pointed.filled
        first = First(line: copy.firstLine)
        guard let source = copy.firstSource else { return }
        firstSource.removeAll()
        firstSource.append(source)
        first?.source = firstSource.filled
    }
}

/// Reads the records of rows whose morsels are released. Neighbouring records are read together.
struct LateRecords {
    /// Limit of bytes per read, and of the gap between two records in one read.
    private static let longestStretch = 1 << 20
    private static let widestGap = 4096

    private let provenance: [RowOrigin]
    /// Last read bytes, and their position in the source.
    private var stretch: Bytes?
    private var start = 0
    private var source: Int32 = -1
    /// Last opened source.
    private var opened: (source: Int32, read: (Range<Int>) -> Bytes?)?

    init(_ provenance: [RowOrigin]) { self.provenance = provenance }

    subscript(row: Int) -> RowOrigin { provenance[row] }

    /// Lines of some rows, if each row has a line of its own; nil otherwise.
    func lines(of rows: [UInt32]) -> [Int64]? {
        var areOneLine = true
        let lines = rows.map { row in
            areOneLine = areOneLine && provenance[Int(row)].isOneLine
            return provenance[Int(row)].line
        }
        return areOneLine ? lines : nil
    }

    /// Record of a row, valid until the next call; nil if it cannot be read again.
    mutating func record(of row: Int, _ again: RecordRefetch?) -> Cell? {
        let origin = provenance[row]
        if !holds(origin) {
            switch again {
            case nil: return nil
            case .records(let read): stretch = read(origin)
            case .stretches(let open):
                if opened?.source != origin.source { opened = (origin.source, open()) }
                guard let read = opened?.read else { return nil }
                let own = Int(origin.offset)..<Int(origin.offset) + Int(origin.length)
                // A file that was truncated may still contain this record.
                stretch = read(own.lowerBound..<end(from: row)) ?? read(own)
            }
            (source, start) = (origin.source, Int(origin.offset))
        }
        guard let stretch, holds(origin) else { return nil }
        return Cell(start: stretch.base + (Int(origin.offset) - start), count: Int(origin.length))
    }

    private func holds(_ origin: RowOrigin) -> Bool {
        guard let stretch, origin.source == source, Int(origin.offset) >= start else { return false }
        return Int(origin.offset) - start + Int(origin.length) <= stretch.count
    }

    /// End of the last record to read together with the record of a row.
    private func end(from row: Int) -> Int {
        let first = provenance[row]
        let start = Int(first.offset)
        var end = start + Int(first.length)
        for next in provenance[(row + 1)...] {
            let (from, to) = (Int(next.offset), Int(next.offset) + Int(next.length))
            guard next.source == first.source, from >= end, from - end <= LateRecords.widestGap,
                to - start <= LateRecords.longestStretch
            else { break }
            end = to
        }
        return end
    }
}
