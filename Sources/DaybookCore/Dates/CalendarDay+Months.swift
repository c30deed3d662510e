extension CalendarDay {
    /// Months since January of the year 0.
    @inlinable public static func month(of day: Int32) -> Int32 {
        let date = CivilDate(day: day)
        return date.year &* 12 &+ date.month &- 1
    }

    /// `2026-03`.
    public static func monthText(_ month: Int32) -> String {
        String(
            CalendarDay(number: CalendarDay.number(year: Int(month) / 12, month: Int(month) % 12 + 1, day: 1))
                .description.prefix(7)
        )
    }
}
