/// Up to eight hex digits of a colour in one machine word, tested all at once.
struct HexDigits {
    /// The digits as ASCII, the first in the lowest byte, with `0` behind the last.
    let word: UInt64
    /// The top bit of each byte that is a letter.
    let letters: UInt64
    let count: Int

    private static func every(_ byte: UInt64) -> UInt64 { 0x0101_0101_0101_0101 &* byte }

    /// Reads the `count` digits at the beginning of eight bytes, or nil if one of them is no hex digit.
    @inline(__always)
    init?(_ loaded: UInt64, count: Int) {
        let used: UInt64 = count >= 8 ? .max : (1 << UInt64(truncatingIfNeeded: count &* 8)) &- 1
        word = (loaded & used) | (Self.every(0x30) & ~used)
        self.count = count
        // With every byte below 0x80, no sum below carries into the next byte.
        let high = word & Self.every(0x80)
        let fromZero = (word ^ Self.every(0x30)) & Self.every(0x7F)
        let digits = ~(fromZero &+ Self.every(0x80 - 10))
        let fromLetter = ((word | Self.every(0x20)) ^ Self.every(0x60)) & Self.every(0x7F)
        letters = (fromLetter &+ Self.every(0x7F)) & ~(fromLetter &+ Self.every(0x80 - 7)) & Self.every(0x80)
        guard high == 0, (digits | letters) & Self.every(0x80) == Self.every(0x80) else { return nil }
    }

    // Bit 0x20 makes a letter lower case; the top bit of `letters`, shifted down by two, is at that position.
    var hasLowerCase: Bool { word & (letters >> 2) != 0 }
    var hasUpperCase: Bool { ~word & (letters >> 2) != 0 }

    /// The case of the digits A to F.
    enum LetterCase: String, OptionChoice { case keep, upper, lower }

    /// The digits in that letter case.
    @inline(__always)
    func word(in letterCase: LetterCase) -> UInt64 {
        switch letterCase {
        case .keep: word
        case .upper: word & ~(letters >> 2)
        case .lower: word | (letters >> 2)
        }
    }

    /// Red, green and blue from 0 to 255. A short form doubles each digit; alpha is ignored.
    @inline(__always)
    var channels: (red: Int, green: Int, blue: Int) {
        let nibbles = (word & Self.every(0x0F)) &+ (letters >> 7) &* 9
        if count <= 4 {
            return (Int(nibbles & 15) &* 17, Int(nibbles >> 8 & 15) &* 17, Int(nibbles >> 16 & 15) &* 17)
        }
        let pairs = nibbles << 4 | nibbles >> 8
        return (Int(pairs & 255), Int(pairs >> 16 & 255), Int(pairs >> 32 & 255))
    }
}

extension HexDigits {
    /// Reads the option with the allowed numbers of digits.
    static func readCounts(_ options: inout OptionReader) -> [Int] {
        let counts = options.read("digits", default: [6], help: "How many hex digits a colour may have: 3, 4, 6 or 8.")
        if counts.isEmpty { options.refuse("digits", "'digits': expected 3, 4, 6 or 8, found an empty list") }
        if let odd = counts.first(where: { ![3, 4, 6, 8].contains($0) }) {
            options.refuse("digits", "'digits': expected 3, 4, 6 or 8, found '\(odd)'")
        }
        return counts
    }

    /// One bit for each allowed number of digits.
    static func lengths(_ counts: [Int]) -> UInt32 {
        counts.reduce(0) { $0 | (1...8 ~= $1 ? 1 << UInt32(truncatingIfNeeded: $1) : 0) }
    }

    /// The digits of a colour, or nil unless the cell is `#` and an allowed number of hex digits.
    @inline(__always)
    init?(ofColour cell: Cell, _ lengths: UInt32) {
        let count = cell.count &- 1
        guard count >= 3, count <= 8, lengths >> UInt32(truncatingIfNeeded: count) & 1 == 1,
            cell[0] == UInt8(ascii: "#")
        else { return nil }
        self.init(cell.word(at: 1), count: count)
    }

    /// The digits of a colour in an option. Not for row loops.
    init?(ofColour text: Bytes, _ counts: [Int]) {
        self.init(ofColour: text.filled, Self.lengths(counts))
        withExtendedLifetime(text) {}
    }

    /// `6`, `3 or 6`, or `3, 4 or 6`.
    static func displayText(_ counts: [Int]) -> String {
        let words = counts.map(String.init)
        guard words.count > 1 else { return words.first ?? "" }
        return words.dropLast().joined(separator: ", ") + " or " + words[words.count - 1]
    }
}

/// Whether text on a colour is easier to read in black or in white.
///
/// Source: W3C, "Web Content Accessibility Guidelines 2.2", definitions of relative luminance and contrast ratio.
enum ReadableText {
    /// Linear light of the 256 values of an sRGB channel.
    ///
    /// The fifth root is found by Newton's method: only basic arithmetic, so every machine gets the same bits.
    static let linear: [Double] = (0...255).map { value in
        let part = Double(value) / 255
        if part <= 0.04045 { return part / 12.92 }
        let base = (part + 0.055) / 1.055
        let square = base * base
        var root = 1.0
        for _ in 0..<64 { root = (4 * root + square / (root * root * root * root)) / 5 }
        return square * root
    }

    /// Black where the contrast (L + 0.05) / 0.05 is at least that of white, 1.05 / (L + 0.05).
    @inline(__always)
    static func isBlack(on colour: HexDigits, _ linear: Span<Double>) -> Bool {
        let (red, green, blue) = colour.channels
        let luminance = 0.2126 * linear[red] + 0.7152 * linear[green] + 0.0722 * linear[blue]
        return (luminance + 0.05) * (luminance + 0.05) >= 1.05 * 0.05
    }
}
