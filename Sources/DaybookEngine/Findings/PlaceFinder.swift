/// Finds the place of a row, a cell or a record in its source.
///
/// Data that findings about one subject share is looked up once per batch. A finding then only reads its record,
/// without making texts. The search is fastest in the order of the input.
package struct PlaceFinder {
    package let findings: Findings
    package let batch: Batch
    private let registry: SourceRegistry
    /// Whether values come from the source records, because the columns may already hold fillers.
    let readsSource: Bool
    /// By subject: its column, the cells of that column, and the source field of the column.
    package let columns: [Int?]
    package let cells: [CellPointers?]
    package let fields: [String?]
    /// By subject: the path to its values inside the field.
    private let inner: [InnerWay?]
    /// Inner path of the current finding.
    private var inside: [String] = []
    /// Whether the current finding is about an inner value of its column's value.
    private var blamesInner = false
    /// By subject: the columns whose values follow the message.
    private let shown: [[(name: String, place: Int)]]

    package let rows: Rows
    private(set) var spans: [RecordSpan] = []
    private(set) var numbers: [UInt32] = []
    /// Morsel of the rows; nil for rows of several morsels.
    private(set) var home: MorselPlaces?
    /// Input of a source, for records that did not become rows: their fields are not the fields of columns.
    private let morsel: Morsel?
    private var records: MorselPlaces?
    private(set) var storeRows: [StoreRow] = []
    private(set) var late = LateRecords([])
    /// Sources of rows outside any morsel, and of rows that messages name.
    private var sources: [Int: KnownSource] = [:]

    /// Buffers for the texts of one finding.
    private let displayText = Bytes()
    private let message = Bytes()
    private let displayName = Bytes()
    private let pointed = Bytes()
    private let firstSource = Bytes()
    private var stored: (record: StoredRecord, value: Bytes?)?

    /// Origin of the rows.
    package enum Rows: BitwiseCopyable {
        case morsel, gathered, made
        case store(Int)
    }

    /// - Parameters:
    ///   - batch: the rows of the findings; `pointers` holds its cells.
    ///   - morsel: the input of a source, for records that never became rows.
    package init(
        _ findings: Findings,
        about batch: Batch,
        _ pointers: [CellPointers],
        morsel: Morsel?,
        registry: SourceRegistry,
        readsSource: Bool
    ) {
        (self.findings, self.batch, self.registry, self.readsSource) = (findings, batch, registry, readsSource)
        let columns = findings.subjects.map { $0.column.flatMap { batch.schema.index(of: $0) } }
        let fields = zip(findings.subjects, columns).map { subject, column in
            column.flatMap { batch.schema.fields[$0].source } ?? (readsSource ? subject.column : nil)
        }
        (self.columns, self.fields) = (columns, fields)
        cells = columns.map { $0.map { pointers[$0] } }
        inner = columns.map { $0.flatMap { InnerWay(to: $0, in: batch.schema, pointers) } }
        let isMade = if case .made = batch.provenance { true } else { false }
        shown = findings.subjects.map { subject in
            // The source line already shows the value of a single column.
            guard subject.kind.shows.count > 1 || isMade else { return [] }
            return subject.kind.shows.compactMap { name in batch.schema.index(of: name).map { (name, $0) } }
        }
        switch batch.provenance {
        case .morsel(let morsel, let spans, let numbers):
            rows = .morsel
            home = MorselPlaces(morsel, of: registry, fields)
            (self.spans, self.numbers) = (spans, numbers)
        case .store(let source, let own): (rows, storeRows) = (.store(source.index), own)
        case .gathered(let provenance): (rows, late) = (.gathered, LateRecords(provenance))
        case .made: rows = .made
        }
        self.morsel = morsel
    }

    /// Start of a row's record in its morsel, or its position among the rows of a store; row number for rows from
    /// elsewhere.
    package func position(of row: Int) -> Int {
        switch rows {
        case .morsel: Int(spans[row].start)
        case .store: Int(storeRows[row].position)
        case .gathered, .made: row
        }
    }

    /// Sets all facts of a finding. They are valid until the next call and while the finder exists.
    package mutating func find(_ event: FindingEvent, _ facts: inout ResolvedFinding) {
        facts = ResolvedFinding(about: event.subject)
        switch event.object {
        case .failedRow:
            if !shown[event.subject].isEmpty { say(message(of: event.subject, showing: event.index), &facts) }
            step(inside: [], event.index, &facts)
            place(row: event.index, &facts)
        case .rejectedRow:
            let row = Int(findings.rejectedRows[event.index].row)
            if let own = findings.message(ofRejectedRow: event.index) {
                say(own, &facts)
            } else if !shown[event.subject].isEmpty {
                say(message(of: event.subject, showing: row), &facts)
            }
            if let named = findings.row(namedByReject: event.index) { facts.named = name(of: named, beside: row) }
            step(inside: findings.inside(ofRejectedRow: event.index), row, &facts)
            place(row: row, &facts)
        case .warnedRow:
            let row = Int(findings.warnedRows[event.index].row)
            if let own = findings.message(ofWarnedRow: event.index) {
                say(naming(findings.rows(namedByWarning: event.index), in: own, beside: row), &facts)
            }
            if let named = findings.row(namedByWarning: event.index) { facts.named = name(of: named, beside: row) }
            step(inside: findings.inside(ofWarnedRow: event.index), row, &facts)
            place(row: row, &facts)
        case .rejectedRecord:
            if let own = findings.message(ofRejectedRecord: event.index) { say(own, &facts) }
            place(record: findings.rejectedRecords[event.index], &facts)
        case .warnedRecord: place(record: findings.warnedRecords[event.index], &facts)
        case .verdict: say(findings.verdicts[event.index].message, &facts)
        }
    }

    // MARK: - Messages

    private func say(_ text: String, _ facts: inout ResolvedFinding) {
        message.removeAll()
        message.append(text)
        facts.ownMessage = message.filled
    }

    /// Whether messages show values of their rows, so that each message needs its row.
    var showsValues: Bool { shown.contains { !$0.isEmpty } }

    /// `'n >= before' does not hold: n is 700, before is 1000`.
    private func message(of subject: Int, showing row: Int) -> String {
        let values = shown[subject].map { name, place in
            guard let value = batch.columns[place].displayText(row) else { return "\(name) is missing" }
            // A part of a value might be a part of a secret.
            guard value.utf8.count <= DisplayText.longestValue else {
                return "\(name) has \(value.utf8.count.displayText) bytes"
            }
            return batch.columns[place].kind == .text ? "\(name) is '\(value)'" : "\(name) is \(value)"
        }
        return findings.subjects[subject].kind.message + PlaceFinder.valueMark + values.joined(separator: ", ")
    }

    /// Separator between a message and the values that it shows.
    static let valueMark = ": "

    /// Replaces each mark in a message by the name of its row.
    private mutating func naming(_ rows: [RowOrigin], in message: String, beside row: Int) -> String {
        var told = ""
        var rest = message[...]
        for named in rows {
            guard let mark = rest.firstRange(of: Findings.rowMark) else { break }
            told += rest[..<mark.lowerBound] + name(of: named, beside: row).text
            rest = rest[mark.upperBound...]
        }
        return told + rest
    }

    /// Name of a row: its line and pointer, if any, and its file if that differs.
    private mutating func name(of named: RowOrigin, beside row: Int) -> Cell {
        let source = source(Int(named.source))
        displayName.removeAll()
        if let rows = source.entry.rows {
            displayName.append(rows.pointer(to: nil, row: named.record))
        } else {
            if source.hasLines {
                displayName.append("line ")
                displayName.append(integer: named.line)
            }
            source.appendPointer(toRecord: Int(named.record), inBrackets: source.hasLines, to: displayName)
            // Replayed records have neither lines nor pointers.
            if displayName.count == 0 { displayName.append("record \(named.record + 1)") }
        }
        if Int(named.source) != index(ofSourceOf: row) {
            displayName.append(" of ")
            displayName.append(source.path)
        }
        return displayName.filled
    }

    /// Index of a row's source among the inputs; nil for a row that a stage made.
    package func index(ofSourceOf row: Int) -> Int? {
        switch rows {
        case .morsel: home?.index
        case .store(let index): index
        case .gathered: Int(late[row].source)
        case .made: nil
        }
    }

    mutating func source(_ index: Int) -> KnownSource {
        if let known = sources[index] { return known }
        let entry = registry[index]
        let known = KnownSource(entry, fields, holder: entry.holder)
        sources[index] = known
        return known
    }

    // MARK: - Places

    /// Sets the path from the field of a subject to the value in a row, and on to the faulty inner value.
    private mutating func step(inside own: [String], _ row: Int, _ facts: inout ResolvedFinding) {
        inside = (inner[facts.subject]?.tokens(row) ?? []) + own
        blamesInner = !own.isEmpty
    }

    private mutating func place(row: Int, _ facts: inout ResolvedFinding) {
        if !readsSource, let cells = cells[facts.subject], !cells.isMissing(row) {
            facts.value = value(cells, facts.subject, row)
        }
        switch rows {
        case .made: return
        case .morsel:
            home?.place(
                spans[row],
                Int(numbers[row]),
                inside: inside,
                takesInner: blamesInner,
                takesValue: readsSource,
                &facts
            )
        case .store(let index): place(storeRows[row].number, in: source(index), &facts)
        case .gathered:
            let source = source(Int(late[row].source))
            if source.entry.rows != nil { return place(late[row].record, in: source, &facts) }
            placeLate(row, in: source, &facts)
        }
    }

    /// Value of a row: text as it is, other kinds formatted.
    private func value(_ cells: CellPointers, _ subject: Int, _ row: Int) -> Cell? {
        if cells.kind == .text { return cells.cell(row) }
        guard let column = columns[subject] else { return nil }
        displayText.removeAll()
        batch.columns[column].appendValue(row, to: displayText)
        return displayText.filled
    }

    private mutating func place(record: Findings.Record, _ facts: inout ResolvedFinding) {
        guard let morsel else { return }
        if records == nil { records = MorselPlaces(morsel, of: registry, findings.subjects.map(\.column)) }
        records?.place(record.span, Int(record.record), at: Int(record.at), takesValue: true, &facts)
    }

    /// Sets the place of a row in a store, which has no line and no bytes.
    private mutating func place(_ number: Int64, in source: KnownSource, _ facts: inout ResolvedFinding) {
        facts.source = source.path.filled
        guard let rows = source.entry.rows else { return }
        let field = fields[facts.subject]
        pointed.removeAll()
        pointed.append(rows.pointer(to: field, row: number))
        if !inside.isEmpty { pointed.append(JSONPointer(tokens: inside).written) }
        facts.pointer = pointed.filled
        stored = rows.record(again: number).map { ($0, readsSource ? field.flatMap($0.value) : nil) }
        facts.original = stored?.record.json.filled
        if let value = stored?.value { facts.value = value.filled }
    }

    /// Sets the place of a row whose morsel is released.
    private mutating func placeLate(_ row: Int, in source: KnownSource, _ facts: inout ResolvedFinding) {
        let origin = late[row]
        facts.source = source.path.filled
        facts.line = Int(origin.line)
        guard let record = late.record(of: row, source.entry.again) else { return }
        var range = source.range(of: facts.subject, in: record)
        if !inside.isEmpty, let field = range { range = source.range(of: inside, in: record, field) ?? field }
        let at = range?.lowerBound ?? 0
        // A check about released rows has no column, but the record still contains the value.
        if facts.value == nil, let range {
            facts.value = source.text(of: facts.subject, Cell(rebasing: record[range]), in: displayText)
        }
        facts.lineEnd = source.entry.lineEnd
        var cursor = LineCursor(record, firstLine: Int(origin.line), lineEnd: facts.lineEnd)
        (facts.byte, facts.byteInRecord) = (Int(origin.offset) + at, at)
        facts.original = record.withoutLineEnd
        let number = Int(origin.record)
        facts.pointer = source.pointer(to: facts.subject, inside: inside, record: number, of: record, in: pointed)
        // Where every record begins a line, cutting the text does not count records, so the number is relative to its
        // morsel.
        if !source.recordsBeginLines, source.pointsInText(facts.subject) { facts.record = Int(origin.record) + 1 }
        // A JSON record may begin in the middle of a line whose beginning is not in memory. Then the place has a line
        // only.
        let place = cursor.place(of: at)
        facts.line = place.line
        facts.column = source.recordsBeginLines || place.line > Int(origin.line) ? place.column : nil
        let holder = source.entry.holderOfRecord?(origin) ?? source.holder
        if let holder { facts.lie(in: holder, pointed, firstSource) }
    }
}

extension Array {
    /// Whether the elements are in ascending order.
    @inline(__always)
    fileprivate func areAscending(by number: (Element) -> UInt32) -> Bool {
        var falls = 0
        for place in stride(from: 1, to: count, by: 1) {
            falls |= number(self[place]) < number(self[place - 1]) ? 1 : 0
        }
        return falls == 0
    }
}

/// Facts of many findings that need no access to their records.
extension PlaceFinder {
    /// Whether the rows of the batch are in the order of the input.
    var isInOrder: Bool {
        switch rows {
        case .morsel: spans.areAscending(by: \.start)
        case .store: storeRows.areAscending(by: \.position)
        case .gathered, .made: true
        }
    }

    /// Whether the places of rows are lines and bytes of one file.
    var isPlain: Bool { home?.isPlain ?? false }

    /// Lines of rows, if each record has a line of its own; nil if that is unknown.
    package func lines(of rows: [UInt32]) -> [Int64]? {
        switch self.rows {
        case .morsel: home?.lines(of: rows, spans, numbers)
        case .gathered: late.lines(of: rows)
        case .store, .made: nil
        }
    }

    /// Common source of the rows; nil if they have several.
    package mutating func source(of rows: [UInt32]) -> Cell? {
        guard let first = rows.first else { return nil }
        switch self.rows {
        case .morsel: break
        case .gathered: guard rows.allSatisfy({ late[Int($0)].source == late[Int(first)].source }) else { return nil }
        case .store, .made: return nil
        }
        return index(ofSourceOf: Int(first)).map { source($0).path.filled }
    }

    /// Whether a rejected row has a faulty inner value inside its column's value.
    private var blamesInnerValues: Bool {
        findings.rejectedRows.indices.contains { !findings.inside(ofRejectedRow: $0).isEmpty }
    }

    /// Values of rejects, written to `bytes`; nil if some values need a search in their records.
    package func values(of rejects: Rejects, _ rows: [UInt32], in bytes: Bytes) -> TextColumn? {
        guard !readsSource, !blamesInnerValues else { return nil }
        if case .gathered = self.rows {
            // A value that is missing in a collected row may still be in its record.
            let hasGaps = columns.map { column in column.map { batch.columns[$0].missing != nil } ?? false }
            if zip(fields, hasGaps).contains(where: { $0 != nil && $1 }) { return nil }
        }
        return RejectValues(cells: cells, rows: rows).column(of: rejects, in: bytes) { row, subject in
            if let column = columns[subject] { batch.columns[column].appendValue(row, to: bytes) }
        }
    }
}

/// Path from the field of a source to the inner values of a column, as far as element numbers are available.
struct InnerWay {
    /// Steps of the path; for an element, the column with its number, if there is one.
    private let steps: [(step: InnerStep, number: CellPointers?)]

    /// Nil for a column whose values are the values of its field.
    init?(to column: Int, in schema: Schema, _ pointers: [CellPointers]) {
        let field = schema.fields[column]
        guard !field.inside.isEmpty else { return nil }
        steps = field.inside.enumerated().map { place, step in
            guard step == .element else { return (step, nil) }
            let way = field.inside[..<place] + [.element, .number]
            let number = schema.fields.firstIndex {
                $0.source == field.source && $0.kind == .integer && $0.inside.elementsEqual(way)
            }
            return (step, number.map { pointers[$0] })
        }
    }

    /// Keys and numbers that lead to the value of a row, up to the first unknown number.
    func tokens(_ row: Int) -> [String] {
        var tokens: [String] = []
        for (step, number) in steps {
            switch step {
            case .key(let key): tokens.append(key)
            case .element:
                guard let number, !number.isMissing(row) else { return tokens }
                tokens.append(String(number.integer(row)))
            case .number: break
            }
        }
        return tokens
    }
}
