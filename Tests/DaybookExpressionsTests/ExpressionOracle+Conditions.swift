import DaybookTestSupport

@testable import DaybookContracts
@testable import DaybookValues

extension ExpressionOracle {
    static func text(_ value: Value) -> String {
        if case .text(let text) = value { text } else { preconditionFailure() }
    }
    static func integer(_ value: Value) -> Int64 {
        if case .integer(let number) = value { number } else { preconditionFailure() }
    }
    static func day(_ value: Value) -> Int32 { if case .day(let day) = value { day } else { preconditionFailure() } }

    /// A number of either kind.
    static func decimal(_ value: Value) -> Double {
        switch value {
        case .decimal(let number): number
        case .integer(let number): Double(number)
        default: preconditionFailure()
        }
    }

    /// Less, alike or greater.
    private static func order(_ one: Value, _ other: Value) -> Int {
        func order<Element: Comparable>(_ one: Element, _ other: Element) -> Int {
            one < other ? -1 : one == other ? 0 : 1
        }
        switch (one, other) {
        case (.text(let one), .text(let other)):
            let (first, second) = (Array(one.utf8), Array(other.utf8))
            return first == second ? 0 : first.lexicographicallyPrecedes(second) ? -1 : 1
        case (.integer(let one), .integer(let other)): return order(one, other)
        case (.day(let one), .day(let other)): return order(one, other)
        case (.flag(let one), .flag(let other)): return one == other ? 0 : 1
        default: return order(decimal(one), decimal(other))
        }
    }

    static let comparisons: [(String, @Sendable (Int) -> Bool)] = [
        ("=", { $0 == 0 }), ("<>", { $0 != 0 }), ("<", { $0 < 0 }), ("<=", { $0 <= 0 }), (">", { $0 > 0 }),
        (">=", { $0 >= 0 }),
    ]

    private mutating func chosen(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

    private mutating func any(_ depth: Int) -> Sample {
        switch chosen(4) {
        case 0: text(depth)
        case 1: integer(depth)
        case 2: decimal(depth)
        default: day(depth)
        }
    }

    private static func values(_ parts: [Sample], _ row: Int, _ make: ([Value]) -> Bool) -> Value {
        let values = parts.map { $0.value(row) }
        if values.contains(where: \.isMissing) { return .missing(failed: values.contains(where: \.isFailed)) }
        return .flag(make(values))
    }

    private static func both(_ one: Value, _ other: Value) -> Value {
        if one == .flag(false) || other == .flag(false) { return .flag(false) }
        if one == .flag(true), other == .flag(true) { return .flag(true) }
        return .missing(failed: one.isFailed || other.isFailed)
    }

    private static func negated(_ value: Value) -> Value {
        if case .flag(let flag) = value { .flag(!flag) } else { value }
    }

    mutating func flag(_ depth: Int) -> Sample {
        guard depth > 0 else {
            let cells = batch.flags(in: ColumnName("f"))
            return Sample(text: "f") { row in cells[row].map { .flag($0) } ?? .missing(failed: false) }
        }
        switch chosen(10) {
        case 0, 1:
            let parts = [
                [text(depth - 1), text(depth - 1)], [integer(depth - 1), decimal(depth - 1)],
                [integer(depth - 1), integer(depth - 1)], [day(depth - 1), day(depth - 1)],
            ][chosen(4)]
            let (sign, holds) = Self.comparisons[chosen(6)]
            return Sample(text: "(\(parts[0].text) \(sign) \(parts[1].text))") { row in
                Self.values(parts, row) { holds(Self.order($0[0], $0[1])) }
            }
        case 2:
            let (one, other) = (flag(depth - 1), flag(depth - 1))
            return Sample(text: "(\(one.text) and \(other.text))") { Self.both(one.value($0), other.value($0)) }
        case 3:
            let (one, other) = (flag(depth - 1), flag(depth - 1))
            return Sample(text: "(\(one.text) or \(other.text))") {
                Self.negated(Self.both(Self.negated(one.value($0)), Self.negated(other.value($0))))
            }
        case 4:
            let part = flag(depth - 1)
            return Sample(text: "not \(part.text)") { Self.negated(part.value($0)) }
        case 5:
            let part = any(depth - 1)
            return Sample(text: "(\(part.text) is missing)") { .flag(part.value($0).isMissing) }
        case 6:
            let part = integer(depth - 1)
            let members = (0..<1 + chosen(4)).map { _ in Int64.random(in: -3...5, using: &random) }
            return Sample(text: "(\(part.text) in (\(members.map(String.init).joined(separator: ", "))))") { row in
                Self.values([part], row) { members.contains(Self.integer($0[0])) }
            }
        case 7:
            let part = text(depth - 1)
            let pattern = ["%a%", "a_", "행복%", "%해", "_", "%", "a%b", "%e%e%"][chosen(8)]
            return Sample(text: "(\(part.text) like '\(pattern)')") { row in
                Self.values([part], row) {
                    Self.matches(Array(Self.text($0[0]).unicodeScalars)[...], Array(pattern.unicodeScalars)[...])
                }
            }
        case 8:
            let part = text(depth - 1)
            let patterns = Self.patterns
            let (pattern, holds) = patterns[chosen(patterns.count)]
            return Sample(text: "matches(\(part.text), '\(pattern)')") { row in
                Self.values([part], row) { holds(Self.text($0[0])) }
            }
        default:
            let parts = [integer(depth - 1), integer(depth - 1), integer(depth - 1)]
            return Sample(text: "(\(parts[0].text) between \(parts[1].text) and \(parts[2].text))") { row in
                Self.both(
                    Self.values([parts[0], parts[1]], row) { Self.order($0[0], $0[1]) >= 0 },
                    Self.values([parts[0], parts[2]], row) { Self.order($0[0], $0[1]) <= 0 }
                )
            }
        }
    }

    /// Regular expressions, and what each asks in Swift's own words.
    private static let patterns: [(String, @Sendable (String) -> Bool)] = [
        ("a", { $0.unicodeScalars.contains("a") }),
        ("^a", { $0.unicodeScalars.first == "a" }),
        ("^$", { $0.isEmpty }),
        ("해$", { $0.unicodeScalars.last == "해" }),
        ("^[0-9]+$", { !$0.isEmpty && $0.utf8.allSatisfy { (48...57).contains($0) } }),
        ("it''s|행복", { text in ["it's", "행복"].contains { text.contains($0) } }),
        ("^.{3,}$", { $0.unicodeScalars.count >= 3 && !$0.unicodeScalars.contains("\n") }),
    ]

    private static func matches(_ text: ArraySlice<Unicode.Scalar>, _ pattern: ArraySlice<Unicode.Scalar>) -> Bool {
        guard let first = pattern.first else { return text.isEmpty }
        if first == "%" {
            return (text.startIndex...text.endIndex).contains { matches(text[$0...], pattern.dropFirst()) }
        }
        guard let scalar = text.first, first == "_" || first == scalar else { return false }
        return matches(text.dropFirst(), pattern.dropFirst())
    }
}
