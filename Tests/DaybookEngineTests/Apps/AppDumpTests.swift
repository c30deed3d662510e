import DaybookTestSupport
import Foundation
import Testing

@testable import DaybookContracts

/// The dumps under `samples/apps/` are what the apps' own encoders make of the records in `AppRecords`.
@Suite struct AppDumpTests {
    @Test("the dump decodes to its records", arguments: AppDump.all)
    func holds(_ dump: AppDump) throws {
        if let failure = try dump.failure() { Issue.record(Comment(rawValue: failure)) }
    }

    /// An hour of summer time, and fractions that microseconds cannot tell, are there to be tripped over.
    @Test func theTrapsAreSet() throws {
        let seoul = try #require(TimeZone(identifier: "Asia/Seoul"))
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = seoul
        let start = try #require(AppRecords.dDays.first { seoul.isDaylightSavingTime(for: $0.targetDate) })
        let bySeconds = start.targetDate.addingTimeInterval(Double(start.dday) * 86_400)
        let byDays = try #require(calendar.date(byAdding: .day, value: start.dday, to: start.targetDate))
        #expect(!calendar.isDate(bySeconds, inSameDayAs: byDays))

        let last = try #require(AppRecords.words.first { $0.text == "핼러윈" }).savedDate
        let rounded = (last.timeIntervalSinceReferenceDate * 1_000_000).rounded() / 1_000_000
        #expect(!calendar.isDate(last, inSameDayAs: Date(timeIntervalSinceReferenceDate: rounded)))

        #expect(Set(AppRecords.todos.map(\.id)).count < AppRecords.todos.count)
        #expect(AppRecords.months.contains { $0.day > $0.lastDay })
    }
}
