import CScan
import DaybookCore
import Foundation

/// Writes rejects as NDJSON, one line each. What all rejects of a stage or of a kind share is encoded once.
struct RejectLine {
    /// `,"stage":"clean","job_line":12,"source":`
    private let stagePart: [UInt8]
    private var kinds: [KindPart] = []
    private var source: (path: String, json: [UInt8])?

    /// What all findings of one kind share. A class, so that a line costs one reference to it.
    private final class KindPart {
        let phrase: FindingPhrase
        /// `{"code":"not-a-hex-colour","message":"` and the words before the value, or all of them.
        let before: [UInt8]
        /// Where in it the message begins.
        let messageStart: Int
        /// The words behind the value and the closing quote.
        let after: [UInt8]
        /// `,"rule":"unique_id"`, or nothing.
        let rule: [UInt8]
        /// `,"field":"colour","value":`
        let field: [UInt8]

        init(_ phrase: FindingPhrase, rule id: String?) {
            self.phrase = phrase
            let start = Bytes()
            start.append("{\"code\":")
            start.append(jsonString: phrase.code)
            start.append(",\"message\":\"")
            messageStart = start.count
            start.append(RejectLine.escaped(phrase.before))
            before = start.array
            after = RejectLine.escaped(phrase.after ?? "").array + [UInt8(ascii: "\"")]
            let asked = Bytes()
            if let id {
                asked.append(",\"rule\":")
                asked.append(jsonString: id)
            }
            rule = asked.array
            let about = Bytes()
            about.append(",\"field\":")
            if let name = phrase.field { about.append(jsonString: name) } else { about.append("null") }
            about.append(",\"value\":")
            field = about.array
        }
    }

    init(stage: String, jobLine: Int?) {
        let bytes = Bytes()
        bytes.append(",\"stage\":")
        bytes.append(jsonString: stage)
        bytes.append(",\"job_line\":")
        bytes.append(jobLine.map(String.init) ?? "null")
        bytes.append(",\"source\":")
        stagePart = bytes.array
    }

    /// - Parameter rule: the id of the rule that rejects it; nil for what no rule asked for, whose lines have no such key.
    mutating func append(_ facts: FindingFacts, rule: String?, to bytes: Bytes) {
        let kind = part(of: facts.phrase, rule)
        let source = part(of: facts.source)
        var out = ByteCursor(bytes)
        put(kind, facts, &out)
        out.put(all: kind.rule)
        out.put(all: stagePart)
        out.put(all: source)
        out.put(",\"line\":", facts.line)
        out.put(",\"column\":", facts.column)
        out.put(",\"byte\":", facts.byte)
        out.put(text: ",\"pointer\":")
        if let pointer = facts.pointer { out.put(jsonString: pointer) } else { out.put(text: "null") }
        out.put(all: kind.field)
        out.put(jsonString: facts.value)
        out.put(text: ",\"original\":")
        out.put(jsonString: facts.original)
        if let original = facts.original, !original.isUTF8 {
            // Bytes that are no text cannot stand in JSON, so they are kept exactly beside what can be read of them.
            out.put(text: ",\"original_base64\":\"")
            out.put(all: Array(Data(original).base64EncodedString().utf8))
            out.put(text: "\"")
        }
        if let first = facts.first {
            // Where a replayed record stood first: it is there that a replay of this line finds its columns.
            out.put(text: ",\"first_source\":")
            if let source = first.source { out.put(jsonString: source) } else { out.put(text: "null") }
            out.put(",\"first_line\":", first.line)
        }
        out.put(text: "}\n")
        out.finish()
    }

    private func put(_ kind: KindPart, _ facts: FindingFacts, _ out: inout ByteCursor) {
        out.put(all: kind.before)
        if let own = facts.ownMessage {
            // The template of the kind is passed over: back to the opening quote of the message.
            out.next -= kind.before.count - kind.messageStart
            out.put(escaped: own)
            out.put(text: "\"")
            return
        }
        if facts.phrase.after != nil { out.put(quotedValue: facts.value) }
        out.put(all: kind.after)
    }

    private mutating func part(of phrase: FindingPhrase, _ rule: String?) -> KindPart {
        for known in kinds where known.phrase === phrase { return known }
        let part = KindPart(phrase, rule: rule)
        kinds.append(part)
        return part
    }

    private mutating func part(of path: String?) -> [UInt8] {
        guard let path else { return Array("null".utf8) }
        if let source, source.path == path { return source.json }
        let bytes = Bytes()
        bytes.append(jsonString: path)
        source = (path, bytes.array)
        return bytes.array
    }

    /// The inside of a JSON string.
    private static func escaped(_ text: String) -> Bytes {
        let bytes = Bytes()
        var out = ByteCursor(bytes)
        out.put(escaped: text)
        out.finish()
        return bytes
    }
}

extension ByteCursor {
    fileprivate mutating func put(all bytes: [UInt8]) {
        reserve(bytes.count)
        bytes.withUnsafeBufferPointer { put($0) }
    }

    fileprivate mutating func put(text: StaticString) {
        reserve(text.utf8CodeUnitCount)
        put(Cell(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    fileprivate mutating func put(_ key: StaticString, _ number: Int?) {
        put(text: key)
        guard let number else { return put(text: "null") }
        reserve(NumberText.maximumLength)
        next += NumberText.write(Int64(number), to: next)
    }

    fileprivate mutating func put(jsonString text: String) {
        put(text: "\"")
        put(escaped: text)
        put(text: "\"")
    }

    fileprivate mutating func put(escaped text: String) {
        var text = text
        text.withUTF8 { put(escaped: $0) }
    }

    fileprivate mutating func put(jsonString cell: Cell?) {
        guard let cell else { return put(text: "null") }
        guard cell.isUTF8 else { return put(jsonString: String(decoding: cell, as: UTF8.self)) }
        put(text: "\"")
        put(escaped: cell)
        put(text: "\"")
    }

    /// The value as a message quotes it: cut where it is long.
    fileprivate mutating func put(quotedValue value: Cell?) {
        guard let value, value.isUTF8, value.count <= FindingPhrase.longestQuote else {
            return put(escaped: FindingPhrase.quoted(value))
        }
        put(text: "'")
        put(escaped: value)
        put(text: "'")
    }
}

extension Cell {
    fileprivate var isUTF8: Bool { baseAddress.map { scan_utf8_valid_portable($0, count) == count } ?? true }
}
