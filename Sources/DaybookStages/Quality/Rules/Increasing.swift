/// Values have to go up from row to row, in the order of the input, across its files. A missing value is passed over.
///
/// Each value is held against the one before it and not against the greatest so far, so that one value that is much too large
/// condemns the next row and not all that follow.
struct Increasing: OrderRule {
    static let name = "increasing"
    static let summary =
        "Values of a column never fall from row to row, in the order of the input and across its files."
    static let isRising = true

    let column: ColumnName
    let strictly: Bool

    init(reading options: inout OptionReader) { (column, strictly) = Self.read(&options) }

    var finding: Finding.Kind {
        Finding.Kind("not-increasing", "{value} is \(spokenOrder) than the value before it")
    }

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
