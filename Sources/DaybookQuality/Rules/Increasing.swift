/// Values have to increase from row to row, in input order, across files. Missing values are skipped.
///
/// Each value is compared with the previous one, not with the maximum so far, so that one value that is much too large
/// fails the next row and not all later rows.
struct Increasing: OrderRule {
    static let name = "increasing"
    static let summary =
        "Values of a column never fall from row to row, in the order of the input and across its files."
    static let isRising = true

    let order: OrderOptions

    init(reading options: inout OptionReader) { order = OrderOptions(reading: &options) }

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
        .passing(
            "with 'by', each country has an order of its own",
            options: "rules: [{ increasing: { column: day, strictly: true, by: country } }]",
            rows: """
                country:text,day:day
                KR,2026-11-20
                JP,2026-11-20
                KR,2026-11-21
                ,2026-11-01
                JP,2026-11-20
                JP,2026-11-19
                KR,2026-11-22
                """,
            findings: ["5 day not-increasing", "6 day not-increasing"]
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

    let order: OrderOptions

    init(reading options: inout OptionReader) { order = OrderOptions(reading: &options) }

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
        .passing(
            "with 'by', the stock of each shop only falls",
            options: "rules: [{ decreasing: { column: stock, by: shop } }]",
            rows: "shop:text,stock:integer\n서울,9\n부산,20\n서울,8\n부산,21\n,30",
            findings: ["4 stock not-decreasing"]
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
