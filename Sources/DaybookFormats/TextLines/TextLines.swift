/// The lines of a text, one after another.
package struct TextLines {
    private let text: Cell
    private let returnsEnd: Bool
    /// Where the next line begins.
    package private(set) var position: Int

    package init(_ text: Cell, from position: Int = 0, lineEnd: LineEnd) {
        self.text = text
        self.position = position
        returnsEnd = lineEnd == .carriageReturn
    }

    /// The next line without what ends it, and where the one behind it begins; nil when there is none.
    package mutating func next() -> (content: Range<Int>, end: Int)? {
        let start = position
        guard start < text.count else { return nil }
        var stop = text.place(of: 0x0A, from: start) ?? text.count
        if returnsEnd, let found = Cell(rebasing: text[start..<stop]).place(of: 0x0D) { stop = start + found }
        position = min(stop + 1, text.count)
        if stop < text.count, text[stop] == 0x0D {
            if position < text.count, text[position] == 0x0A { position += 1 }
        } else if stop > start, text[stop - 1] == 0x0D {
            stop -= 1
        }
        return (start..<stop, position)
    }
}
