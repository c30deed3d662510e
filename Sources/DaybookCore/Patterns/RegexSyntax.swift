/// A pattern as a tree.
indirect enum RegexTree: Sendable {
    case empty
    case set(ScalarSet)
    case assertion(RegexAssertion)
    case sequence([RegexTree])
    case choice([RegexTree])
    /// At least `minimum` times, at most `maximum`, or without end where that is nil. As only the answer counts, and not
    /// where it was found, a lazy repetition is the same as a greedy one.
    case repeated(RegexTree, minimum: Int, maximum: Int?)
}

/// Something that a place between two scalars must be.
enum RegexAssertion: Sendable {
    case textStart, textEnd, lineStart, lineEnd, wordBoundary, noWordBoundary

    /// Whether it depends on what comes next, and not only on what has been.
    var looksAhead: Bool { self != .textStart && self != .lineStart }
}

/// What a pattern means where it does not say otherwise, set by `(?i)` and the like.
struct RegexFlags: Sendable {
    /// `i`: letters match in upper and lower case.
    var ignoresCase = false
    /// `s`: the dot matches a line feed.
    var dotMatchesLineFeed = false
    /// `m`: `^` and `$` also match at line feeds inside the text.
    var anchorsMatchAtLines = false
}

/// What cannot be made of a pattern, in words for the person who wrote it.
struct RegexProblem: Error, Hashable {
    var message: String
    /// The characters of the pattern that it is about.
    var scalars: Range<Int>
    var hint: String?

    init(_ message: String, at scalars: Range<Int>, hint: String? = nil) {
        self.message = message
        self.scalars = scalars
        self.hint = hint
    }
}

/// What keeps the time and the memory of compiling bounded, however hostile the pattern.
enum RegexBounds {
    /// Characters in a pattern.
    static let characters = 10_000
    /// Groups inside one another.
    static let depth = 100
    /// The highest number in `{m,n}`.
    static let count = 1_000
    /// States of the automaton, of which repetitions make copies.
    static let states = 10_000
    /// Classes of scalars that a pattern tells apart.
    static let classes = 4_096
    /// Rows of a table, and the elements of all of them, of four bytes each. Where they do not suffice, the automaton is
    /// followed state by state, and so it is where building the table takes more steps than this.
    static let rows = 4_096
    static let elements = 1 << 18
    static let steps = 1 << 19
    /// States of an automaton that is followed state by state: each may cost a step for each scalar of a cell.
    static let followed = 250
    /// So many of them are not worth a word.
    static let cheap = 50
}
