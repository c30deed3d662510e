import DaybookContracts
import DaybookTestSupport
import Testing

@testable import DaybookDates
@testable import DaybookStages

/// What no example can say: extremes, yearly days against a slow search, and what is refused.
@Suite struct CountDDaysTests {
    private func refusals(_ options: String) -> [String] {
        do {
            _ = try ExampleRunner.make(CountDDays.self, options)
            return []
        } catch let errors as DaybookErrors {
            return errors.errors.map(\.message)
        } catch {
            return ["\(error)"]
        }
    }

    @Test func `the next occurrence is the first on or after the anchor that a search day by day finds`() {
        for leapDay in YearlyDay.LeapDay.allCases {
            let yearly = YearlyDay(leapDay: leapDay)
            for start in stride(from: Int32(10_900), to: 11_100, by: 1) {
                let (_, month, day) = CalendarDay(number: start).components
                for anchor in stride(from: Int32(10_950), to: 14_900, by: 37) {
                    var expected = max(start, anchor)
                    while !isOccurrence(expected, of: start, month, day, leapDay) { expected += 1 }
                    guard yearly.occurrence(of: start, onOrAfter: anchor) == expected else {
                        Issue.record("day \(start) from \(anchor) with \(leapDay): not \(expected)")
                        return
                    }
                }
            }
        }
    }

    private func isOccurrence(
        _ candidate: Int32,
        of start: Int32,
        _ month: Int,
        _ day: Int,
        _ leapDay: YearlyDay.LeapDay
    ) -> Bool {
        let date = CalendarDay(number: candidate).components
        if candidate == start || (date.month, date.day) == (month, day) { return true }
        guard (month, day) == (2, 29), !CalendarDay.isLeap(date.year) else { return false }
        return leapDay == .feb28 ? (date.month, date.day) == (2, 28) : (date.month, date.day) == (3, 1)
    }

    @Test func `by the lunar calendar too, the next occurrence is the first that a search day by day finds`() {
        for start in stride(from: Int32(18_300), to: 18_800, by: 7) {
            guard let born = KoreanLunarCalendar.date(ofDay: start) else { continue }
            let kept = (2020...2032 as ClosedRange<Int32>).compactMap { KoreanLunarCalendar.day(keeping: born, in: $0) }
            for anchor in stride(from: Int32(18_000), to: 22_000, by: 41) {
                let expected = start >= anchor ? start : kept.first { $0 >= anchor }
                #expect(YearlyDay.lunarOccurrence(of: start, onOrAfter: anchor) == expected, "\(born) from \(anchor)")
            }
        }
        // A day ahead is its own next occurrence, known or not; what the table does not reach is not.
        #expect(YearlyDay.lunarOccurrence(of: .max, onOrAfter: 0) == .max)
        #expect(YearlyDay.lunarOccurrence(of: .min, onOrAfter: 0) == nil)
        #expect(YearlyDay.lunarOccurrence(of: 0, onOrAfter: .max) == nil)
        #expect(YearlyDay.lunarOccurrence(of: 0, onOrAfter: 47_874) == nil)
    }

    @Test func `no pair of days overflows`() throws {
        let stage = try ExampleRunner.make(CountDDays.self, "anchor: today\ntext: said")
        let days: [Int32] = [.min, .max, 0]
        let anchors: [Int32] = [.max, .min, .max]
        let batch = Batch(
            Schema([Field("date", .day), Field("today", .day)]),
            [.days(Values(days)), .days(Values(anchors))],
            count: 3,
            provenance: .made
        )
        var findings = Findings()
        let counted = stage.process(batch, reporting: &findings)
        #expect((0..<3).map { counted.columns[2].displayText($0) } == ["-4294967295", "4294967295", "-2147483647"])
        #expect((0..<3).map { counted.columns[3].displayText($0) } == ["D+4294967295", "D-4294967295", "D+2147483647"])
    }

    @Test func `the day of the run is the anchor unless the job says otherwise`() throws {
        let stage = try ExampleRunner.make(CountDDays.self, "")
        let batch = Batch(Schema([Field("date", .day)]), [.days(Values([20_778]))], count: 1, provenance: .made)
        var findings = Findings()
        #expect(stage.process(batch, reporting: &findings).columns[1].displayText(0) == "0")
    }

    @Test func `options without meaning are refused`() {
        #expect(refusals("anchor: 2026-02-30") == ["'anchor': '2026-02-30' is not a day of the calendar"])
        #expect(refusals("first_day: 2") == ["'first_day': expected 0 or 1, found '2'"])
        #expect(refusals("first_day: 1\nrecurs: yearly").count == 1)
        #expect(refusals("calendar: korean_lunar") == ["'calendar' has no meaning without 'recurs'"])
        #expect(
            refusals("recurs: yearly\ncalendar: korean_lunar\nleap_day: mar1") == [
                "'leap_day' has no meaning in the lunar calendar"
            ]
        )
        #expect(refusals("leap_day: mar1") == ["'leap_day' has no meaning without 'recurs'"])
        #expect(refusals("counts: a\ntext: a") == ["'text' and 'counts' name the same column 'a'"])
    }

    @Test func `only the days and the anchors are needed`() throws {
        let stage = try ExampleRunner.make(CountDDays.self, "days: a\nanchor: b\ntext: said")
        #expect(stage.columns(neededFor: ColumnSet(ColumnName("said"), ColumnName("x"))) == .some(["a", "b", "x"]))
    }
}
