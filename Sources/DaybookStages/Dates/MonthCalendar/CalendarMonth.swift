import DaybookCore

/// One month of the Gregorian calendar.
struct CalendarMonth: Hashable, BitwiseCopyable {
    /// Months since January of the year 0.
    let number: Int32

    init(number: Int32) { self.number = number }

    /// The month in which that day lies.
    init(of day: CalendarDay) { number = CalendarDay.month(of: day.number) }

    /// Reads `2026-11`, exactly so; anything else is nil.
    init?(_ text: String) {
        guard text.utf8.count == 7, let day = CalendarDay(iso: text + "-01") else { return nil }
        self.init(of: day)
    }

    var year: Int { Int(number) / 12 }
    /// 1 to 12.
    var month: Int { Int(number) % 12 + 1 }
    /// How many days it has.
    var length: Int { CalendarDay.length(ofMonth: month, year: year) }
    var firstDay: Int32 { CalendarDay.number(year: year, month: month, day: 1) }
    var previous: CalendarMonth { CalendarMonth(number: number - 1) }
    var next: CalendarMonth { CalendarMonth(number: number + 1) }
    /// `2026-11`.
    var text: String { CalendarDay.monthText(number) }

    /// The day with that number, or the last day where the month is shorter.
    func day(_ wanted: Int) -> CalendarDay {
        CalendarDay(number: firstDay + Int32(min(wanted, length)) - 1)
    }

    /// How many cells of the first week stand empty before the 1st.
    func emptyCells(before first: FirstWeekday) -> Int {
        (CalendarDay(number: firstDay).weekday - first.number + 7) % 7
    }
}

/// The weekday on which weeks begin.
enum FirstWeekday: String, OptionChoice {
    case sunday, monday, tuesday, wednesday, thursday, friday, saturday

    static let otherWords = ["sun": "sunday", "mon": "monday", "sat": "saturday"]

    /// Monday is 1 and Sunday 7, as `CalendarDay` counts.
    var number: Int { self == .sunday ? 7 : FirstWeekday.allCases.firstIndex(of: self)! }

    /// The seven weekdays in the order of a week, as MJ Calendar names them.
    var names: [String] {
        let names = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
        return Array(names[(number - 1)...] + names[..<(number - 1)])
    }
}

/// The months that a calendar shows: that of the selected day, one by its name, or each that has entries.
enum MonthChoice: OptionValue, Hashable {
    case selected, all
    case month(CalendarMonth)

    static var kind: OptionKind { .either([.choice(["selected", "all"]), .text]) }
    static var placeholder: MonthChoice { .selected }

    init(reading node: OptionNode) throws(DaybookError) {
        guard let text = node.text else { throw node.expected("selected, all, or a month such as 2026-11") }
        if text == "selected" {
            self = .selected
        } else if text == "all" {
            self = .all
        } else if let month = CalendarMonth(text) {
            self = .month(month)
        } else {
            throw node.expected(
                "selected, all, or a month such as 2026-11",
                hint: NearestName.hint(for: text, among: ["selected", "all"])
            )
        }
    }

    var written: String {
        switch self {
        case .selected: "selected"
        case .all: "all"
        case .month(let month): month.text
        }
    }
}
