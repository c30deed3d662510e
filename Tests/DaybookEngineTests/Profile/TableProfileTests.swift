import DaybookContracts
import DaybookTestSupport
import Testing

@testable import DaybookDates
@testable import DaybookDiscover

/// That a profile says of random tables what counting by hand says.
@Suite struct TableProfileTests {
    static let candidates = DateCandidates(names: ["ko_KR", "en_US"].compactMap { LocaleNames(locale: $0) })

    private func batch(_ columns: [[String?]]) -> Batch {
        let built = columns.map { values -> Column in
            var builder = TextColumnBuilder(rows: values.count)
            for value in values { if let value { builder.append(value) } else { builder.appendMissing() } }
            return .text(builder.build())
        }
        return Batch(
            Schema(columns.indices.map { Field("c\($0)", .text) }),
            built,
            count: columns[0].count,
            provenance: .made
        )
    }

    private func profile(_ batches: [Batch], bounds: ProfileBounds? = nil) -> [ColumnFacts] {
        var whole = TableProfile(batches[0].schema, TableProfileTests.candidates, bounds: bounds)
        for batch in batches {
            var part = TableProfile(batch.schema, TableProfileTests.candidates, bounds: bounds)
            part.add(batch)
            whole.merge(part)
        }
        return zip(whole.look.columns, whole.columns).map { ColumnFacts($0, $1, in: whole.look) }
    }

    private static let words = [
        "1", "2", "-3", "0.5", "12.25", "007", "true", "false", "2026-11-21", "2026/11/20", "#EC007F", "#ec007", "N/A",
        "", "행복해", "a b", "9223372036854775807", "21/11/2026", "2026-11-21T05:00:00Z", "1e5", "+5", "2.5E-2",
        "0.12345678901234567",
    ]

    private func values(_ count: Int, _ random: inout SeededGenerator) -> [String?] {
        let pool = (0..<Int.random(in: 1...12, using: &random)).map { _ in
            TableProfileTests.words.randomElement(using: &random)!
        }
        return (0..<count).map { _ in
            switch Int.random(in: 0..<8, using: &random) {
            case 0: nil
            case 1: String(Int.random(in: -40...400, using: &random))
            default: pool.randomElement(using: &random)
            }
        }
    }

    @Test func textsOfOneShapeHaveAPattern() {
        let cases: [([String], String?)] = [
            (["KR-01", "DE-99"], "^[A-Z]{2}-[0-9]{2}$"), (["ev.1a", "ev.2B"], "^[a-z]{2}\\.[0-9][A-Za-z]$"),
            (["ICN", "JFK"], "^[A-Z]{3}$"), (["A1", "BC23"], "^[A-Z0-9]+$"), (["ab", "abc"], nil),
            (["a-b", "a_b"], nil), (["a b", "c d"], nil), (["한국", "미국"], nil),
            ([String(repeating: "a", count: 41), String(repeating: "b", count: 41)], nil),
        ]
        for (texts, pattern) in cases {
            // In one batch, and one text in each.
            for batches in [[batch([texts])], texts.map { batch([[$0]]) }] {
                let shape = profile(batches)[0].lengths?.shape
                #expect(shape?.pattern == pattern, "\(texts)")
                #expect(shape?.hasBlanks == texts.contains { $0.contains(" ") })
            }
        }
    }

    @Test func aProfileSaysWhatCountingSays() {
        var random = SeededGenerator(seed: 21)
        for _ in 0..<150 {
            let count = Int.random(in: 1...300, using: &random)
            let all = values(count, &random)
            let cut = Int.random(in: 0...count, using: &random)
            let facts = profile([batch([Array(all[..<cut])]), batch([Array(all[cut...])])])[0]
            let present = all.compactMap { $0 }
            #expect(facts.rows == count && facts.missing == count - present.count)
            #expect(facts.distinct == (Set(present).count, true))
            #expect(facts.isUnique == (!present.isEmpty && Set(present).count == present.count))
            #expect(facts.kinds.reduce(0) { $0 + $1.count } == present.count)
            var counts: [String: Int] = [:]
            for value in present { counts[value, default: 0] += 1 }
            let most = counts.sorted { one, other in
                one.value == other.value
                    ? one.key.utf8.lexicographicallyPrecedes(other.key.utf8) : one.value > other.value
            }
            #expect(facts.top.map(\.text) == most.prefix(ColumnFacts.mostTop).map(\.key))
            #expect(facts.top.map(\.count) == most.prefix(ColumnFacts.mostTop).map(\.value))
            // Digits that a number would lose make a column one of digits, which has no amounts.
            let numbers = facts.holds == "digits" ? [] : present.compactMap(TableProfileTests.number).sorted()
            #expect(facts.numbers?.count ?? 0 == numbers.count)
            let gaps = present.count { $0 == "N/A" }
            #expect(facts.numbers.map { $0.others == present.count - gaps - numbers.count } ?? true)
            if let told = facts.numbers {
                let mean = numbers.map { $0 / Double(numbers.count) }.reduce(0, +)
                #expect(told.least == numbers.first && told.most == numbers.last)
                #expect(abs(told.mean - mean) <= 1e-9 * max(1, numbers.map(\.magnitude).max() ?? 1))
                let (low, high) = (numbers[(numbers.count - 1) / 2], numbers[numbers.count / 2])
                #expect(told.medianBounds.contains(low / 2 + high / 2))
                #expect(told.medianIsExact || told.median.magnitude > 1e15)
            }
            if let lengths = facts.lengths {
                #expect(lengths.least == present.map(\.unicodeScalars.count).min())
                #expect(lengths.most == present.map(\.unicodeScalars.count).max())
                #expect(lengths.total == present.reduce(0) { $0 + $1.unicodeScalars.count })
            }
            if facts.days == nil, let bars = facts.histogram?.bars {
                #expect(bars.reduce(0) { $0 + $1.count } == numbers.count)
            }
        }
    }

    /// Numbers by the rule that importers read them and no leading zero is lost, written anew.
    private static func number(_ text: String) -> Double? {
        guard text.wholeMatch(of: /-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/) != nil, text != "-0" else {
            return nil
        }
        return text.allSatisfy { $0.isNumber || $0 == "-" } ? Int64(text).map { Double($0) } : Double(text)
    }

    @Test(arguments: [
        // Each number with all its digits, also where a double is only near.
        (["9007199254740993", "9007199254740995"], "integer", "9007199254740993 to 9007199254740995"),
        (["9223372036854775807", "9223372036854775807"], "integer", "9223372036854775807"),
        (["-9223372036854775808", "0.5"], "decimal", "-9223372036854775808 to 0.5"),
        (["5", "90", "1000000000000000000"], "integer", "5 to 1000000000000000000"),
        (["1e3", "7", "-0.5"], "decimal", "-0.5 to 1000"), (["1e5", "2e7", "1.5"], "decimal", "1.5 to 20000000"),
        (["0.30000000000000004", "0.1"], "decimal", "0.1 to 0.3"),
        (["000", "007", "105", "994"], "digits", "3 characters"),
        (["1", "2", "3", "4", "5", "6", "7", "8", "9", "x"], "mostly integer", "1 to 9, and 2 others"),
        (["1", "2", "x", "yz"], "text", "1 to 2 characters"),
    ])
    func rangesLeaveNothingOut(_ values: [String], _ holds: String, _ range: String) {
        let facts = profile([batch([values]), batch([values])])[0]
        #expect(facts.holds == holds)
        #expect(ProfileText.range(of: facts) == range)
    }

    @Test func whatADoubleIsOnlyNearIsMarked() {
        let wide = profile([batch([["9007199254740993", "9007199254740995", "9007199254740997"]])])[0]
        #expect(wide.numbers?.medianIsExact == false)
        let text = ProfileText.facts(of: wide).first { $0.name == "numbers" }?.value ?? ""
        #expect(text.contains("mean ≈ ") && text.contains("median ≈ "), "\(text)")
        #expect(profile([batch([["9007199254740993", "1", "9007199254740993"]])])[0].numbers?.medianIsExact == false)
        let mixed = profile([batch([["1", "2", "x", "y"]])])[0]
        #expect(ProfileText.facts(of: mixed).contains { $0.value.hasSuffix("; 2 others are no numbers") })
        #expect(profile([batch([["1", "1", "2"]])])[0].numbers?.medianIsExact == true)
    }

    @Test func aNoteCallsNoNumberSomethingElse() {
        let small = (0..<980).map { String($0 % 90) }
        let wide = [String](repeating: "1000000000000000000", count: 20)
        #expect(profile([batch([wide + small])])[0].notes == [])
        #expect(
            profile([batch([wide + small + ["1.5"]])])[0].notes
                == ["as a number, '1000000000000000000' would not come out as it went in"]
        )
        #expect(profile([batch([wide + small + ["x"]])])[0].notes == ["1,000 are whole numbers; 'x' is not"])
    }

    @Test func divisionDoesNotChangeAProfile() throws {
        var random = SeededGenerator(seed: 22)
        for _ in 0..<60 {
            let count = Int.random(in: 2...400, using: &random)
            let columns = (0..<3).map { _ in values(count, &random) }
            let whole = profile([batch(columns)])
            var parts: [Batch] = []
            var start = 0
            while start < count {
                let end = min(count, start + Int.random(in: 1...120, using: &random))
                parts.append(batch(columns.map { Array($0[start..<end]) }))
                start = end
            }
            let merged = profile(parts)
            for (one, other) in zip(whole, merged) {
                #expect(ProfileText.facts(of: one).map(\.value) == ProfileText.facts(of: other).map(\.value))
                #expect(one.notes == other.notes)
                #expect(one.histogram == other.histogram)
                #expect(one.top.map(\.text) == other.top.map(\.text))
                #expect(one.isRising == other.isRising && one.holds == other.holds)
            }
        }
    }

    @Test func risingIsToldAcrossParts() {
        func rising(_ parts: [[String?]]) -> Bool { profile(parts.map { batch([$0]) })[0].isRising }
        #expect(rising([["1", "2"], ["3", nil, "10"]]))
        #expect(!rising([["1", "2"], ["2", "3"]]))
        #expect(!rising([["1", "3"], ["2", "4"]]))
        #expect(!rising([["1", "2"], ["x"]]))
        #expect(rising([["2026-01-01", "2026-01-02"], [nil], ["2026-02-01"]]))
        #expect(!rising([["2", "1"], ["3", "4"]]))
    }

    @Test func whatCannotBeCountedIsMarked() {
        let ids = (0..<3_000).map { Optional("id-\($0 * 7_919 % 3_001)") }
        let often = (0..<3_000).map { Optional($0 % 3 == 0 ? "often" : "x\($0)") }
        let bounds = ProfileBounds(distinct: 100, frequent: 20)
        let parts = stride(from: 0, to: 3_000, by: 500).map {
            batch([Array(ids[$0..<$0 + 500]), Array(often[$0..<$0 + 500])])
        }
        let facts = profile(parts, bounds: bounds)
        #expect(!facts[0].distinct.isExact && !facts[0].isUnique)
        #expect(abs(facts[0].distinct.count - 3_000) < 150)
        #expect(facts[0].top.isEmpty && facts[0].undercount > 0)
        #expect(facts[1].top.map(\.text) == ["often"])
        #expect(facts[1].top[0].count <= 1_000 && facts[1].top[0].count + facts[1].undercount >= 1_000)
        #expect(ProfileText.distinct(facts[0]).hasPrefix("≈ "))
    }

    @Test func kindsOfColumnsThatAreNoTextAreToldToo() {
        let schema = Schema([
            Field("i", .integer), Field("d", .decimal), Field("f", .flag), Field("day", .day), Field("at", .instant),
            Field("j", .json),
        ])
        var json = TextColumnBuilder(rows: 2)
        json.append("{}")
        json.append("[1]")
        let batch = Batch(
            schema,
            [
                .integers(Values([3, 1])), .decimals(Values([0.5, .infinity])), .flags(Values([true, true])),
                .days(Values([20_000, 20_100])), .instants(Values([0, 86_400_000_000])), .json(json.build()),
            ],
            count: 2,
            provenance: .made
        )
        let facts = profile([batch])
        #expect(facts.map(\.holds) == ["integer", "decimal", "flag", "day", "instant", "json"])
        #expect(facts[1].numbers?.count == 1 && facts[1].numbers?.unbounded == 1)
        #expect(facts[3].days?.first.description == "2024-10-04")
        #expect(facts[4].days?.last.description == "1970-01-02")
        #expect(facts[2].distinct == (1, true))
    }
}

/// Bars of numbers and days.
@Suite struct HistogramTests {
    private func spread(_ numbers: [Double]) -> NumberSpread { NumberSpread(numbers.map { ($0, 1) }) }

    @Test func barsOfFewNumbersAreExact() throws {
        let histogram = try #require(Histogram(numbers: spread((1...100).map(Double.init)), isWhole: true))
        #expect(histogram.isExact)
        #expect(histogram.bars.first == Histogram.Bar(label: "0 to 9", from: "0", count: 9))
        #expect(histogram.bars.last == Histogram.Bar(label: "100 to 109", from: "100", count: 1))
    }

    @Test func barsOfLargeNumbersNameNoLastNumber() throws {
        let large = try #require(Histogram(numbers: spread([0, 1e18]), isWhole: true))
        #expect(large.bars.first?.label == "0 to < 1e+17")
    }

    @Test func barsOfManyNumbersAreNearlyRightAndSaySo() throws {
        let histogram = try #require(Histogram(numbers: spread((1...600_000).map(Double.init)), isWhole: true))
        #expect(!histogram.isExact)
        #expect(histogram.bars.map(\.count).reduce(0, +) == 600_000)
        #expect(histogram.bars.dropLast().dropFirst().allSatisfy { abs($0.count - 100_000) <= 2 })
        #expect(histogram.bars.last?.count == 1)
    }

    @Test func everyNumberIsInSomeBar() {
        var random = SeededGenerator(seed: 31)
        var drawn = 0
        for _ in 0..<300 {
            let scale = [1e-9, 0.01, 1, 3_600, 1e9, 1e200].randomElement(using: &random)!
            let shift = [0.0, -1, 1, 50].randomElement(using: &random)!
            let numbers = (0..<Int.random(in: 2...200, using: &random)).map { _ in
                (Double.random(in: -1...1, using: &random) + shift) * scale
            }
            guard let histogram = Histogram(numbers: spread(numbers), isWhole: false) else { continue }
            drawn += 1
            #expect(histogram.bars.map(\.count).reduce(0, +) == numbers.count)
            #expect(histogram.bars.count <= 25 && histogram.bars.allSatisfy { $0.count >= 0 })
        }
        #expect(drawn > 200, "\(drawn) were drawn")
    }

    @Test(arguments: [(0, 5, 6, "1970-01-01"), (0, 200, 7, "1970-01"), (0, 600, 7, "1970 Q1"), (0, 3_000, 9, "1970")])
    func daysAreCountedByTheUnitThatFits(_ first: Int, _ last: Int, _ bars: Int, _ label: String) throws {
        let histogram = try #require(Histogram(days: spread((first...last).map(Double.init))))
        #expect(histogram.bars.count == bars)
        #expect(histogram.bars[0].label == label)
        #expect(histogram.bars.map(\.count).reduce(0, +) == last - first + 1)
        if last < 1_000 { #expect(histogram.isExact) }
        if label == "1970-01" { #expect(histogram.bars.map(\.count).prefix(3) == [31, 28, 31]) }
    }
}
