import DaybookTestSupport
import Testing

@testable import DaybookBytes
@testable import DaybookContracts
@testable import DaybookQuality

/// What is held against earlier runs, beside loops over all of them.
@Suite struct PastLimitsTests {
    private static let today = CalendarDay(number: 20_000)

    private static func rule(_ options: String) throws -> RowCount {
        let reading = YAMLReader().read(Array(options.utf8), file: "rule.yaml")
        let map = try #require(reading.root?.map)
        let context = OptionReader.Context(asOf: today, timezone: nil)
        var reader = OptionReader(map, at: nil, context: context)
        let rule = RowCount(reading: &reader)
        #expect(reader.problems.isEmpty, "\(reader.problems)")
        return rule
    }

    /// Runs of the days before today, one or several each, of which some failed.
    private static func past(_ generator: inout SeededGenerator, _ value: (inout SeededGenerator) -> Double)
        -> FigurePast
    {
        var entries: [FigurePast.Entry] = []
        for age in 1...Int.random(in: 1...60, using: &generator) {
            for _ in 0..<Int.random(in: 0...2, using: &generator) {
                entries.append(
                    FigurePast.Entry(
                        day: CalendarDay(number: today.number - Int32(age)),
                        run: "run-\(entries.count)",
                        value: value(&generator),
                        passed: Int.random(in: 0..<4, using: &generator) > 0
                    )
                )
            }
        }
        return FigurePast(entries)
    }

    private static func lastOfDays(_ past: FigurePast, _ count: Int, failed: Bool) -> [FigurePast.Entry] {
        var days: [Int32: FigurePast.Entry] = [:]
        for entry in past.entries.reversed() where failed || entry.passed { days[entry.day.number] = entry }
        return Array(days.values.sorted { $0.day > $1.day }.prefix(count))
    }

    private static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    }

    @Test("changes are judged as a loop over the past judges them", arguments: ["last", "median of 7", "same weekday"])
    func changes(_ from: String) throws {
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<300 {
            let failed = Bool.random(using: &generator)
            let rule = try Self.rule("change: { max: 20%, from: \(from), include: \(failed ? "failed" : "passed") }")
            let past = Self.past(&generator) { Double(Int.random(in: 0...12, using: &$0)) }
            let value = Double(Int.random(in: 0...12, using: &generator))
            let days = Self.lastOfDays(past, from == "last" ? 1 : from == "same weekday" ? 35 : 7, failed: failed)
            let expected: Double?
            switch from {
            case "last": expected = days.first?.value
            case "same weekday": expected = days.first { ($0.day.number - Self.today.number) % 7 == 0 }?.value
            default: expected = days.isEmpty ? nil : Self.median(days.map(\.value))
            }
            let found = rule.comparison(of: ObservedValue(.rows, value), with: past, on: Self.today)
            #expect(found.lacksPast == (expected == nil))
            #expect(found.broken.isEmpty == (expected.map { (value - $0).magnitude * 5 <= $0 } ?? true))
            #expect(found.passed.count + found.broken.count == 1)
        }
    }

    @Test("anomalies are judged as a loop over the past judges them")
    func anomalies() throws {
        let rule = try Self.rule("anomaly: { of: 28 runs, deviations: 4 }")
        var generator = SeededGenerator(seed: 8)
        var broken = 0
        for round in 0..<400 {
            let past = Self.past(&generator) { generator in
                switch round % 3 {
                case 0: Double(Int.random(in: 90...110, using: &generator))
                case 1: Int.random(in: 0..<4, using: &generator) == 0 ? 101 : 100
                default: 100
                }
            }
            let value = Double([100, 101, 103, 140, 60].randomElement(using: &generator) ?? 0)
            let runs = Self.lastOfDays(past, 28, failed: false).map(\.value)
            let found = rule.comparison(of: ObservedValue(.rows, value), with: past, on: Self.today)
            #expect(found.lacksPast == (runs.count < 7))
            guard runs.count >= 7 else { continue }
            let median = Self.median(runs)
            var deviation = 1.4826 * Self.median(runs.map { ($0 - median).magnitude })
            if deviation == 0 {
                deviation = 1.2533 * runs.map { ($0 - median).magnitude }.reduce(0, +) / Double(runs.count)
            }
            let isAnomaly = (value - median).magnitude > 4 * deviation
            #expect(found.broken.isEmpty != isAnomaly, "\(value) beside \(runs)")
            broken += isAnomaly ? 1 : 0
        }
        #expect(broken > 50)
    }

    @Test("shares are exact at the bound, and of 0 there is none")
    func bounds() throws {
        let rule = try Self.rule("change: { max: 7% }")
        func holds(_ value: Double, after before: Double) -> Bool {
            let past = FigurePast([
                FigurePast.Entry(day: CalendarDay(number: 19_999), run: "r", value: before, passed: true)
            ])
            return rule.comparison(of: ObservedValue(.rows, value), with: past, on: Self.today).broken.isEmpty
        }
        #expect(holds(107, after: 100) && holds(93, after: 100) && !holds(108, after: 100) && !holds(92, after: 100))
        #expect(holds(0, after: 0) && !holds(1, after: 0) && !holds(.greatestFiniteMagnitude, after: 1))
        #expect(!holds(0, after: .greatestFiniteMagnitude))
    }
}
