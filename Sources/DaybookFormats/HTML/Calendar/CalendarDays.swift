/// The days that a page draws as calendars, in bounded memory: those of the latest `monthLimit` months.
package struct CalendarDays: Sendable, Codable {
    package static let monthLimit = 120
    /// Characters of a label that a cell shows, and bytes of it that are looked at.
    static let labelLength = 60
    package static let labelBytes = 480

    package struct Day: Sendable, Codable {
        package var entries: Int64
        package var isToday: Bool
        package var labels: String?

        /// Two rows of one day are one day with the entries of both.
        package mutating func add(_ other: Day) {
            let (sum, overflowed) = entries.addingReportingOverflow(other.entries)
            entries = overflowed ? (entries < 0 ? .min : .max) : sum
            isToday = isToday || other.isToday
            labels = labels ?? other.labels
        }
    }

    /// What the rows of one month say of it.
    package struct Month: Sendable, Codable {
        package var previous: Int32?
        package var next: Int32?
        package var earlier: Int64
        package var later: Int64
        /// The first day of its second week, which tells on which weekday weeks begin.
        var secondWeek: Int32?
        package var rows = 0
    }

    package private(set) var days: [Int32: Day] = [:]
    /// By months since January of the year 0.
    package private(set) var months: [Int32: Month] = [:]
    /// Rows of days that no calendar has.
    private(set) var unreadableRows = 0
    /// Rows of months that gave way to later ones.
    private(set) var earlierRows = 0

    package mutating func leaveOut() { unreadableRows += 1 }

    package mutating func add(_ day: Day, on date: Int32, week: Int64?, _ month: () -> Month) {
        days[date] =
            days[date].map { known in
                var sum = known
                sum.add(day)
                return sum
            } ?? day
        let number = CalendarDay.month(of: date)
        var own = months[number] ?? month()
        own.rows += 1
        if week == 2 { own.secondWeek = min(own.secondWeek ?? date, date) }
        months[number] = own
    }

    /// Adds what a later batch came to.
    package mutating func merge(_ later: CalendarDays) {
        for (date, day) in later.days {
            if days[date] == nil { days[date] = day } else { days[date]!.add(day) }
        }
        for (number, month) in later.months {
            guard var own = months[number] else {
                months[number] = month
                continue
            }
            own.rows += month.rows
            own.secondWeek = [own.secondWeek, month.secondWeek].compactMap { $0 }.min()
            months[number] = own
        }
        unreadableRows += later.unreadableRows
        earlierRows += later.earlierRows
        trim()
    }

    private mutating func trim() {
        guard months.count > CalendarDays.monthLimit else { return }
        for number in months.keys.sorted().dropLast(CalendarDays.monthLimit) {
            earlierRows += months.removeValue(forKey: number)!.rows
            let month = CalendarMonth(number: number)
            for day in 0..<month.length { days[month.firstDay + Int32(day)] = nil }
        }
    }
}
