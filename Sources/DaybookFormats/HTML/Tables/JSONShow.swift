/// Shows a JSON value as people read one: keys and their values, elements with commas between them, and no quotes or brackets.
struct JSONShow {
    /// Objects in objects that are shown as lists; what lies deeper stands as it is written.
    private static let deepest = 4
    /// Keys and elements that a cell shows.
    private static let mostParts = 60

    private var cursor: JSONCursor
    private let bytes: Bytes
    private var parts = 0

    /// Appends markup of the value, or nothing and false where the cell holds no JSON or too much of it.
    static func append(_ cell: Cell, to bytes: Bytes) -> Bool {
        guard let base = cell.baseAddress, cell.count <= HTMLRows.cellLimit else { return false }
        var whole = JSONCursor(base, to: cell.count)
        guard whole.skipValue(), whole.finish() else { return false }
        var show = JSONShow(cursor: JSONCursor(base, to: cell.count), bytes: bytes)
        show.value(0)
        return true
    }

    private init(cursor: JSONCursor, bytes: Bytes) {
        self.cursor = cursor
        self.bytes = bytes
    }

    /// Whether a part is still shown, and not only stepped over.
    private mutating func isShown() -> Bool {
        parts += 1
        if parts == JSONShow.mostParts + 1 { bytes.append("…" as StaticString) }
        return parts <= JSONShow.mostParts
    }

    private mutating func value(_ depth: Int) {
        cursor.skipSpace()
        let start = cursor.position
        switch cursor.byte {
        case UInt8(ascii: "{") where depth < JSONShow.deepest: object(depth)
        case UInt8(ascii: "[") where depth < JSONShow.deepest: array(depth)
        case UInt8(ascii: "\""):
            let isGood = cursor.string() != nil
            if isGood { text(start + 1..<cursor.position - 1) }
        case UInt8(ascii: "n"):
            _ = cursor.scalar()
            bytes.append("–" as StaticString)
        default:
            guard cursor.skipValue() else { return }
            bytes.append(html: cursor.cell(start..<cursor.position))
        }
    }

    private func text(_ range: Range<Int>) {
        let plain = Bytes(capacity: range.count)
        JSONString.decode(cursor.base, range, into: plain)
        withExtendedLifetime(plain) { bytes.append(html: plain.filled) }
    }

    private mutating func object(_ depth: Int) {
        guard cursor.open() else { return }
        if cursor.closesAtOnce(UInt8(ascii: "}")) { return bytes.append("–" as StaticString) }
        bytes.append("<ul class=\"kv\">" as StaticString)
        repeat {
            guard let key = cursor.key() else { break }
            if isShown() {
                bytes.append("<li><b>" as StaticString)
                text(key.bytes)
                bytes.append("</b> " as StaticString)
                value(depth + 1)
                bytes.append("</li>" as StaticString)
            } else {
                guard cursor.skipValue() else { break }
            }
        } while cursor.next(inObject: true) == true
        bytes.append("</ul>" as StaticString)
    }

    private mutating func array(_ depth: Int) {
        guard cursor.open() else { return }
        if cursor.closesAtOnce(UInt8(ascii: "]")) { return bytes.append("–" as StaticString) }
        var isFirst = true
        repeat {
            if isShown() {
                if !isFirst { bytes.append(", " as StaticString) }
                value(depth + 1)
            } else {
                guard cursor.skipValue() else { break }
            }
            isFirst = false
        } while cursor.next(inObject: false) == true
    }
}
