/// Values have to increase from row to row, in input order, across files. Missing values are skipped.
///
/// Each value is compared with the previous one, not with the maximum so far, so that one value that is much too large
/// fails the next row and not all later rows.
struct Increasing: OrderRule {
    static let name = "increasing"
    static let summary =
        "Values of a column never fall from row to row, in the order of the input and across its files."
    static let isRising = true

    let column: ColumnName
    let strictly: Bool

    init(reading options: inout OptionReader) { (column, strictly) = Self.read(&options) }

    var finding: Finding.Kind { Finding.Kind("not-increasing", "{value} is \(displayOrder) than the value before it") }

    static let examples: [StageExample] = [
        .passing(
            "ids go up; a missing one is passed over",
            options: "rules: [{ increasing: { column: id, strictly: true } }]",
            rows: """
                id:integer,note:text
                1,a
                3,b
                3,c
                ,d
                2,e
                4,f
                """,
            findings: ["3 id not-increasing", "5 id not-increasing"]
        ),
        StageExample(
            "what falls back can be rejected; without 'strictly' a value may come again",
            options: "rules: [{ increasing: at, then: reject }, { increasing: rate, where: at is not missing }]",
            input: """
                at:instant,rate:decimal
                2026-11-21T05:00:00Z,1.5
                2026-11-21T05:00:00Z,1.5
                2026-11-21T04:59:59Z,2
                2026-11-21T05:00:01Z,-0.5
                """,
            output: """
                at:instant,rate:decimal
                2026-11-21T05:00:00Z,1.5
                2026-11-21T05:00:00Z,1.5
                2026-11-21T05:00:01Z,-0.5
                """,
            findings: ["3 at not-increasing", "4 rate not-increasing"]
        ),
    ]
}

/// Values have to decrease from row to row, in input order, across files. Missing values are skipped.
struct Decreasing: OrderRule {
    static let name = "decreasing"
    static let summary =
        "Values of a column never rise from row to row, in the order of the input and across its files."
    static let isRising = false

    let column: ColumnName
    let strictly: Bool

    init(reading options: inout OptionReader) { (column, strictly) = Self.read(&options) }

    var finding: Finding.Kind { Finding.Kind("not-decreasing", "{value} is \(displayOrder) than the value before it") }

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
            output: "stock:decimal\n9\n9\n-1",
            findings: ["3 stock not-decreasing"]
        ),
    ]
}
