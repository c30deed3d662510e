/// Values have to go down from row to row, in the order of the input, across its files. A missing value is passed over.
struct Decreasing: OrderRule {
    static let name = "decreasing"
    static let summary =
        "Values of a column never rise from row to row, in the order of the input and across its files."
    static let isRising = false

    let column: ColumnName
    let strictly: Bool

    init(reading options: inout OptionReader) { (column, strictly) = Self.read(&options) }

    var finding: Finding.Kind {
        Finding.Kind("not-decreasing", "{value} is \(spokenOrder) than the value before it")
    }

    static let examples: [StageExample] = [
        .passing(
            "the newest day comes first; a missing one is passed over",
            options: "rules: [{ decreasing: { column: day, strictly: true } }]",
            rows: """
                day:day,note:text
                2026-11-21,a
                2026-11-19,b
                2026-11-19,c
                ,d
                2026-11-20,e
                2026-11-01,f
                """,
            findings: ["3 day not-decreasing", "5 day not-decreasing"]
        ),
        StageExample(
            "what rises again can be rejected; without 'strictly' a value may come again",
            options: "rules: [{ decreasing: stock, then: reject }]",
            input: """
                stock:decimal
                9
                9
                9.5
                -1
                """,
            output: """
                stock:decimal
                9
                9
                -1
                """,
            findings: ["3 stock not-decreasing"]
        ),
    ]
}
