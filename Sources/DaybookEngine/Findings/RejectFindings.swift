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

    private struct Texts {
        let fact: TextFact
        var views: [TextView] = []
        var missing: Mask?
    }

    private struct Numbers {
        let fact: NumberFact
        var values: [Int64] = []
        var missing: Mask?
    }

    private let schema: Schema
    private let count: Int
    private let bytes: Bytes
    /// By subject.
    private let words: [Words]
    private var texts: [Texts]
    private var numbers: [Numbers]
    /// The source of the last reject, which is that of the next as a rule.
    private var source = TextView(offset: 0, length: 0)
    private var row = 0

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
        texts = schema.names.compactMap(TextFact.init).map { Texts(fact: $0) }
        numbers = schema.names.compactMap(NumberFact.init).map { Numbers(fact: $0) }
        for index in texts.indices { texts[index].views.reserveCapacity(count) }
        for index in numbers.indices { numbers[index].values.reserveCapacity(count) }
    }

    mutating func append(_ facts: ResolvedFinding) {
        for index in texts.indices {
            let view = view(texts[index].fact, facts)
            texts[index].views.append(view ?? TextView(offset: 0, length: 0))
            if view == nil { texts[index].missing.insert(row, of: count) }
        }
        for index in numbers.indices {
            let number: Int? =
                switch numbers[index].fact {
                case .line: facts.line
                case .column: facts.column
                case .byte: facts.byte
                case .firstLine: facts.first?.line
                }
            numbers[index].values.append(Int64(number ?? 0))
            if number == nil { numbers[index].missing.insert(row, of: count) }
        }
        row += 1
    }

    private mutating func view(_ fact: TextFact, _ facts: ResolvedFinding) -> TextView? {
        switch fact {
        case .message: message(facts)
        case .source: facts.source.map { source($0) }
        case .pointer: facts.pointer.map(put)
        case .value: facts.value.map(put)
        case .original: facts.original.map(put)
        case .originalBase64: facts.original.flatMap(base64)
        case .firstSource: facts.first?.source.map(put)
        }
    }

    private mutating func source(_ cell: Cell) -> TextView {
        if !cell.elementsEqual(self.cell(source)) { source = put(cell) }
        return source
    }

    private func message(_ facts: ResolvedFinding) -> TextView {
        if let own = facts.ownMessage { return put(own) }
        let words = words[facts.subject]
        guard let after = words.after else { return words.before }
        let start = bytes.count
        append(words.before)
        if words.namesRow {
            if let named = facts.named { _ = put(named) } else { bytes.append("an earlier row") }
        } else if let value = facts.value, value.count <= MessageTemplate.longestQuote {
            bytes.append(UInt8(ascii: "'"))
            _ = put(value)
            bytes.append(UInt8(ascii: "'"))
        } else {
            bytes.append(MessageTemplate.quoted(facts.value))
        }
        append(after)
        return TextView(offset: start, length: bytes.count - start)
    }

    /// Bytes that are no text cannot stand in JSON, so they are kept exactly beside what can be read of them; nil for text.
    private func base64(_ cell: Cell) -> TextView? {
        guard let base = cell.baseAddress, scan_utf8_valid(base, cell.count) < cell.count else { return nil }
        return bytes.view(of: Data(cell).base64EncodedString())
    }

    private func cell(_ view: TextView) -> Cell {
        Cell(start: bytes.base + Int(view.offset), count: Int(view.length))
    }

    /// Appends a copy of what stands in the buffer already.
    private func append(_ view: TextView) {
        let room = bytes.reserve(Int(view.length))
        room.update(from: bytes.base + Int(view.offset), count: Int(view.length))
        bytes.count += Int(view.length)
    }

    /// Appends a text, with U+FFFD for what is not UTF-8.
    private func put(_ cell: Cell) -> TextView {
        let start = bytes.count
        if let base = cell.baseAddress, scan_utf8_valid(base, cell.count) < cell.count {
            bytes.append(cell.text)
        } else {
            bytes.append(cell)
        }
        return TextView(offset: start, length: bytes.count - start)
    }

    /// The columns, in the order of their schema; nothing may be appended afterwards.
    func columns() -> [Column] {
        precondition(row == count || schema.fields.isEmpty, "\(count) rejects were announced, and \(row) came")
        var texts = texts[...]
        var numbers = numbers[...]
        return schema.fields.map { field in
            if field.kind == .text {
                let column = texts.removeFirst()
                return .text(TextColumn(bytes, views: column.views, missing: column.missing))
            }
            let column = numbers.removeFirst()
            return .integers(Values(column.values, missing: column.missing))
        }
    }
}
