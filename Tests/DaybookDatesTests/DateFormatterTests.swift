import DaybookContracts
import Foundation
import Testing

@testable import DaybookDates

/// What `DateFormatter` reads and writes, our patterns read and write alike.
@Suite struct DateFormatterTests {
    @Test(arguments: [
        ("yyyy-MM-dd", "en_US"), ("yyyy년 M월 d일", "ko_KR"), ("d MMM yyyy", "en_US"), ("EEEE, d MMMM yyyy", "en_US"),
        ("EEE yyyy/MM/dd", "ko_KR"), ("yyyyMMdd", "en_US"), ("dd.MM.yy", "en_US"), ("d. MMMM yyyy", "de_DE"),
        ("EEEE d MMMM y", "fr_FR"), ("yyyy年M月d日", "ja_JP"),
    ])
    func `days`(_ pattern: String, _ locale: String) throws {
        try compare(pattern, locale, zone: "UTC", to: .day)
    }

    @Test(arguments: [
        ("yyyy-MM-dd'T'HH:mm:ssXXX", "en_US"), ("yyyy년 M월 d일 a h시 m분 s초 Z", "ko_KR"),
        ("EEE, d MMM yyyy HH:mm:ss Z", "en_US"), ("yyyy-MM-dd kk:mm:ss X", "en_US"),
        ("yyyy-MM-dd K:mm:ss a ZZZZZ", "en_US"),
    ])
    func `instants`(_ pattern: String, _ locale: String) throws {
        try compare(pattern, locale, zone: "America/New_York", to: .instant)
    }

    private func compare(_ text: String, _ locale: String, zone name: String, to target: DateTarget) throws {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: locale)
        formatter.timeZone = TimeZone(identifier: name)
        formatter.dateFormat = text
        let names = try #require(LocaleNames(locale: locale))
        let zone = try #require(ZoneRules(named: name))
        let pattern = try DatePattern(text)
        let format = try DateFormat(pattern, names: [names], pivotYear: 1950)
        let writer = DateTextWriter(DateWriter(pattern, names: names), zone: zone)
        let instants: [Int64] = (0..<700).map { 86_400 * ($0 * 47 - 7_000) + 40_111 * $0 % 86_400 }
        let theirs = instants.map { formatter.string(from: Date(timeIntervalSince1970: Double($0))) }
        let days = Column.days(Values(instants.map { Int32(($0 - 86_399 * ($0 < 0 ? 1 : 0)) / 86_400) }))
        let times = Column.instants(Values(instants.map { $0 * 1_000_000 }))
        let dates = target == .day ? days : times
        let written = writer.text(of: dates)
        #expect(written.kind == .text)
        #expect((0..<written.count).map { written.displayText($0) } == theirs)
        let reader = DateColumnReader([format], to: target, zone: zone, names: [names])
        let read = reader.read(written) { row, failure in
            Issue.record("\(theirs[row]): \(failure.outcome)")
        }
        #expect((0..<dates.count).map { read.displayText($0) } == (0..<dates.count).map { dates.displayText($0) })
    }
}
