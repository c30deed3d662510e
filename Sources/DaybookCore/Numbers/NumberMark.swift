/// A mark between the digits of a number, which groups them or begins the decimals.
public enum NumberMark: UInt8, Sendable, Hashable, BitwiseCopyable, CaseIterable {
    case point, comma
    /// `'`, or the typographic U+2019.
    case apostrophe
    /// A space, also one that does not break (U+00A0, U+202F) or is thin (U+2009).
    case space
    case underscore

    /// How many bytes the mark has at a place, or 0 where another character stands.
    @inlinable
    @inline(__always)
    package func length(at place: Int, of cell: Cell) -> Int {
        guard place < cell.count else { return 0 }
        let byte = cell[place]
        switch self {
        case .point: return byte == UInt8(ascii: ".") ? 1 : 0
        case .comma: return byte == UInt8(ascii: ",") ? 1 : 0
        case .underscore: return byte == UInt8(ascii: "_") ? 1 : 0
        case .apostrophe: return byte == UInt8(ascii: "'") ? 1 : NumberMark.isWide(0x99, at: place, of: cell) ? 3 : 0
        case .space: return byte == UInt8(ascii: " ") ? 1 : NumberMark.wideSpace(at: place, of: cell)
        }
    }

    @inlinable
    static func wideSpace(at place: Int, of cell: Cell) -> Int {
        if cell[place] == 0xC2 { return place &+ 1 < cell.count && cell[place &+ 1] == 0xA0 ? 2 : 0 }
        return isWide(0xAF, at: place, of: cell) || isWide(0x89, at: place, of: cell) ? 3 : 0
    }

    /// Whether a character of general punctuation (U+2000 and on) stands there, by the last of its three bytes.
    @inlinable
    @inline(__always)
    static func isWide(_ last: UInt8, at place: Int, of cell: Cell) -> Bool {
        cell[place] == 0xE2 && place &+ 2 < cell.count && cell[place &+ 1] == 0x80 && cell[place &+ 2] == last
    }

    /// The mark at a place, whichever it is, and its bytes.
    package static func found(at place: Int, of cell: Cell) -> (mark: NumberMark, length: Int)? {
        for mark in allCases {
            let length = mark.length(at: place, of: cell)
            if length > 0 { return (mark, length) }
        }
        return nil
    }

    /// As a job writes it.
    package var text: String {
        switch self {
        case .point: "."
        case .comma: ","
        case .apostrophe: "'"
        case .space: " "
        case .underscore: "_"
        }
    }

    /// The mark that a text is; nil for any other text.
    init?(_ text: String) {
        switch text {
        case ".": self = .point
        case ",": self = .comma
        case "'", "\u{2019}": self = .apostrophe
        case " ", "\u{A0}", "\u{202F}", "\u{2009}": self = .space
        case "_": self = .underscore
        default: return nil
        }
    }
}
