import DaybookExpressions

/// A text has to match a regular expression. Missing text passes.
struct Matches: ValueRule {
    static let name = "matches"
    static let summary =
        "Every text of a column matches a regular expression, which is found in time linear in its length."

    let column: ColumnName
    let pattern: RegularExpression

    init(reading options: inout OptionReader) {
        column = options.read("column", help: "Column of text.")
        pattern = options.read(
            "pattern",
            help: "The regular expression, found anywhere in the text: '^' and '$' bind it to its beginning and end."
        )
    }

    var finding: Finding.Kind {
        Finding.Kind("no-match", "{value} does not match '\(pattern.pattern.shortened)'")
    }
    var columns: [ColumnName] { [column] }
    var complaint: String { "have a value in '\(column)' that does not match '\(pattern.pattern.shortened)'" }
    var expectation: String { "every value in '\(column)' matches '\(pattern.pattern.shortened)'" }

    func check(_ input: Schema) throws(DaybookError) { try input.requiring(column, .text) }

    func broken(in batch: Batch) -> Mask { pattern.misses(in: batch.text(in: column)) }

    static let examples: [StageExample] = [
        .passing(
            "a pattern is found anywhere in the text, unless it says where",
            options: """
                rules:
                  - matches: { column: id, pattern: '^[0-9]{4}$' }
                  - matches: { column: note, pattern: 바다 }
                """,
            rows: """
                id:text,note:text
                0001,오늘 바다에 갔다
                12345,집
                0003,
                """,
            findings: ["2 id no-match", "2 note no-match"]
        ),
        StageExample(
            "a pattern that cannot be read is refused",
            options: "rules: [{ matches: { column: id, pattern: '[0-9' } }]",
            input: "id:text",
            refused: "'pattern': the class is never closed (character 1 of '[0-9')"
        ),
    ]
}

/// A text must not match a regular expression. Missing text passes.
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
