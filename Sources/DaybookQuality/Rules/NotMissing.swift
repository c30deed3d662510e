/// A value must not be missing. An empty text is not missing.
///
/// A row that lacks several values is reported once, at the first of the columns, so that counts are row counts.
struct NotMissing: RowRule {
    static let name = "not_missing"
    static let summary = "Every row has a value in the column, or in each of several."
    static var shorthand: String? { "column" }

    private(set) var columns: [ColumnName]

    init(reading options: inout OptionReader) {
        columns = options.read("column", help: "Column that has to have a value, or several.")
        if columns.isEmpty { options.refuse("column", "'not_missing' names no column") }
    }

    /// The rule without some of its columns; nil if none is left.
    func keeping(_ isKept: (ColumnName) -> Bool) -> NotMissing? {
        var rule = self
        rule.columns.removeAll { !isKept($0) }
        return rule.columns.isEmpty ? nil : rule
    }

    var finding: Finding.Kind { .missingValue }
    var complaint: String { "have no value in \(columns.map { "'\($0)'" }.joined(separator: " or "))" }
    var expectation: String { "a value in \(columns.quoted) in every row" }

    func breaches(in batch: Batch) -> [Breach] {
        var reported = Mask(count: batch.count)
        return columns.compactMap { column in
            guard let missing = batch.column(column).missing else { return nil }
            defer { reported.formUnion(missing) }
            return Breach(finding, in: column, missing.subtracting(reported))
        }
    }

    static let examples: [StageExample] = [
        .passing(
            "a value has to be there; an empty text is one",
            options: "rules: [{ not_missing: emotion }]",
            rows: """
                id:text,emotion:text
                1,행복해
                2,
                3,""
                """,
            findings: ["2 emotion missing-value"]
        ),
        .passing(
            "of several columns that are missing, the first is told",
            options: "rules: [{ not_missing: [date, emotion] }]",
            rows: """
                date:day,emotion:text
                2026-11-20,
                ,행복해
                ,
                2026-11-21,우울해
                """,
            findings: ["1 emotion missing-value", "2 date missing-value", "3 date missing-value"]
        ),
    ]
}
