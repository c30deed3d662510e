/// There have to be so many rows.
struct RowCount: TableRule {
    static let name = "row_count"
    static let summary = "There are at least and at most so many rows."

    let min: Int?
    let max: Int?

    init(reading options: inout OptionReader) {
        min = options.optional("min", help: "The fewest rows that there may be.")
        max = options.optional("max", help: "The most rows that there may be.")
        RuleBound.check(min, max, of: Self.name, &options, isMore: >)
    }

    var finding: Finding.Kind { Finding.Kind("wrong-row-count", "there are too few or too many rows") }
    var columns: [ColumnName] { [] }
    var complaint: String { "are too few or too many" }

    struct Memory: PartialResult {
        var rows: Int
    }

    func partial(of rows: CheckedRows, reporting breaches: inout [Breach]) -> Memory {
        Memory(rows: rows.count)
    }

    func merge(_ later: Memory, into earlier: inout Memory, scratch: any Scratch) { earlier.rows += later.rows }

    func judgement(of memory: Memory?, in schema: Schema) -> String? {
        let rows = memory?.rows ?? 0
        let found = "there \(rows == 1 ? "is 1 row" : "are \(rows.spoken) rows")"
        if let max, rows > max { return "\(found), and at most \(max.spoken) should be there" }
        if let min, rows < min { return "\(found), and at least \(min.spoken) should be there" }
        return nil
    }

    static let examples: [StageExample] = [
        .passing(
            "an empty table is found too",
            options: "rules: [{ row_count: { min: 1 } }]",
            rows: "id:text",
            findings: ["0 - wrong-row-count"]
        ),
        .passing(
            "with 'where', only some rows count",
            options: """
                rules:
                  - row_count: { min: 1, max: 2 }
                    where: "emotion = '행복해'"
                """,
            rows: """
                emotion:text
                행복해
                우울해
                행복해
                행복해
                """,
            findings: ["0 - wrong-row-count"]
        ),
    ]
}
