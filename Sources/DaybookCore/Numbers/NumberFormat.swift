/// How numbers are written where people write them: `1.234,56`, `(12.50)`, `€ 12`.
///
/// With a format each text has one meaning or none. The marks are those that are named, groups have the right number of digits, the sign
/// stands in one place, and beside the digits stands nothing that the format does not name.
public struct NumberFormat: Sendable, Hashable {
    /// How many digits stand between two marks.
    public enum Groups: String, OptionChoice {
        /// `1,234,567`.
        case three
        /// `12,34,567`: three at the end, and two in each group before.
        case indian

        public static var otherWords: [String: String] { ["3": "three", "lakh": "indian", "two": "indian"] }
    }

    /// What a percent sign behind a number means.
    public enum Percent: String, OptionChoice {
        /// The number is not one.
        case refuse
        /// `12 %` is 12.
        case keep
        /// `12 %` is 0.12.
        case divide
    }

    public var decimal: NumberMark
    public var thousands: NumberMark?
    public var groups: Groups
    public var percent: Percent
    /// What may stand before or behind the digits, such as `€` or `EUR`.
    public var currency: [String]

    public init(
        decimal: NumberMark = .point,
        thousands: NumberMark? = nil,
        groups: Groups = .three,
        percent: Percent = .refuse,
        currency: [String] = []
    ) {
        self.decimal = decimal
        self.thousands = thousands
        self.groups = groups
        self.percent = percent
        self.currency = currency
    }

    /// A number written so: `1.234,56`.
    package var sample: String {
        guard let mark = thousands?.text else { return "1234\(decimal.text)56" }
        return groups == .three ? "1\(mark)234\(decimal.text)56" : "12\(mark)34\(mark)567\(decimal.text)89"
    }

    /// A whole number written so: `1.234`.
    package var wholeSample: String {
        guard let mark = thousands?.text else { return "1234" }
        return groups == .three ? "1\(mark)234" : "12\(mark)34\(mark)567"
    }

    /// The option that says so, as a job writes it.
    package var option: String { "number_format: \(written)" }
}

extension NumberFormat: OptionValue {
    static let specs = [
        OptionSpec(
            key: "decimal",
            kind: .text,
            help: "What stands before the decimals: a point or a comma.",
            fallback: "."
        ),
        OptionSpec(
            key: "thousands",
            kind: .text,
            help: "What stands between groups of digits: point, comma, apostrophe, space, _ or none.",
            fallback: "none"
        ),
        OptionSpec(
            key: "groups",
            kind: Groups.kind,
            help: "How many digits a group has: three, or two before the last three as in India.",
            fallback: "three"
        ),
        OptionSpec(
            key: "percent",
            kind: Percent.kind,
            help:
                "What a percent sign means: that this is no number, nothing (12 % is 12), or hundredths (12 % is 0.12).",
            fallback: "refuse"
        ),
        OptionSpec(
            key: "currency",
            kind: .list(of: .text),
            help: "What may stand before or behind the digits, such as [€, EUR]; anything else is refused.",
            fallback: "[]"
        ),
    ]

    public static var kind: OptionKind { .object(specs) }
    public static var placeholder: NumberFormat { NumberFormat() }

    public init(reading node: OptionNode) throws(DaybookError) {
        guard let map = node.map else {
            throw node.expected("a map of options", hint: "write { decimal: \",\", thousands: \".\" }")
        }
        try self.init(map, at: node.place, besides: [])
    }

    /// Reads the keys of a map but those named in `others`, which somebody else reads.
    init(_ map: [OptionNode.Entry], at place: SourcePlace, besides others: [String]) throws(DaybookError) {
        self.init()
        for entry in map where !others.contains(entry.key) {
            let value = entry.value
            switch entry.key {
            case "decimal":
                guard let mark = value.text.flatMap(NumberMark.init), mark == .point || mark == .comma else {
                    throw value.expected("\".\" or \",\"")
                }
                decimal = mark
            case "thousands": thousands = try NumberFormat.thousands(value)
            case "groups": groups = try Groups(reading: value)
            case "percent": percent = try Percent(reading: value)
            case "currency": currency = try NumberFormat.currency(value)
            default: throw entry.unknown(to: "a number format", among: NumberFormat.specs.map(\.key) + others)
            }
        }
        if thousands == decimal {
            throw DaybookError(
                "bad-option",
                "'\(decimal.text)' stands both between groups and before the decimals",
                at: place,
                hint: decimal == .point
                    ? "where points group digits, write 'decimal: \",\"' too"
                    : "write 'decimal: \".\"', or another mark for 'thousands'"
            )
        }
        if groups == .indian, thousands == nil {
            throw DaybookError("bad-option", "'groups' has no meaning without 'thousands'", at: place)
        }
    }

    private static func thousands(_ node: OptionNode) throws(DaybookError) -> NumberMark? {
        switch node.text {
        case "none": return nil
        case "point": return .point
        case "comma": return .comma
        case "space": return .space
        case "apostrophe": return .apostrophe
        default:
            guard let mark = node.text.flatMap(NumberMark.init) else {
                throw node.expected("\".\", \",\", \"'\", space, _ or none")
            }
            return mark
        }
    }

    private static func currency(_ node: OptionNode) throws(DaybookError) -> [String] {
        let texts = try [String](reading: node)
        for text in texts {
            let taken = "0123456789-+()% \u{A0}\u{202F}\u{2009}\u{2212}"
            guard !text.isEmpty, text.utf8.count <= 32, !text.contains(where: taken.contains) else {
                throw DaybookError(
                    "bad-option",
                    "'\(text)' cannot stand beside a number: a currency is a sign or a word such as € or EUR, without spaces, digits and signs",
                    at: node.place
                )
            }
        }
        return texts
    }

    public var written: String {
        var parts = ["decimal: \"\(decimal.text)\""]
        if let thousands { parts.append("thousands: \"\(thousands.text)\"") }
        if groups != .three { parts.append("groups: \(groups.rawValue)") }
        if percent != .refuse { parts.append("percent: \(percent.rawValue)") }
        if !currency.isEmpty { parts.append("currency: [\(currency.joined(separator: ", "))]") }
        return "{ \(parts.joined(separator: ", ")) }"
    }
}
