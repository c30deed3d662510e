/// The sum of a column's numbers has to lie between two bounds. The sum is exact, with any number of threads; missing
/// values add 0.
struct Sum: TotalsRule {
    static let name = "sum"
    static let summary = "The sum of a column of numbers lies between two bounds, inclusive."

    let limits: FigureLimits
    let measure = ObservedValue.Measure.sum

    init(reading options: inout OptionReader) { limits = FigureLimits(reading: &options, of: Self.name) }

    var finding: Finding.Kind { Finding.Kind("wrong-sum", "the sum is out of bounds") }
    func value(of memory: ColumnTotals?) -> ColumnFigure? { memory?.sum ?? .whole(0) }

    /// A sum that is not a number is a fault without bounds too.
    func judgement(of memory: ColumnTotals?, in schema: Schema) -> String? { value(of: memory).flatMap(fault) }

    static let examples: [StageExample] = [
        .passing(
            "a sum below its bound; missing values add nothing",
            options: "rules: [{ sum: { column: count, min: 10 } }, { sum: { column: price, max: 0.5 } }]",
            rows: "count:integer,price:decimal\n3,0.25\n,0.25\n4,",
            findings: ["0 count wrong-sum"]
        ),
        .passing(
            "a sum is held against earlier runs; the first one holds",
            options: """
                rules:
                  - sum: { column: count, change: { max: 20%, from: last } }
                  - sum: { column: count, max: 6, anomaly: { of: 28 runs, deviations: 4 } }
                """,
            rows: "count:integer\n3\n4",
            findings: ["0 count wrong-sum"]
        ),
        StageExample(
            "how much it may change is a share",
            options: "rules: [{ sum: { column: count, change: { max: 20, from: last } } }]",
            input: "count:integer",
            refused: "'change': expected a percentage such as 20%, found '20'"
        ),
        .passing(
            "with 'by', each account has to balance",
            options: "rules: [{ sum: { column: amount, min: 0, max: 0, by: account } }]",
            rows: "account:text,amount:integer\na,5\nb,3\na,-5\nb,-2\n,7",
            findings: ["0 amount wrong-sum"]
        ),
        .passing(
            "no rows come to 0",
            options: "rules: [{ sum: { column: count, min: 1 } }]",
            rows: "count:integer",
            findings: ["0 count wrong-sum"]
        ),
    ]
}
