import DaybookBytes

/// What the texts of a column have in common, letter by letter: capitals, small letters, digits, and the same sign at the same place.
///
/// Only texts of ASCII without blanks have a shape.
struct TextShape: Sendable, Hashable {
    /// What stands at a place, in all texts.
    private struct Letters: OptionSet, Hashable {
        let rawValue: UInt8
        static let digits = Letters(rawValue: 1)
        static let small = Letters(rawValue: 2)
        static let capitals = Letters(rawValue: 4)
        static let signs = Letters(rawValue: 8)

        static func of(_ byte: UInt8) -> Letters {
            switch byte {
            case 48...57: .digits
            case 97...122: .small
            case 65...90: .capitals
            default: .signs
            }
        }
    }

    /// By place, while all texts have the same length.
    private var letters: [Letters] = []
    /// The first text.
    private var first: [UInt8] = []
    private var all: Letters = []
    private var hasShape = true
    private var hasOneLength = true
    private(set) var hasBlanks = false

    private static let longest = 40

    @inline(__always)
    mutating func add(_ cell: Cell) {
        if hasShape { addShape(cell) } else if !hasBlanks { hasBlanks = cell.contains(32) }
    }

    private mutating func addShape(_ cell: Cell) {
        hasBlanks = hasBlanks || cell.contains(32)
        guard !cell.isEmpty, cell.count <= TextShape.longest, cell.allSatisfy({ $0 > 32 && $0 < 127 }) else {
            hasShape = false
            return
        }
        if first.isEmpty {
            first = Array(cell)
            letters = cell.map(Letters.of)
            all = letters.reduce(into: []) { $0.formUnion($1) }
            return
        }
        hasOneLength = hasOneLength && cell.count == first.count
        for (place, byte) in cell.enumerated() {
            let letter = Letters.of(byte)
            all.formUnion(letter)
            guard hasOneLength else { continue }
            letters[place].formUnion(letter)
            // Two signs at one place, or a sign and a letter, are no shape.
            if letters[place].contains(.signs), byte != first[place] { hasOneLength = false }
        }
    }

    mutating func merge(_ later: TextShape) {
        hasBlanks = hasBlanks || later.hasBlanks
        hasShape = hasShape && later.hasShape
        guard hasShape, !later.first.isEmpty else { return }
        guard !first.isEmpty else {
            self = later
            return
        }
        all.formUnion(later.all)
        hasOneLength = hasOneLength && later.hasOneLength && first.count == later.first.count
        guard hasOneLength else { return }
        for place in letters.indices {
            letters[place].formUnion(later.letters[place])
            if letters[place].contains(.signs), first[place] != later.first[place] { hasOneLength = false }
        }
    }

    /// A pattern that all texts match: `^[A-Z]{2}-[0-9]{4}$`, or of several lengths `^[A-Z]+$`; nil if they say too little.
    var pattern: String? {
        guard hasShape, !first.isEmpty else { return nil }
        guard hasOneLength, first.count > 1 else {
            let isPlain = [.digits, .capitals, [.digits, .capitals]].contains(all)
            return isPlain && !hasOneLength ? "^\(TextShape.set(all))+$" : nil
        }
        var pattern = ""
        var place = 0
        while place < letters.count {
            let end = letters[place...].firstIndex { $0 != letters[place] } ?? letters.count
            if letters[place] == .signs {
                for byte in first[place..<end] { pattern += TextShape.literal(byte) }
            } else {
                pattern += TextShape.set(letters[place]) + (end - place > 1 ? "{\(end - place)}" : "")
            }
            place = end
        }
        return "^\(pattern)$"
    }

    private static func set(_ letters: Letters) -> String {
        let ranges = [(Letters.capitals, "A-Z"), (.small, "a-z"), (.digits, "0-9")]
        return "[" + ranges.filter { letters.contains($0.0) }.map(\.1).joined() + "]"
    }

    private static func literal(_ byte: UInt8) -> String {
        let sign = String(UnicodeScalar(byte))
        return "\\^$.|?*+()[]{}".contains(sign) ? "\\\(sign)" : sign
    }
}
