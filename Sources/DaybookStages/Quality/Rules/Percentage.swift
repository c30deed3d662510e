/// A share as an option: `20%` or `0.5%`. A plain number is refused, for it may be meant as either.
struct Percentage: OptionValue {
    private let allowance: Allowance
    let written: String

    static var kind: OptionKind { .text }
    static var placeholder: Percentage { Percentage(0) }

    init(_ percent: Int) {
        allowance = .share(parts: percent, of: 100)
        written = "\(percent)%"
    }

    init(reading node: OptionNode) throws(DaybookError) {
        let text = (node.text ?? "").filter { $0 != " " }
        guard let allowance = Allowance(text), case .share = allowance else {
            throw node.expected("a percentage such as 20% or 0.5%", hint: Allowance.hint(forPlainShare: text))
        }
        self.allowance = allowance
        written = allowance.written
    }

    /// Whether so many of a whole are at most the share.
    func permits(_ count: Int, of total: Int) -> Bool { allowance.permits(count, of: total) }

    /// Whether so many of a whole are at least the share.
    func isReached(by count: Int, of total: Int) -> Bool { allowance.isReached(by: count, of: total) }
}
