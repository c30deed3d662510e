import CScan

/// JSON values as the row writers put them. What is not text or JSON asks for no room: the caller has reserved
/// `jsonLimit` bytes.
extension ByteCursor {
    /// Room for a number, a date or a word.
    static let jsonLimit = 64

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

    /// A value that is JSON already. A line end in it is white space, which a line of its own cannot have.
    @inline(__always)
    package mutating func put(json cell: Cell, onOneLine: Bool) {
        reserve(cell.count + ByteCursor.jsonLimit)
        guard onOneLine, let start = cell.baseAddress,
            json_line_feed(start, 0, cell.count) < cell.count || cell.contains(0x0D)
        else { return put(cell) }
        for byte in cell where byte != 0x0A && byte != 0x0D { put(byte) }
    }
}
