/// The days that a page draws as calendars, in bounded memory: the days of the latest `monthLimit` months.
package struct CalendarDays: Sendable, Codable {
    package static let monthLimit = 120
    /// The limit of characters that a cell shows of a text, and of bytes that are examined.
    static let labelLength = 60
    static let labelBytes = 480

    package struct Day: Sendable, Codable {
        package private(set) var rows = 1
        /// The entries of the day; nil if several rows give values that do not add up.
        package var entries: Int64?
        /// Whether some row gives the day an entry.
        private var saysSo: Bool
        package var labels: String?

        init(entries: Int64?) { (self.entries, saysSo) = (entries, (entries ?? 0) > 0) }

        /// Whether the day has entries, however many.
        var hasEntries: Bool { entries.map { $0 > 0 } ?? saysSo }

        mutating func add(_ other: Day, addsUp: Bool) {
            rows += other.rows
            saysSo = saysSo || other.saysSo
            labels = labels ?? other.labels
            guard addsUp else {
                entries = nil
                return
            }
            guard let more = other.entries else { return }
            let (sum, overflowed) = (entries ?? 0).addingReportingOverflow(more)
            entries = overflowed ? (more < 0 ? .min : .max) : sum
        }
    }

    package private(set) var days: [Int32: Day] = [:]
    /// Rows without a day of the calendar.
    private(set) var unreadableRows = 0
    /// Rows of months that gave way to later ones.
    private(set) var earlierRows = 0

    package init() {}

    /// The days of a batch. Without a column of values, a day has as many as it has rows.
    package init(_ batch: Batch, _ spec: ChartSpec) {
        guard case .days(let dates) = batch.columns[spec.x.index] else {
            preconditionFailure("the columns of a batch differ from those of its schema")
        }
        for row in 0..<batch.count {
            guard let date = dates[row], CalendarDay.range.contains(date) else {
                unreadableRows += 1
                continue
            }
            var day = Day(entries: 1)
            if let source = spec.values.first, case .integers(let counts) = batch.columns[source.index] {
                day = Day(entries: counts[row])
            }
            if let text = spec.text, case .text(let texts) = batch.columns[text.index], !texts.missing.isMissing(row) {
                day.labels = texts.withCell(row, CalendarDays.shortened)
            }
            if days[date] == nil { days[date] = day } else { days[date]!.add(day, addsUp: spec.countsUp) }
        }
    }

    /// Merges the days of a later batch.
    package mutating func merge(_ later: CalendarDays, addsUp: Bool) {
        for (date, day) in later.days {
            if days[date] == nil { days[date] = day } else { days[date]!.add(day, addsUp: addsUp) }
        }
        unreadableRows += later.unreadableRows
        earlierRows += later.earlierRows
        let months = Set(days.keys.map(CalendarDay.month))
        guard months.count > CalendarDays.monthLimit else { return }
        for number in months.sorted().dropLast(CalendarDays.monthLimit) {
            let month = CalendarMonth(number: number)
            for day in 0..<month.length {
                earlierRows += days.removeValue(forKey: month.firstDay + Int32(day))?.rows ?? 0
            }
        }
    }

    package var months: [CalendarMonth] {
        Set(days.keys.map(CalendarDay.month)).sorted().map(CalendarMonth.init(number:))
    }

    /// The beginning of a text that fits a cell; the rows behind the drawing have it in full.
    private static func shortened(_ cell: Cell) -> String {
        let isCut = cell.count > labelBytes
        // The last character may have lost a part of itself, so it is left out.
        let text = String(decoding: cell.prefix(labelBytes), as: UTF8.self).dropLast(isCut ? 1 : 0)
        let shown = text.prefix(labelLength)
        return shown.endIndex == text.endIndex && !isCut ? String(shown) : shown + "…"
    }
}

extension ChartSpec {
    /// Whether the entries of a day add up: counted rows do, and a column if the job declares it.
    package var countsUp: Bool { addsUp || values.isEmpty }
}

/// One month of the Gregorian calendar.
package struct CalendarMonth: Hashable, BitwiseCopyable {
    /// Months since January of the year 0.
    package let number: Int32

    package init(number: Int32) { self.number = number }

    /// The month of that day.
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
    package func day(_ wanted: Int) -> CalendarDay { CalendarDay(number: firstDay + Int32(min(wanted, length)) - 1) }

    /// How many cells of the first week are empty before the 1st.
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

extension FirstWeekday: OptionChoice {
    package static let otherWords = ["sun": "sunday", "mon": "monday", "sat": "saturday"]
}
