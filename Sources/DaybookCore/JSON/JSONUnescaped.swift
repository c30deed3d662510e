/// A text with its JSON escapes read, and where in the text each part of it stands.
///
/// The text may be anything: what is no escape, or half of one, stays as it is.
package struct JSONUnescaped {
    package private(set) var bytes: [UInt8] = []
    /// By byte, where in the text begins what it was read from; and at last where the text ends.
    private var starts: [Int] = []

    /// Nil for a text without an escape.
    package init?(_ text: Cell) {
        guard let base = text.baseAddress, memchr(base, Int32(UInt8(ascii: "\\")), text.count) != nil
        else { return nil }
        bytes.reserveCapacity(text.count)
        starts.reserveCapacity(text.count + 1)
        var hasEscape = false
        var place = 0
        while place < text.count {
            if let escape = JSONString.escape(base, at: place, text.count) {
                for byte in escape.scalar.utf8 { append(byte, from: place) }
                place += escape.length
                hasEscape = true
            } else {
                append(base[place], from: place)
                place += 1
            }
        }
        guard hasEscape else { return nil }
        starts.append(text.count)
    }

    private mutating func append(_ byte: UInt8, from place: Int) {
        bytes.append(byte)
        starts.append(place)
    }

    /// Where a part of `bytes`, of whole characters, stands in the text.
    package func stretch(of part: Range<Int>) -> Range<Int> { starts[part.lowerBound]..<starts[part.upperBound] }
}
