/// The no-break spaces U+00A0 and U+202F. ICU 72 and later write them into dates, as in `11:37 AM`, and to a reader they
/// look like plain spaces; so dates are read with either as with plain ones.
enum NoBreakSpace {
    /// How many bytes of a no-break space stand at `place`, or 0 for anything else. No other character has these bytes.
    @inline(__always)
    private static func length(at place: Int, of text: Cell) -> Int {
        switch text[place] {
        case 0xC2 where place &+ 1 < text.count && text[place &+ 1] == 0xA0: 2
        case 0xE2 where place &+ 2 < text.count && text[place &+ 1] == 0x80 && text[place &+ 2] == 0xAF: 3
        default: 0
        }
    }

    static func occurs(in text: Cell) -> Bool {
        for place in 0..<text.count where length(at: place, of: text) > 0 { return true }
        return false
    }

    /// Hands the text over with plain spaces in place of no-break ones.
    static func folding<Result>(_ text: Cell, _ body: (Cell) -> Result) -> Result {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: max(1, text.count)) { folded in
            var count = 0
            var place = 0
            while place < text.count {
                let length = length(at: place, of: text)
                folded.initializeElement(at: count, to: length > 0 ? UInt8(ascii: " ") : text[place])
                count &+= 1
                place &+= max(1, length)
            }
            return body(Cell(rebasing: Cell(folded)[..<count]))
        }
    }

    static func folding(_ bytes: [UInt8]) -> [UInt8] {
        bytes.withUnsafeBufferPointer { text in occurs(in: text) ? folding(text) { Array($0) } : bytes }
    }
}

extension PatternPiece {
    /// The piece as texts are read by it: where a pattern has a no-break space, it means a space too.
    var withPlainSpaces: PatternPiece {
        if case .literal(let bytes) = self { .literal(NoBreakSpace.folding(bytes)) } else { self }
    }
}
