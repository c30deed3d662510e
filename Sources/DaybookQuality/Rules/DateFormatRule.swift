import DaybookDates

/// Every text is an unambiguous date in one of the formats, as `normalise_dates` reads it.
struct DateFormatRule: RowRule, ColumnRule {
    static let name = "date_format"
    static let summary =
        "Every text of a column is a date in one of the formats that normalise_dates reads, beyond doubt."

    let column: ColumnName
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
        reader = dates.compile(&options).0
    }

    private var formats: String { reader.map { DateFailures.displayText($0.formats) } ?? "" }
    var finding: Finding.Kind { DateFailures.kind(of: .unreadable, formats: formats, zone: "") }
    var complaint: String { "have a value in '\(column)' that is no date beyond doubt in the formats \(formats)" }

    func check(_ input: Schema) throws(DaybookError) {
        try input.requiring(column, .text, hint: "a column of days or instants holds nothing else")
    }

    func breaches(in batch: Batch) -> [Breach] {
        guard let reader else { preconditionFailure("a rule whose options were refused is never asked") }
        var masks: [DateOutcome: Mask] = [:]
        let values = batch.column(column)
        _ = reader.read(
            values,
            failing: { row, failure in masks[failure.outcome, default: Mask(count: batch.count)].insert(row) }
        )
        let zone = reader.zone?.name ?? "UTC"
        return masks.sorted { $0.key.rawValue < $1.key.rawValue }.map { outcome, rows in
            Breach(DateFailures.kind(of: outcome, formats: formats, zone: zone), in: column, rows)
        }
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
