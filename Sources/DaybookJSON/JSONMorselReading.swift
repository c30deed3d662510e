import CScan
import DaybookDates

/// Where the values of one column go.
struct JSONSlot: BitwiseCopyable {
    var values: UnsafeMutableRawPointer
    /// One bit a row, set where there is no value.
    var missing: UnsafeMutablePointer<UInt64>
    /// One bit a row, set where an instant was finer than it is kept.
    var cut: UnsafeMutablePointer<UInt64>
    /// All ones, or 0 for an unneeded column: all its values go to one dummy place.
    var rowMask: Int
    /// How many objects are open around a value.
    var depth: Int
    var kind: JSONSlotKind
    /// How instants are written.
    var encoding: CodableDates
}

extension UnsafeMutablePointer<JSONSlot> {
    /// Stores the value of a row.
    @inline(__always)
    package func put<Value: BitwiseCopyable>(_ value: Value, at index: Int) {
        pointee.values.assumingMemoryBound(to: Value.self)[index] = value
    }
}

enum JSONSlotKind: String, BitwiseCopyable {
    case text, integer, decimal, flag, day, json, instant
    /// Text, a number, true or false: unchanged.
    case scalar
    /// `{}` only.
    case emptyObject

    init(_ kind: ColumnKind) { self = JSONSlotKind(rawValue: kind.rawValue) ?? .text }
}

/// Makes a batch of one morsel.
///
/// Most records have the shape of the one before, so each is first compared with a template of its keys and punctuation
/// (`JSONTemplate`). If no template fits, the record is read key by key (`record`), and a new template is made of it.
struct JSONMorselReading {
    let plan: JSONPlan
    /// The columns to read, each with its column of the plan.
    let schema: Schema
    let wanted: [Int]
    let layout: JSONFormat.Layout
    let morsel: Morsel
    /// Whether every byte is known to be UTF-8.
    let isText: Bool
    let isLines: Bool
    let base: UnsafePointer<UInt8>
    /// The end of the text to read: the bytes of the source, or an array in them. Decoded text will follow the source.
    var end: Int

    /// One for each column of the plan, and one for values that no column is for.
    let slots: UnsafeMutablePointer<JSONSlot>
    let slotCount: Int
    let keys: JSONKeys
    /// For each node of the plan, the last record that had it, to find repeated keys.
    let met: UnsafeMutablePointer<UInt32>
    /// The node of the keys before records; -1 where they have none.
    let keyNode: Int
    private let nowhere: UnsafeMutablePointer<UInt64>
    private var missingWords: UnsafeMutablePointer<UInt64>?
    private var cutWords: UnsafeMutablePointer<UInt64>?
    /// The indices in `wanted` of columns of instants.
    private let instants: [Int]

    var spans: UnsafeMutablePointer<RecordSpan>
    var records: UnsafeMutablePointer<UInt32>
    /// The row capacity of the part being filled.
    var capacity = 0
    var row = 0
    var position = 0
    /// How many records have been met.
    var record = 0
    var blank = 0
    /// The array has been closed, or there is nothing more to read.
    var isDone = false
    /// Text with escapes, decoded.
    let decoded = Bytes()
    let cells: JSONCells
    var templates: [JSONTemplate] = []
    /// A count of recent records that fitted no template.
    var failures = 0
    /// The number of records before templates are tried again.
    var rest = 0
    /// The places of the values in the record being read key by key.
    var trace = JSONTrace()
    /// The arrays whose elements are the records; nil for the records of a file.
    var arrays: JSONArrays?

    /// - Parameter schema: the needed columns of `plan`, which are `wanted`.
    init(
        _ plan: JSONPlan,
        _ schema: Schema,
        wanted: [Int],
        _ layout: JSONFormat.Layout,
        _ morsel: Morsel,
        isText: Bool,
        keyColumn: [UInt8]? = nil,
        takesNotANumber: Bool = false
    ) {
        (self.plan, self.schema, self.wanted, self.layout) = (plan, schema, wanted, layout)
        self.morsel = morsel
        self.isText = isText
        if case .lines = layout { isLines = true } else { isLines = false }
        base = morsel.bytes.base
        end = morsel.length
        let texts = Unmanaged.passUnretained(decoded)
        cells = JSONCells(base: base, end: end, isLines: isLines, takesNotANumber: takesNotANumber, decoded: texts)
        keys = plan.keys
        keyNode = keyColumn.flatMap { plan.node(at: $0) } ?? -1
        slotCount = plan.leaves.count
        slots = .allocate(capacity: slotCount + 1)
        nowhere = .allocate(capacity: 3)
        nowhere.initialize(repeating: 0, count: 3)
        instants = wanted.indices.filter { plan.leaves[wanted[$0]].field.kind == .instant }
        let unread = JSONSlot(
            values: UnsafeMutableRawPointer(nowhere),
            missing: nowhere + 1,
            cut: nowhere + 2,
            rowMask: 0,
            depth: 1,
            kind: .json,
            encoding: .iso
        )
        slots.initialize(repeating: unread, count: slotCount + 1)
        for (index, leaf) in plan.leaves.enumerated() {
            slots[index].depth = leaf.path.count
            slots[index].kind = leaf.marksEmpty ? .emptyObject : leaf.isMixed ? .scalar : JSONSlotKind(leaf.field.kind)
            slots[index].encoding = leaf.encoding
        }
        met = .allocate(capacity: plan.nodes.count)
        met.initialize(repeating: .max, count: plan.nodes.count)
        spans = UnsafeMutableRawPointer(nowhere).assumingMemoryBound(to: RecordSpan.self)
        records = UnsafeMutableRawPointer(nowhere).assumingMemoryBound(to: UInt32.self)
    }

    mutating func deallocate() {
        slots.deallocate()
        met.deallocate()
        nowhere.deallocate()
        missingWords?.deallocate()
        cutWords?.deallocate()
        for template in templates { template.deallocate() }
    }

    mutating func batch(_ findings: inout Findings) -> Batch {
        var parts = JSONColumns(schema)
        repeat {
            let before = parts.spans.count
            parts.append(part(&findings))
            warnOfCuts(rowsBefore: before, &findings)
        } while !isDone
        findings.saw(records: record)
        findings.skip(blank, as: "blank lines")
        morsel.bytes.append(decoded)
        return parts.batch(schema, morsel)
    }

    // MARK: Storage

    /// Fills columns until the morsel ends or their capacity is used up.
    mutating func part(_ findings: inout Findings) -> JSONColumns {
        capacity = rowCapacity()
        row = 0
        let words = (capacity + 63) / 64
        missingWords?.deallocate()
        let missing = UnsafeMutablePointer<UInt64>.allocate(capacity: max(1, words * wanted.count))
        missing.initialize(repeating: 0, count: max(1, words * wanted.count))
        missingWords = missing
        reserveCuts(words)
        var columns = JSONColumns(schema)
        columns.spans = [RecordSpan](unsafeUninitializedCapacity: capacity) { spans, count in
            columns.records = [UInt32](unsafeUninitializedCapacity: capacity) { records, count in
                if let start = spans.baseAddress { self.spans = start }
                if let start = records.baseAddress { self.records = start }
                fill(0, missing, words, &columns, &findings)
                count = row
            }
            count = row
        }
        for index in wanted.indices {
            columns.missing[index] = JSONColumns.mask(
                UnsafeBufferPointer(start: missing + index * words, count: (row + 63) / 64)
            )
        }
        return columns
    }

    /// Creates the array of one needed column and, inside its initialiser, the arrays of all later columns, so that every
    /// value is written once, in its final place.
    private mutating func fill(
        _ index: Int,
        _ missing: UnsafeMutablePointer<UInt64>,
        _ words: Int,
        _ columns: inout JSONColumns,
        _ findings: inout Findings
    ) {
        guard index < wanted.count else { return readRecords(&findings) }
        let slot = slots + wanted[index]
        slot.pointee.missing = missing + index * words
        slot.pointee.rowMask = -1
        func array<Element: BitwiseCopyable>(
            _ reading: inout JSONMorselReading,
            _ columns: inout JSONColumns,
            _ findings: inout Findings
        ) -> [Element] {
            [Element](unsafeUninitializedCapacity: reading.capacity) { values, count in
                if let start = values.baseAddress { slot.pointee.values = UnsafeMutableRawPointer(start) }
                reading.fill(index + 1, missing, words, &columns, &findings)
                count = reading.row
            }
        }
        switch slot.pointee.kind {
        case .text, .scalar, .json, .emptyObject: columns.values[index] = .views(array(&self, &columns, &findings))
        case .integer, .instant: columns.values[index] = .integers(array(&self, &columns, &findings))
        case .decimal: columns.values[index] = .decimals(array(&self, &columns, &findings))
        case .flag: columns.values[index] = .flags(array(&self, &columns, &findings))
        case .day: columns.values[index] = .days(array(&self, &columns, &findings))
        }
    }

    private mutating func reserveCuts(_ words: Int) {
        guard !instants.isEmpty else { return }
        cutWords?.deallocate()
        let cuts = UnsafeMutablePointer<UInt64>.allocate(capacity: max(1, words * instants.count))
        cuts.initialize(repeating: 0, count: max(1, words * instants.count))
        cutWords = cuts
        for (place, index) in instants.enumerated() { slots[wanted[index]].cut = cuts + place * words }
    }

    private func warnOfCuts(rowsBefore: Int, _ findings: inout Findings) {
        for index in instants {
            let words = slots[wanted[index]].cut
            var token: Finding.Token?
            for row in 0..<row where words[row >> 6] >> UInt64(row & 63) & 1 == 1 {
                let known = token ?? findings.token(.finerInstant, in: ColumnName(schema.fields[index].name))
                token = known
                findings.warn(rowsBefore + row, known)
            }
        }
    }

    /// The row capacity for the rest of the morsel: the number of lines, or else an estimate from the rows read.
    private func rowCapacity() -> Int {
        if let arrays { return arrays.rowCapacity(base) }
        let left = end - position
        if isLines {
            if position == 0, let lineEnds = morsel.lineEnds { return lineEnds + 1 }
            return Int(scan_count(base + position, left, 0xFF).line_feeds) + 1
        }
        guard record > 0 else {
            var sample = json_cut()
            json_cut_portable(&sample, base, min(end, 8192), false)
            guard sample.commas > 0 else { return 64 }
            return left / max(1, sample.cut / sample.commas) * 5 / 4 + 64
        }
        return left / max(1, position / record) * 5 / 4 + 64
    }

    private mutating func readRecords(_ findings: inout Findings) {
        if arrays != nil { return readArrays(&findings) }
        while !isDone, row < capacity {
            if isText, followTemplates() { continue }
            if isLines { readLine(&findings) } else { readElement(&findings) }
        }
    }
}
