/// A random pattern that says itself what it matches, without a parser and without an automaton.
///
/// From a place in a text it gives all places where the pattern can end. That is slow and plain, and so a second opinion.
indirect enum PatternSample {
    case literal(Unicode.Scalar)
    case dot
    case members([Unicode.Scalar], isNegated: Bool)
    case digit, word, space
    case textStart, textEnd, boundary, noBoundary
    case sequence([PatternSample])
    case choice([PatternSample])
    case repeated(PatternSample, minimum: Int, maximum: Int?, isLazy: Bool)
    case ignoringCase(PatternSample)

    static let alphabet: [Unicode.Scalar] = ["a", "b", "A", "é", "É", "1", "_", " ", "-", "가", "각", "😀"]

    static func random(depth: Int, using random: inout some RandomNumberGenerator) -> PatternSample {
        if depth > 0, Int.random(in: 0..<10, using: &random) < 7 {
            func parts(_ count: ClosedRange<Int>, _ random: inout some RandomNumberGenerator) -> [PatternSample] {
                let count = Int.random(in: count, using: &random)
                return (0..<count).map { _ in PatternSample.random(depth: depth - 1, using: &random) }
            }
            switch Int.random(in: 0..<8, using: &random) {
            case 0...3: return .sequence(parts(1...4, &random))
            case 4...5: return .choice(parts(1...3, &random))
            case 6:
                let minimum = Int.random(in: 0...2, using: &random)
                let maximum = Bool.random(using: &random) ? nil : minimum + Int.random(in: 0...2, using: &random)
                let body = PatternSample.random(depth: depth - 1, using: &random)
                return .repeated(body, minimum: minimum, maximum: maximum, isLazy: Bool.random(using: &random))
            default: return .ignoringCase(PatternSample.random(depth: depth - 1, using: &random))
            }
        }
        switch Int.random(in: 0..<16, using: &random) {
        case 0: return .dot
        case 1...2:
            let members = (0...Int.random(in: 0...2, using: &random)).map { _ in alphabet.randomElement(using: &random)!
            }
            return .members(members, isNegated: Bool.random(using: &random))
        case 3: return .digit
        case 4: return .word
        case 5: return .space
        case 6: return .textStart
        case 7: return .textEnd
        case 8: return .boundary
        case 9: return .noBoundary
        default: return .literal(alphabet.randomElement(using: &random)!)
        }
    }

    /// How the pattern is written.
    var written: String {
        func escaped(_ scalar: Unicode.Scalar) -> String { scalar == "-" ? #"\-"# : String(scalar) }
        switch self {
        case .literal(let scalar): return escaped(scalar)
        case .dot: return "."
        case .members(let members, let isNegated): return "[\(isNegated ? "^" : "")\(members.map(escaped).joined())]"
        case .digit: return #"\d"#
        case .word: return #"\w"#
        case .space: return #"\s"#
        case .textStart: return "^"
        case .textEnd: return "$"
        case .boundary: return #"\b"#
        case .noBoundary: return #"\B"#
        case .sequence(let parts): return parts.map(\.written).joined()
        case .choice(let parts): return "(?:\(parts.map(\.written).joined(separator: "|")))"
        case .repeated(let body, let minimum, let maximum, let isLazy):
            let count =
                switch (minimum, maximum) {
                case (0, nil): "*"
                case (1, nil): "+"
                case (0, 1): "?"
                case (_, nil): "{\(minimum),}"
                case (_, let maximum?): minimum == maximum ? "{\(minimum)}" : "{\(minimum),\(maximum)}"
                }
            return "(\(body.written))\(count)\(isLazy ? "?" : "")"
        case .ignoringCase(let body): return "(?i:\(body.written))"
        }
    }

    func isFound(in text: [Unicode.Scalar]) -> Bool {
        (0...text.count).contains { !ends(in: text, from: $0, ignoresCase: false).isEmpty }
    }

    private func ends(in text: [Unicode.Scalar], from start: Int, ignoresCase: Bool) -> Set<Int> {
        func take(_ isMember: (Unicode.Scalar) -> Bool) -> Set<Int> {
            start < text.count && isMember(text[start]) ? [start + 1] : []
        }
        func isWord(_ place: Int) -> Bool {
            text.indices.contains(place)
                && (text[place] == "_" || text[place] == "1" || text[place].properties.isAlphabetic)
        }
        func folded(_ scalar: Unicode.Scalar) -> String {
            ignoresCase ? scalar.properties.lowercaseMapping : String(scalar)
        }
        switch self {
        case .literal(let scalar): return take { folded($0) == folded(scalar) }
        case .dot: return take { _ in true }
        case .members(let members, let isNegated):
            return take { scalar in members.contains { folded($0) == folded(scalar) } != isNegated }
        case .digit: return take { $0 == "1" }
        case .word: return take { _ in isWord(start) }
        case .space: return take { $0 == " " }
        case .textStart: return start == 0 ? [start] : []
        case .textEnd: return start == text.count ? [start] : []
        case .boundary: return isWord(start - 1) != isWord(start) ? [start] : []
        case .noBoundary: return isWord(start - 1) == isWord(start) ? [start] : []
        case .sequence(let parts):
            return parts.reduce([start]) { places, part in
                Set(places.flatMap { part.ends(in: text, from: $0, ignoresCase: ignoresCase) })
            }
        case .choice(let parts):
            return Set(parts.flatMap { $0.ends(in: text, from: start, ignoresCase: ignoresCase) })
        case .repeated(let body, let minimum, let maximum, _):
            var places: Set<Int> = [start]
            var found: Set<Int> = minimum == 0 ? [start] : []
            // Past the length of the text, a further round adds nothing but empty ones.
            for round in 1..<max((maximum ?? minimum + text.count + 1) + 1, 1) {
                places = Set(places.flatMap { body.ends(in: text, from: $0, ignoresCase: ignoresCase) })
                if round >= minimum { found.formUnion(places) }
            }
            return found
        case .ignoringCase(let body): return body.ends(in: text, from: start, ignoresCase: true)
        }
    }
}
