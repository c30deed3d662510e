import CScan
import DaybookCore
import Foundation

/// Writes rejects as NDJSON, one line each. What all lines about one subject share is encoded once, and a line costs no more
/// than putting the parts side by side.
struct RejectWriter {
    /// What all lines about one subject share, as stretches of `stock`.
    private struct Parts {
        /// `{"code":"not-a-hex-colour","message":"`
        var opening = 0..<0
        /// The words before the value, or all of them.
        var before = 0..<0
        /// Whether the message names the value, or another row, and the words behind that.
        var namesValue = false
        var namesRow = false
        var after = 0..<0
        /// `","rule":"unique_id","stage":"clean","job_line":12,"source":`, the rule only where one asked.
        var asked = 0..<0
        /// `,"field":"colour","value":`
        var field = 0..<0
    }

    private let stock: Bytes
    private let stockBase: UnsafePointer<UInt8>
    /// By subject.
    private let parts: [Parts]
    private let bytes: Bytes
    private var out: ByteCursor
    private var ends: [RejectLines.End] = []

    /// - Parameters:
    ///   - subjects: the words of each, and the id of the rule that asked; nil for what no rule asked for, whose lines have no
    ///     such key.
    ///   - lines: how many there will be.
    init(_ subjects: [(phrase: FindingPhrase, rule: String?)], stage: String, jobLine: Int?, lines: Int) {
        let stock = Bytes()
        /// Adds what `write` appends.
        func part(_ write: () -> Void) -> Range<Int> {
            let start = stock.count
            write()
            return start..<stock.count
        }
        /// The inside of a JSON string.
        func words(_ text: String) -> Range<Int> {
            let quoted = part { stock.append(jsonString: text) }
            return quoted.lowerBound + 1..<quoted.upperBound - 1
        }
        parts = subjects.map { phrase, rule in
            var parts = Parts()
            parts.opening = part {
                stock.append("{\"code\":")
                stock.append(jsonString: phrase.code)
                stock.append(",\"message\":\"")
            }
            parts.before = words(phrase.before)
            parts.namesRow = phrase.after != nil && phrase.namesRow
            parts.namesValue = phrase.after != nil && !phrase.namesRow
            parts.after = words(phrase.after ?? "")
            parts.asked = part {
                stock.append("\"")
                if let rule {
                    stock.append(",\"rule\":")
                    stock.append(jsonString: rule)
                }
                stock.append(",\"stage\":")
                stock.append(jsonString: stage)
                stock.append(",\"job_line\":")
                stock.append(jobLine.map(String.init) ?? "null")
                stock.append(",\"source\":")
            }
            parts.field = part {
                stock.append(",\"field\":")
                if let name = phrase.field { stock.append(jsonString: name) } else { stock.append("null") }
                stock.append(",\"value\":")
            }
            return parts
        }
        self.stock = stock
        stockBase = stock.base
        bytes = Bytes(capacity: RejectWriter.usualLength * lines)
        out = ByteCursor(bytes)
        ends.reserveCapacity(lines)
    }

    /// About how many bytes a line has.
    private static let usualLength = 320

    /// Adds the line of a reject whose record stands at `position`. The texts of its facts stand in buffers of their own, as
    /// `Bytes` are.
    mutating func append(_ facts: FindingFacts, at position: Int) {
        let parts = parts[facts.subject]
        put(parts.opening)
        if let own = facts.ownMessage {
            out.put(textOf: own)
        } else {
            put(parts.before)
            if parts.namesValue { out.put(quotedValue: facts.value) }
            if parts.namesRow, let named = facts.named { out.put(textOf: named) }
            put(parts.after)
        }
        put(parts.asked)
        out.put(text: facts.source)
        out.put(",\"line\":", facts.line)
        out.put(",\"column\":", facts.column)
        out.put(",\"byte\":", facts.byte)
        out.put(",\"pointer\":")
        out.put(text: facts.pointer)
        put(parts.field)
        out.put(text: facts.value)
        out.put(",\"original\":")
        let isText = out.put(text: facts.original)
        if !isText, let original = facts.original {
            // Bytes that are no text cannot stand in JSON, so they are kept exactly beside what can be read of them.
            out.put(",\"original_base64\":\"")
            out.put(all: Array(Data(original).base64EncodedString().utf8))
            out.put("\"")
        }
        if let first = facts.first {
            // Where a replayed record stood first: it is there that a replay of this line finds its columns.
            out.put(",\"first_source\":")
            out.put(text: first.source)
            out.put(",\"first_line\":", first.line)
        }
        out.put("}\n")
        ends.append(RejectLines.End(position: position, offset: out.count))
    }

    @inline(__always)
    private mutating func put(_ part: Range<Int>) {
        out.reserve(part.count + 16)
        json_copy_blocks(out.next, stockBase + part.lowerBound, part.count)
        out.next += part.count
    }

    /// What was written; nothing may be appended afterwards.
    func finish() -> RejectLines {
        out.finish()
        return RejectLines(bytes: bytes, ends: ends)
    }
}

extension ByteCursor {
    fileprivate mutating func put(all bytes: [UInt8]) {
        reserve(bytes.count)
        bytes.withUnsafeBufferPointer { put($0) }
    }

    @inline(__always)
    fileprivate mutating func put(_ words: StaticString) {
        reserve(words.utf8CodeUnitCount)
        put(Cell(start: words.utf8Start, count: words.utf8CodeUnitCount))
    }

    @inline(__always)
    fileprivate mutating func put(_ key: StaticString, _ number: Int?) {
        put(key)
        guard let number else { return put("null") }
        reserve(NumberText.maximumLength)
        next += NumberText.write(Int64(number), to: next)
    }

    /// A text as a JSON string, or `null`; false when it is not UTF-8, for what is none of it is replaced then.
    @discardableResult
    fileprivate mutating func put(text cell: Cell?) -> Bool {
        guard let cell else {
            put("null")
            return true
        }
        put("\"")
        let isText = put(textOf: cell)
        put("\"")
        return isText
    }

    /// The inside of a JSON string; false when the text is not UTF-8.
    @discardableResult
    fileprivate mutating func put(textOf cell: Cell) -> Bool {
        guard let start = cell.baseAddress else { return true }
        reserve(6 * cell.count + 16)
        let written = json_escape(next, start, cell.count)
        if written.is_ascii || scan_utf8_valid_portable(start, cell.count) == cell.count {
            next += written.length
            return true
        }
        put(escaped: cell.text)
        return false
    }

    private mutating func put(escaped text: String) {
        var text = text
        text.withUTF8 { put(escaped: $0) }
    }

    /// The value as a message quotes it: cut where it is long.
    fileprivate mutating func put(quotedValue value: Cell?) {
        guard let value, value.count <= FindingPhrase.longestQuote else {
            return put(escaped: FindingPhrase.quoted(value))
        }
        put("'")
        put(textOf: value)
        put("'")
    }
}
