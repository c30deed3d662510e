import DaybookCore

/// What a drawn calendar says, in Korean where that is the language of the page, and in English otherwise.
///
/// Kept here rather than asked of the system, so that a page is the same on every machine.
struct CalendarWords {
    let isKorean: Bool

    /// - Parameter language: a tag such as `ko` or `en-GB`, or empty.
    init(language: String) {
        isKorean = language.split(separator: "-").first.map { $0.lowercased() == "ko" } ?? false
    }

    var tag: String { isKorean ? "ko" : "en" }
    var today: String { isKorean ? "오늘" : "today" }

    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]
    private static let weekdays = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
    private static let koreanWeekdays = ["월요일", "화요일", "수요일", "목요일", "금요일", "토요일", "일요일"]

    func title(of month: CalendarMonth) -> String {
        isKorean
            ? "\(month.year)년 \(month.month)월" : "\(CalendarWords.months[month.month - 1]) \(month.year)"
    }

    /// The name of a weekday, of which Monday is 1 and Sunday 7, in full and short.
    func weekday(_ number: Int) -> (full: String, short: String) {
        let full = (isKorean ? CalendarWords.koreanWeekdays : CalendarWords.weekdays)[number - 1]
        return (full, String(full.prefix(isKorean ? 1 : 3)))
    }

    /// `12 entries`, `12개`.
    func entries(_ count: Int64) -> String {
        let figure = Figure.grouped(Int(count))
        return isKorean ? "\(figure)개" : "\(figure) \(count == 1 ? "entry" : "entries")"
    }
}
