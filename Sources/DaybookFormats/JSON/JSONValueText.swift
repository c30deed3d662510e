import CScan
import DaybookCore

/// JSON values as the row writers put them. What is not text or JSON asks for no room: the caller has reserved
/// `jsonRoom` bytes.
extension ByteCursor {
    /// Room for a number, a date or a word.
    static let jsonRoom = 64

    @inline(__always)
    package mutating func put(word: StaticString) {
        put(Cell(start: word.utf8Start, count: word.utf8CodeUnitCount))
    }

    @inline(__always)
    package mutating func put(isoDay day: Int32) {
        put(UInt8(ascii: "\""))
        next += ISOText.write(day: day, to: next)
        put(UInt8(ascii: "\""))
    }

    @inline(__always)
    package mutating func put(isoInstant instant: Int64) {
        put(UInt8(ascii: "\""))
        next += ISOText.write(instant: instant, to: next)
        put(UInt8(ascii: "\""))
    }

    @inline(__always)
    package mutating func put(jsonString cell: Cell) {
        // Every byte may need six, and vector stores run past what is written.
        reserve(6 * cell.count + ByteCursor.jsonRoom)
        put(UInt8(ascii: "\""))
        if let start = cell.baseAddress {
            var done = json_copy_plain(next, start, cell.count)
            next += done
            while done < cell.count {
                putEscape(of: start[done])
                done += 1
                let more = json_copy_plain(next, start + done, cell.count - done)
                next += more
                done += more
            }
        }
        put(UInt8(ascii: "\""))
    }

    @inline(never)
    private mutating func putEscape(of byte: UInt8) {
        put(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): put(byte)
        case 8: put(UInt8(ascii: "b"))
        case 9: put(UInt8(ascii: "t"))
        case 10: put(UInt8(ascii: "n"))
        case 12: put(UInt8(ascii: "f"))
        case 13: put(UInt8(ascii: "r"))
        default:
            put(word: "u00")
            put(byte < 16 ? 48 : 49)
            put(byte & 15 < 10 ? byte & 15 + 48 : byte & 15 + 87)
        }
    }

    /// A value that is JSON already. A line end in it is white space, which a line of its own cannot have.
    @inline(__always)
    package mutating func put(json cell: Cell, onOneLine: Bool) {
        reserve(cell.count + ByteCursor.jsonRoom)
        guard onOneLine, let start = cell.baseAddress, hasLineEnd(start, cell.count) else { return put(cell) }
        for byte in cell where byte != 0x0A && byte != 0x0D { put(byte) }
    }

    private func hasLineEnd(_ start: UnsafePointer<UInt8>, _ count: Int) -> Bool {
        json_line_feed(start, 0, count) < count || UnsafeBufferPointer(start: start, count: count).contains(0x0D)
    }
}
