/// One word, number, text or sign of an expression, and where it stands.
struct ExpressionToken: Sendable {
    enum Kind: Sendable, Equatable {
        /// A name without quotes: a column, a function or a keyword.
        case name(String)
        /// A name in double quotes or backticks: always a column.
        case quotedName(String)
        /// A text in single quotes.
        case text(String)
        /// A whole number without its sign. `2^63` is one too, since a minus may stand before it.
        case integer(UInt64)
        case decimal(Double)
        case sign(Sign)
        case end
    }

    enum Sign: String, Sendable {
        case equal = "="
        case unequal = "<>"
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="
        case plus = "+"
        case minus = "-"
        case times = "*"
        case divided = "/"
        case remainder = "%"
        case joined = "||"
        case open = "("
        case close = ")"
        case comma = ","
    }

    let kind: Kind
    /// The Unicode scalars of the text that it takes up.
    let span: Range<Int>

    /// How an error names it: `'and'`, `the number 3`, `the end`.
    var spoken: String {
        switch kind {
        case .name(let name): "'\(name)'"
        case .quotedName(let name): "the column \"\(name)\""
        case .text(let text): "the text '\(text)'"
        case .integer(let number): "the number \(number)"
        case .decimal(let number): "the number \(number)"
        case .sign(let sign): "'\(sign.rawValue)'"
        case .end: "the end"
        }
    }
}

/// A mistake in an expression, as the place in its text says it; whoever knows the job file makes an error of it.
struct ExpressionMistake: Error {
    var code: DaybookError.Code = "bad-expression"
    var message: String
    var span: Range<Int>
    var hint: String?
    /// The column that is not there, where that is what is wrong.
    var column: String?

    init(_ message: String, at span: Range<Int>, hint: String? = nil, code: DaybookError.Code = "bad-expression") {
        self.code = code
        self.message = message
        self.span = span
        self.hint = hint
    }
}
