import CScan
import DaybookBytes
import DaybookEngine
import Foundation

/// A reject file, read line by line as often as needed, with one line in memory.
final class RejectFile: @unchecked Sendable {
    /// The path on the command line.
    let path: String
    /// The path in messages about the job.
    let name: String
    private let status: FileStatus

    /// The longest line. Its record may be no longer than the records of importers.
    static let longestLine = 256 << 20

    /// - Parameter directory: the directory of the job.
    init(_ path: String, from directory: String) throws(DaybookError) {
        self.path = path
        name = FilePath.relative(path, from: directory)
        do throws(SystemFailure) {
            guard path != "-" else { throw SystemFailure(ESPIPE) }
            guard let status = try FileStatus.of(path) else { throw SystemFailure(ENOENT) }
            guard status.isRegularFile else { throw SystemFailure(status.isDirectory ? EISDIR : ESPIPE) }
            self.status = status
        } catch {
            switch error.number {
            case ENOENT, ENOTDIR:
                var missing = InputNotFound(path, from: "", isPattern: false).error
                missing.message = "there is no reject file '\(path)'"
                throw missing
            case ESPIPE:
                let message = "the reject file is read more than once, so '\(path)' cannot be a stream"
                throw DaybookError("not-a-file", message, hint: "write it to a file first")
            default: throw .cannotRead(path, error)
            }
        }
    }

    /// A line without its line end, its number from 1, and its offset in the file.
    struct Line {
        var bytes: Bytes
        var number: Int
        var offset: Int

        var isBlank: Bool {
            defer { withExtendedLifetime(bytes) {} }
            return bytes.filled.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
        }

        /// The line without a byte-order mark, which an editor may have written.
        fileprivate var withoutMark: Line {
            defer { withExtendedLifetime(bytes) {} }
            guard offset == 0, bytes.filled.starts(with: [0xEF, 0xBB, 0xBF]) else { return self }
            return Line(bytes: bytes.copy(3...), number: number, offset: 3)
        }
    }

    /// Reads the lines one after another.
    final class Lines {
        private let file: RejectFile
        private let descriptor: Descriptor
        private let digest: FileDigester?
        private var buffer = Bytes(capacity: 1 << 20)
        private var used = 0
        private var number = 0
        private var offset = 0
        private var isAtEnd = false
        private(set) var byteCount = 0

        init(_ file: RejectFile, digest: FileDigester? = nil) throws(DaybookError) {
            (self.file, self.digest) = (file, digest)
            do { descriptor = try Descriptor(opening: file.path, O_RDONLY | O_NOCTTY) } catch {
                throw .cannotRead(file.path, error)
            }
        }

        func next() throws(DaybookError) -> Line? {
            var searched = 0
            while true {
                let rest = buffer.cell((used + searched)...)
                if let feed = rest.firstIndex(of: 10) { return take(searched + feed, ending: 1) }
                searched += rest.count
                if isAtEnd { return searched == 0 ? nil : take(searched, ending: 0) }
                guard searched <= RejectFile.longestLine else {
                    throw DaybookError(
                        "line-too-long",
                        "a line is longer than \(RejectFile.longestLine >> 20) MiB",
                        at: SourcePlace(file: file.path, line: number + 1, column: 1),
                        hint: "is it a reject file?",
                        blame: .data
                    )
                }
                try fill()
            }
        }

        private func take(_ length: Int, ending: Int) -> Line {
            number += 1
            let line = Line(bytes: buffer.copy(used..<used + length), number: number, offset: offset)
            used += length + ending
            offset += length + ending
            return line.withoutMark
        }

        private func fill() throws(DaybookError) {
            if used > 0 {
                let rest = Bytes(capacity: max(1 << 20, 2 * (buffer.count - used)))
                rest.append(used..., of: buffer)
                buffer = rest
                used = 0
            }
            do {
                let got = try descriptor.read(1 << 20, into: buffer)
                digest?.update(buffer, buffer.count - got..<buffer.count)
                byteCount += got
                isAtEnd = got == 0
            } catch { throw .cannotRead(file.path, error) }
        }
    }

    /// The line with `byte`; nil if it cannot be read again.
    func line(around byte: Int, number: Int) -> Line? {
        guard let descriptor = try? Descriptor(opening: path, O_RDONLY) else { return nil }
        var start = byte
        while start > 0 {
            let size = min(start, 64 << 10)
            let part = descriptor.bytes(at: start - size, count: size)
            guard part.count == size else { return nil }
            if let feed = part.lastIndex(of: 10) {
                start += feed + 1 - size
                break
            }
            start -= size
            guard byte - start <= RejectFile.longestLine else { return nil }
        }
        return line(from: start, number: number, descriptor)
    }

    private func line(from start: Int, number: Int, _ descriptor: Descriptor) -> Line? {
        let bytes = Bytes(capacity: 64 << 10)
        while bytes.count <= RejectFile.longestLine {
            let part = descriptor.bytes(at: start + bytes.count, count: 64 << 10)
            guard !part.isEmpty || start + bytes.count >= status.size else { return nil }
            let line = part.prefix { $0 != 10 }
            bytes.append(line)
            if line.count < part.count || part.isEmpty {
                return Line(bytes: bytes, number: number, offset: start).withoutMark
            }
        }
        return nil
    }

    /// Throws if the file was changed during the replay.
    func checkUnchanged() throws(DaybookError) {
        let now: FileStatus?
        do { now = try FileStatus.of(path) } catch { throw .cannotRead(path, error) }
        guard now != status else { return }
        let hint = "replay it again when nothing writes to it any more"
        throw .machine("input-changed", "'\(path)' changed while it was replayed", hint: hint)
    }

    /// An error about a place in the file.
    func error(_ fault: RejectRecord.Fault, line: Int) -> DaybookError {
        let place = SourcePlace(file: path, line: line, column: fault.column)
        return .data(fault.code, fault.message, at: place, hint: fault.hint)
    }
}

/// One line of JSON that is an object of scalars, as in reject files, with the place of every value.
///
/// Nested values are refused where they begin.
struct FlatJSON {
    enum Value {
        case text([UInt8])
        case number(String)
        case flag(Bool)
        case null
    }

    struct Entry {
        var value: Value
        /// The range of the value, with the quotes of a text.
        var bytes: Range<Int>
    }

    /// The error, and its byte in the line.
    struct Fault: Error {
        var message: String
        var at: Int
    }

    private(set) var entries: [String: Entry] = [:]
    private let line: Cell
    private var cursor: JSONCursor

    init(_ line: Cell) throws(Fault) {
        self.line = line
        guard let base = line.baseAddress else { throw Fault(message: "the line is empty", at: 0) }
        cursor = JSONCursor(base, to: line.count)
        let valid = Int(scan_utf8_valid_portable(base, line.count))
        guard valid == line.count else { throw Fault(message: "bytes that are not UTF-8 text", at: valid) }
        cursor.skipSpace()
        guard cursor.byte == UInt8(ascii: "{") else {
            throw Fault(message: "expected a line of JSON that begins with '{'", at: cursor.position)
        }
        guard cursor.open() else { throw fault }
        if !cursor.closesAtOnce(UInt8(ascii: "}")) {
            while true {
                try readEntry()
                guard let more = cursor.next(inObject: true) else { throw fault }
                if !more { break }
            }
        }
        guard cursor.finish() else { throw fault }
    }

    /// The column of a byte of a line in characters, from 1.
    static func column(of byte: Int, in line: Cell) -> Int {
        1 + line[..<min(byte, line.count)].count { $0 & 0xC0 != 0x80 }
    }

    private mutating func readEntry() throws(Fault) {
        guard let key = cursor.key() else { throw fault }
        let name = String(decoding: JSONString.name(cursor.base, key.bytes, isEscaped: key.isEscaped), as: UTF8.self)
        let start = cursor.position
        let value = try readValue()
        guard entries.updateValue(Entry(value: value, bytes: start..<cursor.position), forKey: name) == nil else {
            throw Fault(message: "the key '\(name.shortened(to: 80))' stands twice", at: key.bytes.lowerBound - 1)
        }
    }

    private mutating func readValue() throws(Fault) -> Value {
        let start = cursor.position
        switch cursor.byte {
        case UInt8(ascii: "\""):
            guard let isEscaped = cursor.string() else { throw fault }
            return .text(JSONString.name(cursor.base, start + 1..<cursor.position - 1, isEscaped: isEscaped))
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            let message = "a line of a reject file holds no lists and objects; JSON stands in it as text in quotes"
            throw Fault(message: message, at: start)
        default:
            guard cursor.scalar() else { throw fault }
            let word = String(decoding: line[start..<cursor.position], as: UTF8.self)
            return switch word {
            case "null": .null
            case "true", "false": .flag(word == "true")
            default: .number(word)
            }
        }
    }

    private var fault: Fault { Fault(message: cursor.fault?.message ?? "this is not JSON", at: cursor.faultAt) }
}

/// The fields of a reject line that a replay needs.
struct RejectRecord {
    /// The id of the rejecting stage, secrets masked.
    var stage: String
    /// The first source of the record, as the job names it.
    var source: String
    var firstLine: Int?
    var pointer: String?
    /// The record, corrected or not.
    var original: [UInt8]
    /// The source of the finding: the first one, or the reject file from which the record was replayed.
    var lastSource: String
    /// The number of the line, from 1.
    let number: Int
    /// What tells the record from others; nil if it is not known.
    var identity: Identity?
    /// Whether a line above has the long record of this line.
    var isRepeated = false
    var holder: TextHolder

    /// A record of a source by what its lines have in common: where it begins, or a byte or a line in it.
    enum Identity: Hashable {
        case byte(Int)
        case line(Int)
    }

    /// The error of a line, and its column.
    struct Fault: Error {
        var code: DaybookError.Code
        var message: String
        /// From 1.
        var column = 1
        var hint: String?
    }

    /// - Parameters:
    ///   - number: the number of the line, from 1.
    ///   - offset: where it begins in the file.
    init(_ line: Cell, number: Int, offset: Int) throws(Fault) {
        func refusal(_ message: String, at column: Int = 1, hint: String? = nil) -> Fault {
            Fault(code: "not-a-reject", message: message, column: column, hint: hint)
        }
        let json: FlatJSON
        do { json = try FlatJSON(line) } catch {
            throw refusal(error.message, at: FlatJSON.column(of: error.at, in: line))
        }
        func text(_ key: String) throws(Fault) -> [UInt8]? {
            guard let entry = json.entries[key] else { return nil }
            switch entry.value {
            case .text(let text): return text
            case .null: return nil
            case .number, .flag:
                throw refusal("'\(key)' is to be a text", at: FlatJSON.column(of: entry.bytes.lowerBound, in: line))
            }
        }
        func string(_ key: String) throws(Fault) -> String? {
            try text(key).map { String(decoding: $0, as: UTF8.self) }
        }
        guard let stage = try string("stage") else {
            let hint = "a reject file is what a job writes to the path under 'rejects'"
            throw refusal("the line names no 'stage'", hint: hint)
        }
        (self.stage, self.number) = (stage, number)
        pointer = try string("pointer")
        let (first, last) = (try string("first_source"), try string("source"))
        let byte = RejectRecord.number(json.entries["record_byte"] ?? json.entries["byte"])
        // A line of a replayed reject file is one record, as are those of a text without bytes of its own, but not of one
        // inside a file.
        if let number = RejectRecord.number(json.entries["line"]), first != nil || byte == nil && pointer == nil {
            identity = .line(number)
        } else {
            identity = byte.map { .byte($0) }
        }
        lastSource = last ?? ""
        guard let original = try text("original"), let entry = json.entries["original"] else {
            if byte != nil, let source = first ?? last {
                (self.source, original, isRepeated, holder) = (source, [], true, TextHolder(pointer: "/original"))
                return
            }
            let message = "the line holds no 'original', so there is nothing to replay"
            let hint = "a row that a stage made, such as the sum of others, stands in no source"
            throw Fault(code: "no-original", message: message, hint: hint)
        }
        guard let source = first ?? last else {
            throw Fault(code: "no-original", message: "the line names no 'source'")
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
            column: FlatJSON.column(of: start, in: line),
            byte: offset + start,
            written: Array(line[start..<entry.bytes.upperBound - 1])
        )
        self.holder = holder
    }

    /// The pointer, if the record is an object in a list: that of another record is another.
    var pointerOfElement: String? {
        guard original.first == UInt8(ascii: "{") else { return nil }
        let isElement = pointer?.split(separator: "/").contains { $0.allSatisfy { ("0"..."9").contains($0) } }
        return isElement == true ? pointer : nil
    }

    private static func number(_ entry: FlatJSON.Entry?) -> Int? {
        if case .number(let text)? = entry?.value { Int(text) } else { nil }
    }

    /// The original bytes, unless somebody has corrected their text.
    private static func bytes(of original: [UInt8], _ base64: String?) -> [UInt8] {
        guard let base64, let stood = Data(base64Encoded: base64) else { return original }
        return Array(String(decoding: stood, as: UTF8.self).utf8) == original ? Array(stood) : original
    }
}
