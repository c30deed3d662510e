import CScan
import DaybookCore
import Foundation

/// Writes rejects as NDJSON, one line each.
struct RejectLine: Sendable {
    /// `"stage":"clean","job_line":12`, the same for all rejects of a stage.
    private let stagePart: [UInt8]

    init(stage: String, jobLine: Int?) {
        let bytes = Bytes()
        bytes.append(",\"stage\":")
        bytes.append(jsonString: stage)
        bytes.append(",\"job_line\":")
        bytes.append(jobLine.map(String.init) ?? "null")
        stagePart = bytes.array
    }

    func append(_ facts: FindingFacts, to out: Bytes) {
        out.append("{\"code\":" as StaticString)
        out.append(jsonString: facts.phrase.code)
        out.append(",\"message\":" as StaticString)
        appendMessage(facts, to: out)
        stagePart.withUnsafeBufferPointer { out.append($0) }
        out.append(",\"source\":" as StaticString)
        appendText(facts.source, to: out)
        append("line", facts.line, to: out)
        append("column", facts.column, to: out)
        append("byte", facts.byte, to: out)
        out.append(",\"pointer\":" as StaticString)
        appendText(facts.pointer, to: out)
        out.append(",\"field\":" as StaticString)
        appendText(facts.phrase.field, to: out)
        out.append(",\"value\":" as StaticString)
        appendCell(facts.value, to: out)
        out.append(",\"original\":" as StaticString)
        appendCell(facts.original, to: out)
        if let original = facts.original, !RejectLine.isText(original) {
            // Bytes that are no text cannot stand in JSON, so they are kept exactly beside what can be read of them.
            out.append(",\"original_base64\":\"" as StaticString)
            out.append(Data(original).base64EncodedString())
            out.append("\"" as StaticString)
        }
        out.append("}\n" as StaticString)
    }

    private func appendMessage(_ facts: FindingFacts, to out: Bytes) {
        if let own = facts.ownMessage { return out.append(jsonString: own) }
        out.append(jsonString: facts.phrase.message(facts.value))
    }

    private func append(_ key: StaticString, _ number: Int?, to out: Bytes) {
        out.append(",\"" as StaticString)
        out.append(key)
        out.append("\":" as StaticString)
        if let number { out.append(integer: Int64(number)) } else { out.append("null" as StaticString) }
    }

    private func appendText(_ text: String?, to out: Bytes) {
        if let text { out.append(jsonString: text) } else { out.append("null" as StaticString) }
    }

    private func appendCell(_ cell: Cell?, to out: Bytes) {
        guard let cell else { return out.append("null" as StaticString) }
        if RejectLine.isText(cell) {
            out.append(jsonString: cell)
        } else {
            out.append(jsonString: String(decoding: cell, as: UTF8.self))
        }
    }

    private static func isText(_ cell: Cell) -> Bool {
        guard let base = cell.baseAddress else { return true }
        return scan_utf8_valid_portable(base, cell.count) == cell.count
    }
}
