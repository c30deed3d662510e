import CScan
import Foundation

/// Columns of rows of rejects that are made of facts, reject by reject.
struct RejectFindings {
    private enum TextFact: String {
        case message, source, pointer, value, original
        case originalBase64 = "original_base64"
        case firstSource = "first_source"
    }
    private enum NumberFact: String {
        case line, column, byte
        case firstLine = "first_line"
    }

    /// The message of all rejects about one subject where it names neither value nor row, or what stands before and behind that.
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
    /// What there is of each, row after row.
    private var texts: [TextView?] = []
    private var numbers: [Int64?] = []
    /// Where long records stand that rejects have, by the byte at which each begins in its source: several rows may be of one.
    private var records: [Int: TextView] = [:]
    /// The source of the last reject, which is that of the next as a rule.
    private var source = TextView(offset: 0, length: 0)

    /// - Parameters:
    ///   - schema: the columns to be made.
    ///   - phrases: the words of each subject.
    ///   - count: how many rejects there will be.
    ///   - bytes: where their texts are written.
    init(_ schema: Schema, _ phrases: [MessageTemplate], count: Int, in bytes: Bytes) {
        words = phrases.map { phrase in
            Words(
                before: bytes.view(of: phrase.before),
                after: phrase.after.map(bytes.view),
                namesRow: phrase.namesRow
            )
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
                }
            numbers.append(number.map { Int64($0) })
        }
    }

    /// - Parameter isText: whether the record is.
    private mutating func view(_ fact: TextFact, _ facts: ResolvedFinding, isText: Bool) -> TextView? {
        switch fact {
        case .message: return message(facts)
        case .source:
            guard let cell = facts.source else { return nil }
            if !isSource(cell) { source = put(cell) }
            return source
        case .pointer: return facts.pointer.map { put($0) }
        case .value: return facts.value.map { put($0) }
        case .original: return facts.original.map { record($0, at: facts.byte, isText: isText) }
        // Bytes that are no text cannot stand in JSON, so they are kept exactly beside what can be read of them.
        case .originalBase64:
            return isText ? nil : facts.original.map { bytes.view(of: Data($0).base64EncodedString()) }
        case .firstSource: return facts.first?.source.map { put($0) }
        }
    }

    private func isSource(_ cell: Cell) -> Bool { isEqual(cell, source) }

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
        } else if let value = facts.value, value.count <= Spoken.longestValue {
            bytes.append(UInt8(ascii: "'"))
            _ = put(value)
            bytes.append(UInt8(ascii: "'"))
            if let oddity = Spoken.oddity(in: value) { bytes.append(oddity) }
        } else {
            bytes.append(Spoken.value(facts.value))
        }
        append(after)
        return TextView(offset: start, length: bytes.count - start)
    }

    private static func isText(_ cell: Cell) -> Bool {
        guard let base = cell.baseAddress else { return true }
        return scan_utf8_valid(base, cell.count) == cell.count
    }

    /// Appends a copy of what stands in the buffer already.
    private func append(_ view: TextView) {
        // Copied in whole blocks, for which there is room behind.
        let room = bytes.reserve(Int(view.length) + 16)
        json_copy_blocks(room, bytes.base + Int(view.offset), Int(view.length))
        bytes.count += Int(view.length)
    }

    /// Appends a text, with U+FFFD for what is not UTF-8.
    private func put(_ cell: Cell, isText: Bool? = nil) -> TextView {
        let start = bytes.count
        if isText ?? Self.isText(cell) { bytes.append(cell) } else { bytes.append(cell.text) }
        return TextView(offset: start, length: bytes.count - start)
    }

    /// The columns, in the order of their schema; nothing may be appended afterwards.
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

    /// What stands in one place of all rows, and where nothing does.
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
