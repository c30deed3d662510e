import Foundation

@testable import DaybookContracts

/// What the Core Data stores hold, in the order of their keys.
extension AppRecords {
    // MARK: EveryDay

    /// Days and what was saved on each, at moments spread over the day.
    private static let wordsByDay: [(day: String, words: [String])] = [
        ("2026-09-01", ["serendipity"]),
        ("2026-09-02", ["ubiquitous", "뜻밖의 행운"]),
        ("2026-09-03", ["petrichor"]),
        ("2026-09-12", ["naïve", "café", "jalapeño"]),
        ("2026-10-05", ["ephemeral"]),
        ("2026-10-06", ["wanderlust"]),
        ("2026-10-07", ["mellifluous", "윤슬"]),
        ("2026-10-08", ["가람", "누리", "미르"]),
        ("2026-10-09", ["한글날"]),
        ("2026-10-25", ["ubiquitous"]),
        ("2026-11-02", ["break, a leg", "\"air quotes\""]),
        ("2026-11-17", ["quixotic"]),
        ("2026-11-19", ["dépaysement", "🌧️ 장마"]),
        ("2026-11-20", ["limerence"]),
        ("2026-11-21", ["시나브로", "komorebi"]),
    ]

    static let words: [AppModels.Word] = {
        var words: [AppModels.Word] = []
        for (day, texts) in wordsByDay {
            for text in texts {
                let number = words.count
                let start = moment("\(day)T08:00:00+09:00")
                let seconds = Double(number % 7 * 4_127 + number * 61) + Double(number) * 0.073_191_377 + 0.123_456_789
                words.append(AppModels.Word(savedDate: start.addingTimeInterval(seconds), text: text))
            }
        }
        // Around midnight in Seoul, where a day in UTC, or in microseconds, is another day than the user's. A moment in
        // whole seconds is an integer in the store.
        words += [
            AppModels.Word(savedDate: moment("2026-10-31T23:59:59+09:00", 0.999_999_7), text: "핼러윈"),
            AppModels.Word(savedDate: moment("2026-11-01T00:00:00+09:00"), text: "자정"),
            AppModels.Word(savedDate: moment("2026-11-01T00:00:00+09:00", 0.000_000_2), text: "first of the month"),
            AppModels.Word(savedDate: moment("2026-11-15T08:59:59+09:00", 0.75), text: "before nine"),
            AppModels.Word(savedDate: moment("2026-11-15T09:00:00+09:00"), text: "아홉 시"),
            AppModels.Word(savedDate: moment("2026-11-18T00:00:00+09:00", 0.031_4), text: "불면"),
            // Saved by a slip of the thumb: a word without letters.
            AppModels.Word(savedDate: moment("2026-11-20T23:58:03+09:00", 0.482_117_31), text: ""),
        ]
        return words
    }()

    // MARK: Weather

    /// Looking a place up again saves it again; the newest of them is the one that counts.
    static let savedLocations: [AppModels.SavedLocationData] = {
        func saved(_ place: String, _ date: String, _ units: String? = "metric", here: Bool = false)
            -> AppModels.SavedLocationData
        {
            AppModels.SavedLocationData(
                location: place,
                savedDate: moment(date + "+09:00", 0.640_385_151),
                units: units,
                privacyLocation: here
            )
        }
        let twice = moment("2026-11-12T19:00:00+09:00")
        return [
            saved("Seoul", "2026-08-03T07:55:12", here: true),
            saved("Busan", "2026-08-15T10:20:41"),
            saved("Seoul", "2026-09-01T07:58:30"),
            saved("Jeju City", "2026-09-24T21:02:09"),
            // Units of the first version, which did not ask for them.
            saved("Busan", "2026-07-30T09:11:00", nil),
            saved("New York", "2026-10-11T23:45:17", "imperial"),
            saved("Seoul", "2026-11-20T08:01:03", here: true),
            // The same place twice at the same moment: a double tap.
            AppModels.SavedLocationData(
                location: "Gangneung",
                savedDate: twice,
                units: "metric",
                privacyLocation: false
            ),
            AppModels.SavedLocationData(
                location: "Gangneung",
                savedDate: twice,
                units: "metric",
                privacyLocation: false
            ),
            saved("Jeju City", "2026-11-02T06:30:00"),
            saved("서울", "2026-11-05T12:00:59"),
        ]
    }()
}
