/// A bound that is a count, or a share of another count: `25`, `90%`. A share may be more than the whole: `110%`.
struct CountOrShare: OptionValue {
    private enum Amount: Sendable {
        case count(Int)
        /// In millionths.
        case share(Int)
    }

    private let amount: Amount
    let written: String

    static var kind: OptionKind { .either([.integer, .text]) }
    static var placeholder: CountOrShare { CountOrShare(.count(0), "0") }
    static let all = CountOrShare(.share(1_000_000), "100%")

    private init(_ amount: Amount, _ written: String) { (self.amount, self.written) = (amount, written) }

    init(reading node: OptionNode) throws(DaybookError) {
        let text = node.text ?? ""
        if let count = Int(text), String(count) == text {
            self.init(.count(count), text)
        } else if let share = CountOrShare.millionths(text) {
            self.init(.share(share), text)
        } else {
            let hint = Allowance.hint(forPlainShare: text, orCount: true)
            throw node.expected("a count such as 25, or a percentage such as 90%", hint: hint)
        }
    }

    /// Reads `90%` or `0.5%`, with four decimals at most.
    private static func millionths(_ text: String) -> Int? {
        guard text.utf8.last == UInt8(ascii: "%") else { return nil }
        let parts = text.dropLast().split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let decimals = parts.count == 2 ? parts[1] : "0"
        let areDigits = parts.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy { (48...57).contains($0) } }
        guard areDigits, parts[0].utf8.count <= 7, decimals.utf8.count <= 4, let whole = Int(parts[0]),
            let fraction = Int(decimals + String(repeating: "0", count: 4 - decimals.utf8.count))
        else { return nil }
        return whole * 10_000 + fraction
    }

    var isShare: Bool { if case .share = amount { true } else { false } }
    /// A share in millionths.
    var millionths: Double { if case .share(let parts) = amount { Double(parts) } else { 0 } }

    /// Whether so many are at least the bound.
    func isReached(by count: Int, of whole: Int) -> Bool { compare(count, of: whole) { $0 >= $1 } }
    /// Whether so many are at most the bound.
    func permits(_ count: Int, of whole: Int) -> Bool { compare(count, of: whole) { $0 <= $1 } }

    private func compare(_ count: Int, of whole: Int, _ holds: (Int128, Int128) -> Bool) -> Bool {
        switch amount {
        case .count(let bound): holds(Int128(count), Int128(bound))
        case .share(let bound): holds(Int128(count) * 1_000_000, Int128(whole) * Int128(bound))
        }
    }

    /// Whether it is more than another of its sort, beside which it would let nothing through.
    static func isMore(_ one: CountOrShare, _ other: CountOrShare) -> Bool {
        switch (one.amount, other.amount) {
        case (.count(let one), .count(let other)), (.share(let one), .share(let other)): one > other
        default: false
        }
    }
}
