/// The share of rows without a value in a column is small, or close to that of earlier runs. Zero rows have no share.
///
/// The rule reports the total; `not_missing` reports each row with its place.
struct MissingShare: ShareRule, ColumnRule {
    static let name = "missing_share"
    static let summary = "The share of rows without a value in a column is at most so large, or near to what it was."

    let column: ColumnName
    private let max: Percentage?
    let against: PastLimits
    let measure = ObservedValue.Measure.missingShare

    init(reading options: inout OptionReader) {
        column = options.read("column", help: "Column whose missing values are counted; an empty text is a value.")
        max = options.optional("max", help: "The greatest share, such as 5%; none when left out.")
        against = PastLimits(reading: &options)
        if max == nil, against.isEmpty {
            options.refuse("column", "'missing_share' needs 'max', 'change' or 'anomaly'")
        }
    }

    var finding: Finding.Kind { Finding.Kind("wrong-missing-share", "too many values are missing") }
    var complaint: String { "come to another share of missing values in '\(column)'" }
    var bounded: String? { max.map { "at most \($0.written) of the rows without a value in '\(column)'" } }
    var figureName: String { "the share of missing values in '\(column)'" }

    func partial(of rows: CheckedRows, reporting breaches: inout [Breach]) -> SharedRows {
        var missing = rows.batch.column(column).missing
        if let asked = rows.asked { missing?.formIntersection(asked) }
        return SharedRows(part: missing?.setCount ?? 0, rows: rows.count)
    }

    func judgement(of memory: SharedRows?, in schema: Schema) -> String? {
        guard let max, let memory, !max.permits(memory.part, of: memory.rows) else { return nil }
        return "\(memory.part.displayText) of \(memory.rows.displayText) rows have no value in '\(column)', "
            + "and at most \(max.written) should have none"
    }

    static let examples: [StageExample] = [
        .passing(
            "one of three is more than a fifth; with 'where', only some rows count",
            options: """
                rules:
                  - missing_share: { column: colour, max: 20% }
                  - missing_share: { column: colour, max: 20% }
                    where: "id > 1"
                """,
            rows: "id:integer,colour:text\n1,\n2,#000000\n3,\"\"",
            findings: ["0 colour wrong-missing-share"]
        ),
        .passing(
            "held against earlier runs; the first one holds, unless there is nothing to measure",
            options: """
                rules:
                  - missing_share: { column: colour, change: { max: 50%, from: median of 7 } }
                  - missing_share: { column: colour, anomaly: { of: 28 runs, deviations: 4 } }
                    where: "id > 9"
                """,
            rows: "id:integer,colour:text\n1,\n2,#000000",
            findings: ["0 colour wrong-missing-share"]
        ),
        StageExample(
            "without a limit nothing is asked",
            options: "rules: [{ missing_share: { column: colour } }]",
            input: "colour:text",
            refused: "'missing_share' needs 'max', 'change' or 'anomaly'"
        ),
    ]
}
