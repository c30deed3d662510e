import DaybookTestSupport
import Testing

@testable import DaybookContracts
@testable import DaybookValues

/// Numbers as people write them, against a regular expression of the grammar and the decimals of the standard library.
@Suite struct NumberReaderTests {
    private static let formats = [
        NumberFormat(decimal: .comma, thousands: .point),
        NumberFormat(thousands: .comma, percent: .keep, currency: ["$", "US$", "EUR"]),
        NumberFormat(thousands: .comma, groups: .indian, currency: ["₹"]),
        NumberFormat(thousands: .apostrophe, percent: .divide),
        NumberFormat(decimal: .comma, thousands: .space, percent: .divide, currency: ["€", "EUR"]),
        NumberFormat(decimal: .comma),
        NumberFormat(thousands: .underscore, percent: .refuse),
    ]

    @Test(
        "a text is a number exactly where the grammar says so, and has its value",
        arguments: 1...8 as ClosedRange<UInt64>
    )
    func againstTheGrammar(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var read = 0
        for format in Self.formats {
            let grammar = try Grammar(format)
            let reader = NumberReader(format)
            for _ in 0..<250 {
                let text = Self.text(format, &random)
                let expected = try grammar.value(of: text)
                let found = Self.with(text) { reader.decimal($0) }
                #expect(found == expected, "'\(text)' by \(format.written) of \(random)")
                let whole = Self.with(text) { reader.integer($0) }
                let isWhole = try grammar.isWhole(text)
                #expect(whole == (isWhole ? expected.flatMap { Int64(exactly: $0) } : nil), "'\(text)' of \(random)")
                if found != nil { read += 1 }
            }
        }
        #expect(read > 200)
    }

    @Test(
        "each way of writing has one value",
        arguments: [
            ("1.234,56", 0, 1234.56), ("-1.234,56", 0, -1234.56), ("1.234.567,8-", 0, -1_234_567.8),
            ("(12,50)", 0, -12.5),
            ("\u{2212}3", 0, -3), ("1,5e3", 0, 1500), ("$ 1,234.50", 1, 1234.5), ("US$3", 1, 3), ("12 EUR", 1, 12),
            ("12EUR", 1, 12),
            ("($ 12)", 1, -12), ("$(12)", 1, -12), ("-$12", 1, -12), ("$-12", 1, -12), ("12-\u{A0}EUR", 1, -12),
            ("(12 %)", 1, -12),
            ("₹12,34,567.89", 2, 1_234_567.89), ("1’234'567", 3, 1_234_567), ("12 %", 3, 0.12), ("7%", 3, 0.07),
            ("112.5%", 3, 1.125),
            ("(0.5%)", 3, -0.005), ("1\u{202F}234,56 €", 4, 1234.56), ("€ 1\u{2009}234\u{A0}567", 4, 1_234_567),
            ("0,1", 4, 0.1),
            ("00012", 0, 12), (",5", 0, 0.5), ("-,05", 0, -0.05), ("$.50", 1, 0.5), ("-$.50", 1, -0.5),
            (".5%", 3, 0.005),
        ]
    )
    func values(_ text: String, _ format: Int, _ value: Double) {
        #expect(Self.with(text) { NumberReader(Self.formats[format]).decimal($0) } == value)
    }

    @Test(
        "what is no number of a format says why",
        arguments: [
            ("1.23", 0, NumberReader.Fault.groups), ("9.007.199.254.740.993", 0, .inexact), ("1e-400", 5, .tooSmall),
            ("1234.567", 0, .groups), ("0.123", 0, .groups),
            ("1.234.56", 0, .groups),
            ("1,2,3", 0, .other), ("1.234,", 0, .other), (",", 0, .other), (",,5", 0, .other), (".500", 0, .other),
            (" 1", 0, .other), ("1 ", 0, .other),
            ("", 0, .other),
            ("-", 0, .other), ("--1", 0, .other), ("-1-", 0, .other), ("(1", 0, .other), ("1)", 0, .other),
            ("(-1)", 0, .other),
            ("€ 3", 0, .currency), ("3 EUR", 0, .currency), ("3 apples", 0, .other), ("3 %", 0, .percent),
            ("€ 3", 1, .currency),
            ("$ 3 $", 1, .other), ("$ 3 %", 1, .other), ("123,456", 2, .groups), ("1,23,45", 2, .groups),
            ("1e999", 0, .tooLarge),
            ("nan", 0, .other), ("infinity", 0, .other),
        ]
    )
    func faults(_ text: String, _ format: Int, _ fault: NumberReader.Fault) {
        let reader = NumberReader(Self.formats[format])
        #expect(Self.with(text) { reader.decimal($0) } == nil)
        #expect(Self.with(text) { reader.fault(of: $0, as: .decimal) } == fault)
    }

    @Test func `whole numbers go to both ends of 64 bits and no further`() {
        let reader = NumberReader(Self.formats[0])
        #expect(Self.with("9.223.372.036.854.775.807") { reader.integer($0) } == .max)
        #expect(Self.with("(9.223.372.036.854.775.808)") { reader.integer($0) } == .min)
        #expect(Self.with("9.223.372.036.854.775.808") { reader.integer($0) } == nil)
        #expect(Self.with("9.223.372.036.854.775.808") { reader.fault(of: $0, as: .integer) } == .tooLarge)
        #expect(Self.with("12,00") { reader.fault(of: $0, as: .integer) } == .fraction)
        let long = String(repeating: "1", count: 10_000)
        #expect(Self.with(long) { reader.decimal($0) } == nil)
    }

    @Test(
        "what a text tells by itself is what the formats that read it have in common",
        arguments: 1...4 as ClosedRange<UInt64>
    )
    func evidence(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for format in Self.formats.dropLast() where format.groups == .three {
            for _ in 0..<200 {
                let text = Self.text(format, &random)
                guard Self.with(text, { NumberReader(format).decimal($0) }) != nil,
                    !text.contains("e"), text.utf8.count <= 64
                else { continue }
                guard let evidence = Self.with(text, { NumberEvidence($0) }) else {
                    Issue.record("'\(text)' is a number, of which nothing is told; \(random)")
                    continue
                }
                #expect(evidence.decimal == nil || evidence.decimal == format.decimal, "'\(text)' of \(random)")
                #expect(evidence.thousands == nil || evidence.thousands == format.thousands, "'\(text)' of \(random)")
            }
        }
    }

    // MARK: -

    private static func with<Result>(_ text: String, _ body: (Cell) -> Result) -> Result {
        let bytes = Bytes(text)
        defer { withExtendedLifetime(bytes) {} }
        return body(bytes.filled)
    }

    /// A number in the format, often with something wrong in it.
    private static func text(_ format: NumberFormat, _ random: inout SeededGenerator) -> String {
        var digits = (0..<Int.random(in: 0...8, using: &random)).map { _ in "0123456789".randomElement(using: &random)!
        }
        if let mark = format.thousands, Bool.random(using: &random) {
            let step = format.groups == .three ? 3 : 2
            var place = digits.count - 3
            while place > 0 {
                digits.insert(contentsOf: mark.text, at: place)
                place -= step
            }
        }
        var text = String(digits)
        if Bool.random(using: &random) { text += format.decimal.text + String(Int.random(in: 0...999, using: &random)) }
        let beside = ["", "", "-", "+", "\u{2212}", "(", ")", "%", " ", "\u{202F}", "x"] + format.currency
        for _ in 0..<Int.random(in: 0...2, using: &random) { text = beside.randomElement(using: &random)! + text }
        for _ in 0..<Int.random(in: 0...3, using: &random) { text += beside.randomElement(using: &random)! }
        if Int.random(in: 0..<4, using: &random) == 0, !text.isEmpty {
            let place = text.indices.randomElement(using: &random)!
            text.insert([".", ",", "'", " ", "-", "0"].randomElement(using: &random)!, at: place)
        }
        return text
    }
}

/// The grammar of a format as a regular expression.
private struct Grammar {
    let whole: Regex<AnyRegexOutput>
    let format: NumberFormat

    init(_ format: NumberFormat) throws {
        self.format = format
        let mark: String =
            switch format.thousands {
            case .point: "\\."
            case .apostrophe: "['\u{2019}]"
            case .space: "[ \u{A0}\u{202F}\u{2009}]"
            case let mark?: mark.text
            case nil: "(?!)"
            }
        let groups =
            format.groups == .three
            ? "[1-9][0-9]{0,2}(?:\(mark)[0-9]{3})+" : "[1-9][0-9]?(?:\(mark)[0-9]{2})*\(mark)[0-9]{3}"
        let decimals = "(?:\(format.decimal == .point ? "\\." : ",")[0-9]+)"
        let number = "(?:(?:\(groups)|[0-9]+)\(decimals)?|\(decimals))"
        let names = format.currency.map { $0.replacing("$", with: "\\$") }
        let money = names.isEmpty ? "(?!)" : "(?:\(names.joined(separator: "|")))"
        let blank = "[ \u{A0}\u{202F}\u{2009}]?"
        let unit = format.percent == .refuse ? "\(blank)\(money)" : "\(blank)(?:\(money)|%)"
        let forms = [
            "[-+\u{2212}]?(?:\(money)\(blank))?\(number)",
            "\(money)\(blank)[-+\u{2212}]\(number)",
            "(?:\(money)\(blank))?\(number)[-\u{2212}]",
            "[-+\u{2212}]?\(number)\(unit)",
            "\(number)[-\u{2212}]\(unit)",
            "\\((?:\(money)\(blank))?\(number)\\)",
            "\(money)\(blank)\\(\(number)\\)",
            "\\(\(number)\(unit)\\)",
            "\\(\(number)\\)\(unit)",
        ]
        whole = try Regex(forms.map { "(?:\($0))" }.joined(separator: "|")).matchingSemantics(.unicodeScalar)
    }

    func value(of text: String) throws -> Double? {
        guard try whole.wholeMatch(in: text) != nil else { return nil }
        var digits = ""
        for scalar in text.unicodeScalars {
            if ("0"..."9").contains(scalar) { digits.unicodeScalars.append(scalar) }
            if String(scalar) == format.decimal.text { digits += "." }
        }
        if text.contains("%"), format.percent == .divide { digits += "e-2" }
        let isNegative = text.contains { "-\u{2212}(".contains($0) }
        return Double(digits).map { isNegative ? -$0 : $0 }
    }

    /// Whether nothing but digits makes up a number.
    func isWhole(_ text: String) throws -> Bool {
        try value(of: text) != nil && !text.contains(format.decimal.text)
            && !(text.contains("%") && format.percent == .divide)
    }
}
