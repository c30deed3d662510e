import DaybookTestSupport

@testable import DaybookContracts
@testable import DaybookValues

/// Random expressions, each with a slow way to its value: one row at a time, by Swift's own numbers and texts.
struct ExpressionOracle {
    /// A value of one row.
    enum Value: Equatable {
        case text(String)
        case integer(Int64)
        case decimal(Double)
        case flag(Bool)
        case day(Int32)
        case missing(failed: Bool)

        var isMissing: Bool { if case .missing = self { true } else { false } }
        var isFailed: Bool { self == .missing(failed: true) }

        var displayText: String? {
            switch self {
            case .text(let text): text
            case .integer(let number): Column.integers(Values([number])).displayText(0)
            case .decimal(let number): Column.decimals(Values([number])).displayText(0)
            case .flag(let flag): "\(flag)"
            case .day(let day): CalendarDay(number: day).description
            case .missing: nil
            }
        }
    }

    /// An expression, and what it comes to in a row.
    struct Sample {
        var text: String
        var value: (Int) -> Value
    }

    var random: SeededGenerator
    let batch: Batch
    private let texts: [String?]
    private let integers: [[Int64?]]
    private let decimals: [Double?]
    private let flags: [Bool?]
    private let days: [Int32?]

    init(seed: UInt64, rows: Int) {
        var random = SeededGenerator(seed: seed)
        let words = [
            "", "a", "ab", "행복해", "우울해", "a%b", "12", "-7", "3.5", "  x ", "sixteen letters!",
            "more than sixteen letters",
        ]
        func cells<Element>(_ gaps: Bool, _ make: () -> Element) -> [Element?] {
            (0..<rows).map { _ in gaps && Int.random(in: 0..<5, using: &random) == 0 ? nil : make() }
        }
        texts = cells(true) { words.randomElement(using: &random)! }
        integers = [
            cells(true) { Int64.random(in: -5...5, using: &random) },
            cells(false) { [0, 1, 2, .max, .min, 1 << 40].randomElement(using: &random)! },
        ]
        decimals = cells(true) { [0, 0.5, -1.25, 3, 1e300, 2.5].randomElement(using: &random)! }
        flags = cells(true) { Bool.random(using: &random) }
        days = cells(true) { Int32.random(in: -1_000...30_000, using: &random) }
        self.random = random
        batch = Batch(
            Schema([
                Field("t", .text), Field("n", .integer), Field("big", .integer), Field("x", .decimal),
                Field("f", .flag), Field("d", .day),
            ]),
            [
                Self.text(texts), .integers(Self.values(integers[0], .max)), .integers(Self.values(integers[1], .max)),
                .decimals(Self.values(decimals, .nan)), .flags(Self.values(flags, true)),
                .days(Self.values(days, .min)),
            ],
            count: rows,
            provenance: .made
        )
    }

    private static func values<Element>(_ cells: [Element?], _ filler: Element) -> Values<Element> {
        var missing: Mask?
        for (row, cell) in cells.enumerated() where cell == nil { missing.insert(row, of: cells.count) }
        return Values(cells.map { $0 ?? filler }, missing: missing)
    }

    private static func text(_ cells: [String?]) -> Column {
        var builder = TextColumnBuilder(rows: cells.count)
        for cell in cells { if let cell { builder.append(cell) } else { builder.appendMissing() } }
        return .text(builder.build())
    }

    // MARK: Making

    private mutating func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

    /// A result that is missing where a part is, and failed where a part has.
    private func strict(_ parts: [Sample], _ make: @escaping ([Value]) -> Value) -> (Int) -> Value {
        { row in
            let values = parts.map { $0.value(row) }
            if values.contains(where: \.isMissing) { return .missing(failed: values.contains(where: \.isFailed)) }
            return make(values)
        }
    }

    private func cell<Element>(_ name: String, _ cells: [Element?], _ make: @escaping (Element) -> Value) -> Sample {
        Sample(text: name) { row in cells[row].map(make) ?? .missing(failed: false) }
    }

    private mutating func branches(_ depth: Int, _ make: (inout Self, Int) -> Sample) -> Sample {
        let (condition, first, second) = (flag(depth), make(&self, depth), make(&self, depth))
        switch pick(3) {
        case 0:
            return Sample(text: "case when \(condition.text) then \(first.text) else \(second.text) end") { row in
                let known = condition.value(row)
                return known == .flag(true) ? first.value(row) : known.isFailed ? known : second.value(row)
            }
        case 1:
            return Sample(text: "coalesce(\(first.text), \(second.text))") { row in
                let (one, other) = (first.value(row), second.value(row))
                if !one.isMissing { return one }
                return other.isMissing ? .missing(failed: one.isFailed || other.isFailed) : other
            }
        default:
            return Sample(text: "nullif(\(first.text), \(second.text))") { row in
                let (one, other) = (first.value(row), second.value(row))
                if one.isFailed || other.isFailed { return .missing(failed: true) }
                return one == other ? .missing(failed: false) : one
            }
        }
    }

    mutating func text(_ depth: Int) -> Sample {
        guard depth > 0, pick(4) > 0 else {
            if pick(4) == 0 {
                let word = ["a", "it's", "행복", "", "x y"][pick(5)]
                return Sample(text: "'\(word.replacingScalars("'", with: "''"))'") { _ in .text(word) }
            }
            return cell("t", texts) { .text($0) }
        }
        switch pick(7) {
        case 0:
            let parts = [text(depth - 1), text(depth - 1)]
            return Sample(
                text: "(\(parts[0].text) || \(parts[1].text))",
                value: strict(parts) { .text(Self.text($0[0]) + Self.text($0[1])) }
            )
        case 1:
            let part = text(depth - 1)
            return Sample(text: "upper(\(part.text))", value: strict([part]) { .text(Self.text($0[0]).uppercased()) })
        case 2:
            let part = text(depth - 1)
            return Sample(
                text: "trim(\(part.text))",
                value: strict([part]) { value in
                    var scalars = Substring(Self.text(value[0])).unicodeScalars
                    while scalars.first?.properties.isWhitespace ?? false { scalars.removeFirst() }
                    while scalars.last?.properties.isWhitespace ?? false { scalars.removeLast() }
                    return .text(String(scalars))
                }
            )
        case 3:
            let (part, from, length) = (text(depth - 1), pick(5) - 1, pick(4))
            return Sample(
                text: "substring(\(part.text), \(from), \(length))",
                value: strict([part]) { value in
                    let scalars = Array(Self.text(value[0]).unicodeScalars)
                    let kept = scalars.indices.filter { $0 + 1 >= from && $0 + 1 < from + length }
                    return .text(String(String.UnicodeScalarView(kept.map { scalars[$0] })))
                }
            )
        case 4:
            let part = text(depth - 1)
            return Sample(
                text: "replace(\(part.text), 'a', 'é')",
                value: strict([part]) { .text(Self.text($0[0]).replacingScalars("a", with: "é")) }
            )
        case 5:
            let part = pick(2) == 0 ? integer(depth - 1) : day(depth - 1)
            return Sample(text: "to_text(\(part.text))", value: strict([part]) { .text($0[0].displayText!) })
        default: return branches(depth - 1) { $0.text($1) }
        }
    }

    mutating func integer(_ depth: Int) -> Sample {
        guard depth > 0, pick(4) > 0 else {
            if pick(4) == 0 {
                let number = Int64(pick(7)) - 2
                return Sample(text: "\(number)") { _ in .integer(number) }
            }
            return pick(3) == 0
                ? cell("big", integers[1]) { .integer($0) } : cell("n", integers[0]) { .integer($0) }
        }
        switch pick(8) {
        case 0, 1, 2:
            let parts = [integer(depth - 1), integer(depth - 1)]
            let operations: [(String, (Int64, Int64) -> (Int64, Bool))] = [
                ("+", { $0.addingReportingOverflow($1) }), ("-", { $0.subtractingReportingOverflow($1) }),
                ("*", { $0.multipliedReportingOverflow(by: $1) }),
                ("%", { $1 == 0 ? (0, true) : $1 == -1 ? (0, false) : ($0 % $1, false) }),
            ]
            let (sign, compute) = operations[pick(4)]
            return Sample(
                text: "(\(parts[0].text) \(sign) \(parts[1].text))",
                value: strict(parts) { values in
                    let (result, fails) = compute(Self.integer(values[0]), Self.integer(values[1]))
                    return fails ? .missing(failed: true) : .integer(result)
                }
            )
        case 3:
            let part = text(depth - 1)
            return Sample(
                text: "length(\(part.text))",
                value: strict([part]) { .integer(Int64(Self.text($0[0]).unicodeScalars.count)) }
            )
        case 4:
            let part = text(depth - 1)
            return Sample(
                text: "to_integer(\(part.text))",
                value: strict([part]) { Int64(Self.text($0[0])).map { .integer($0) } ?? .missing(failed: false) }
            )
        case 5:
            let parts = [day(depth - 1), day(depth - 1)]
            return Sample(
                text: "days_between(\(parts[0].text), \(parts[1].text))",
                value: strict(parts) { .integer(Int64(Self.day($0[1])) - Int64(Self.day($0[0]))) }
            )
        case 6:
            let parts = [integer(depth - 1), integer(depth - 1), integer(0)]
            return Sample(
                text: "least(\(parts.map(\.text).joined(separator: ", ")))",
                value: strict(parts) { .integer($0.map(Self.integer).min()!) }
            )
        default: return branches(depth - 1) { $0.integer($1) }
        }
    }

    mutating func decimal(_ depth: Int) -> Sample {
        guard depth > 0, pick(4) > 0 else { return cell("x", decimals) { .decimal($0) } }
        func finite(_ value: Double) -> Value { value.isFinite ? .decimal(value) : .missing(failed: true) }
        switch pick(4) {
        case 0:
            let parts = [integer(depth - 1), integer(depth - 1)]
            return Sample(
                text: "(\(parts[0].text) / \(parts[1].text))",
                value: strict(parts) { finite(Double(Self.integer($0[0])) / Double(Self.integer($0[1])) + 0) }
            )
        case 1:
            let parts = [decimal(depth - 1), integer(depth - 1)]
            return Sample(
                text: "(\(parts[0].text) * \(parts[1].text))",
                value: strict(parts) { finite(Self.decimal($0[0]) * Double(Self.integer($0[1])) + 0) }
            )
        case 2:
            let parts = [decimal(depth - 1), decimal(depth - 1)]
            return Sample(
                text: "(\(parts[0].text) - \(parts[1].text))",
                value: strict(parts) { finite(Self.decimal($0[0]) - Self.decimal($0[1])) }
            )
        default: return branches(depth - 1) { $0.decimal($1) }
        }
    }

    mutating func day(_ depth: Int) -> Sample {
        guard depth > 0, pick(3) > 0 else {
            if pick(4) == 0 { return Sample(text: "as_of") { _ in .day(ExampleRunner.context.asOf.number) } }
            return cell("d", days) { .day($0) }
        }
        switch pick(3) {
        case 0:
            let (part, count) = (day(depth - 1), pick(100) - 50)
            return Sample(
                text: "add_days(\(part.text), \(count))",
                value: strict([part]) { .day(Self.day($0[0]) + Int32(count)) }
            )
        case 1:
            let part = day(depth - 1)
            return Sample(
                text: "month_start(\(part.text))",
                value: strict([part]) { value in
                    let (year, month, _) = CalendarDay(number: Self.day(value[0])).components
                    return .day(CalendarDay.number(year: year, month: month, day: 1))
                }
            )
        default: return branches(depth - 1) { $0.day($1) }
        }
    }
}
