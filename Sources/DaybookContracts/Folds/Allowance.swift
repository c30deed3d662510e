/// How many rejected rows a gate allows: a count, or a share of the input rows. Inclusive.
public enum Allowance: Sendable, Hashable {
    case count(Int)
    /// `0.5%` is 5 of 1,000, so that no rounding decides at the bound.
    case share(parts: Int, of: Int)

    /// Whether `rejected` of `total` rows pass the gate.
    public func permits(_ rejected: Int, of total: Int) -> Bool {
        let (found, bound) = compared(rejected, of: total)
        return found <= bound
    }

    /// Whether `rejected` of `total` rows are as many as are let through, or more.
    public func isReached(by rejected: Int, of total: Int) -> Bool {
        let (found, bound) = compared(rejected, of: total)
        return found >= bound
    }

    /// The rejected rows and those that are let through, in the same unit.
    private func compared(_ rejected: Int, of total: Int) -> (found: Int128, bound: Int128) {
        switch self {
        case .count(let count): (Int128(rejected), Int128(count))
        case .share(let parts, let whole): (Int128(rejected) * Int128(whole), Int128(total) * Int128(parts))
        }
    }
}

extension Allowance: OptionValue {
    public static var kind: OptionKind { .either([.integer, .text]) }
    public static var placeholder: Allowance { .count(0) }

    public init(reading node: OptionNode) throws(DaybookError) {
        guard let text = node.text, let value = Allowance(text) else {
            // `1 %` is how the reports write it, so it is what people copy.
            let closed = (node.text ?? "").filter { $0 != " " }
            let isMeant = closed != node.text && Allowance(closed) != nil
            throw node.expected(
                "a count such as 25, or a percentage such as 0.5%",
                hint: isMeant ? "write \(closed)" : Allowance.hint(forPlainShare: closed, orCount: true)
            )
        }
        self = value
    }

    /// Reads `25` or `0.5%`; anything else is nil.
    public init?(_ text: String) {
        if text.utf8.last == UInt8(ascii: "%") {
            let parts = text.dropLast().split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
            let decimals = parts.count == 2 ? parts[1] : "0"
            guard decimals.utf8.count <= 6, !decimals.isEmpty, let perCent = Allowance.whole(parts[0]),
                let fraction = Allowance.digits(decimals), perCent <= 100
            else { return nil }
            var whole = decimals.utf8.reduce(100) { whole, _ in whole * 10 }
            var share = perCent * (whole / 100) + fraction
            guard share <= whole else { return nil }
            while share % 10 == 0, whole > 100 { (share, whole) = (share / 10, whole / 10) }
            self = .share(parts: share, of: whole)
        } else {
            guard let count = Allowance.whole(Substring(text)) else { return nil }
            self = .count(count)
        }
    }

    /// The probable meaning of a plain number where a share is expected: `0.9` as nine in ten.
    ///
    /// - Parameter orCount: whether a count is allowed too, so that a whole number is no share.
    package static func hint(forPlainShare text: String, orCount: Bool = false) -> String? {
        guard let number = Double(text), number.isFinite, number >= 0, !orCount || text.contains(".") else {
            return nil
        }
        guard number <= 1 else { return "write \(text)%" }
        let percent = (number * 1_000_000).rounded() / 10_000
        let written = percent == percent.rounded() ? "\(Int(percent))" : "\(percent)"
        return "write \(written)% for \(written) in a hundred; \(text)% is \(text) in a hundred"
    }

    /// Digits without a needless leading zero: `012` is not 12 in every YAML, so it is nothing here.
    private static func whole(_ text: Substring) -> Int? {
        text.utf8.count > 1 && text.utf8.first == UInt8(ascii: "0") ? nil : digits(text)
    }

    private static func digits(_ text: Substring) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return Int(text)
    }

    public var written: String {
        switch self {
        case .count(let count): return String(count)
        case .share(let parts, let whole):
            let perCent = whole / 100
            guard perCent > 1 else { return "\(parts)%" }
            var decimals = String(parts % perCent + perCent).dropFirst()
            while decimals.last == "0" { decimals.removeLast() }
            return decimals.isEmpty ? "\(parts / perCent)%" : "\(parts / perCent).\(decimals)%"
        }
    }
}
