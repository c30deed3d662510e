/// A text must not match a regular expression. Missing text matches nothing, and breaks nothing.
struct NotMatches: ValueRule {
    static let name = "not_matches"
    static let summary = "No text of a column matches a regular expression."

    let column: ColumnName
    let pattern: RegularExpression

    init(reading options: inout OptionReader) {
        column = options.read("column", help: "Column of text.")
        pattern = options.read(
            "pattern",
            help: "The regular expression, found anywhere in the text: '^' and '$' bind it to its beginning and end."
        )
    }

    var finding: Finding.Kind { Finding.Kind("forbidden-match", "{value} matches '\(pattern.pattern.shortened)'") }
    var columns: [ColumnName] { [column] }
    var complaint: String { "have a value in '\(column)' that matches '\(pattern.pattern.shortened)'" }

    func check(_ input: Schema) throws(DaybookError) { try input.requiring(column, .text) }

    func broken(in batch: Batch) -> Mask {
        let texts = batch.text(in: column)
        let matching = pattern.misses(in: texts).inverted
        return matching.subtracting(texts.missing)
    }

    static let examples: [StageExample] = [
        .passing(
            "a text with a question mark at its end is told; a missing one is not",
            options: "rules: [{ not_matches: { column: note, pattern: '[?]$' } }]",
            rows: """
                note:text
                바다
                바다?

                바다? 물
                """,
            findings: ["2 note forbidden-match"]
        )
    ]
}
