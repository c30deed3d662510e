/// The sum of a column's numbers has to lie between two bounds. The sum is exact, with any number of threads; missing
/// values add 0.
struct Sum: TotalsRule {
    static let name = "sum"
    static let summary = "The sum of a column of numbers lies between two bounds, inclusive."

    let limits: FigureLimits
    let measure = ObservedValue.Measure.sum

    init(reading options: inout OptionReader) { limits = FigureLimits(reading: &options, of: Self.name) }

    var finding: Finding.Kind { Finding.Kind("wrong-sum", "the sum is out of bounds") }
    func figure(of memory: ColumnTotals?) -> ObservedValue? { ObservedValue(measure, memory?.value ?? 0) }

    func judgement(of memory: ColumnTotals?, in schema: Schema) -> String? {
        let holds: Bool
        if let exact = memory?.exact?.value {
            holds = exact >= min?.decimalMin ?? -.infinity && exact <= max?.decimalMax ?? .infinity
        } else {
            let whole = memory?.whole ?? 0
            holds = min.map { whole >= $0.wholeMin } ?? true && max.map { whole <= $0.wholeMax } ?? true
        }
        if holds { return nil }
        return "the sum of '\(column)' is \(memory?.displayText ?? "0"), not \(RuleBound.displayText(min, max))"
    }

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
