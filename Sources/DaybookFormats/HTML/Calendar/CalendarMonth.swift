/// One month of the Gregorian calendar.
package struct CalendarMonth: Hashable, BitwiseCopyable {
    /// Months since January of the year 0.
    package let number: Int32

    package init(number: Int32) { self.number = number }

    /// The month in which that day lies.
    package init(of day: CalendarDay) { number = CalendarDay.month(of: day.number) }

    /// Reads `2026-11`, exactly so; anything else is nil.
    package init?(_ text: String) {
        guard text.utf8.count == 7, let day = CalendarDay(iso: text + "-01") else { return nil }
        self.init(of: day)
    }

    package var year: Int { Int(number) / 12 }
    /// 1 to 12.
    package var month: Int { Int(number) % 12 + 1 }
    /// How many days it has.
    package var length: Int { CalendarDay.length(ofMonth: month, year: year) }
    package var firstDay: Int32 { CalendarDay.number(year: year, month: month, day: 1) }
    package var previous: CalendarMonth { CalendarMonth(number: number - 1) }
    package var next: CalendarMonth { CalendarMonth(number: number + 1) }
    /// `2026-11`.
    package var text: String { CalendarDay.monthText(number) }

    /// The day with that number, or the last day where the month is shorter.
    package func day(_ wanted: Int) -> CalendarDay {
        CalendarDay(number: firstDay + Int32(min(wanted, length)) - 1)
    }

    /// How many cells of the first week stand empty before the 1st.
    package func emptyCells(before first: FirstWeekday) -> Int {
        (CalendarDay(number: firstDay).weekday - first.number + 7) % 7
    }
}

/// The weekday on which weeks begin.
package enum FirstWeekday: String, CaseIterable, BitwiseCopyable, Sendable {
    case sunday, monday, tuesday, wednesday, thursday, friday, saturday

    /// Monday is 1 and Sunday 7, as `CalendarDay` counts.
    package var number: Int { self == .sunday ? 7 : FirstWeekday.allCases.firstIndex(of: self)! }

    /// The seven weekdays in the order of a week, as MJ Calendar names them.
    package var names: [String] {
        let names = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
        return Array(names[(number - 1)...] + names[..<(number - 1)])
    }
}
