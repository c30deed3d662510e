import CScan
import Foundation

/// Makes the rows of rejects, for a stage that reads `x.rejects`.
///
/// A column whose values need no record is made at once. The others are made from facts, reject by reject. One buffer
/// holds all text. Text that rejects share is stored once, with any number of references.
public struct RejectColumns {
    /// Schema if the stage has rules.
    public static let schemaWithRule = Schema([
        Field("code", .text), Field("message", .text), Field("rule", .text), Field("stage", .text),
        Field("job_line", .integer),
        Field("source", .text), Field("line", .integer), Field("column", .integer), Field("byte", .integer),
        Field("pointer", .text), Field("field", .text), Field("value", .text), Field("original", .text),
    ])
    /// Schema if the stage has no rules.
    public static let schema = Schema(schemaWithRule.fields.filter { $0.name != "rule" })

    /// Values that all rejects about one subject share.
    private struct Shared {
        var code: TextView
        var rule: TextView?
        var field: TextView?
    }

    private let schema: Schema
    private let bytes = Bytes()
    private let templates: [MessageTemplate]
    /// By subject.
    private let shared: [Shared]
    private let stage: TextView
    private let jobLine: Int?
    private let sharesRecords: Bool

    /// - Parameters:
    ///   - schema: the columns that later stages read.
    ///   - subjects: the message of each subject, and the id of its rule, if any.
    ///   - sharesRecords: whether one record may be several rows.
    package init(
        _ schema: Schema,
        _ subjects: [(template: MessageTemplate, rule: String?)],
        stage: String,
        jobLine: Int?,
        sharesRecords: Bool
    ) {
        let bytes = bytes
        shared = subjects.map { template, rule in
            Shared(
                code: bytes.view(of: template.kind.code),
                rule: rule.map(bytes.view),
                field: template.field.map(bytes.view)
            )
        }
        (self.schema, self.stage, self.jobLine) = (schema, bytes.view(of: stage), jobLine)
        templates = subjects.map(\.template)
        self.sharesRecords = sharesRecords
    }

    /// Rows of the rejects, in their order.
    ///
    /// - Parameter events: the same rejects, for columns that need a record per reject.
    package func batch(
        of rejects: Rejects,
        _ finder: inout PlaceFinder,
        _ masked: MaskedFinding?,
        _ events: (PlaceFinder) -> [FindingEvent]
    ) -> Batch {
        let made = schema.fields.map { column($0.name, rejects, &finder, isMasked: masked != nil) }
        let rest = Schema(zip(schema.fields, made).filter { $1 == nil }.map(\.0))
        var looked = RejectFindings(rest, templates, count: rejects.count, in: bytes)
        if !rest.fields.isEmpty {
            var facts = ResolvedFinding(about: 0)
            for event in events(finder) where event.isReject {
                finder.find(event, &facts)
                masked?.mask(&facts)
                looked.append(facts)
            }
        }
        precondition(bytes.count <= Int(UInt32.max), "a text column cannot hold more than 4 GiB")
        var others = looked.columns()[...]
        return Batch(schema, made.map { $0 ?? others.removeFirst() }, count: rejects.count, provenance: .made)
    }

    /// A column made at once; nil where each reject has to be looked at.
    private func column(_ name: String, _ rejects: Rejects, _ finder: inout PlaceFinder, isMasked: Bool) -> Column? {
        switch (name, rejects.rows) {
        case ("code", _): texts(of: rejects) { $0.code }
        case ("rule", _): texts(of: rejects) { $0.rule }
        case ("field", _): texts(of: rejects) { $0.field }
        case ("stage", _): texts(of: rejects) { _ in stage }
        case ("job_line", _): numbers(jobLine, rejects.count)
        case ("pointer", _?), ("first_source", _?): finder.isPlain ? texts(of: rejects) { _ in nil } : nil
        case ("record_byte", _) where !sharesRecords: numbers(nil, rejects.count)
        case ("first_line", _?): finder.isPlain ? numbers(nil, rejects.count) : nil
        case ("line", let rows?): finder.lines(of: rows).map { .integers(Values($0)) }
        case ("source", let rows?) where !isMasked: finder.source(of: rows).map { source($0, rows.count) }
        case ("value", let rows?) where !isMasked:
            finder.values(of: rejects, rows, in: bytes).map { .text($0) }
        default: nil
        }
    }

    /// A column that repeats one number.
    private func numbers(_ number: Int?, _ count: Int) -> Column {
        let missing = number == nil ? Mask(count: count) { _ in true } : nil
        return .integers(Values([Int64](repeating: Int64(number ?? 0), count: count), missing: missing))
    }

    private func source(_ path: Cell, _ count: Int) -> Column {
        let start = bytes.count
        bytes.append(path)
        let view = TextView(offset: start, length: path.count)
        return .text(TextColumn(bytes, views: [TextView](repeating: view, count: count)))
    }

    /// A text column that depends on the subject alone.
    private func texts(of rejects: Rejects, _ text: (Shared) -> TextView?) -> Column {
        var missing: Mask?
        var views = [TextView](repeating: TextView(offset: 0, length: 0), count: rejects.count)
        for group in rejects.groups {
            guard let view = text(shared[group.subject]) else {
                for place in rejects.places[group.range] { missing.insert(Int(place), of: rejects.count) }
                continue
            }
            for place in rejects.places[group.range] { views[Int(place)] = view }
        }
        return .text(TextColumn(bytes, views: views, missing: missing))
    }
}

extension Bytes {
    /// Appends a text and returns its view.
    package func view(of text: String) -> TextView {
        let start = count
        append(text)
        return TextView(offset: start, length: count - start)
    }
}

/// Columns of reject rows that are made from facts, reject by reject.
struct RejectFindings {
    private enum TextFact: String {
        case message, source, pointer, value, original
        case originalBase64 = "original_base64"
        case firstSource = "first_source"
    }
    private enum NumberFact: String {
        case line, column, byte
        case firstLine = "first_line"
        case recordByte = "record_byte"
    }

    /// Message of all rejects about one subject if it names neither value nor row; otherwise the text before and after
    /// that name.
    private struct Words {
        var before: TextView
        var after: TextView?
        var namesRow: Bool
    }

    private let schema: Schema
    private let count: Int
    private let bytes: Bytes
    /// By subject.
    private let words: [Words]
    private let textFacts: [TextFact]
    private let numberFacts: [NumberFact]
    /// Texts of each column, row after row.
    private var texts: [TextView?] = []
    private var numbers: [Int64?] = []
    /// Views of long records, by the byte offset of the record in its source: several rows may come from one record.
    private var records: [Int: TextView] = [:]
    /// Source of the last reject, usually also the source of the next one.
    private var source = TextView(offset: 0, length: 0)

    /// - Parameters:
    ///   - schema: the columns to make.
    ///   - phrases: the message of each subject.
    ///   - count: the number of rejects.
    ///   - bytes: buffer for their texts.
    init(_ schema: Schema, _ phrases: [MessageTemplate], count: Int, in bytes: Bytes) {
        words = phrases.map { phrase in
            let (before, after) = (bytes.view(of: phrase.before), phrase.after.map(bytes.view))
            return Words(before: before, after: after, namesRow: phrase.kind.namesRow)
        }
        (self.schema, self.count, self.bytes) = (schema, count, bytes)
        textFacts = schema.names.compactMap(TextFact.init)
        numberFacts = schema.names.compactMap(NumberFact.init)
        texts.reserveCapacity(count * textFacts.count)
        numbers.reserveCapacity(count * numberFacts.count)
    }

    mutating func append(_ facts: ResolvedFinding) {
        let isText = facts.original.map(Self.isText) ?? true
        for fact in textFacts { texts.append(view(fact, facts, isText: isText)) }
        for fact in numberFacts {
            let number: Int? =
                switch fact {
                case .line: facts.line
                case .column: facts.column
                case .byte: facts.byte
                case .firstLine: facts.first?.line
                case .recordByte: facts.recordByte
                }
            numbers.append(number.map { Int64($0) })
        }
    }

    /// - Parameter isText: whether the record is text.
    private mutating func view(_ fact: TextFact, _ facts: ResolvedFinding, isText: Bool) -> TextView? {
        switch fact {
        case .message: return message(facts)
        case .source:
            guard let cell = facts.source else { return nil }
            if !isEqual(cell, source) { source = put(cell) }
            return source
        case .pointer: return facts.pointer.map { put($0) }
        case .value: return facts.value.map { put($0) }
        case .original: return facts.original.map { record($0, at: facts.byte, isText: isText) }
        // JSON cannot contain bytes that are not text, so this field keeps them exactly, beside their readable form.
        case .originalBase64:
            return isText ? nil : facts.original.map { bytes.view(of: Data($0).base64EncodedString()) }
        case .firstSource: return facts.first?.source.map { put($0) }
        }
    }

    private func isEqual(_ cell: Cell, _ view: TextView) -> Bool {
        guard cell.count == Int(view.length), let base = cell.baseAddress else { return false }
        return memcmp(base, bytes.base + Int(view.offset), cell.count) == 0
    }

    private mutating func record(_ cell: Cell, at byte: Int?, isText: Bool) -> TextView {
        guard cell.count > WideRecords.limit, isText, let byte else { return put(cell, isText: isText) }
        if let known = records[byte], isEqual(cell, known) { return known }
        let view = put(cell, isText: true)
        records[byte] = view
        return view
    }

    private func message(_ facts: ResolvedFinding) -> TextView {
        if let own = facts.ownMessage { return put(own) }
        let words = words[facts.subject]
        guard let after = words.after else { return words.before }
        let start = bytes.count
        append(words.before)
        if words.namesRow {
            if let named = facts.named { _ = put(named) } else { bytes.append("an earlier row") }
        } else if let value = facts.value, value.count <= DisplayText.longestValue {
            bytes.append(UInt8(ascii: "'"))
            _ = put(value)
            bytes.append(UInt8(ascii: "'"))
            if let oddity = DisplayText.oddity(in: value) { bytes.append(oddity) }
        } else {
            bytes.append(DisplayText.value(facts.value))
        }
        append(after)
        return TextView(offset: start, length: bytes.count - start)
    }

    private static func isText(_ cell: Cell) -> Bool {
        guard let base = cell.baseAddress else { return true }
        return scan_utf8_valid(base, cell.count) == cell.count
    }

    /// Appends a text that the buffer already holds.
    private func append(_ view: TextView) {
        // The copy works in whole blocks, which the buffer has room for after the text.
        let room = bytes.reserve(Int(view.length) + 16)
        json_copy_blocks(room, bytes.base + Int(view.offset), Int(view.length))
        bytes.count += Int(view.length)
    }

    /// Appends a text, with U+FFFD for invalid UTF-8.
    private func put(_ cell: Cell, isText: Bool? = nil) -> TextView {
        let start = bytes.count
        if isText ?? Self.isText(cell) { bytes.append(cell) } else { bytes.append(cell.text) }
        return TextView(offset: start, length: bytes.count - start)
    }

    /// The columns, in the order of their schema. Nothing may be appended afterwards.
    func columns() -> [Column] {
        precondition(
            texts.count == count * textFacts.count && numbers.count == count * numberFacts.count,
            "\(count) rejects were announced, and others came"
        )
        var (text, number) = (0, 0)
        return schema.fields.map { field in
            if field.kind == .text {
                defer { text += 1 }
                let (views, missing) = column(text, of: textFacts.count, texts, else: TextView(offset: 0, length: 0))
                return .text(TextColumn(bytes, views: views, missing: missing))
            }
            defer { number += 1 }
            let (elements, missing) = column(number, of: numberFacts.count, numbers, else: 0)
            return .integers(Values(elements, missing: missing))
        }
    }

    /// Values of all rows in one column, and its missing values.
    private func column<Value>(
        _ place: Int,
        of width: Int,
        _ values: [Value?],
        else filler: Value
    ) -> ([Value], Mask?) {
        let places = stride(from: place, to: values.count, by: width)
        let missing = Mask(count: count) { values[$0 * width + place] == nil }
        let hasGaps = missing.words.contains { $0 != 0 }
        return (places.map { values[$0] ?? filler }, hasGaps ? missing : nil)
    }
}

/// Values of rejected rows as texts, in order.
struct RejectValues {
    /// By subject, the cells of its column; nil without a column.
    let cells: [CellPointers?]
    /// By place, the row of the reject.
    let rows: [UInt32]

    /// The values, written to `bytes`.
    ///
    /// - Parameter write: writes a value that is neither text nor a whole number.
    func column(of rejects: Rejects, in bytes: Bytes, _ write: (_ row: Int, _ subject: Int) -> Void) -> TextColumn {
        var gaps = [UInt64](repeating: 0, count: (rejects.count + 63) / 64)
        var all = [TextView](repeating: TextView(offset: 0, length: 0), count: rejects.count)
        var views = all.mutableSpan
        for group in rejects.groups {
            put(rejects.places.span.extracting(group.range), group.subject, to: &views, &gaps, bytes, write)
        }
        let hasGaps = gaps.contains { $0 != 0 }
        return TextColumn(bytes, views: all, missing: hasGaps ? Mask(words: gaps, count: rejects.count) : nil)
    }

    /// Writes the values of one subject.
    private func put(
        _ places: Span<UInt32>,
        _ subject: Int,
        to views: inout MutableSpan<TextView>,
        _ gaps: inout [UInt64],
        _ bytes: Bytes,
        _ write: (_ row: Int, _ subject: Int) -> Void
    ) {
        guard let cells = cells[subject] else {
            return putEach(places, of: nil, to: &views, &gaps, bytes) { _, _ in }
        }
        switch cells.kind {
        case .text, .json:
            putEach(places, of: cells, to: &views, &gaps, bytes) { row, out in
                out.put(short: cells.cell(row))
            }
        case .integer:
            putEach(places, of: cells, to: &views, &gaps, bytes) { row, out in
                out.reserve(NumberText.maximumLength)
                out.next += NumberText.write(cells.integer(row), to: out.next)
            }
        default:
            putEach(places, of: cells, to: &views, &gaps, bytes) { row, out in
                out.finish()
                write(row, subject)
                out = ByteCursor(bytes)
            }
        }
    }

    @inline(__always)
    private func putEach(
        _ places: Span<UInt32>,
        of cells: CellPointers?,
        to views: inout MutableSpan<TextView>,
        _ gaps: inout [UInt64],
        _ bytes: Bytes,
        _ put: (_ row: Int, _ out: inout ByteCursor) -> Void
    ) {
        var out = ByteCursor(bytes)
        for index in places.indices {
            let place = Int(truncatingIfNeeded: places[index])
            let row = Int(truncatingIfNeeded: rows[place])
            let start = out.count
            if cells?.isMissing(row) ?? true { gaps[place >> 6] |= 1 << UInt64(place & 63) } else { put(row, &out) }
            views[place] = TextView(offset: start, length: out.count - start)
        }
        out.finish()
    }
}

extension ByteCursor {
    /// Appends a text that is usually short, from a buffer that is readable a little past its end.
    @inline(__always)
    fileprivate mutating func put(short cell: Cell) {
        reserve(cell.count + 16)
        json_copy_blocks(next, cell.baseAddress, cell.count)
        next += cell.count
    }
}
