import CScan
import DaybookCore

/// Makes rows of rejects, for a stage that reads `x.rejects`.
///
/// All text stands in one buffer. What rejects share stands there once, however many rows point to it.
public struct RejectColumns {
    /// The columns where rules reject rows.
    public static let schemaWithRule = Schema([
        Field("code", .text), Field("message", .text), Field("rule", .text), Field("stage", .text),
        Field("job_line", .integer),
        Field("source", .text), Field("line", .integer), Field("column", .integer), Field("byte", .integer),
        Field("pointer", .text), Field("field", .text), Field("value", .text), Field("original", .text),
    ])
    /// The columns where there are no rules.
    public static let schema = Schema(schemaWithRule.fields.filter { $0.name != "rule" })

    private enum TextFact: String { case code, message, rule, stage, source, pointer, field, value, original }
    private enum NumberFact: String {
        case jobLine = "job_line"
        case line, column, byte
    }

    /// What all rejects about one subject share.
    private struct Shared {
        var code: TextView
        var rule: TextView?
        var field: TextView?
        /// The message where it names neither value nor row, or what stands before that.
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
    private let shared: [Shared]
    private let stage: TextView
    private let jobLine: Int?
    private var texts: [Texts]
    private var numbers: [Numbers]
    /// The source of the last reject, which is that of the next as a rule.
    private var source = TextView(offset: 0, length: 0)
    private var row = 0

    /// - Parameters:
    ///   - schema: the columns that somebody reads.
    ///   - subjects: the words of each, and the id of the rule that asked, where one did.
    ///   - count: how many rejects there will be.
    init(
        _ schema: Schema,
        _ subjects: [(phrase: FindingPhrase, rule: String?)],
        stage: String,
        jobLine: Int?,
        count: Int
    ) {
        let bytes = Bytes()
        func view(_ text: String) -> TextView {
            let start = bytes.count
            bytes.append(text)
            return TextView(offset: start, length: bytes.count - start)
        }
        shared = subjects.map { phrase, rule in
            Shared(
                code: view(phrase.code),
                rule: rule.map(view),
                field: phrase.field.map(view),
                before: view(phrase.before),
                after: phrase.after.map(view),
                namesRow: phrase.namesRow
            )
        }
        (self.schema, self.count, self.bytes, self.stage, self.jobLine) = (schema, count, bytes, view(stage), jobLine)
        texts = schema.names.compactMap(TextFact.init).map { Texts(fact: $0) }
        numbers = schema.names.compactMap(NumberFact.init).map { Numbers(fact: $0) }
        for index in texts.indices { texts[index].views.reserveCapacity(count) }
        for index in numbers.indices { numbers[index].values.reserveCapacity(count) }
    }

    mutating func append(_ facts: FindingFacts) {
        for index in texts.indices {
            let view = view(texts[index].fact, facts)
            texts[index].views.append(view ?? TextView(offset: 0, length: 0))
            if view == nil { texts[index].missing.insert(row, of: count) }
        }
        for index in numbers.indices {
            let number: Int? =
                switch numbers[index].fact {
                case .jobLine: jobLine
                case .line: facts.line
                case .column: facts.column
                case .byte: facts.byte
                }
            numbers[index].values.append(Int64(number ?? 0))
            if number == nil { numbers[index].missing.insert(row, of: count) }
        }
        row += 1
    }

    private mutating func view(_ fact: TextFact, _ facts: FindingFacts) -> TextView? {
        switch fact {
        case .code: shared[facts.subject].code
        case .message: message(facts)
        case .rule: shared[facts.subject].rule
        case .stage: stage
        case .source: facts.source.map { source($0) }
        case .pointer: facts.pointer.map(put)
        case .field: shared[facts.subject].field
        case .value: facts.value.map(put)
        case .original: facts.original.map(put)
        }
    }

    private mutating func source(_ cell: Cell) -> TextView {
        if !cell.elementsEqual(self.cell(source)) { source = put(cell) }
        return source
    }

    private func message(_ facts: FindingFacts) -> TextView {
        if let own = facts.ownMessage { return put(own) }
        let shared = shared[facts.subject]
        guard let after = shared.after else { return shared.before }
        let start = bytes.count
        append(shared.before)
        if shared.namesRow {
            if let named = facts.named { _ = put(named) } else { bytes.append("an earlier row") }
        } else if let value = facts.value, value.count <= FindingPhrase.longestQuote {
            bytes.append(UInt8(ascii: "'"))
            _ = put(value)
            bytes.append(UInt8(ascii: "'"))
        } else {
            bytes.append(FindingPhrase.quoted(facts.value))
        }
        append(after)
        return TextView(offset: start, length: bytes.count - start)
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

    /// The rows; nothing may be appended afterwards.
    func batch() -> Batch {
        precondition(row == count, "\(count) rejects were announced, and \(row) came")
        precondition(bytes.count <= Int(UInt32.max), "a text column cannot hold more than 4 GiB")
        var texts = texts[...]
        var numbers = numbers[...]
        let columns = schema.fields.map { field -> Column in
            if field.kind == .text {
                let column = texts.removeFirst()
                return .text(TextColumn(bytes, views: column.views, missing: column.missing))
            }
            let column = numbers.removeFirst()
            return .integers(Values(column.values, missing: column.missing))
        }
        return Batch(schema, columns, count: count, origins: .made)
    }
}
