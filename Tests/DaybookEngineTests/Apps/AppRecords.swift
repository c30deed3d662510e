import Foundation

@testable import DaybookContracts

/// The records that the dumps under `samples/apps/` hold, with what is wrong in them.
///
/// All dates are fixed. Those that an app takes from `Date()` have fractions finer than a microsecond, as real ones do.
enum AppRecords {
    /// A moment in ISO 8601, and a fraction of a second behind it.
    static func moment(_ text: String, _ fraction: Double = 0) -> Date {
        guard let date = ISO8601DateFormatter().date(from: text) else { preconditionFailure("'\(text)' is no moment") }
        return date.addingTimeInterval(fraction)
    }

    // MARK: Anniversary Counter

    static let dDays: [AppModels.DDay] = {
        func dDay(_ start: Date, _ dday: Int, _ colour: String = "#EC007F") -> AppModels.DDay {
            AppModels.DDay(targetDate: start, dday: dday, backgroundColor: colour)
        }
        let met = moment("2024-03-01T00:00:00+09:00")
        let leapDay = moment("2024-02-29T00:00:00+09:00")
        return [
            dDay(met, 100), dDay(met, 200), dDay(met, 300), dDay(met, 400),
            // The app writes 'D-0' and 'D--5'; people expect 'D-Day' and 'D-5'.
            dDay(moment("2026-11-21T00:00:00+09:00"), 0, "#ffb300"),
            dDay(moment("2026-12-24T00:00:00+09:00"), -5, "#1E88E5"),
            // In 1988 clocks in Seoul stood an hour ahead until 9 October. 86,400 seconds a day end on 8 January 1989 at
            // 23:00, and the hundredth day after is the 9th.
            dDay(moment("1988-10-01T00:00:00+10:00"), 100, "#8E24AA"),
            dDay(leapDay, 1_000, "#43A047"),
            // Saved with the time of day, as `Date()` gives it: the second a ten-millionth before midnight, so that
            // rounding to microseconds would make it the next day.
            dDay(moment("2025-06-14T18:22:45", fraction: 0.318_274_915), 100, "#00ACC1"),
            dDay(moment("2025-10-09T23:59:59", fraction: 0.999_999_7), 300, "#F4511E"),
            // Before 2001, so that the number is negative, and with a fraction.
            dDay(moment("1999-12-31T23:59:59", fraction: 0.5), 10_000, "#3949AB"),
            // Colours that are none: no #, digits that are none, too short (which crashes the app) and too long.
            dDay(met, 500, "EC007F"), dDay(met, 600, "#EC00ZZ"), dDay(met, 700, "#EC0"), dDay(met, 800, "#EC007FFF"),
            dDay(met, 900, "분홍"),
        ]
    }()

    private static func moment(_ local: String, fraction: Double) -> Date { moment(local + "+09:00", fraction) }

    // MARK: Emotion Diary

    static let emotions = ["행복해", "사랑해", "좋아해", "당황해", "속상해", "우울해", "심심해", "따분해", "심란해"]

    /// The counters on the days on which a backup of the phone was made.
    static let emotionSnapshots: [(day: String, counts: [Int])] = [
        ("2026-06-30", [12, 7, 9, 3, 4, 2, 6, 1, 2]),
        ("2026-07-31", [31, 15, 20, 5, 9, 6, 14, 4, 5]),
        ("2026-08-31", [48, 27, 33, 8, 12, 9, 14, 9, 7]),
        // 따분해 went down from 9 to 7: two taps were taken back.
        ("2026-09-15", [57, 31, 37, 9, 15, 10, 18, 7, 9]),
        ("2026-09-30", [66, 36, 44, 11, 17, 13, 21, 12, 10]),
        // The app was installed anew, so that all counters began from nothing.
        ("2026-10-20", [3, 1, 2, 0, 0, 0, 1, 0, 0]),
        ("2026-10-31", [11, 5, 6, 1, 2, 0, 4, 2, 1]),
        ("2026-11-20", [25, 12, 14, 2, 5, 3, 9, 4, 3]),
    ]

    static func emotions(_ counts: [Int]) -> [AppModels.Emotion] {
        zip(emotions, counts).map { AppModels.Emotion(emotionState: $0, emotionCount: $1) }
    }

    // MARK: MJ Calendar

    /// The months that were looked at, from 31 January on by "next", and back to February from 30 March by "previous".
    static let months: [AppModels.Month] = [
        AppModels.Month(year: 2026, month: 1, day: 31, weekday: 4, lastDay: 31),
        // There is no 31 February, and none in April; the app lands in the month behind.
        AppModels.Month(year: 2026, month: 2, day: 31, weekday: 0, lastDay: 28),
        AppModels.Month(year: 2026, month: 3, day: 31, weekday: 0, lastDay: 31),
        AppModels.Month(year: 2026, month: 4, day: 31, weekday: 3, lastDay: 30),
        AppModels.Month(year: 2028, month: 2, day: 30, weekday: 2, lastDay: 29),
        AppModels.Month(year: 2026, month: 11, day: 21, weekday: 0, lastDay: 30),
    ]

    static let marks: [AppModels.Mark] = [
        mark(2026, 1, 1, "새해 첫날", "#E53935"),
        mark(2026, 1, 31, "월말 정산", "#1E88E5"),
        // Written while the app showed "31 February".
        mark(2026, 2, 31, "민아 생일 선물 사기", "#EC007F"),
        mark(2026, 2, 17, "설날", "#E53935"),
        mark(2026, 3, 1, "삼일절", "#E53935"),
        mark(2026, 4, 31, "전세 계약 끝", "#1E88E5"),
        mark(2026, 11, 1, "등산", "#43A047"),
        mark(2026, 11, 21, "치과 10:30, 사랑니", "#8E24AA"),
        mark(2026, 11, 21, "장보기", "#43A047"),
        mark(2026, 11, 30, "\"끝\"", "#1E88E5"),
        mark(2026, 12, 25, "성탄절 🎄", "#E53935"),
    ]

    private static func mark(_ year: Int, _ month: Int, _ day: Int, _ text: String, _ colour: String) -> AppModels.Mark
    {
        AppModels.Mark(year: year, month: month, day: day, text: text, colour: colour)
    }

    // MARK: Todo List

    static let todos: [AppModels.Todo] = [
        todo(1, true, "우유 사기", today: false),
        todo(2, false, "엄마께 전화", today: true),
        todo(3, false, "보고서 초안: \"분기 실적\"", today: true),
        todo(7, false, "Book a table / 7 pm", today: true),
        // The last one had id 4 when these were added, so that 5, 6 and 7 come again.
        todo(4, true, "운동화 빨기", today: true),
        todo(5, false, "세금 신고", today: false),
        todo(6, false, "여권 갱신 🛂", today: false),
        todo(7, false, "비행기 표 예약", today: false),
        todo(5, true, "세금 신고", today: false),
        todo(6, false, "여권 갱신 🛂", today: false),
        todo(7, false, "첫 줄\n둘째 줄", today: true),
        todo(8, false, "", today: false),
    ]

    private static func todo(_ id: Int, _ isDone: Bool, _ detail: String, today: Bool) -> AppModels.Todo {
        AppModels.Todo(id: id, isDone: isDone, detail: detail, isToday: today)
    }
}
