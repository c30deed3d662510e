extension ListAnniversaries {
    static let tooMany = Finding.Kind(
        "too-many-anniversaries",
        "{value} has more than \(AnniversaryTerms.limit) anniversaries up to the end of the list"
    )
    static let cutShort = Finding.Kind(
        "lunar-calendar-ends",
        "the anniversaries of {value} are listed up to lunar year 2100, the last that is known",
        severity: .warning
    )
    static let noDayZero = Finding.Kind(
        "no-day-zero",
        "{value} names no day: where the start counts as day 1, there is no day 0"
    )
    static let misprint = Finding.Kind(
        "misprinted-count",
        "the count is written 'D-Day' or 'D-5', not 'D-0' or 'D--5'",
        severity: .warning
    )
    static let daylightSaving = Finding.Kind(
        "daylight-saving",
        "24 hours a day from {value} lead to another day than the calendar, because clocks were changed in between",
        severity: .warning
    )

    func warnOfMisprint(_ count: Int64, _ row: Int, _ findings: inout Findings) {
        let right = count == 0 ? "D-Day" : "D-\(count.magnitude)"
        findings.warn(
            row,
            findings.token(ListAnniversaries.misprint, in: at),
            saying: "the count is written '\(right)'; counters that put 'D-' before any number show it as 'D-\(count)'"
        )
    }

    /// Says of the first date that adding 24 hours a day would miss which day it is and which would be reached, and how many
    /// more of the same start there are.
    func warnOfClocks(
        _ row: Int,
        from start: Int32,
        to date: Int32,
        not reached: Int32,
        _ count: Int,
        _ findings: inout Findings
    ) {
        let days = Int64(date) - Int64(start)
        let side = days < 0 ? "before" : "after"
        let hours = days.magnitude == 1 ? "24 hours" : "\(days.magnitude) times 24 hours"
        let more = count > 1 ? "; \(count - 1) more of its anniversaries differ likewise" : ""
        findings.warn(
            row,
            findings.token(ListAnniversaries.daylightSaving, in: self.start),
            saying: """
                \(days.magnitude) day\(days.magnitude == 1 ? "" : "s") \(side) \(CalendarDay(number: start)) is \
                \(CalendarDay(number: date)), the day that people mean; adding up \(hours) gives \
                \(CalendarDay(number: reached)), because clocks in \(zone?.name ?? "UTC") were changed in between\(more)
                """
        )
    }
}

extension Finding.Kind {
    static let dateOutOfRange = Finding.Kind("date-out-of-range", "{value} days lead outside of the years 1 to 9999")
}
