import DaybookPages

/// Counts entries by day and lays out the days as the weeks of a month.
///
/// Cells before the 1st and after the last day are empty, so that a month is whole weeks. Entries of other months are
/// not lost: every row has the number of entries before and after its month. Turning the page keeps the selected day of
/// the month, or takes the last day of a shorter month, with a finding.
public struct BuildMonthCalendar: FoldStage {
    enum Layout: String, OptionChoice { case days, weeks }
    enum Cells: String, OptionChoice { case text, day, entries }

    let days: ColumnName
    let month: MonthChoice
    let selected: CalendarDay
    let firstWeekday: FirstWeekday
    let layout: Layout
    let cells: Cells
    let today: String
    let labels: ColumnName?
    let labelLimit: Int
    let asOf: CalendarDay

    static let previous = ColumnName("previous_month")
    static let next = ColumnName("next_month")

    public init(reading options: inout OptionReader) {
        days = options.read("days", default: ColumnName("date"), help: "Column of the days of the entries.")
        month = options.read(
            "month",
            default: .selected,
            help: "Month to show: that of the selected day, one such as 2026-11, or all that have entries."
        )
        let day: CalendarDay? = options.optional(
            "selected",
            help: "Day from which previous_month and next_month lead on; as_of by default."
        )
        firstWeekday = options.read("first_weekday", default: .sunday, help: "Weekday on which weeks begin.")
        layout = options.read(
            "layout",
            default: .days,
            help: "One row for each cell of the month, or one for each week."
        )
        cells = options.read(
            "cells",
            default: .text,
            help: "What the cells of weeks hold: text such as 21 (3), the number of the day, or the number of entries."
        )
        today = options.read("today", default: "today", help: "Word that marks the day of as_of in cells of text.")
        labels = options.optional("labels", help: "Column of texts to list on their days.")
        labelLimit = options.read("most_labels", default: 5, help: "Labels to list on a day; the others are counted.")
        asOf = options.context.asOf
        selected = day ?? asOf
        checkOptions(&options)
    }

    private func checkOptions(_ options: inout OptionReader) {
        if layout == .days {
            options.refuse("cells", "today", without: "layout: weeks", hint: "add 'layout: weeks'")
        } else {
            if cells != .text, options.isWritten("today") {
                options.refuse("today", "'today' is a word, and 'cells' asks for numbers")
            }
            if labels != nil {
                options.refuse("labels", "there is no room for 'labels' in weeks", hint: "use 'layout: days'")
            }
        }
        if !(1...20).contains(labelLimit) { options.refuse("most_labels", "'most_labels' has to be from 1 to 20") }
        if labels == nil { options.refuse("most_labels", without: "labels", hint: "name a column of texts") }
    }

    /// The month to show, or nil for all.
    var shownMonth: CalendarMonth? {
        switch month {
        case .selected: CalendarMonth(of: selected)
        case .month(let month): month
        case .all: nil
        }
    }

    public static let description = StageDescription(
        name: "build_month_calendar",
        summary: "Count entries by day and lay the days out as the weeks of a month.",
        details: """
            The layout 'days' has a row for each cell: month, week, weekday, date, day, entries and today; cells before the 1st and \
            after the last day have no date. The layout 'weeks' has a row for each week, with the columns Sun to Sat. Both end with \
            four columns that are the same throughout a month: previous_month and next_month, where turning the page leads from the \
            selected day, with a warning where the month is too short and its last day is taken; earlier_entries and later_entries, \
            the entries on days of other months.
            """,
        examples: BuildMonthCalendar.examples
    )

    public func schema(after input: Schema) throws(DaybookError) -> Schema {
        try input.requiring(days, .day, hint: "put normalise_dates before this stage")
        if let labels { try input.requiring(labels, .text) }
        var fields = [Field("month", .text), Field("week", .integer)]
        switch layout {
        case .days:
            fields += [
                Field("weekday", .text), Field("date", .day), Field("day", .integer), Field("entries", .integer),
                Field("today", .flag),
            ]
            if labels != nil { fields.append(Field("labels", .text)) }
        case .weeks:
            fields += firstWeekday.names.map { Field($0, cells == .text ? .text : .integer) }
            fields.append(Field("entries", .integer))
        }
        return Schema(
            fields + [
                Field(BuildMonthCalendar.previous.text, .day), Field(BuildMonthCalendar.next.text, .day),
                Field("earlier_entries", .integer), Field("later_entries", .integer),
            ]
        )
    }

    public func columns(neededFor wanted: ColumnSet) -> ColumnSet { ColumnSet(days, labels) }
    private var nothing: DayCounts { DayCounts(of: shownMonth, labelLimit: labels == nil ? 0 : labelLimit) }

    public func partial(of batch: Batch, reporting findings: inout Findings) throws(DaybookError) -> DayCounts {
        var counts = nothing
        DayCounting(stage: self, batch: batch).count(into: &counts, &findings)
        try counts.checkMonths()
        return counts
    }

    public func merge(_ later: DayCounts, into earlier: inout DayCounts, scratch: any Scratch) throws(DaybookError) {
        try earlier.merge(later)
    }

    /// An empty month still has rows if the job names it.
    public func finish(_ partial: DayCounts?, _ output: FoldOutput) throws(DaybookError) {
        let counts = partial ?? nothing
        guard !counts.months.isEmpty else { return }
        let table = MonthCalendarTable(counts, self)
        var findings = Findings()
        for (row, column, message) in table.clampings {
            findings.warn(row, findings.token(.dayClamped, in: column), saying: message)
        }
        try output.emit(table.batch(output.schema), findings)
    }
}

extension Finding.Kind {
    static let dayOutOfRange = Finding.Kind("day-out-of-range", "{value} lies outside the years 1 to 9999")
    static let dayClamped = Finding.Kind(
        "day-clamped",
        "the month is shorter, so its last day was taken",
        severity: .warning
    )
}
