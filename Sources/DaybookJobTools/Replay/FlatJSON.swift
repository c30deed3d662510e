import CScan

/// One line of JSON that is an object of plain values, as reject files hold them, with the place of every value.
///
/// Nothing nests in such a line, so one that does is refused where it begins to.
struct FlatJSON {
    enum Value {
        case text([UInt8])
        case number(String)
        case flag(Bool)
        case null
    }

    struct Entry {
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

    /// Where a byte stands, in characters, from 1.
    func column(of byte: Int) -> Int { line[..<min(byte, line.count)].reduce(1) { $0 + ($1 & 0xC0 != 0x80 ? 1 : 0) } }

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
            throw Fault(
                message: "a line of a reject file holds no lists and objects; JSON stands in it as text in quotes",
                at: start
            )
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
