import DaybookCore
import DaybookFormats
import DaybookTables

/// There have to be so many rows.
struct RowCount: MemoryRule {
    static let name = "row_count"
    static let summary = "There are at least and at most so many rows."
    static let findsLate = false
    static let isAboutTable = true
    static var shorthand: String? { nil }

    let min: Int?
    let max: Int?

    init(reading options: inout OptionReader) {
        min = options.optional("min", help: "The fewest rows that there may be.")
        max = options.optional("max", help: "The most rows that there may be.")
        if min == nil, max == nil { options.refuse("min", "'row_count' needs 'min', 'max' or both") }
        if let min, let max, min > max { options.refuse("min", "'min' is \(min), more than 'max', \(max)") }
    }

    var finding: Finding.Kind { Finding.Kind("wrong-row-count", "there are too few or too many rows") }
    var columns: [ColumnName] { [] }
    var complaint: String { "are too few or too many" }

    struct Memory: PartialResult {
        var rows: Int
    }

    func partial(of rows: AskedRows, reporting breaches: inout [Breach]) -> Memory {
        Memory(rows: rows.count)
    }

    func merge(_ later: Memory, into earlier: inout Memory, scratch: any Scratch) { earlier.rows += later.rows }

    func conclude(
        _ memory: Memory?,
        _ conclusion: inout RuleConclusion,
        scratch: any Scratch,
        tell: (LateRows) throws(DaybookError) -> Void
    ) {
        let rows = memory?.rows ?? 0
        let found = "there \(rows == 1 ? "is 1 row" : "are \(rows.spoken) rows")"
        if let min, rows < min { conclusion.judge("\(found), and at least \(min.spoken) should be there") }
        if let max, rows > max { conclusion.judge("\(found), and at most \(max.spoken) should be there") }
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
