import DaybookTestSupport
import Testing

@testable import DaybookContracts
@testable import DaybookDates
@testable import DaybookValues

/// A day ends at its last moment and not half a microsecond before, however the moment is written.
@Suite struct MidnightTests {
    /// Midnights in Seoul, in seconds since 1970, and the days that begin there: long before 1970, around it, around 2001,
    /// today and near the ends of time.
    private static let midnights: [(seconds: Int64, day: String, before: String)] = [
        (1_793_458_800, "2026-11-01", "2026-10-31"), (978_274_800, "2001-01-01", "2000-12-31"),
        (978_361_200, "2001-01-02", "2001-01-01"), (-32_400, "1970-01-01", "1969-12-31"),
        (54_000, "1970-01-02", "1970-01-01"), (-2_209_021_200, "1900-01-01", "1899-12-31"),
        (-62_135_542_800, "0001-01-02", "0001-01-01"), (253_402_182_000, "9999-12-31", "9999-12-30"),
    ]

    /// Digits of a fraction of a second, all nearer to the next microsecond than to the one before.
    private static let lateFractions = [
        "9999995", "9999996", "9999999", "999999999999999999999999", "99999950000000000000000000000000000001",
    ]

    private func day(_ text: String, _ format: DateFormat, to target: DateTarget = .day) -> String {
        Samples.read(text, format, to: target, zone: Samples.seoul)
    }

    /// A number of units from `zero` on: seconds and perhaps a fraction before or after them.
    private func number(_ seconds: Int64, _ unit: EpochUnit, adding fraction: String) -> String {
        var whole = seconds - unit.reference / 1_000_000
        var digits = fraction
        if whole < 0, digits.contains(where: { $0 != "0" }) {
            // −5 and 0.25 are −4.75: the complement of the digits, behind a sign even where the whole part is 0.
            whole += 1
            let last = digits.lastIndex { $0 != "0" } ?? digits.startIndex
            digits = String(
                digits.indices.map { place in
                    guard let digit = digits[place].wholeNumberValue, place <= last else { return Character("0") }
                    return Character(String(place == last ? 10 - digit : 9 - digit))
                }
            )
            if unit == .epochMillis {
                return "-\(whole == 0 ? "" : "\(-whole)")" + digits.prefix(3) + "." + digits.dropFirst(3)
            }
            return "-\(-whole)." + digits
        }
        guard unit == .epochMillis else { return "\(whole)." + digits }
        return (whole == 0 ? "" : "\(whole)") + digits.prefix(3) + "." + digits.dropFirst(3)
    }

    @Test(arguments: EpochUnit.allCases)
    func `a number in text is on the day of its exact moment, on both sides of midnight`(_ unit: EpochUnit) {
        for (seconds, after, before) in MidnightTests.midnights {
            for late in MidnightTests.lateFractions {
                let text = number(seconds - 1, unit, adding: late)
                #expect(day(text, .epoch(unit)) == before, "\(text)")
                // An instant that is made of it lies on the same day.
                let instant = day(text, .epoch(unit), to: .instant)
                #expect(instant.hasSuffix("59.999999Z"), "\(text) became \(instant)")
                #expect(day(instant, .iso) == before)
            }
            for early in ["0000000", "0000001", "0000004", "00000049999999999999999", "0000005", "000001"] {
                let text = number(seconds, unit, adding: early)
                #expect(day(text, .epoch(unit)) == after, "\(text)")
            }
        }
    }

    @Test(arguments: EpochUnit.allCases)
    func `a number in a column of decimals is on the day of its exact moment`(_ unit: EpochUnit) {
        let reader = DateColumnReader([.epoch(unit)], to: .day, zone: Samples.seoul)
        let instants = DateColumnReader([.epoch(unit)], to: .instant, zone: Samples.seoul)
        for (seconds, after, before) in MidnightTests.midnights {
            let midnight = Double(seconds * 1_000_000 - unit.reference) / Double(unit.micros)
            // The next double after midnight is nearer to it than a microsecond in most of these years; so is the one before.
            var late = [midnight.nextDown, midnight.nextDown.nextDown, midnight - 1]
            late += [1e-7, 4e-7, 5e-7, 6e-7, 1e-6].map { midnight - max($0, midnight.ulp) }
            var early = [midnight, midnight.nextUp, midnight + 1]
            early += [1e-7, 4e-7, 5e-7, 6e-7, 1e-6].map { midnight + max($0, midnight.ulp) }
            let read = reader.read(.decimals(Values(late + early))) { row, failure in
                Issue.record("\((late + early)[row]): \(failure.outcome)")
            }
            let days = (0..<read.count).map { read.displayText($0) ?? "" }
            #expect(days == late.map { _ in before } + early.map { _ in after }, "\(unit) around \(after)")
            // Taken by way of an instant, the day is the same.
            let moments = instants.read(.decimals(Values(late + early))) { _, _ in }
            #expect(reader.read(moments) { _, _ in }.displayText(0) == before)
            #expect((0..<moments.count).map { reader.read(moments) { _, _ in }.displayText($0) ?? "" } == days)
        }
    }

    @Test func `a long fraction in text is cut off, on both sides of midnight and of 1970`() throws {
        let nanos = try Samples.format("yyyy-MM-dd HH:mm:ss.SSSSSSSSSXXX")
        for (_, after, before) in MidnightTests.midnights {
            for late in MidnightTests.lateFractions {
                #expect(day("\(before)T23:59:59.\(late)", .iso) == before)
                #expect(day("\(before)T23:59:59,\(late)+09:00", .iso) == before)
                #expect(day("\(before)T14:59:59.\(late)Z", .iso) == before)
                #expect(day("\(before)T14:59:59.\(late)Z", .iso, to: .instant) == "\(before)T14:59:59.999999Z")
            }
            #expect(day("\(before) 23:59:59.999999999+09:00", nanos) == before)
            #expect(day("\(before) 14:59:59.999999500Z", nanos) == before)
            #expect(day("\(before) 15:00:00.000000000Z", nanos) == after)
            #expect(day("\(before)T15:00:00.00000000000000000000Z", .iso) == after)
            #expect(day("\(after)T00:00:00.0000004+09:00", .iso) == after)
        }
    }

    @Test func `the ends of the years are the ends to the last digit`() {
        let seconds = DateFormat.epoch(.epochSeconds)
        #expect(Samples.read("253402300799.9999999", seconds, zone: .utc) == "9999-12-31")
        #expect(Samples.read("253402300800", seconds, zone: .utc) == "outOfRange")
        #expect(Samples.read("-62135596800.0", seconds, zone: .utc) == "0001-01-01")
        #expect(Samples.read("-62135596800.0000001", seconds, zone: .utc) == "outOfRange")
        #expect(Samples.read("-0", seconds, zone: .utc) == "1970-01-01")
        #expect(Samples.read("-0.00000000000000000000000000001", seconds, zone: .utc) == "1969-12-31")
    }

    @Test func `a column of decimals reads as the digits that name its numbers`() {
        // The shortest digits of a double, by the standard library, which shares nothing with the writer.
        var random = SeededGenerator(seed: 24)
        let reader = DateColumnReader([.epoch(.epochSeconds)], to: .instant, zone: .utc)
        let numbers = (0..<20_000).map { _ in
            let places = Int.random(in: 0...6, using: &random)
            let parts = Int64.random(in: -2_000_000_000_000_000...4_000_000_000_000_000, using: &random)
            let scale = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000][places]
            return Double(parts / Int64(scale)) / (1_000_000 / Double(scale))
        }
        let texts = numbers.map { "\($0)" }
        let read = reader.read(.decimals(Values(numbers))) { _, _ in }
        let expected = Samples.read(texts, [.epoch(.epochSeconds)], to: .instant, zone: .utc)
        for row in texts.indices where !texts[row].contains("e") {
            #expect(read.displayText(row) == expected[row], "\(texts[row])")
        }
    }
}
