/// Finds where in the source a row, a cell or a record stands.
///
/// What findings about one subject share is looked up once for a batch; a finding then costs a look at its record, and no
/// text is made of it. Places are best asked for in the order of the input.
package struct PlaceFinder {
    package let findings: Findings
    package let batch: Batch
    private let registry: SourceRegistry
    /// Whether values are taken from the source records, because the columns may hold fillers by now.
    let readsSource: Bool
    /// By subject: the column that it is about, its cells, and the field of the source from which it came.
    package let columns: [Int?]
    package let cells: [CellPointers?]
    package let fields: [String?]
    /// By subject: the way to its values inside the field.
    private let inner: [InnerWay?]
    /// The same for the finding at hand.
    private var inside: [String] = []
    /// Whether the finding blames a value inside the one that its column has.
    private var blamesInner = false
    /// By subject: the columns whose values stand behind the message.
    private let shown: [[(name: String, place: Int)]]

    package let rows: Rows
    package let spans: [RecordSpan]
    package let numbers: [UInt32]
    /// The morsel of the rows, where they are of one.
    private(set) var home: MorselPlaces?
    /// What a source read, for records that became no rows: their fields are not those of columns.
    private let morsel: Morsel?
    private var records: MorselPlaces?
    let storeRows: [StoreRow]
    package private(set) var late: LateRecords
    /// The sources of rows that no morsel holds, and of rows that messages name.
    private var sources: [Int: KnownSource] = [:]

    /// Room for what has to be written out for one finding.
    private let displayText = Bytes()
    private let message = Bytes()
    private let displayName = Bytes()
    private let pointed = Bytes()
    private let firstSource = Bytes()
    private var stored: (record: StoredRecord, value: Bytes?)?

    /// Where the rows come from.
    package enum Rows: BitwiseCopyable {
        case morsel, gathered, made
        case store(Int)
    }

    /// - Parameters:
    ///   - batch: the rows that the findings speak of, whose cells `pointers` give.
    ///   - morsel: what a source read, for records that never became rows.
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
            // The value of a single column stands in the line of the source.
            guard subject.kind.shows.count > 1 || isMade else { return [] }
            return subject.kind.shows.compactMap { name in batch.schema.index(of: name).map { (name, $0) } }
        }
        switch batch.provenance {
        case .morsel(let morsel, let spans, let numbers):
            rows = .morsel
            home = MorselPlaces(morsel, of: registry, fields)
            (self.spans, self.numbers, storeRows, late) = (spans, numbers, [], LateRecords([]))
        case .store(let source, let own):
            rows = .store(source.index)
            (spans, numbers, storeRows, late) = ([], [], own, LateRecords([]))
        case .gathered(let provenance):
            rows = .gathered
            (spans, numbers, storeRows, late) = ([], [], [], LateRecords(provenance))
        case .made:
            rows = .made
            (spans, numbers, storeRows, late) = ([], [], [], LateRecords([]))
        }
        self.morsel = morsel
    }

    /// Where a row's record starts in its morsel, or stands in what was drawn from a store; for rows from elsewhere, the
    /// number of the row.
    package func position(of row: Int) -> Int {
        switch rows {
        case .morsel: Int(spans[row].start)
        case .store: Int(storeRows[row].position)
        case .gathered, .made: row
        }
    }

    /// Sets all that is known of a finding, which is valid until the next is asked for and while the finder is there.
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
            if let named = findings.row(namedByReject: event.index) { name(named, beside: row, &facts) }
            step(inside: findings.inside(ofRejectedRow: event.index), row, &facts)
            place(row: row, &facts)
        case .warnedRow:
            let row = Int(findings.warnedRows[event.index].row)
            if let own = findings.message(ofWarnedRow: event.index) {
                say(naming(findings.rows(namedByWarning: event.index), in: own, beside: row), &facts)
            }
            if let named = findings.row(namedByWarning: event.index) { name(named, beside: row, &facts) }
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

    /// Whether messages hold values of their rows, so that none can be made before its row is looked at.
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

    /// What stands between a message and the values that it shows.
    static let valueMark = ": "

    /// A message in which each mark has become the name of its row.
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

    private mutating func name(_ named: RowOrigin, beside row: Int, _ facts: inout ResolvedFinding) {
        facts.named = name(of: named, beside: row)
    }

    /// The line of a row and the pointer to it, as far as there are these, and its file where that is another.
    private mutating func name(of named: RowOrigin, beside row: Int) -> Cell {
        let source = source(Int(named.source))
        displayName.removeAll()
        if let rows = source.rows {
            displayName.append(rows.pointer(to: nil, row: named.record))
        } else {
            if source.hasLines {
                displayName.append("line ")
                displayName.append(integer: named.line)
            }
            source.appendPointer(toRecord: Int(named.record), inBrackets: source.hasLines, to: displayName)
            // The records of a replay have neither lines nor pointers.
            if displayName.count == 0 { displayName.append("record \(named.record + 1)") }
        }
        if Int(named.source) != index(ofSourceOf: row) {
            displayName.append(" of ")
            displayName.append(source.path)
        }
        return displayName.filled
    }

    /// The place of a row's source among the inputs, or nil for a row that a stage made.
    package func index(ofSourceOf row: Int) -> Int? {
        switch rows {
        case .morsel: home?.index
        case .store(let index): index
        case .gathered: Int(late[row].source)
        case .made: nil
        }
    }

    package mutating func source(_ index: Int) -> KnownSource {
        if let known = sources[index] { return known }
        let entry = registry[index]
        let known = KnownSource(entry, fields, holder: entry.holder)
        sources[index] = known
        return known
    }

    // MARK: - Places

    /// Sets the steps from the field of a subject to the value in a row, and on to what the finding blames.
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
            if source.rows != nil { return place(late[row].record, in: source, &facts) }
            placeLate(row, in: source, &facts)
        }
    }

    /// The value of a row: the cell itself for text, and other kinds written out.
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

    /// A row of a store, which has no line and no bytes.
    private mutating func place(_ number: Int64, in source: KnownSource, _ facts: inout ResolvedFinding) {
        facts.source = source.path.filled
        guard let rows = source.rows else { return }
        let field = fields[facts.subject]
        pointed.removeAll()
        pointed.append(rows.pointer(to: field, row: number))
        if !inside.isEmpty { pointed.append(JSONPointer(tokens: inside).written) }
        facts.pointer = pointed.filled
        stored = rows.record(again: number).map { ($0, readsSource ? field.flatMap($0.value) : nil) }
        facts.original = stored?.record.json.filled
        if let value = stored?.value { facts.value = value.filled }
    }

    /// A row whose morsel is gone.
    private mutating func placeLate(_ row: Int, in source: KnownSource, _ facts: inout ResolvedFinding) {
        let origin = late[row]
        facts.source = source.path.filled
        facts.line = Int(origin.line)
        guard let record = late.record(of: row, source.again) else { return }
        var range = source.range(of: facts.subject, in: record)
        if !inside.isEmpty, let field = range { range = source.range(of: inside, in: record, field) ?? field }
        let at = range?.lowerBound ?? 0
        // A check that speaks of rows long gone has no column at hand, but the record still holds the value.
        if facts.value == nil, let range {
            facts.value = source.text(of: facts.subject, Cell(rebasing: record[range]), in: displayText)
        }
        var cursor = LineCursor(record, firstLine: Int(origin.line), lineEnd: source.lineEnd)
        facts.lineEnd = source.lineEnd
        (facts.byte, facts.byteInRecord) = (Int(origin.offset) + at, at)
        facts.original = record.withoutLineEnd
        facts.pointer = source.pointer(to: facts.subject, inside: inside, record: Int(origin.record), in: pointed)
        // Where every record begins a line, nobody counts records while the text is cut, so the number is only that in its morsel.
        if !source.recordsBeginLines, source.pointsInText(facts.subject) { facts.record = Int(origin.record) + 1 }
        // A JSON record may begin in the middle of a line, whose beginning is not at hand; then only the line is told.
        let place = cursor.place(of: at)
        facts.line = place.line
        facts.column = source.recordsBeginLines || place.line > Int(origin.line) ? place.column : nil
        if let holder = source.holderOfRecord?(origin) ?? source.holder { facts.lie(in: holder, pointed, firstSource) }
    }
}

extension Array {
    /// Whether no element has a smaller number than the one before it.
    @inline(__always)
    fileprivate func areAscending(by number: (Element) -> UInt32) -> Bool {
        var falls = 0
        for place in stride(from: 1, to: count, by: 1) {
            falls |= number(self[place]) < number(self[place - 1]) ? 1 : 0
        }
        return falls == 0
    }
}

/// What is known of many findings without a look at the record of each.
extension PlaceFinder {
    /// Whether the rows of the batch stand in it in the order of the input.
    var isInOrder: Bool {
        switch rows {
        case .morsel: spans.areAscending(by: \.start)
        case .store: storeRows.areAscending(by: \.position)
        case .gathered, .made: true
        }
    }

    /// Whether the places of rows are lines and bytes of one file.
    var isPlain: Bool { home?.isPlain ?? false }

    /// The lines of rows, where each record stands on a line of its own; nil where that is not known.
    package func lines(of rows: [UInt32]) -> [Int64]? {
        switch self.rows {
        case .morsel: home?.lines(of: rows, spans, numbers)
        case .gathered: late.lines(of: rows)
        case .store, .made: nil
        }
    }

    /// The source of rows, where all have the same.
    package mutating func source(of rows: [UInt32]) -> Cell? {
        guard let first = rows.first else { return nil }
        switch self.rows {
        case .morsel: break
        case .gathered: guard rows.allSatisfy({ late[Int($0)].source == late[Int(first)].source }) else { return nil }
        case .store, .made: return nil
        }
        return index(ofSourceOf: Int(first)).map { source($0).path.filled }
    }

    /// Whether some rejected row has a value to blame inside that of its column.
    private var blamesInnerValues: Bool {
        findings.rejectedRows.indices.contains { !findings.inside(ofRejectedRow: $0).isEmpty }
    }

    /// The values of rejects, written to `bytes`; nil where some have to be looked for in the records.
    package func values(of rejects: Rejects, _ rows: [UInt32], in bytes: Bytes) -> TextColumn? {
        guard !readsSource, !blamesInnerValues else { return nil }
        if case .gathered = self.rows {
            // What is missing in a row that was gathered may still stand in its record.
            let hasGaps = columns.map { column in column.map { batch.columns[$0].missing != nil } ?? false }
            if zip(fields, hasGaps).contains(where: { $0 != nil && $1 }) { return nil }
        }
        return RejectValues(cells: cells, rows: rows).column(of: rejects, in: bytes) { row, subject in
            if let column = columns[subject] { batch.columns[column].appendValue(row, to: bytes) }
        }
    }
}

/// The way from the field of a source to the values of a column that stand inside it, as far as the numbers of elements are at hand.
struct InnerWay {
    private let steps: [InnerStep]
    /// For each step to an element, the column with its number; nil where no column has it.
    private let numbers: [CellPointers?]

    /// Nil for a column whose values are those of its field.
    init?(to column: Int, in schema: Schema, _ pointers: [CellPointers]) {
        let field = schema.fields[column]
        guard !field.inside.isEmpty else { return nil }
        steps = field.inside.filter { $0 != .number }
        numbers = field.inside.indices.filter { field.inside[$0] != .number }.compactMap { place -> CellPointers?? in
            guard field.inside[place] == .element else { return nil }
            let way = field.inside[..<place] + [.element, .number]
            let number = schema.fields.firstIndex {
                $0.source == field.source && $0.kind == .integer && $0.inside.elementsEqual(way)
            }
            return .some(number.map { pointers[$0] })
        }
    }

    /// The keys and numbers that lead to the value of a row, up to the first number that is not known.
    func tokens(_ row: Int) -> [String] {
        var tokens: [String] = []
        var place = 0
        for step in steps {
            switch step {
            case .key(let key): tokens.append(key)
            case .element:
                guard let number = numbers[place], !number.isMissing(row) else { return tokens }
                tokens.append(String(number.integer(row)))
                place += 1
            case .number: break
            }
        }
        return tokens
    }
}
