/// The share of missing values in a column has to be small, or close to earlier runs. Without rows there is no share.
///
/// The rule reports the total; `not_missing` reports each missing value with its place.
struct MissingShare: TableRule, MeasuringRule {
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
    var columns: [ColumnName] { [column] }
    var complaint: String { "come to another share of missing values in '\(column)'" }
    var bounded: String? {
        max.map { "at most \($0.written) of the rows without a value in '\(column)'" }
    }
    var figureName: String { "the share of missing values in '\(column)'" }

    struct Memory: PartialResult {
        var missing: Int
        var rows: Int
    }

    func partial(of rows: CheckedRows, reporting breaches: inout [Breach]) -> Memory {
        guard var missing = rows.batch.column(column).missing else { return Memory(missing: 0, rows: rows.count) }
        if let asked = rows.asked { missing.formIntersection(asked) }
        return Memory(missing: missing.setCount, rows: rows.count)
    }

    func merge(_ later: Memory, into earlier: inout Memory, scratch: any Scratch) {
        earlier.missing += later.missing
        earlier.rows += later.rows
    }

    func figure(of memory: Memory?) -> ObservedValue? {
        memory.flatMap { $0.rows > 0 ? ObservedValue(measure, Double($0.missing) / Double($0.rows)) : nil }
    }

    func judgement(of memory: Memory?, in schema: Schema) -> String? {
        guard let max, let memory, !max.permits(memory.missing, of: memory.rows) else { return nil }
        return "\(memory.missing.displayText) of \(memory.rows.displayText) rows have no value in '\(column)', "
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
