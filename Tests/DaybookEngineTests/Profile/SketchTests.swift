import DaybookTestSupport
import Testing

@testable import DaybookContracts
@testable import DaybookDiscover
@testable import DaybookTables

/// That what is kept of very many values says the truth about them, however they were divided.
@Suite struct SketchTests {
    // MARK: - Tallies

    private func text(_ values: [String?]) -> Column {
        var builder = TextColumnBuilder(rows: values.count)
        for value in values { if let value { builder.append(value) } else { builder.appendMissing() } }
        return .text(builder.build())
    }

    @Test func everyValueIsListedOnceWithItsFirstRow() {
        var random = SeededGenerator(seed: 1)
        for round in 0..<300 {
            let pool = (0..<Int.random(in: 1...400, using: &random)).map { index in
                String(repeating: ["a", "é", "한", "0"].randomElement(using: &random)!, count: index % 23) + "\(index)"
            }
            let values: [String?] = (0..<Int.random(in: 0...900, using: &random)).map { _ in
                Int.random(in: 0..<6, using: &random) == 0 ? nil : pool.randomElement(using: &random)
            }
            let tally = ColumnTally(text(values))
            var first: [String: Int] = [:]
            var counts: [String: Int] = [:]
            for (row, value) in values.enumerated() {
                guard let value else { continue }
                counts[value, default: 0] += 1
                if first[value] == nil { first[value] = row }
            }
            #expect(tally.present == values.count { $0 != nil }, "\(round)")
            let entries = (0..<tally.count).map { tally[$0] }
            #expect(entries.map { Int($0.row) } == first.values.sorted(), "\(round)")
            #expect(entries.allSatisfy { counts[values[Int($0.row)]!] == Int($0.count) }, "\(round)")
        }
    }

    @Test func valuesOfEveryKindAreTold() {
        let mask = { () -> Mask in
            var mask = Mask(count: 4)
            mask.insert(3)
            return mask
        }()
        let columns: [Column] = [
            .integers(Values([7, -1, 7, 0], missing: mask)), .decimals(Values([0.5, -0.5, 0.5, 0], missing: mask)),
            .days(Values([3, -3, 3, 0], missing: mask)), .instants(Values([9, 8, 9, 0], missing: mask)),
            .flags(Values([true, false, true, false], missing: mask)),
        ]
        for column in columns {
            let tally = ColumnTally(column)
            #expect(tally.count == 2 && tally.present == 3)
            #expect(tally[0].count == 2 && tally[0].row == 0 && tally[1].row == 1)
        }
    }

    @Test func valuesWrittenToCollideAreAllCounted() {
        // The lower bits of what mixing makes of these numbers are alike, so they all want one place of the table.
        var numbers: [Int64] = []
        var candidate: Int64 = 0
        while numbers.count < 600 {
            if ValueHash.of(UInt64(bitPattern: candidate)) & 0xFFF == 5 { numbers.append(candidate) }
            candidate += 1
        }
        let tally = ColumnTally(.integers(Values(numbers + numbers)))
        var total = 0
        for index in 0..<tally.count { total += Int(tally[index].count) }
        #expect(total == 1_200)
        var profile = DistinctCount(bound: 1_000)
        for index in 0..<tally.count { profile.add(tally[index].hash) }
        #expect(profile.result == (600, true))
    }

    // MARK: - Distinct

    @Test(arguments: [0, 1, 10, 999, 1_000])
    func fewValuesAreCounted(_ count: Int) {
        var distinct = DistinctCount(bound: 1_000)
        for _ in 0..<3 { for value in 0..<count { distinct.add(ValueHash.of(UInt64(value))) } }
        #expect(distinct.result == (count, true))
    }

    @Test(arguments: [1_001, 5_000, 60_000, 300_000, 2_000_000])
    func manyValuesAreEstimated(_ count: Int) {
        var distinct = DistinctCount(bound: 1_000)
        for value in 0..<count { distinct.add(ValueHash.of(UInt64(value) &* 7_919)) }
        let result = distinct.result
        #expect(!result.isExact)
        // Four standard errors.
        #expect(abs(Double(result.count) / Double(count) - 1) < 4 * DistinctCount.error, "\(result.count)")
    }

    @Test func neitherOrderNorDivisionChangesACount() {
        var random = SeededGenerator(seed: 2)
        for count in [5, 300, 2_000, 30_000] {
            let hashes = (0..<count).map { _ in
                ValueHash.of(UInt64.random(in: 0..<UInt64(count), using: &random))
            }
            var whole = DistinctCount(bound: 1_000)
            for hash in hashes { whole.add(hash) }
            // In two halves, each of which may be an estimate before it is merged.
            var halves = [DistinctCount(bound: 1_000), DistinctCount(bound: 1_000)]
            for part in split(hashes.shuffled(using: &random), &random) {
                var one = DistinctCount(bound: 1_000)
                for hash in part { one.add(hash) }
                halves[Int.random(in: 0...1, using: &random)].merge(one)
            }
            halves[0].merge(halves[1])
            #expect(halves[0].result == whole.result)
        }
    }

    private func split<Element>(_ all: [Element], _ random: inout SeededGenerator) -> [[Element]] {
        var parts: [[Element]] = []
        var rest = all[...]
        while !rest.isEmpty {
            let length = Int.random(in: 1...max(1, all.count / 3), using: &random)
            parts.append(Array(rest.prefix(length)))
            rest = rest.dropFirst(length)
        }
        return parts
    }

    // MARK: - Numbers

    /// Numbers of very different sizes, whole ones, and ones that lie close together.
    private func numbers(_ random: inout SeededGenerator) -> [Double] {
        let kind = Int.random(in: 0..<6, using: &random)
        return (0..<Int.random(in: 1...2_000, using: &random)).map { _ in
            switch kind {
            case 0: Double(Int.random(in: -5...9, using: &random))
            case 1: Double.random(in: 0..<1, using: &random)
            case 2: Double(bitPattern: UInt64.random(in: 0...UInt64.max, using: &random)).orZero
            case 3: 1_700_000_000 + Double(Int.random(in: 0...86_400, using: &random))
            case 4:
                [0, -0.0, .leastNonzeroMagnitude, -.leastNonzeroMagnitude, 1e300, -1e300].randomElement(using: &random)!
            default: (Double.random(in: 0...20, using: &random)).squareRoot() * 1e6
            }
        }
    }

    @Test func neitherOrderNorDivisionChangesASpread() {
        var random = SeededGenerator(seed: 3)
        for _ in 0..<200 {
            let all = numbers(&random)
            let whole = all.map { (number: $0, count: 1) }
            var (spread, octaves) = (NumberSpread(), NumberOctaves())
            for part in split(all.shuffled(using: &random), &random) {
                spread.merge(NumberSpread(part.map { ($0, 1) }))
                octaves.merge(NumberOctaves(part.map { ($0, 1) }))
            }
            #expect(spread == NumberSpread(whole))
            #expect(octaves == NumberOctaves(whole))
            #expect(spread.counts.count <= NumberSpread.mostSteps)
            #expect(spread.counts.reduce(0, +) == all.count)
        }
    }

    @Test func theNumberOfEveryRankLiesBetweenItsBounds() {
        var random = SeededGenerator(seed: 4)
        var bounded = 0
        for _ in 0..<200 {
            let all = numbers(&random).sorted()
            let counted = all.map { (number: $0, count: 1) }
            let (spread, octaves) = (NumberSpread(counted), NumberOctaves(counted))
            for rank in Set([0, all.count / 3, all.count / 2, all.count - 1]) {
                let even = spread.bounds(ofRank: rank)
                #expect(even.contains(all[rank]), "\(all[rank]) in \(even)")
                if let sized = octaves.bounds(ofRank: rank) {
                    #expect(sized.contains(all[rank]), "\(all[rank]) in \(sized)")
                    bounded += 1
                }
            }
        }
        #expect(bounded > 200, "\(bounded) ranks had bounds")
    }

    // MARK: - Frequent values

    @Test func countsOfFrequentValuesAreRightUpToWhatIsSaid() {
        var random = SeededGenerator(seed: 5)
        for _ in 0..<60 {
            let limit = Int.random(in: 1...40, using: &random)
            var (summary, counts) = (FrequentValues(limit: limit), [String: Int]())
            for _ in 0..<Int.random(in: 1...12, using: &random) {
                let values: [String?] = (0..<200).map { _ in
                    let wide = Int.random(in: 0...3, using: &random) == 0
                    return "v\(Int.random(in: 0..<(wide ? 5_000 : 20), using: &random))"
                }
                for case let value? in values { counts[value, default: 0] += 1 }
                let column = text(values)
                var part = FrequentValues(limit: limit)
                part.add(column, ColumnTally(column))
                summary.merge(part)
            }
            #expect(summary.values.count <= limit)
            let told = Dictionary(
                uniqueKeysWithValues: summary.values.map { (summary.text(of: $0), $0.count) }
            )
            for (value, count) in counts {
                let said = told[value] ?? 0
                #expect(said <= count && count <= said + summary.undercount, "\(value)")
            }
            if counts.count <= limit { #expect(summary.isExact && told == counts) }
        }
    }

    @Test func longValuesAreToldApartAndCut() {
        let long = String(repeating: "한", count: 500)
        let column = text([long + "a", long + "b", long + "a", "short"])
        var summary = FrequentValues(limit: 10)
        summary.add(column, ColumnTally(column))
        var other = FrequentValues(limit: 10)
        other.add(column, ColumnTally(column))
        summary.merge(other)
        #expect(summary.sorted.map(\.count) == [4, 2, 2])
        #expect(
            summary.sorted.map(\.isWhole) == [false, true, false]
                || summary.sorted.map(\.isWhole) == [false, false, true]
        )
        #expect(summary.values.allSatisfy { !summary.text(of: $0).contains("\u{FFFD}") })
    }
}

extension Double {
    fileprivate var orZero: Double { isFinite ? self : 0 }
}
