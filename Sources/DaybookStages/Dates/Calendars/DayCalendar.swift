/// By which calendar a day comes back every year.
enum DayCalendar: String, OptionChoice, BitwiseCopyable {
    case gregorian
    case koreanLunar = "korean_lunar"

    static var otherWords: [String: String] {
        ["lunar": "korean_lunar", "dangi": "korean_lunar", "korean": "korean_lunar", "solar": "gregorian"]
    }

    /// What is said of a day that the lunar calendar's table does not reach.
    static let outside = Finding.Kind(
        "outside-the-lunar-calendar",
        "{value} cannot be counted by the Korean lunar calendar, which is known for its years 1900 to 2100"
    )
}
