import DaybookExpressions

/// An expression has to be true. A missing result passes, as with `check` in SQL.
struct Holds: RowRule {
    static let name = "holds"
    static let summary = "An expression is true for every row; where it is missing, nobody can say, and the rule holds."
    static var shorthand: String? { "condition" }

    private let filter: RowFilter

    init(reading options: inout OptionReader) {
        let condition: ExpressionText = options.read("condition", help: "The expression.")
        filter = RowFilter(condition, reading: &options)
    }

    private var written: String { filter.condition.text.onOneLine.shortened }

    var finding: Finding.Kind {
        Finding.Kind("does-not-hold", "'\(written)' does not hold", showing: columns.map(\.text))
    }
    var columns: [ColumnName] { filter.condition.columnNames }
    // With several columns, the wrong one is unknown.
    var target: ColumnName? { columns.count == 1 ? columns[0] : nil }
    var complaint: String { "do not hold: \(written)" }
    var expectation: String { "in every row: \(written)" }
    func check(_ input: Schema) throws(DaybookError) { try filter.check(input) }
    func breaches(in batch: Batch) -> [Breach] { Breach.unless(filter.truth(in: batch), finding, in: target) }

    static let examples: [StageExample] = [
        .passing(
            "an expression over several columns points at the row, one over a single column at the cell",
            options: """
                rules:
                  - holds: "ended >= started"
                  - holds: "length(note) <= 5"
                    warn: "> 10%"
                """,
            rows: """
                started:day,ended:day,note:text
                2026-11-01,2026-11-02,바다
                2026-11-03,2026-11-02,
                2026-11-03,,a long note
                """,
            findings: ["2 - does-not-hold", "3 note does-not-hold"]
        ),
        .passing(
            "with 'where' the rule is asked about some rows only, and shares are shares of these",
            options: """
                rules:
                  - holds: "note is not missing"
                    where: "emotion = '우울해'"
                    fail: ">= 50%"
                """,
            rows: """
                emotion:text,note:text
                우울해,비
                우울해,
                행복해,
                ,
                """,
            findings: ["2 note does-not-hold"]
        ),
        .passing(
            "an expression that has no value is told as that",
            options: "rules: [{ holds: \"total / days < 10\" }]",
            rows: "total:integer,days:integer\n50,10\n99,9\n5,0",
            findings: ["2 - does-not-hold", "3 - not-computable"]
        ),
        StageExample(
            "a mistyped column is told at its place in the expression",
            options: "rules: [{ holds: \"cuont > 3\" }]",
            input: "count:integer",
            refused: "no column named 'cuont'"
        ),
    ]
}

extension Breach {
    /// The rows for which a condition is false, and the rows for which it cannot be computed.
    static func unless(_ truth: TernaryMask, _ kind: Finding.Kind, in column: ColumnName?) -> [Breach] {
        var isFalse = truth.trueRows.inverted
        if let missing = truth.missingRows { isFalse.subtract(missing) }
        let broken = Breach(kind, in: column, isFalse)
        guard let uncomputable = truth.uncomputableRows else { return [broken] }
        return [broken, Breach(.notComputable("the expression"), in: nil, uncomputable)]
    }
}

extension String {
    /// The text on one line, with single spaces.
    var onOneLine: String { split(whereSeparator: \.isWhitespace).joined(separator: " ") }
}
