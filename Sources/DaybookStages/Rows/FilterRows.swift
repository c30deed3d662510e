import DaybookExpressions

/// Keeps the rows for which a condition is true, and drops the others by name.
///
/// A missing condition keeps no row, as in SQL. These rows are counted apart from rows with a false condition, since
/// people lose them without noticing. A row whose condition cannot be computed is rejected: whether it should be kept
/// is unknown.
public struct FilterRows: TransformStage {
    private let filter: RowFilter

    static let falseName = "where is false"
    static let missingName = "where is missing"

    public init(reading options: inout OptionReader) {
        let condition: ExpressionText = options.read("where", help: "The condition; rows stay for which it is true.")
        filter = RowFilter(condition, reading: &options)
    }

    public func schema(after input: Schema) throws(DaybookError) -> Schema {
        try filter.check(input)
        return input
    }

    public func columns(neededFor wanted: ColumnSet) -> ColumnSet { wanted.union(filter.columns) }

    public func process(_ batch: Batch, reporting findings: inout Findings) -> Batch {
        let truth = filter.truth(in: batch)
        guard truth.trueCount < batch.count else { return batch }
        let isFalse = findings.dropName(Self.falseName)
        let isMissing = findings.dropName(Self.missingName)
        let notComputable = findings.token(.notComputable("the condition"))
        let missing = truth.missingRows
        let uncomputable = truth.uncomputableRows
        truth.trueRows.inverted.forEachRow { row in
            if uncomputable.isMissing(row) {
                findings.reject(row, notComputable)
            } else {
                findings.drop(row, missing.isMissing(row) ? isMissing : isFalse)
            }
        }
        return batch
    }

    public static let description = StageDescription(
        name: "filter_rows",
        summary: "Keep the rows for which a condition is true.",
        details: """
            The other rows are dropped and counted: 'where is false', and 'where is missing' for those of which nobody can say, \
            because a value is missing: 'count > 3' is neither true nor false where there is no count. Ask 'is missing' to decide \
            about these. A row whose condition divides by 0, or comes to a number too large, is rejected. Values of different \
            kinds are never compared: text becomes a number with to_integer(count), and 'n/a' then is missing.
            """,
        examples: [
            StageExample(
                "rows stay for which the condition is true; where a value is missing it is not",
                options: "where: count >= 3 and emotion <> '우울해'",
                input: """
                    emotion:text,count:integer
                    행복해,3
                    우울해,5
                    행복해,2
                    ,4
                    행복해,
                    """,
                output: "emotion:text,count:integer\n행복해,3",
                findings: [
                    "2 - dropped as where is false", "3 - dropped as where is false",
                    "4 - dropped as where is missing", "5 - dropped as where is missing",
                ]
            ),
            StageExample(
                "a list, a pattern and a range; a text beside a day is read as a day",
                options: """
                    where: >
                      emotion in ('행복해', '기뻐') and
                      (note like '%바다%' or date between '2026-11-01' and as_of)
                    """,
                input: """
                    date:day,emotion:text,note:text
                    2026-11-20,행복해,
                    2026-10-01,기뻐,오늘 바다에 갔다
                    2026-11-20,우울해,바다
                    2026-10-01,행복해,집
                    """,
                output: "date:day,emotion:text,note:text\n2026-11-20,행복해,\n2026-10-01,기뻐,오늘 바다에 갔다",
                findings: ["3 - dropped as where is false", "4 - dropped as where is false"]
            ),
            StageExample(
                "a division by 0 has no value, so the row is rejected; nullif says that it is to be missing",
                options: "where: total / days > 2 or total / nullif(days, 0) is missing and total = 0",
                input: "total:integer,days:integer\n9,3\n5,0\n0,0",
                output: "total:integer,days:integer\n9,3\n0,0",
                findings: ["2 - not-computable"]
            ),
            StageExample(
                "text and numbers are not compared",
                options: "where: count > 3",
                input: "count:text\n12",
                refused: "cannot compare text with an integer"
            ),
            StageExample(
                "a mistyped column is told at its place in the expression",
                options: "where: \"cuont > 3\"",
                input: "count:integer\n12",
                refused: "no column named 'cuont'"
            ),
        ]
    )
}
