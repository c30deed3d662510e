/// One state of the automaton that a pattern is turned into.
enum RegexState: Sendable {
    /// Consumes a scalar of the set with this number, and continues.
    case take(set: Int32, next: Int32)
    /// Continues with both, without consuming anything.
    case split(Int32, Int32)
    /// Continues if the assertion is true at this place.
    case check(RegexAssertion, next: Int32)
    case match
}

/// What is on one side of a place, as far as assertions need it.
enum RegexSide: UInt8, Sendable {
    case end, word, lineFeed, other
}

/// A nondeterministic automaton over classes of scalars.
///
/// Source: Ken Thompson, "Regular Expression Search Algorithm" (CACM 11/6, 1968); Russ Cox, "Regular Expression Matching
/// Can Be Simple And Fast" (2007).
struct RegexAutomaton: Sendable {
    let states: [RegexState]
    let start: Int32
    let classes: ScalarClasses
    /// The side that a scalar of each class is to the assertions of this pattern; `other` if none needs it.
    let sides: [RegexSide]
    /// Whether the pattern can only be found at the beginning of a cell.
    let isAnchored: Bool

    init(_ tree: RegexTree) throws(RegexProblem) {
        var builder = RegexAutomatonBuilder()
        start = builder.add(tree, next: builder.add(.match))
        states = builder.states
        var sets = builder.sets
        let usesWords = builder.assertions.contains { $0 == .wordBoundary || $0 == .noWordBoundary }
        let usesLines = builder.assertions.contains { $0 == .lineStart || $0 == .lineEnd }
        if usesWords { sets.append(.word) }
        if usesLines { sets.append(.lineFeed) }
        guard let classes = ScalarClasses(sets) else {
            let message = "the pattern tells more than \(RegexBounds.classes) classes of characters apart"
            throw RegexProblem(message, at: 0..<1, hint: "use in_set for long lists")
        }
        self.classes = classes
        sides = (0..<classes.count).map { number in
            if usesLines, classes.isMember(number, ofSet: sets.count - 1) { return .lineFeed }
            let words = sets.count - (usesLines ? 2 : 1)
            return usesWords && classes.isMember(number, ofSet: words) ? .word : .other
        }
        isAnchored = RegexAutomaton.isAnchored(states, from: start)
    }

    /// Whether nothing is reached from `start` without passing the beginning of the text.
    private static func isAnchored(_ states: [RegexState], from start: Int32) -> Bool {
        var seen: Set<Int32> = []
        var open = [start]
        while let state = open.popLast() {
            guard seen.insert(state).inserted else { continue }
            switch states[Int(state)] {
            case .take, .match: return false
            case .split(let first, let second): open += [first, second]
            case .check(.textStart, _): break
            case .check(_, let next): open.append(next)
            }
        }
        return true
    }
}

/// Compiles a tree into states, from its end to its beginning.
private struct RegexAutomatonBuilder {
    var states: [RegexState] = []
    var sets: [ScalarSet] = []
    var assertions: [RegexAssertion] = []
    private var setNumbers: [ScalarSet: Int32] = [:]

    mutating func add(_ state: RegexState) -> Int32 {
        states.append(state)
        return Int32(states.count - 1)
    }

    /// Adds the states of `tree`, which continue with `next`, and returns the first. The parser has limited their
    /// number and the depth of the tree.
    mutating func add(_ tree: RegexTree, next: Int32) -> Int32 {
        switch tree {
        case .empty: return next
        case .set(let set): return add(.take(set: number(of: set), next: next))
        case .assertion(let assertion):
            if !assertions.contains(assertion) { assertions.append(assertion) }
            return add(.check(assertion, next: next))
        case .sequence(let parts): return parts.reversed().reduce(next) { add($1, next: $0) }
        case .choice(let branches):
            var first = add(branches[branches.count - 1], next: next)
            for branch in branches.dropLast().reversed() {
                let start = add(branch, next: next)
                first = add(.split(start, first))
            }
            return first
        case .repeated(let body, let minimum, let maximum): return repeated(body, minimum, maximum, next: next)
        }
    }

    private mutating func repeated(_ body: RegexTree, _ minimum: Int, _ maximum: Int?, next: Int32) -> Int32 {
        var first = next
        if let maximum {
            for _ in minimum..<maximum {
                let start = add(body, next: first)
                first = add(.split(start, next))
            }
        } else {
            let loop = add(.split(next, next))
            let start = add(body, next: loop)
            states[Int(loop)] = .split(start, next)
            first = loop
        }
        for _ in 0..<minimum { first = add(body, next: first) }
        return first
    }

    private mutating func number(of set: ScalarSet) -> Int32 {
        if let number = setNumbers[set] { return number }
        let number = Int32(sets.count)
        setNumbers[set] = number
        sets.append(set)
        return number
    }
}
