import DaybookContracts
import Foundation
import Testing

@testable import DaybookDates

@Suite struct NamedZoneTests {
    static let zones = [
        "Asia/Seoul", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Pacific/Apia", "America/Havana",
        "Africa/Monrovia", "Asia/Kathmandu", "UTC",
    ]

    @Test(arguments: zones)
    func `a zone has Foundation's offset at every time of the table`(_ name: String) throws {
        let rules = try #require(ZoneRules(named: name))
        let zone = try #require(TimeZone(identifier: name))
        var cursor = ZoneCursor(rules)
        var wrong: [Int64] = []
        // Every 11 hours and 7 minutes and 3 seconds of 1850 to 2050, and now and then up to 2800.
        for second in stride(from: Int64(-3_786_825_600), to: 2_524_608_000, by: 400_023 / 10) {
            let expected = Int32(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(second))))
            if cursor.offset(atUTC: second) != expected { wrong.append(second) }
        }
        for second in stride(from: Int64(2_524_608_000), to: 26_200_000_000, by: 4_000_037) {
            let expected = Int32(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(second))))
            if cursor.offset(atUTC: second) != expected { wrong.append(second) }
        }
        #expect(wrong.isEmpty, "\(wrong.count) times, first \(wrong.first ?? 0)")
    }

    @Test(arguments: zones)
    func `a local time is what UTC times around it say it is`(_ name: String) throws {
        let rules = try #require(ZoneRules(named: name))
        var utc = ZoneCursor(rules)
        var local = ZoneCursor(rules)
        // Every 17 minutes of 1986 to 1989, of 2011 and of 2026; the answer comes from trying every offset there is.
        for start: Int64 in [504_921_600, 567_993_600, 1_293_840_000, 1_767_225_600, 18_000_000_000] {
            let offsets = Set((0..<400).map { utc.offset(atUTC: start + $0 * 86_400) }).sorted(by: >)
            for wall in stride(from: start + 86_400 * 2, to: start + 86_400 * 366, by: 1_020) {
                let fitting = offsets.filter { utc.offset(atUTC: wall - Int64($0)) == $0 }
                let expected: String
                switch fitting.count {
                case 0: expected = "skipped"
                case 1: expected = "\(fitting[0])"
                default: expected = "doubled"
                }
                let said: String
                switch local.meaning(ofLocal: wall) {
                case .offset(let offset): said = "\(offset)"
                case .skipped: said = "skipped"
                case .doubled(let first, let second):
                    said = [first, second] == fitting ? "doubled" : "doubled with \(first) and \(second)"
                }
                guard said == expected else {
                    Issue.record("\(name) at \(wall): \(said), not \(expected)")
                    return
                }
            }
        }
    }

    @Test func `Seoul kept summer time in 1987 and 1988`() throws {
        var seoul = ZoneCursor(try #require(ZoneRules(named: "Asia/Seoul")))
        func seconds(_ text: String) -> Int64 { Int64(ISO8601DateFormatter().date(from: text)!.timeIntervalSince1970) }
        #expect(seoul.offset(atUTC: seconds("1987-07-01T00:00:00Z")) == 36_000)
        #expect(seoul.offset(atUTC: seconds("1989-07-01T00:00:00Z")) == 32_400)
        guard case .skipped = seoul.meaning(ofLocal: seconds("1987-05-10T02:30:00Z")) else {
            Issue.record("an hour of 10 May 1987 was skipped")
            return
        }
        #expect(seoul.meaning(ofLocal: seconds("1988-10-09T02:30:00Z")) == .doubled(36_000, 32_400))
    }

    @Test func `a day starts when its zone says, and a day that was left out never does`() throws {
        var apia = ZoneCursor(try #require(ZoneRules(named: "Pacific/Apia")))
        #expect(apia.start(ofDay: 15_337) == 1_325_152_800)
        #expect(apia.start(ofDay: 15_338) == nil)
        #expect(apia.start(ofDay: 15_339) == 1_325_239_200)
        var beirut = ZoneCursor(try #require(ZoneRules(named: "Asia/Beirut")))
        // Clocks jumped from midnight to one on 30 March 2025.
        #expect(beirut.start(ofDay: 20_177) == 1_743_285_600)
    }

    @Test func `names that mean several things are no zones`() {
        for name in ["KST", "EST", "+09:00", "GMT+9", "Asia/Soul", "", "local"] {
            #expect(ZoneRules(named: name) == nil)
        }
        #expect(ZoneRules.hint(for: "Asia/Soul") == "did you mean 'Asia/Seoul'?")
    }

    @Test func `languages have their names, Monday first`() throws {
        let korean = try #require(LocaleNames(locale: "ko-KR"))
        #expect(korean.wideWeekdays.first == "월요일" && korean.dayPeriods == ["오전", "오후"])
        #expect(LocaleNames(locale: "xx_YY") == nil)
    }
}
