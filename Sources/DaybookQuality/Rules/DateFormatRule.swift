import DaybookDates

/// Every text is an unambiguous date in one of the formats, as `normalise_dates` reads it.
struct DateFormatRule: RowRule, ColumnRule {
    static let name = "date_format"
    static let summary =
        "Every text of a column is a date in one of the formats that normalise_dates reads, beyond doubt, and within bounds."

    let column: ColumnName
    let min: RuleBound?
    let max: RuleBound?
    /// Nil only if an option is wrong or during introspection of the options.
    private let reader: DateColumnReader?

    init(reading options: inout OptionReader) {
        column = options.read("column", help: "Column of text.")
        var dates = DateOptions()
        dates.formats = options.read(
            "formats",
            default: [.iso],
            help: "How dates are written: iso, epoch_seconds, epoch_millis, apple_seconds, or patterns."
        )
        dates.locales = options.optional("locale", help: "Whose names are read; else ko_KR and en_US.")
        dates.pivotYear = options.optional(
            "pivot_year",
            help: "The first of the hundred years that two-digit years stand for."
        )
        min = options.optional("min", help: "The first day that a date may have; none when left out.")
        max = options.optional("max", help: "The last day that a date may have; none when left out.")
        // Whether a text is a date depends on no time zone, and its day only by hours.
        dates.timezone = options.context.timezone ?? "UTC"
        reader = dates.compile(&options).0
        for (key, bound) in [("min", min), ("max", max)] {
            if let bound, !bound.isDay { options.refuse(key, "'\(bound.written)' is \(bound.displayKind), and no day") }
        }
        if min != nil || max != nil { RuleBound.check(min, max, of: Self.name, &options) }
    }

    private var formats: String { reader.map { DateFailures.displayText($0.formats) } ?? "" }
    private var bounds: String { min == nil && max == nil ? "" : RuleBound.displayText(min, max) }
    private var outside: Finding.Kind { Finding.Kind("out-of-range", "{value} is not \(bounds)") }
    var finding: Finding.Kind { DateFailures.kind(of: .unreadable, formats: formats, zone: "") }
    var complaint: String {
        let range = bounds.isEmpty ? "" : ", or not \(bounds)"
        return "have a value in '\(column)' that is no date beyond doubt in the formats \(formats)\(range)"
    }

    func check(_ input: Schema) throws(DaybookError) {
        try input.requiring(column, .text, hint: "a column of days or instants holds nothing else")
    }

    func breaches(in batch: Batch) -> [Breach] {
        guard let reader else { preconditionFailure("a rule whose options were refused is never asked") }
        var masks: [DateOutcome: Mask] = [:]
        let values = batch.column(column)
        let dates = reader.read(
            values,
            failing: { row, failure in masks[failure.outcome, default: Mask(count: batch.count)].insert(row) }
        )
        let zone = reader.zone?.name ?? "UTC"
        var breaches = masks.sorted { $0.key.rawValue < $1.key.rawValue }.map { outcome, rows in
            Breach(DateFailures.kind(of: outcome, formats: formats, zone: zone), in: column, rows)
        }
        if case .days(let days) = dates, min != nil || max != nil {
            let far = masks.values.reduce(RuleBound.outside(days, min?.day, max?.day)) { $0.subtracting($1) }
            if far.setCount > 0 { breaches.append(Breach(outside, in: column, far)) }
        }
        return breaches
    }

    static let examples: [StageExample] = [
        .passing(
            "a date that two formats read differently, and one that does not exist, are told apart",
            options: """
                rules:
                  - date_format: { column: date, formats: [iso, dd/MM/yyyy, MM/dd/yyyy, yyyy년 M월 d일] }
                """,
            rows: """
                date:text
                2026-11-21
                2026년 3월 1일
                03/04/2026
                2026-02-30

                yesterday
                25/12/2026
                """,
            findings: ["3 date ambiguous-date", "4 date impossible-date", "6 date unreadable-date"]
        ),
        .passing(
            "a date far from all others is likely a slip",
            options: "rules: [{ date_format: { column: at, min: 2020-01-01, max: 2029-12-31 } }]",
            rows: """
                at:text
                2026-11-21T05:00:00Z
                2062-11-21T05:00:00Z
                2062-11-31
                """,
            findings: ["2 at out-of-range", "3 at impossible-date"]
        ),
        .passing(
            "names of months in another language, and years of two digits",
            options: """
                rules:
                  - date_format: { column: date, formats: ["d. MMMM yy"], locale: de_DE, pivot_year: 1970 }
                """,
            rows: "date:text\n21. November 26\n21 Nov 2026",
            findings: ["2 date unreadable-date"]
        ),
    ]
}
