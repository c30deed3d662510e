/// Parses a pattern into a tree, or reports what is not supported and what to write instead.
///
/// The syntax is what Perl, Python, ICU and RE2 have in common. Constructs that they read differently are refused, and
/// so are constructs that no automaton can find.
struct RegexParser {
    /// A part of the tree, and how many states its automaton will have.
    struct Part {
        var tree: RegexTree
        var states: Int
    }

    let scalars: [Unicode.Scalar]
    var position = 0
    var flags = RegexFlags()
    private var depth = 0

    static func tree(of pattern: String) throws(RegexProblem) -> RegexTree {
        var parser = RegexParser(scalars: Array(pattern.unicodeScalars.prefix(RegexBounds.characters + 1)))
        guard parser.scalars.count <= RegexBounds.characters else {
            let message = "the pattern has more than \(RegexBounds.characters.displayText) characters"
            throw RegexProblem(message, at: RegexBounds.characters..<RegexBounds.characters + 1)
        }
        guard !parser.scalars.isEmpty else {
            throw RegexProblem("the pattern is empty and would match every cell", at: 0..<1)
        }
        let part = try parser.choice()
        if parser.peek == ")" {
            throw parser.problem("no group is open that this could close", hint: #"write \) for the character itself"#)
        }
        return part.tree
    }

    private init(scalars: [Unicode.Scalar]) { self.scalars = scalars }

    // MARK: Reading characters

    var peek: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }
    func peek(_ ahead: Int) -> Unicode.Scalar? { position + ahead < scalars.count ? scalars[position + ahead] : nil }

    /// Whether the rest of the pattern begins with `text`.
    func goesOn(with text: String) -> Bool {
        scalars[min(position, scalars.count)...].starts(with: text.unicodeScalars)
    }

    /// Steps over `text` if the rest of the pattern begins with it.
    mutating func take(_ text: String) -> Bool {
        guard goesOn(with: text) else { return false }
        position += text.unicodeScalars.count
        return true
    }

    /// A problem with the characters from `start`, or with those from here on.
    func problem(_ message: String, from start: Int? = nil, length: Int? = nil, hint: String? = nil) -> RegexProblem {
        let start = start ?? position
        return RegexProblem(message, at: start..<max(start + (length ?? 1), length == nil ? position : 0), hint: hint)
    }

    // MARK: The tree

    private mutating func choice() throws(RegexProblem) -> Part {
        var branches = [try sequence()]
        while take("|") { branches.append(try sequence()) }
        guard branches.count > 1 else { return branches[0] }
        let states = branches.reduce(branches.count) { $0 + $1.states }
        return Part(tree: .choice(branches.map(\.tree)), states: states)
    }

    private mutating func sequence() throws(RegexProblem) -> Part {
        var parts: [RegexTree] = []
        var states = 0
        while let next = peek, next != "|", next != ")" {
            let start = position
            var part = try atom()
            part = try repeated(part, from: start)
            states += part.states
            guard states <= RegexBounds.states else { throw tooLarge(from: start) }
            if case .empty = part.tree { continue }
            parts.append(part.tree)
        }
        return parts.count == 1
            ? Part(tree: parts[0], states: states)
            : Part(tree: parts.isEmpty ? .empty : .sequence(parts), states: max(states, 1))
    }

    private mutating func atom() throws(RegexProblem) -> Part {
        guard let scalar = peek else { return Part(tree: .empty, states: 1) }
        let tree: RegexTree
        switch scalar {
        case "(": return try group()
        case "[": return Part(tree: .set(try bracketClass()), states: 1)
        case "\\": return Part(tree: try escape(), states: 1)
        case ".": tree = .set(flags.dotMatchesLineFeed ? .all : .allButLineFeed)
        case "^": tree = .assertion(flags.anchorsMatchAtLines ? .lineStart : .textStart)
        case "$": tree = .assertion(flags.anchorsMatchAtLines ? .lineEnd : .textEnd)
        case "*", "+", "?", "{":
            let hint = "write \\\(scalar) for the character itself"
            throw problem("nothing stands before '\(scalar)' that it could repeat", hint: hint)
        default: tree = .set(literal(scalar))
        }
        position += 1
        return Part(tree: tree, states: 1)
    }

    /// The set of one character, or of its upper and lower case.
    func literal(_ scalar: Unicode.Scalar) -> ScalarSet {
        let set = ScalarSet([scalar.value...scalar.value])
        return flags.ignoresCase ? set.ignoringCase : set
    }

    private mutating func group() throws(RegexProblem) -> Part {
        let start = position
        let outer = flags
        position += 1
        if peek == "?" {
            guard try groupOpening(from: start) else { return Part(tree: .empty, states: 0) }
        } else if peek == "*" {
            throw problem("verbs such as (*FAIL) are not supported", from: start)
        }
        depth += 1
        guard depth <= RegexBounds.depth else {
            throw problem("more than \(RegexBounds.depth) groups stand in one another here", from: start)
        }
        let part = try choice()
        guard take(")") else {
            let hint = #"write \( for the character itself"#
            throw problem("the group is never closed", from: start, length: 1, hint: hint)
        }
        depth -= 1
        flags = outer
        return part
    }

    private func tooLarge(from start: Int) -> RegexProblem {
        problem(
            "the pattern grows to more than \(RegexBounds.states.displayText) states here",
            from: start,
            hint:
                "a counted repetition stands for as many copies; use * or +, or smaller counts, and in_set for long lists"
        )
    }

    // MARK: Repetition

    private mutating func repeated(_ part: Part, from start: Int) throws(RegexProblem) -> Part {
        let mark = position
        guard let (minimum, maximum) = try quantifier() else { return part }
        if case .assertion = part.tree, scalars[start] != "(" {
            throw problem("an anchor cannot be repeated", from: start, hint: "leave out the repetition")
        }
        if peek == "?" {
            position += 1
        } else if peek == "+" {
            position += 1
            let hint = "leave out the +: nothing backtracks here, so it would only change what is found"
            throw problem("possessive repetition is not supported", from: mark, hint: hint)
        }
        if let next = peek, next == "*" || next == "+" || next == "?" || (next == "{" && isCount) {
            throw problem("a repetition is repeated", hint: "put the inner one into a group: (?:a*)?")
        }
        // Copies that hold nothing cost time too, so a part never counts for less than one state.
        let one = max(part.states, 1)
        let states = one * minimum + (one + 1) * (maximum.map { $0 - minimum } ?? 1)
        guard states <= RegexBounds.states else { throw tooLarge(from: start) }
        return Part(tree: .repeated(part.tree, minimum: minimum, maximum: maximum), states: states)
    }

    private mutating func quantifier() throws(RegexProblem) -> (minimum: Int, maximum: Int?)? {
        if peek == "{" { return try count() }
        guard let bounds = peek.flatMap({ RegexParser.quantifiers[$0] }) else { return nil }
        position += 1
        return bounds
    }

    private static let quantifiers: [Unicode.Scalar: (Int, Int?)] = ["*": (0, nil), "+": (1, nil), "?": (0, 1)]

    /// Whether the brace here opens a count such as `{2,3}`.
    private var isCount: Bool {
        var ahead = 1
        while let next = peek(ahead), next == "," || RegexParser.isDigit(next) { ahead += 1 }
        return ahead > 1 && peek(ahead) == "}"
    }

    private mutating func count() throws(RegexProblem) -> (Int, Int?) {
        let start = position
        guard isCount else {
            let hint = #"write \{ for the character itself"#
            throw problem("'{' does not begin a count such as {2} or {2,3}", hint: hint)
        }
        position += 1
        let first = try number(from: start)
        var last = first
        if take(",") { last = try number(from: start) }
        let isRange = scalars[position - 1] == ","
        guard take("}"), let minimum = first else {
            throw problem("a count begins with a number", from: start, hint: "write {0,3} for at most 3")
        }
        if isRange { return (minimum, nil) }
        guard let maximum = last, minimum <= maximum else {
            throw problem("the count's first number is larger than its second", from: start)
        }
        return (minimum, maximum)
    }

    private mutating func number(from start: Int) throws(RegexProblem) -> Int? {
        var value: Int?
        while let digit = peek, RegexParser.isDigit(digit) {
            value = (value ?? 0) * 10 + Int(digit.value - 48)
            position += 1
            guard value ?? 0 <= RegexBounds.count else {
                let hint = "use * or +, or a rule that checks the length"
                throw problem("a count can be \(RegexBounds.count.displayText) at most", from: start, hint: hint)
            }
        }
        return value
    }

    static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }
}

extension RegexParser {
    /// Reads what follows `(?` and returns whether a group opens; `(?i)` opens none. The place is behind the `(`.
    mutating func groupOpening(from start: Int) throws(RegexProblem) -> Bool {
        position += 1
        if take(":") { return true }
        for (mark, name, hint) in RegexParser.unsupportedGroups where goesOn(with: mark) {
            throw problem("\(name) is not supported", from: start, length: mark.unicodeScalars.count + 2, hint: hint)
        }
        if take("P<") || take("<") { return try groupName(from: start) }
        return try flagSetting(from: start)
    }

    private static let twoRules =
        "no automaton finds it in linear time; write two patterns, one for what must be there and one for what must not"

    private static let unsupportedGroups: [(mark: String, name: String, hint: String)] = [
        ("=", "look-ahead", twoRules), ("!", "negative look-ahead", twoRules), ("<=", "look-behind", twoRules),
        ("<!", "negative look-behind", twoRules),
        (">", "an atomic group", "write (?:…): nothing backtracks here"),
        ("#", "a comment", "leave it out, or write it beside the pattern as a comment of the job file"),
        ("P=", "a backreference", backreferenceHint), ("P>", "recursion", "write the repeated part out"),
        ("&", "recursion", "write the repeated part out"), ("R", "recursion", "write the repeated part out"),
        ("(", "a condition", "write both cases with | between them"),
        ("|", "a branch reset", "write (?:…|…)"), ("'", "a quoted group name", "write (?<name>…)"),
    ]

    static let backreferenceHint =
        "no automaton finds it in linear time; compare two columns with an expression instead"

    /// Reads the rest of `(?<name>`. Group names are parsed but never used.
    private mutating func groupName(from start: Int) throws(RegexProblem) -> Bool {
        let nameStart = position
        while let next = peek, next == "_" || next.properties.isAlphabetic || RegexParser.isDigit(next) {
            position += 1
        }
        guard position > nameStart, take(">") else {
            throw problem("the name of the group does not end with '>'", from: start, hint: "write (?<name>…), or (…)")
        }
        return true
    }

    /// Reads the rest of `(?i)` or `(?i-s:`.
    private mutating func flagSetting(from start: Int) throws(RegexProblem) -> Bool {
        var isOn = true
        while let next = peek {
            switch next {
            case "i": flags.ignoresCase = isOn
            case "s": flags.dotMatchesLineFeed = isOn
            case "m": flags.anchorsMatchAtLines = isOn
            case "-" where isOn: isOn = false
            case ")", ":":
                position += 1
                guard position > start + 3 else { throw unknownGroup(from: start) }
                return next == ":"
            case "x":
                throw problem("the flag x is not supported", hint: "write the pattern without spaces and comments")
            case "u", "U":
                let hint = #"leave it out: \w, \s, \b and (?i) know all of Unicode"#
                throw problem("the flag \(next) is not supported", hint: hint)
            default: throw unknownGroup(from: start)
            }
            position += 1
        }
        throw problem("the group is never closed", from: start, length: 1, hint: #"write \( for the character itself"#)
    }

    private func unknownGroup(from start: Int) -> RegexProblem {
        problem(
            "this kind of group is not supported",
            from: start,
            length: 3,
            hint: "there are (…), (?:…), (?<name>…) and the flags (?i), (?s) and (?m)"
        )
    }
}

/// A pattern as a tree.
indirect enum RegexTree: Sendable {
    case empty
    case set(ScalarSet)
    case assertion(RegexAssertion)
    case sequence([RegexTree])
    case choice([RegexTree])
    /// At least `minimum` times, at most `maximum`, or without limit if that is nil. Only whether there is a match
    /// counts, not where, so a lazy repetition is the same as a greedy one.
    case repeated(RegexTree, minimum: Int, maximum: Int?)
}

/// Something that a place between two scalars must be.
enum RegexAssertion: Sendable {
    case textStart, textEnd, lineStart, lineEnd, wordBoundary, noWordBoundary

    /// Whether it depends on the next scalar, and not only on earlier ones.
    var looksAhead: Bool { self != .textStart && self != .lineStart }
}

/// The default meaning of a pattern, changed by `(?i)` and the like.
struct RegexFlags: Sendable {
    /// `i`: letters match in upper and lower case.
    var ignoresCase = false
    /// `s`: the dot matches a line feed.
    var dotMatchesLineFeed = false
    /// `m`: `^` and `$` also match at line feeds inside the text.
    var anchorsMatchAtLines = false
}

/// The mistake in a pattern, in words for the person who wrote it.
struct RegexProblem: Error, Hashable {
    var message: String
    /// The characters of the pattern that it is about.
    var scalars: Range<Int>
    var hint: String?

    init(_ message: String, at scalars: Range<Int>, hint: String? = nil) {
        (self.message, self.scalars, self.hint) = (message, scalars, hint)
    }
}

/// Limits on the time and the memory of compiling, however hostile the pattern.
enum RegexBounds {
    /// Characters in a pattern.
    static let characters = 10_000
    /// Groups inside one another.
    static let depth = 100
    /// The highest number in `{m,n}`.
    static let count = 1_000
    /// States of the automaton; repetitions copy them.
    static let states = 10_000
    /// Classes of scalars that a pattern distinguishes.
    static let classes = 4_096
    /// Rows of a table, and the elements of all rows, of four bytes each. If these limits do not suffice, or if
    /// building the table takes more steps than this, the automaton is followed state by state.
    static let rows = 4_096
    static let elements = 1 << 18
    static let steps = 1 << 19
    /// States of an automaton that is followed state by state: each may cost a step for each scalar of a cell.
    static let followed = 250
    /// So few states are not worth a warning.
    static let cheap = 50
}
