/// Changes of some places of a text, which leave all other bytes as they are.
struct TextEdits {
    private var edits: [(bytes: Range<Int>, text: String)] = []

    var isEmpty: Bool { edits.isEmpty }

    /// Puts `text` in the place of `bytes`. Of two insertions at one place, the first stands first.
    mutating func replace(_ bytes: Range<Int>, by text: String) { edits.append((bytes, text)) }

    mutating func insert(_ text: String, at byte: Int) { edits.append((byte..<byte, text)) }

    mutating func add(_ other: TextEdits) { edits += other.edits }

    /// The text with all changes; nil when two of them overlap.
    func applied(to bytes: [UInt8]) -> [UInt8]? {
        let sorted = edits.enumerated().sorted {
            ($0.element.bytes.lowerBound, $0.element.bytes.upperBound, $0.offset)
                < ($1.element.bytes.lowerBound, $1.element.bytes.upperBound, $1.offset)
        }.map(\.element)
        var result: [UInt8] = []
        var done = 0
        for edit in sorted {
            guard edit.bytes.lowerBound >= done, edit.bytes.upperBound <= bytes.count else { return nil }
            result += bytes[done..<edit.bytes.lowerBound]
            result += edit.text.utf8
            done = edit.bytes.upperBound
        }
        return result + bytes[done...]
    }
}
