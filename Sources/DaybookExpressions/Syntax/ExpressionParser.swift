/// An expression as written, before columns and kinds are known.
struct ExpressionSyntax: Sendable {
    indirect enum Form: Sendable {
        case text(String)
        /// A whole number without its sign.
        case integer(UInt64)
        case decimal(Double)
        case flag(Bool)
        case missing
        case asOf
        /// `date '2026-11-21'`.
        case day(String)
        /// `instant '2026-11-21T05:00:00Z'`.
        case instant(String)
        case column(String)
        case call(String, name: Range<Int>, [ExpressionSyntax])
        case not(ExpressionSyntax)
        case negated(ExpressionSyntax)
        case all([ExpressionSyntax])
        case any([ExpressionSyntax])
        case compared(Comparison, ExpressionSyntax, ExpressionSyntax)
        case computed(Arithmetic, ExpressionSyntax, ExpressionSyntax, sign: Range<Int>)
        case joined([ExpressionSyntax])
        case between(ExpressionSyntax, ExpressionSyntax, ExpressionSyntax)
        case oneOf(ExpressionSyntax, [ExpressionSyntax])
        case like(ExpressionSyntax, ExpressionSyntax, escape: ExpressionSyntax?)
        case isMissing(ExpressionSyntax)
        case chosen([Branch], otherwise: ExpressionSyntax?)
    }

    struct Branch: Sendable {
        var condition: ExpressionSyntax
        var value: ExpressionSyntax
    }

    let form: Form
    /// Its range in the Unicode scalars of the text.
    let span: Range<Int>
    /// How many levels there are below it, itself included.
    let height: Int

    /// The child nodes, in the order of the text.
    var parts: [ExpressionSyntax] {
        switch form {
        case .text, .integer, .decimal, .flag, .missing, .asOf, .day, .instant, .column: []
        case .call(_, _, let parts), .all(let parts), .any(let parts), .joined(let parts): parts
        case .not(let part), .negated(let part), .isMissing(let part): [part]
        case .compared(_, let first, let second), .computed(_, let first, let second, _): [first, second]
        case .between(let value, let low, let high): [value, low, high]
        case .oneOf(let value, let list): [value] + list
        case .like(let text, let pattern, let escape): [text, pattern] + (escape.map { [$0] } ?? [])
        case .chosen(let branches, let otherwise):
            branches.flatMap { [$0.condition, $0.value] } + (otherwise.map { [$0] } ?? [])
        }
    }

    /// This and everything below it.
    var all: [ExpressionSyntax] { [self] + parts.flatMap(\.all) }
}

/// A comparison of two values.
enum Comparison: String, Sendable, Hashable, CaseIterable {
    case equal = "="
    case unequal = "<>"
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="

    /// Whether it compares by order, rather than by equality.
    var isOrder: Bool { self != .equal && self != .unequal }
}

/// A computation with two numbers.
enum Arithmetic: String, Sendable, Hashable, CaseIterable {
    case plus = "+"
    case minus = "-"
    case times = "*"
    case divided = "/"
    case remainder = "%"
}

/// Parses tokens into a tree, by the precedence of SQL: `or`, `and`, `not`, comparisons, `||`, `+ -`, `* / %`, sign.
///
/// The tree is never deeper than `deepest`, however the text is nested or chained, so that later walks of the tree need
/// no limit of their own.
struct ExpressionParser {
    typealias Syntax = ExpressionSyntax
    typealias Mistake = ExpressionMistake

    /// How many levels a tree may have.
    static let deepest = 64

    /// The least binding strength of an operand.
    enum Level: Int, Comparable {
        case or = 1
        case and, not, predicate, joined, sum, product, sign

        static func < (first: Level, second: Level) -> Bool { first.rawValue < second.rawValue }
        /// The next tighter one.
        var tighter: Level { Level(rawValue: rawValue + 1) ?? .sign }
    }

    /// Words that cannot name a column without quotes.
    static let reserved: Set<String> = [
        "and", "or", "not", "in", "between", "like", "escape", "is", "missing", "null", "case", "when", "then", "else",
        "end", "true", "false", "as_of",
    ]

    let tokens: [ExpressionToken]
    var position = 0
    private var depth = 0

    private init(_ tokens: [ExpressionToken]) { self.tokens = tokens }

    static func parse(_ text: String) throws(Mistake) -> Syntax {
        var parser = ExpressionParser(try ExpressionLexer.tokens(of: text))
        if case .end = parser.token.kind { throw Mistake("the expression is empty", at: 0..<1) }
        let syntax = try parser.expression(.or)
        guard case .end = parser.token.kind else { throw parser.leftover(behind: syntax) }
        return syntax
    }

    // MARK: Tokens

    var token: ExpressionToken { tokens[position] }
    mutating func advance() { if position + 1 < tokens.count { position += 1 } }

    func isKeyword(_ word: String, ahead: Int = 0) -> Bool {
        guard position + ahead < tokens.count, case .name(let name) = tokens[position + ahead].kind else {
            return false
        }
        return name.lowercased() == word
    }

    mutating func take(_ word: String) -> Bool {
        guard isKeyword(word) else { return false }
        advance()
        return true
    }

    mutating func take(sign: String) -> Bool {
        guard token.kind == .sign(sign) else { return false }
        advance()
        return true
    }

    mutating func expect(_ word: String, _ why: String) throws(Mistake) {
        guard take(word) else {
            throw Mistake("expected '\(word)' \(why), found \(token.displayText)", at: here)
        }
    }

    /// The place of the token; at the end of the text, the place behind it.
    var here: Range<Int> { token.span.isEmpty ? token.span.lowerBound..<token.span.lowerBound + 1 : token.span }
    var lastEnd: Int { position > 0 ? tokens[position - 1].span.upperBound : 0 }

    private func leftover(behind syntax: Syntax) -> Mistake {
        var hint = "an operator such as and, or, =, + has to stand before it"
        switch token.kind {
        case .sign(")"): hint = "this ) closes nothing"
        case .sign(","): hint = "an expression is one value; write and between two conditions"
        case .text, .quotedName:
            if case .column(let name) = syntax.form, !name.isEmpty { hint = "is an operator missing behind '\(name)'?" }
        default: break
        }
        return Mistake("\(token.displayText) does not belong here", at: here, hint: hint)
    }

    // MARK: Nodes

    func node(_ form: Syntax.Form, from start: Int) throws(Mistake) -> Syntax {
        let span = start..<max(start + 1, lastEnd)
        let bare = Syntax(form: form, span: span, height: 0)
        let height = 1 + (bare.parts.map(\.height).max() ?? 0)
        guard height <= Self.deepest else { throw tooDeep(at: span.lowerBound..<span.lowerBound + 1) }
        return Syntax(form: form, span: span, height: height)
    }

    private func tooDeep(at span: Range<Int>) -> Mistake {
        Mistake(
            "the expression is nested more than \(Self.deepest) levels deep",
            at: span,
            hint: "derive a column from a part of it first"
        )
    }

    // MARK: Operators

    mutating func expression(_ loosest: Level) throws(Mistake) -> Syntax {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.deepest else { throw tooDeep(at: here) }
        let start = token.span.lowerBound
        var left = try prefixed()
        var compares = false
        while let level = infixLevel, level >= loosest {
            if level == .predicate {
                guard !compares else {
                    let hint = "write 'x between 1 and 5', or 'x > 1 and x < 5'"
                    throw Mistake("a comparison cannot be compared again", at: here, hint: hint)
                }
                left = try predicate(on: left, from: start)
            } else {
                left = try chain(level, on: left, from: start)
            }
            compares = level == .predicate
        }
        return left
    }

    private static let levels: [String: Level] = [
        "or": .or, "and": .and, "in": .predicate, "between": .predicate, "like": .predicate, "is": .predicate,
        "=": .predicate, "<>": .predicate, "<": .predicate, "<=": .predicate, ">": .predicate, ">=": .predicate,
        "||": .joined, "+": .sum, "-": .sum, "*": .product, "/": .product, "%": .product,
    ]

    private var infixLevel: Level? {
        switch token.kind {
        case .sign(let sign): Self.levels[sign]
        case .name where isKeyword("not"):
            ["in", "between", "like"].contains { isKeyword($0, ahead: 1) } ? .predicate : nil
        case .name(let name): Self.levels[name.lowercased()]
        default: nil
        }
    }

    /// Parses consecutive operators of one level. A chain of equal ones is one node, and so costs no depth.
    private mutating func chain(_ level: Level, on left: Syntax, from start: Int) throws(Mistake) -> Syntax {
        guard level == .or || level == .and || level == .joined else {
            let sign = token
            advance()
            let right = try expression(level.tighter)
            guard case .sign(let written) = sign.kind, let operation = Arithmetic(rawValue: written) else {
                preconditionFailure("only signs compute")
            }
            return try node(.computed(operation, left, right, sign: sign.span), from: start)
        }
        var parts = [left]
        while infixLevel == level {
            advance()
            parts.append(try expression(level.tighter))
        }
        switch level {
        case .or: return try node(.any(parts), from: start)
        case .and: return try node(.all(parts), from: start)
        default: return try node(.joined(parts), from: start)
        }
    }

    private mutating func prefixed() throws(Mistake) -> Syntax {
        let start = token.span.lowerBound
        if isKeyword("not") {
            advance()
            return try node(.not(try expression(.predicate)), from: start)
        }
        if take(sign: "-") { return try node(.negated(try expression(.sign)), from: start) }
        if take(sign: "+") { return try expression(.sign) }
        return try primary()
    }
}

extension ExpressionParser {
    // MARK: Predicates

    /// Reads the predicate of `left`: a comparison, `in`, `between`, `like` or `is`.
    mutating func predicate(on left: Syntax, from start: Int) throws(Mistake) -> Syntax {
        if case .sign(let sign) = token.kind, let comparison = Comparison(rawValue: sign) {
            advance()
            return try node(.compared(comparison, left, try expression(.joined)), from: start)
        }
        if take("is") {
            let isNegated = take("not")
            guard take("missing") || take("null") else {
                let message = "expected 'missing' behind 'is', found \(token.displayText)"
                let hint = "write 'is missing' or 'is not missing'; values are compared with '='"
                throw Mistake(message, at: here, hint: hint)
            }
            return try negating(isNegated, try node(.isMissing(left), from: start), from: start)
        }
        let isNegated = take("not")
        let result: Syntax
        if take("in") {
            result = try node(.oneOf(left, try list()), from: start)
        } else if take("between") {
            let low = try expression(.joined)
            try expect("and", "between the two bounds")
            result = try node(.between(left, low, try expression(.joined)), from: start)
        } else {
            try expect("like", "here")
            let pattern = try expression(.joined)
            let escape = take("escape") ? try primary() : nil
            result = try node(.like(left, pattern, escape: escape), from: start)
        }
        return try negating(isNegated, result, from: start)
    }

    private func negating(
        _ isNegated: Bool,
        _ syntax: Syntax,
        from start: Int
    ) throws(Mistake) -> Syntax { isNegated ? try node(.not(syntax), from: start) : syntax }

    /// Reads `(a, b, c)`, which holds at least one value.
    private mutating func list() throws(Mistake) -> [Syntax] {
        guard take(sign: "(") else {
            let hint = "a list is written in ('a', 'b')"
            throw Mistake("expected '(' behind 'in', found \(token.displayText)", at: here, hint: hint)
        }
        return try arguments(orNone: false)
    }

    /// Reads values up to the `)` that closes them.
    private mutating func arguments(orNone: Bool) throws(Mistake) -> [Syntax] {
        let open = tokens[position - 1].span
        var values: [Syntax] = []
        if orNone, take(sign: ")") { return [] }
        repeat { values.append(try expression(.or)) } while take(sign: ",")
        guard take(sign: ")") else { throw unclosed(open) }
        return values
    }

    private func unclosed(_ open: Range<Int>) -> Mistake {
        if case .end = token.kind { return Mistake("this ( is never closed", at: open) }
        return Mistake("expected ',' or ')', found \(token.displayText)", at: here)
    }

    // MARK: Values

    mutating func primary() throws(Mistake) -> Syntax {
        let first = token
        let start = first.span.lowerBound
        switch first.kind {
        case .text(let text): return try leaf(.text(text), from: start)
        case .integer(let number): return try leaf(.integer(number), from: start)
        case .decimal(let number): return try leaf(.decimal(number), from: start)
        case .quotedName(let name): return try leaf(.column(name), from: start)
        case .name(let name): return try named(name, from: start)
        case .sign("("):
            advance()
            let inner = try expression(.or)
            guard take(sign: ")") else { throw unclosed(first.span) }
            return inner
        case .sign, .end: throw Mistake("expected a value, found \(token.displayText)", at: here)
        }
    }

    private mutating func leaf(_ form: Syntax.Form, from start: Int) throws(Mistake) -> Syntax {
        advance()
        return try node(form, from: start)
    }

    private mutating func named(_ name: String, from start: Int) throws(Mistake) -> Syntax {
        let word = name.lowercased()
        if word == "case" { return try chosen(from: start) }
        let nameSpan = token.span
        if Self.reserved.contains(word) {
            let form: Syntax.Form? =
                switch word {
                case "true": .flag(true)
                case "false": .flag(false)
                case "missing", "null": .missing
                case "as_of": .asOf
                default: nil
                }
            guard let form else {
                let hint = "a column of that name stands in double quotes: \"\(name)\""
                throw Mistake("expected a value, found '\(name)'", at: here, hint: hint)
            }
            return try leaf(form, from: start)
        }
        advance()
        if case .text(let text) = token.kind, ["date", "day", "instant", "timestamp"].contains(word) {
            return try leaf(word.hasPrefix("da") ? .day(text) : .instant(text), from: start)
        }
        if take(sign: "(") {
            return try node(.call(name, name: nameSpan, try arguments(orNone: true)), from: start)
        }
        return try node(.column(name), from: start)
    }

    private mutating func chosen(from start: Int) throws(Mistake) -> Syntax {
        advance()
        guard isKeyword("when") else {
            let hint = "write the whole condition each time: case when x = 1 then 'a' when x = 2 then 'b' end"
            throw Mistake("expected 'when' behind 'case', found \(token.displayText)", at: here, hint: hint)
        }
        var branches: [Syntax.Branch] = []
        while take("when") {
            let condition = try expression(.or)
            try expect("then", "behind the condition")
            branches.append(Syntax.Branch(condition: condition, value: try expression(.or)))
        }
        let otherwise = take("else") ? try expression(.or) : nil
        try expect("end", "to close 'case'")
        return try node(.chosen(branches, otherwise: otherwise), from: start)
    }
}
