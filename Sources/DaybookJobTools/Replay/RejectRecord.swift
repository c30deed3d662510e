import Foundation

/// One line of a reject file as far as a replay needs it.
struct RejectRecord {
    /// The id of the stage that rejected the record, secrets masked.
    var stage: String
    /// The source in which the record stood first, as the job names it.
    var source: String
    var firstLine: Int?
    var pointer: String?
    /// The record, corrected or not.
    var original: [UInt8]
    /// Where the record began in its source.
    var byte: Int?
    /// Whether the line is about a long record that a line above holds.
    var isRepeated = false
    var holder: TextHolder

    /// What is wrong with a line, and where in it.
    struct Fault: Error {
        var code: DaybookError.Code
        var message: String
        /// From 1.
        var column: Int
        var hint: String?
    }

    /// - Parameters:
    ///   - number: the number of the line, from 1.
    ///   - offset: where it begins in the file.
    init(_ line: Cell, number: Int, offset: Int) throws(Fault) {
        let json: FlatJSON
        do { json = try FlatJSON(line) } catch {
            let column = line[..<min(error.at, line.count)].reduce(1) { $0 + ($1 & 0xC0 != 0x80 ? 1 : 0) }
            throw Fault(code: "not-a-reject", message: error.message, column: column)
        }
        func text(_ key: String) throws(Fault) -> [UInt8]? {
            guard let entry = json.entries[key] else { return nil }
            switch entry.value {
            case .text(let text): return text
            case .null: return nil
            case .number, .flag:
                throw Fault(
                    code: "not-a-reject",
                    message: "'\(key)' is to be a text",
                    column: json.column(of: entry.bytes.lowerBound)
                )
            }
        }
        func string(_ key: String) throws(Fault) -> String? {
            guard let bytes = try text(key) else { return nil }
            return String(decoding: bytes, as: UTF8.self)
        }
        guard let stage = try string("stage") else {
            throw Fault(
                code: "not-a-reject",
                message: "the line names no 'stage'",
                column: 1,
                hint: "a reject file is what a job writes to the path under 'rejects'"
            )
        }
        self.stage = stage
        pointer = try string("pointer")
        byte = RejectRecord.number(json.entries["byte"])
        guard let original = try text("original"), let entry = json.entries["original"] else {
            if byte != nil, let source = try string("source") {
                (self.source, original, isRepeated, holder) = (source, [], true, TextHolder(pointer: "/original"))
                return
            }
            throw Fault(
                code: "no-original",
                message: "the line holds no 'original', so there is nothing to replay",
                column: 1,
                hint: "a row that a stage made, such as the sum of others, stands in no source"
            )
        }
        let (first, told) = (try string("first_source"), try string("source"))
        guard let source = first ?? told else {
            throw Fault(code: "no-original", message: "the line names no 'source'", column: 1)
        }
        self.source = source
        firstLine = RejectRecord.number(json.entries["first_line"] ?? json.entries["line"])
        self.original = RejectRecord.bytes(of: original, try string("original_base64"))
        let start = entry.bytes.lowerBound + 1
        var holder = TextHolder(pointer: "/original")
        holder.copy = CorrectedCopy(
            firstSource: source,
            firstLine: firstLine,
            offset: offset,
            line: number,
            column: json.column(of: start),
            byte: offset + start,
            written: Array(line[start..<entry.bytes.upperBound - 1])
        )
        self.holder = holder
    }

    private static func number(_ entry: FlatJSON.Entry?) -> Int? {
        if case .number(let text)? = entry?.value { Int(text) } else { nil }
    }

    /// The record: the bytes as they stood, as long as nobody has corrected the text that could be made of them.
    private static func bytes(of original: [UInt8], _ base64: String?) -> [UInt8] {
        guard let base64, let stood = Data(base64Encoded: base64) else { return original }
        return Array(String(decoding: stood, as: UTF8.self).utf8) == original ? Array(stood) : original
    }
}
