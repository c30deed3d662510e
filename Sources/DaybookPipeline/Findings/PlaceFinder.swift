import DaybookCore

/// Finds where in the source a row, a cell or a record stands. Nothing is looked up before a finding asks.
struct PlaceFinder {
    private let batch: Batch
    private let morsel: Morsel?
    private let archive: SourceArchive
    private var cursor: LineCursor?
    /// The reader of the morsel's source, looked up once.
    private let reader: (any RecordReader)?
    /// Room for a value that has to be written out.
    private let spoken = Bytes(capacity: 64)

    init(batch: Batch, morsel: Morsel?, archive: SourceArchive) {
        self.batch = batch
        self.archive = archive
        if case .morsel(let own, _, _) = batch.origins { self.morsel = own } else { self.morsel = morsel }
        reader = self.morsel.flatMap { archive.reader($0.source.index) }
        if let morsel = self.morsel {
            let bytes = UnsafeBufferPointer(start: morsel.bytes.base, count: morsel.length)
            cursor = LineCursor(bytes, firstLine: morsel.firstLine, firstColumn: morsel.firstColumn)
        }
    }

    /// Where a row's record starts in its morsel, or stands in what was drawn from a store; for rows from elsewhere, the
    /// number of the row.
    func position(of row: Int) -> Int {
        switch batch.origins {
        case .morsel(_, let spans, _): Int(spans[row].start)
        case .store(_, let rows): Int(rows[row].position)
        case .gathered, .made: row
        }
    }

    /// Calls `body` with all that is known of a finding.
    mutating func withFacts(
        _ event: FindingEvent,
        _ findings: Findings,
        _ phrase: FindingPhrase,
        readsSource: Bool,
        _ body: (FindingFacts) -> Void
    ) {
        let row: Int
        let own: String?
        switch event.subject {
        case .rejectedRow(let index):
            row = Int(findings.rejectedRows[index].row)
            own = findings.message(ofRejectedRow: index).map {
                naming(findings.rows(namedByReject: index), in: $0, beside: row)
            }
        case .warnedRow(let index):
            row = Int(findings.warnedRows[index].row)
            own = findings.message(ofWarnedRow: index).map {
                naming(findings.rows(namedByWarning: index), in: $0, beside: row)
            }
        case .rejectedRecord(let index):
            let own = findings.message(ofRejectedRecord: index)
            return withRecord(findings.rejectedRecords[index], phrase, own, body)
        case .warnedRecord(let index): return withRecord(findings.warnedRecords[index], phrase, nil, body)
        case .verdict(let index):
            return body(FindingFacts(phrase: phrase, ownMessage: findings.verdicts[index].message))
        case .failedRow(let failed):
            row = failed
            own = nil
        }
        withRow(row, phrase, own, readsSource: readsSource, body)
    }

    /// A message in which each mark has become the pointer to its row, or its line where there are no pointers.
    private func naming(_ rows: [RowOrigin], in message: String, beside row: Int) -> String {
        var told = ""
        var rest = message[...]
        for named in rows {
            guard let mark = rest.firstRange(of: Findings.rowMark) else { break }
            let source = Int(named.source)
            var place =
                archive.rows(source)?.pointer(to: nil, row: named.record)
                ?? (archive.holder(source)?.pointer ?? "")
                + (archive.reader(source)?.pointer(to: nil, record: Int(named.record)) ?? "")
            if place.isEmpty { place = "line \(named.line)" }
            if source != self.source(of: row) { place += " of \(archive.path(source))" }
            told += rest[..<mark.lowerBound] + place
            rest = rest[mark.upperBound...]
        }
        return told + rest
    }

    /// The place of a row's source among the inputs, or nil for a row that a stage made.
    private func source(of row: Int) -> Int? {
        switch batch.origins {
        case .morsel(let morsel, _, _): morsel.source.index
        case .store(let source, _): source.index
        case .gathered(let origins): Int(origins[row].source)
        case .made: nil
        }
    }

    /// Calls `body` with all that is known of a finding about a row.
    ///
    /// With `readsSource` the value is taken from the source record, because the column may hold a filler by now.
    private mutating func withRow(
        _ row: Int,
        _ phrase: FindingPhrase,
        _ ownMessage: String?,
        readsSource: Bool,
        _ body: (FindingFacts) -> Void
    ) {
        var facts = FindingFacts(phrase: phrase, ownMessage: ownMessage)
        let column = phrase.field.flatMap { batch.schema.index(of: $0) }
        let field = column.map { batch.schema.fields[$0] }
        if let column, !readsSource, !batch.columns[column].missing.isMissing(row) {
            facts.value = value(batch.columns[column], row)
        }
        switch batch.origins {
        case .made: body(facts)
        case .morsel(let morsel, let spans, let records):
            let span = spans[row]
            let record = UnsafeBufferPointer(
                start: morsel.bytes.base + Int(span.start),
                count: Int(span.end - span.start)
            )
            locate(
                &facts,
                record,
                at: Int(span.start),
                field?.source ?? (readsSource ? phrase.field : nil),
                morsel.source,
                record: morsel.firstRecord + Int(records[row]),
                readsSource: readsSource
            )
            body(facts)
            withExtendedLifetime(morsel) {}
        case .store(let source, let rows):
            facts.source = archive.path(source.index)
            let field = field?.source ?? (readsSource ? phrase.field : nil)
            withStored(rows[row].number, of: source.index, field, readsSource: readsSource, facts, body)
        case .gathered(let origins):
            let origin = origins[row]
            facts.source = archive.path(Int(origin.source))
            if archive.rows(Int(origin.source)) != nil {
                return withStored(
                    origin.record,
                    of: Int(origin.source),
                    field?.source,
                    readsSource: false,
                    facts,
                    body
                )
            }
            facts.line = Int(origin.line)
            guard let bytes = archive.record(origin) else { return body(facts) }
            locate(&facts, bytes.filled, origin, field?.source)
            body(facts)
            withExtendedLifetime(bytes) {}
        }
    }

    /// Calls `body` with what is known of a row of a store, which has no line and no bytes.
    private func withStored(
        _ number: Int64,
        of source: Int,
        _ field: String?,
        readsSource: Bool,
        _ facts: FindingFacts,
        _ body: (FindingFacts) -> Void
    ) {
        var facts = facts
        guard let rows = archive.rows(source) else { return body(facts) }
        facts.pointer = rows.pointer(to: field, row: number)
        guard let record = rows.record(again: number) else { return body(facts) }
        facts.original = record.json.filled
        let value = readsSource ? field.flatMap(record.value) : nil
        if let value { facts.value = value.filled }
        body(facts)
        withExtendedLifetime((record, value)) {}
    }

    /// The value of a row: the cell itself for text, and other kinds written out.
    private func value(_ column: Column, _ row: Int) -> Cell {
        if case .text(let text) = column {
            let view = text.views[row]
            return Cell(start: text.bytes.base + Int(view.offset), count: Int(view.length))
        }
        spoken.removeAll()
        column.appendValue(row, to: spoken)
        return spoken.filled
    }

    /// Calls `body` with all that is known of a finding about a record.
    private mutating func withRecord(
        _ record: Findings.Record,
        _ phrase: FindingPhrase,
        _ ownMessage: String?,
        _ body: (FindingFacts) -> Void
    ) {
        var facts = FindingFacts(phrase: phrase, ownMessage: ownMessage)
        guard let morsel else { return body(facts) }
        let start = Int(record.span.start)
        let bytes = UnsafeBufferPointer(start: morsel.bytes.base + start, count: Int(record.span.end) - start)
        facts.source = morsel.source.path
        facts.record = morsel.firstRecord + Int(record.record) + 1
        facts.byte = morsel.isConverted ? rawOffset(record.at, morsel) : morsel.offset + Int(record.at)
        facts.original = PlaceFinder.withoutLineEnd(bytes)
        facts.pointer = reader?.pointer(to: phrase.field, record: morsel.firstRecord + Int(record.record))
        if let range = phrase.field.flatMap({ reader?.range(of: $0, in: bytes) }) {
            facts.value = Cell(rebasing: bytes[range])
        }
        if let place = cursor?.place(of: Int(record.at)) { (facts.line, facts.column) = place }
        facts.lie(in: morsel.holder)
        body(facts)
        withExtendedLifetime(morsel) {}
    }

    private mutating func locate(
        _ facts: inout FindingFacts,
        _ record: UnsafeBufferPointer<UInt8>,
        at start: Int,
        _ field: String?,
        _ source: SourceName,
        record number: Int,
        readsSource: Bool
    ) {
        let range = field.flatMap { reader?.range(of: $0, in: record) }
        let at = start + (range?.lowerBound ?? 0)
        facts.source = source.path
        facts.record = number + 1
        // What was converted has no such place in the file; the line and the column are still true.
        if let morsel, !morsel.isConverted { facts.byte = morsel.offset + at }
        facts.original = PlaceFinder.withoutLineEnd(record)
        facts.pointer = reader?.pointer(to: field, record: number)
        if let place = cursor?.place(of: at) { (facts.line, facts.column) = place }
        if readsSource, let range { facts.value = Cell(rebasing: record[range]) }
        facts.lie(in: morsel?.holder)
    }

    private func locate(
        _ facts: inout FindingFacts,
        _ record: UnsafeBufferPointer<UInt8>,
        _ origin: RowOrigin,
        _ field: String?
    ) {
        let reader = archive.reader(Int(origin.source))
        let range = field.flatMap { reader?.range(of: $0, in: record) }
        let at = range?.lowerBound ?? 0
        // A check that speaks of rows long gone has no column at hand, but the record still holds the value.
        if facts.value == nil, let range { facts.value = Cell(rebasing: record[range]) }
        var cursor = LineCursor(record, firstLine: Int(origin.line))
        facts.byte = Int(origin.offset) + at
        facts.original = PlaceFinder.withoutLineEnd(record)
        facts.pointer = reader?.pointer(to: field, record: Int(origin.record))
        // Without pointers the number is only that in its morsel.
        if facts.pointer != nil { facts.record = Int(origin.record) + 1 }
        // A JSON record may begin in the middle of a line, whose beginning is not at hand; then only the line is told.
        let place = cursor.place(of: at)
        facts.line = place.line
        facts.column = reader?.recordsBeginLines == true || place.line > Int(origin.line) ? place.column : nil
        facts.lie(in: archive.holder(of: origin))
    }

    /// Where bytes that could not be decoded stand in the file.
    private func rawOffset(_ at: UInt32, _ morsel: Morsel) -> Int? {
        morsel.faults.first { $0.at == at }.map { Int($0.rawOffset) }
    }

    private static func withoutLineEnd(_ record: UnsafeBufferPointer<UInt8>) -> Cell {
        var count = record.count
        if count > 0, record[count - 1] == 10 { count -= 1 }
        if count > 0, record[count - 1] == 13 { count -= 1 }
        return Cell(rebasing: record[..<count])
    }
}
