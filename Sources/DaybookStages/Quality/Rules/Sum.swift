/// The numbers of a column have to come to a sum between two bounds. It is exact, at any number of threads; missing ones add 0.
struct Sum: TotalsRule {
    static let name = "sum"
    static let summary = "The sum of a column of numbers lies between two bounds, inclusive."

    let column: ColumnName
    let min: RuleBound?
    let max: RuleBound?

    init(reading options: inout OptionReader) {
        (column, min, max) = Self.read(&options)
    }

    var finding: Finding.Kind { Finding.Kind("wrong-sum", "the sum is out of bounds") }

    func judgement(of memory: ColumnTotals?, in schema: Schema) -> String? {
        let holds: Bool
        if let exact = memory?.exact?.value {
            holds = exact >= min?.number ?? -.infinity && exact <= max?.number ?? .infinity
        } else {
            let whole = memory?.whole ?? 0
            holds = min.map { whole >= Int128($0.wholeMin) } ?? true && max.map { whole <= Int128($0.wholeMax) } ?? true
        }
        if holds { return nil }
        return "the sum of '\(column)' is \(memory?.spoken ?? "0"), not \(RuleBound.spoken(min, max))"
    }

    static let examples: [StageExample] = [
        .passing(
            "a sum below its bound; missing values add nothing",
            options: "rules: [{ sum: { column: count, min: 10 } }, { sum: { column: price, max: 0.5 } }]",
            rows: """
                count:integer,price:decimal
                3,0.25
                ,0.25
                4,
                """,
            findings: ["0 count wrong-sum"]
        ),
        .passing(
            "no rows come to 0",
            options: "rules: [{ sum: { column: count, min: 1 } }]",
            rows: "count:integer",
            findings: ["0 count wrong-sum"]
        ),
    ]
}
