import DaybookTestSupport
import Testing

@testable import DaybookContracts
@testable import DaybookQuality

/// Figures and gaps that rules find, against loops over all values.
@Suite struct RuleFigureTests {
    private static func rows(_ column: Column, _ kind: ColumnKind) -> CheckedRows {
        CheckedRows(batch: Batch(Schema([Field("n", kind)]), [column], count: column.count, provenance: .made))
    }

    private static let n = ColumnName("n")

    /// Numbers of several shapes.
    private static let shapes: [(String, @Sendable (inout SeededGenerator) -> Double)] = [
        ("few values", { Double(Int.random(in: 0...3, using: &$0)) }),
        ("around 0", { Double.random(in: -5...5, using: &$0) }),
        (
            "of all sizes",
            {
                Double.random(in: -1...1, using: &$0)
                    * Double(sign: .plus, exponent: Int.random(in: -300...300, using: &$0), significand: 1)
            }
        ),
        ("far from 0", { 1e9 + Double(Int.random(in: 0...2, using: &$0)) }),
        ("both zeros", { Bool.random(using: &$0) ? 0.0 : -0.0 }),
        (
            "at the ends",
            {
                [Double.greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNonzeroMagnitude].randomElement(
                    using: &$0
                ) ?? 0
            }
        ),
    ]

    @Test("quantiles are those of the sorted numbers, also from disk and through bytes", arguments: shapes.map(\.0))
    func quantiles(_ shape: String) throws {
        let make = try #require(Self.shapes.first { $0.0 == shape }).1
        var random = SeededGenerator(seed: 7)
        for count in [1, 2, 3, 10, 257] {
            let numbers = (0..<count).map { _ in make(&random) }
            var log: NumberLog?
            for start in stride(from: 0, to: count, by: 50) {
                let part = Array(numbers[start..<min(start + 50, count)])
                let own = NumberLog(
                    Self.n,
                    of: Self.rows(.decimals(Values(part)), .decimal),
                    keepsGaps: start % 100 == 0
                )
                if log == nil { log = own } else { try log?.append(own) }
                try log?.spill(to: MemoryScratch(memoryLimit: 0))
            }
            let sorted = numbers.sorted()
            for share in [0, 0.25, 0.5, 0.9, 0.95, 1] {
                let place = share * Double(count - 1)
                let low = sorted[Int(place)]
                let high = sorted[min(Int(place) + 1, count - 1)]
                let part = place - place.rounded(.down)
                let expected =
                    part == 0 || low == high
                    ? low : (high - low).isFinite ? low + (high - low) * part : low * (1 - part) + high * part
                #expect(try log?.quantile(share) == expected, "\(share) of \(count)")
            }
            #expect(try log?.quantile(0, of: { $0.magnitude }) == numbers.map(\.magnitude).min())
        }
    }

    @Test("gaps, and rows that are not asked about, are no numbers and keep the places of others")
    func gaps() throws {
        var missing = Mask(count: 5)
        missing.insert(0)
        missing.insert(4)
        var rows = Self.rows(.integers(Values([9, 1, 2, 3, 9], missing: missing)), .integer)
        rows.asked = Mask(count: 5) { $0 != 2 }
        let log = NumberLog(Self.n, of: rows, keepsGaps: true)
        #expect(log.count == 2)
        var seen: [Double] = []
        try log.forEachPiece { (_, numbers) throws(DaybookError) in seen += numbers }
        #expect(seen.map(\.isNaN) == [true, false, true, false, true] && seen[1] == 1 && seen[3] == 3)
        #expect(try log.quantile(0.5) == 2)
        #expect(try NumberLog(Self.n, of: Self.rows(.integers(Values([])), .integer)).quantile(0.5) == nil)
    }

    @Test("deviations are those of whole numbers, however far from 0 and however merged")
    func deviations() throws {
        var random = SeededGenerator(seed: 11)
        let bases: [Int64] = [0, 1_000_000_000, -4_000_000_000_000_000_000, .max - 9]
        for base in bases {
            let numbers: [Int64] = (0..<200).map { _ in base &+ Int64.random(in: 0...9, using: &random) }
            // Against the differences from one of them, which are small and whole.
            let steps: [Int] = numbers.map { Int($0 &- base) }
            let (sum, squares) = (steps.reduce(0, +), steps.reduce(0) { $0 + $1 * $1 })
            let expected = (Double(200 * squares - sum * sum) / 200 / 199).squareRoot()
            var whole = Moments(Self.n, of: Self.rows(.integers(Values(Array(numbers[..<70]))), .integer))
            whole.add(Moments(Self.n, of: Self.rows(.integers(Values(Array(numbers[70...]))), .integer)))
            #expect(whole.deviation == expected, "from \(base)")
            guard base.magnitude < 1 << 50 else { continue }
            let decimals = numbers.map { Double($0) / 8 }
            let parts = Moments(Self.n, of: Self.rows(.decimals(Values(decimals)), .decimal))
            #expect(parts.deviation == expected / 8)
        }
        #expect(Moments(Self.n, of: Self.rows(.integers(Values([5])), .integer)).deviation == nil)
        #expect(Moments(Self.n, of: Self.rows(.decimals(Values([1e200, 1])), .decimal)).tooLarge == 1)
        let ends = Moments(Self.n, of: Self.rows(.integers(Values([.min, .max, .min, .max, .min])), .integer))
        #expect(ends.deviation.map { abs($0 / 0x1p64 - 0.3.squareRoot()) < 1e-15 } == true)
    }

    @Test("a mean of equal numbers is not beyond them")
    func meansOfEquals() throws {
        let rules = "rules: [{ mean: { column: n, min: 1.6, max: 1.6 } }]"
        #expect(try judgements(rules, "n:decimal\n1.6\n1.6\n1.6").isEmpty)
        let wholes = "rules: [{ mean: { column: n, max: 9007199254740992 } }]"
        #expect(try judgements(wholes, "n:integer\n9007199254740992\n9007199254740992\n9007199254740993").isEmpty)
        #expect(try judgements(wholes, "n:integer\n9007199254740994").count == 1)
    }

    @Test("days that are left out are counted as a loop over the calendar counts them")
    func days() throws {
        var random = SeededGenerator(seed: 3)
        for weekdays in [false, true] {
            for _ in 0..<50 {
                let first = Int32.random(in: -40...20_000, using: &random)
                let length = Int32.random(in: 1...60, using: &random)
                let there = (first..<first + length).filter { _ in Int.random(in: 0..<3, using: &random) > 0 }
                guard let low = there.first, let high = there.last else { continue }
                func counts(_ day: Int32) -> Bool { !weekdays || ((Int(day) + 7003) % 7 < 5) }
                let out = (low...high).filter { !there.contains($0) && counts($0) }
                let all = (low...high).count { counts($0) }
                let findings = try judgements(
                    "rules: [{ no_gaps: { column: date, weekdays: \(weekdays) } }]",
                    "date:day\n"
                        + there.shuffled(using: &random).map { "\(CalendarDay(number: $0))" }.joined(separator: "\n")
                )
                if out.isEmpty {
                    #expect(findings.isEmpty)
                } else {
                    let unit = weekdays ? "weekdays" : "days"
                    #expect(
                        findings.first?.contains("leaves out \(out.count) of \(all) \(unit) from ") == true,
                        "\(findings)"
                    )
                    #expect(findings.first?.contains(": \(CalendarDay(number: out[0]))") == true)
                }
            }
        }
    }

    @Test("messages have both figures that were compared")
    func messages() throws {
        let rows = "shop:text,date:day,n:integer\na,2026-01-01,1\nb,2026-01-01,3\na,2026-01-04,3\nb,2026-01-02,100"
        let expected = [
            "no_gaps: { column: date, by: shop }":
                "1 of 2 groups leaves out days: 'a' leaves out 2 of 4 days from 2026-01-01 to 2026-01-04: 2026-01-02 to 2026-01-03",
            "distinct: { column: n, min: 80% }": "'n' holds 3 different values among 4, not at least 80%",
            "contains_all: { column: shop, values: [a, c] }": "'shop' lacks 1 of 2 values: 'c'",
            "median: { column: n, max: 2 }": "the median of 'n' is 3, not at most 2",
            "quantile: { column: n, q: 0.75, min: 50 }": "the 0.75 quantile of 'n' is 27.25, not at least 50",
            "deviation: { column: n, max: 10 }": "the standard deviation of 'n' is 48.84243373679626, not at most 10",
        ]
        for (rule, message) in expected { #expect(try judgements("rules: [{ \(rule) }]", rows) == [message]) }
    }

    /// What is said of all rows together.
    private func judgements(_ options: String, _ text: String) throws -> [String] {
        let stage = try ExampleRunner.make(CheckRows<BuiltInRules>.self, options)
        let rows = try BatchText.read(text)
        guard case .fold(let check) = try stage.bind(StageInputs(rows.schema)).ready else { return [] }
        return try judgements(check, rows)
    }

    private func judgements(_ check: some FoldOperator, _ rows: Batch) throws -> [String] {
        var findings = Findings()
        let partial = try check.partial(of: rows, reporting: &findings)
        var messages: [String] = []
        try check.finish(partial, schema: rows.schema, scratch: MemoryScratch()) { (_, findings) in
            messages += findings.verdicts.map(\.message)
        }
        return messages
    }
}
