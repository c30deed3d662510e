import CScan
import DaybookCore
import DaybookEngine

/// One line of JSON that is an object of plain values, as reject files hold them, with the place of every value.
///
/// Nothing nests in such a line, so reading it takes no recursion, and a line that does nest is refused where it begins to.
struct FlatJSON {
    enum Value {
        case text([UInt8])
        case number(String)
        case flag(Bool)
        case null
    }

    package struct Entry {
        var value: Value
        /// From its first byte to behind its last, of a text with its quotes.
        var bytes: Range<Int>
    }

    /// What is wrong, and at which byte of the line.
    struct Fault: Error {
        var message: String
        var at: Int
    }

    private(set) var entries: [String: Entry] = [:]
    private let line: UnsafeBufferPointer<UInt8>
    private var position = 0

    init(_ line: UnsafeBufferPointer<UInt8>) throws(Fault) {
        self.line = line
        if let base = line.baseAddress {
            let valid = Int(scan_utf8_valid_portable(base, line.count))
            guard valid == line.count else { throw Fault(message: "bytes that are not UTF-8 text", at: valid) }
        }
        skipSpace()
        guard take("{") else { throw fault("expected a line of JSON that begins with '{'") }
        skipSpace()
        if !take("}") {
            repeat { try readEntry() } while try goesOn()
        }
        skipSpace()
        guard position == line.count else { throw fault("expected the end of the line behind '}'") }
    }

    /// Where a byte stands, in characters, from 1.
    func column(of byte: Int) -> Int { line[..<min(byte, line.count)].reduce(1) { $0 + ($1 & 0xC0 != 0x80 ? 1 : 0) } }

    // MARK: - Reading

    private mutating func readEntry() throws(Fault) {
        skipSpace()
        let start = position
        let key = String(decoding: try readText("a key in quotes"), as: UTF8.self)
        skipSpace()
        guard take(":") else { throw fault("expected ':' behind the key") }
        skipSpace()
        let from = position
        let value = try readValue()
        guard entries.updateValue(Entry(value: value, bytes: from..<position), forKey: key) == nil else {
            throw Fault(message: "the key '\(key.shortened(to: 80))' stands twice", at: start)
        }
    }

    /// Whether another entry follows.
    private mutating func goesOn() throws(Fault) -> Bool {
        skipSpace()
        if take(",") { return true }
        if take("}") { return false }
        throw fault("expected ',' or '}' behind a value")
    }

    private mutating func readValue() throws(Fault) -> Value {
        guard position < line.count else { throw fault("expected a value") }
        switch line[position] {
        case UInt8(ascii: "\""): return .text(try readText("a value"))
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            throw fault("a line of a reject file holds no lists and objects; JSON stands in it as text in quotes")
        default: break
        }
        let start = position
        while position < line.count, ![0x20, 0x09, 0x2C, 0x7D].contains(line[position]) { position += 1 }
        let word = UnsafeBufferPointer(rebasing: line[start..<position])
        switch String(decoding: word.prefix(40), as: UTF8.self) {
        case "null": return .null
        case "true": return .flag(true)
        case "false": return .flag(false)
        default: break
        }
        guard word.count <= 40, CellReading.decimal(word) != nil else {
            throw Fault(message: "expected a text in quotes, a number, true, false or null", at: start)
        }
        return .number(String(decoding: word, as: UTF8.self))
    }

    private mutating func readText(_ what: String) throws(Fault) -> [UInt8] {
        guard take("\"") else { throw fault("expected \(what)") }
        let start = position - 1
        var text: [UInt8] = []
        while position < line.count {
            let byte = line[position]
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return text
            case UInt8(ascii: "\\"): try readEscape(&text)
            case 0..<0x20:
                throw Fault(
                    message: "a control character stands in a text; it is written as an escape",
                    at: position - 1
                )
            default: text.append(byte)
            }
        }
        throw Fault(message: "a text opens here and is never closed", at: start)
    }

    private mutating func readEscape(_ text: inout [UInt8]) throws(Fault) {
        let start = position - 1
        guard position < line.count else { throw Fault(message: "the line ends in an escape", at: start) }
        let letter = line[position]
        position += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(letter)
        case UInt8(ascii: "b"): text.append(8)
        case UInt8(ascii: "t"): text.append(9)
        case UInt8(ascii: "n"): text.append(10)
        case UInt8(ascii: "f"): text.append(12)
        case UInt8(ascii: "r"): text.append(13)
        case UInt8(ascii: "u"):
            var unit = try hexadecimal(start)
            if (0xD800..<0xDC00).contains(unit) {
                guard take("\\"), take("u") else { throw Fault(message: "half a character", at: start) }
                let low = try hexadecimal(start)
                guard (0xDC00..<0xE000).contains(low) else { throw Fault(message: "half a character", at: start) }
                unit = 0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)
            }
            guard let scalar = Unicode.Scalar(unit) else { throw Fault(message: "half a character", at: start) }
            text += Array(String(Character(scalar)).utf8)
        default: throw Fault(message: "this is no escape of JSON; a backslash itself is written \\\\", at: start)
        }
    }

    private mutating func hexadecimal(_ start: Int) throws(Fault) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard position < line.count, let digit = Character(UnicodeScalar(line[position])).hexDigitValue else {
                throw Fault(message: "four hexadecimal digits belong behind \\u", at: start)
            }
            value = value << 4 + UInt32(digit)
            position += 1
        }
        return value
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard position < line.count, line[position] == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func skipSpace() {
        while position < line.count, [0x20, 0x09, 0x0D].contains(line[position]) { position += 1 }
    }

    private func fault(_ message: String) -> Fault { Fault(message: message, at: position) }
}
