import DaybookTestSupport
import Foundation
import Testing

@testable import DaybookContracts

/// Each app's dump goes through its pipeline, and what is written back decodes to the records that were encoded, but for the
/// corrections that are stated here.
@Suite struct AppRoundTripTests {
    /// Colours that are none become black; dates are equal to the last bit, and the other keys stay.
    @Test("D-days come back", arguments: ["preferences.plist", "preferences-xml.plist", "preferences.json"])
    func dDaysComeBack(_ dump: String) throws {
        let run = try AppRun("anniversary-counter", dump: dump)
        let written = try run.bytes("preferences.plist")
        let key = "DdayManager"
        let preferences =
            try dump.hasSuffix(".json")
            ? AppPreferences<AppModels.DDay>(json: written, key: key)
            : AppPreferences<AppModels.DDay>(propertyList: written, key: key)
        #expect(preferences.records == AppRecords.dDays.map(AppRoundTripTests.withAColour))
        let untouched = AppPreferences(key: key, records: AppRecords.dDays)
        let kept = dump == "preferences.plist" ? untouched : untouched.inWholeSeconds
        #expect(preferences.settings == kept.settings)
        #expect(run.warnings("hex-colour-replaced") == 5)
        #expect(run.warnings("misprinted-count") == 2)
        #expect(run.warnings("daylight-saving") == 1)
    }

    /// The archive of the first version becomes what later ones read. Its dates pass through instants of microseconds.
    @Test func dDaysOfTheFirstVersionComeBackAsLaterOnesReadThem() throws {
        let run = try AppRun("anniversary-counter", dump: "preferences-first-version.plist")
        let preferences = try AppPreferences<AppModels.DDay>(
            propertyList: run.bytes("preferences.plist"),
            key: "DdayManager"
        )
        let records = try #require(preferences.records)
        #expect(records.count == AppRecords.dDays.count)
        for (record, kept) in zip(records, AppRecords.dDays.map(AppRoundTripTests.withAColour)) {
            #expect((record.dday, record.backgroundColor) == (kept.dday, kept.backgroundColor))
            #expect(abs(record.targetDate.timeIntervalSince(kept.targetDate)) < 0.000_001)
        }
    }

    private static func withAColour(_ dDay: AppModels.DDay) -> AppModels.DDay {
        var dDay = dDay
        let digits = dDay.backgroundColor.dropFirst()
        let isColour = dDay.backgroundColor.hasPrefix("#") && digits.count == 6 && digits.allSatisfy(\.isHexDigit)
        if !isColour { dDay.backgroundColor = "#000000" }
        return dDay
    }

    @Test func dDaysReadAsOnTheScreen() throws {
        let list = try AppRun("anniversary-counter").text("d-days.csv")
        #expect(list.contains("2024-06-09,D+100,\"2024년\n06월09일\",2024-03-01,100,#EC007F\n"))
        #expect(list.contains("2026-12-19,D-5,"))
        #expect(list.contains("2026-11-21,D-Day,"))
        // Not 8 January, where 100 times 86,400 seconds lead from the summer time of 1988.
        #expect(list.contains("1989-01-09,D+100,"))
        // A ten-millionth of a second before midnight is still the day before.
        #expect(list.contains(",2025-10-09,300,"))
    }

    @Test func emotionsComeBack() throws {
        let run = try AppRun("emotion-diary")
        let latest = try #require(AppRecords.emotionSnapshots.last)
        let emotions = AppRecords.emotions(latest.counts)
        let preferences = try AppPreferences<AppModels.Emotion>(
            propertyList: run.bytes("preferences.plist"),
            key: "EmotionManager"
        )
        #expect(preferences.records == emotions)
        #expect(preferences.settings.launchCount == 40 + 7 * 19)
        let labels = emotions.map { "\($0.emotionState) \($0.emotionCount)" }
        #expect(try run.text("labels.csv") == (["label"] + labels).joined(separator: "\n") + "\n")
    }

    /// Before the first tap the app keeps nothing, and shows nine zeros.
    @Test func emotionsThatWereNeverTappedAreZeros() throws {
        let run = try AppRun("emotion-diary", ["latest": "../../samples/apps/emotion-diary/never-tapped.plist"])
        let emotions = AppRecords.emotions(Array(repeating: 0, count: 9))
        let preferences = try AppPreferences<AppModels.Emotion>(
            propertyList: run.bytes("preferences.plist"),
            key: "EmotionManager"
        )
        #expect(preferences.records == emotions)
        #expect(try run.text("labels.csv") == "label\n" + emotions.map { "\($0.emotionState) 0\n" }.joined())
        #expect(run.warnings("absent-key") == 1)
    }

    /// The month's figure is what the counters gained in it; one that went down says nothing about what was tapped.
    @Test func emotionsAreDatedByWhatTheirCountersGained() throws {
        let run = try AppRun("emotion-diary")
        let months = try run.text("monthly-emotions.csv")
        #expect(months.contains("\n2026-07,행복해,19,"))
        #expect(months.contains("\n2026-09,행복해,18,"))
        // From 7 on 15 September to 12 on the 30th; before that it fell.
        #expect(months.contains("\n2026-09,따분해,5,"))
        // The nine of 20 October, for the app was installed anew, and 따분해 in September.
        let rejects = try run.text("rejects.ndjson").split(separator: "\n")
        #expect(rejects.count { $0.contains("\"code\":\"counter-went-down\"") } == 10)
    }

    @Test func todosComeBackWithIdsOfTheirOwn() throws {
        let run = try AppRun("todo-list")
        var todos = AppRecords.todos
        // The second with number 6 is the first to the letter, so one of them is enough.
        let repeated = try #require(todos.lastIndex { $0.id == 6 })
        todos.remove(at: repeated)
        // The others that come again are todos of their own, and 8 is the largest number in use.
        var taken: Set<Int> = []
        var next = 9
        for index in todos.indices where !taken.insert(todos[index].id).inserted {
            todos[index].id = next
            next += 1
        }
        #expect(next == 12)
        #expect(try run.records("todos.json") == todos)
        #expect(run.warnings("duplicate-row") == 1)
        #expect(run.warnings("key-renumbered") == 3)
        #expect(Set(todos.map(\.id)).count == todos.count)
    }

    @Test func monthsAndMarksComeBackOnDaysThatExist() throws {
        let run = try AppRun("mj-calendar")
        let months = AppRecords.months.map { month in
            var month = month
            month.day = min(month.day, month.lastDay)
            return month
        }
        #expect(try run.records("months.json") == months)
        let lengths = [2: 28, 4: 30]
        let marks = AppRecords.marks.map { mark in
            var mark = mark
            mark.day = min(mark.day, lengths[mark.month] ?? 31)
            return mark
        }
        #expect(try run.records("marks.json") == marks)
        #expect(run.warnings("impossible-date-clamped") == 5)
    }

    /// Dates are equal to the last bit, also those that microseconds cannot tell from midnight.
    @Test("words come back from a store", arguments: ["EveryDay.sqlite", "unflushed/EveryDay.sqlite"])
    func wordsComeBack(_ store: String) throws {
        let run = try AppRun("everyday", ["store": "../../samples/apps/everyday/\(store)"])
        #expect(try run.records("words.json") == AppRecords.words)
        let streaks = try run.text("streaks.csv").split(separator: "\n")
        #expect(streaks.last == "5,5,2026-10-05,2026-10-09,19,31,6")
        // 핼러윈 was saved a ten-millionth of a second before November.
        #expect(try run.text("calendar.csv").contains(",31 (1),2,2026-09-21,"))
        #expect(try run.text("calendar.csv").contains("21 (2) 오늘"))
    }

    @Test func placesComeBackOnceAndTheNewestFirst() throws {
        let run = try AppRun("weather")
        let newest = Dictionary(grouping: AppRecords.savedLocations, by: \.location).values.compactMap { places in
            // Of two saved at the same moment the later one counts.
            places.reduce(nil as AppModels.SavedLocationData?) { best, place in
                best.map { $0.savedDate > place.savedDate } == true ? best : place
            }
        }
        #expect(try run.records("saved-locations.json") == newest.sorted { $0.savedDate > $1.savedDate })
        #expect(run.warnings("duplicate-row") == AppRecords.savedLocations.count - newest.count)
    }

    /// What the app does not read goes out as it came in, key by key, without the keys that only other answers have.
    @Test func answersComeBackWithWhatTheAppNeverReads() throws {
        let run = try AppRun("weather")
        let dump = AppDump.folder.appendingPathComponent("weather/responses.ndjson")
        let lines = { (bytes: Data) in bytes.split(separator: UInt8(ascii: "\n")).map { Data($0) } }
        let before = try lines(Data(contentsOf: dump))
        let after = try lines(run.bytes("responses.ndjson"))
        #expect(before.count == after.count)
        for (before, after) in zip(before, after) {
            let decoder = JSONDecoder()
            let read = try decoder.decode(AppModels.Response.self, from: after)
            #expect(read == (try decoder.decode(AppModels.Response.self, from: before)))
            #expect(try json(after) == json(before))
        }
    }

    private func json(_ bytes: Data) throws -> NSDictionary {
        try #require(JSONSerialization.jsonObject(with: bytes) as? NSDictionary)
    }

    @Test func labelsReadAsOnTheScreen() throws {
        let labels = try AppRun("weather").text("labels.csv")
        let seoul =
            "Seoul,기온 | 21.3 ℃,최고 기온 | 23.8 ℃,최저 기온 | 19.0 ℃,체감 온도 | 20.9 ℃,습도 | 60 %,기압 | 1013 hPa,풍속 | 2.1 m/s"
        #expect(labels.contains(seoul))
        #expect(labels.contains("Gangneung,기온 | 0.0 ℃,"))
        #expect(!labels.contains("-0.0"))
    }
}
