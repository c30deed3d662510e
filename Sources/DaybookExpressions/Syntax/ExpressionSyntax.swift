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
