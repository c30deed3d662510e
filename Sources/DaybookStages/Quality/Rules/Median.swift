/// The median of a column of numbers has to lie between two bounds. Missing ones do not count; of none there is no median.
struct Median: RankRule {
    static let name = "median"
    static let summary = "The median of a column of numbers lies between two bounds, inclusive."

    let column: ColumnName
    let min: RuleBound?
    let max: RuleBound?
    let against: PastLimits
    let measure = ObservedValue.Measure.median
    let share = 0.5

    init(reading options: inout OptionReader) { (column, min, max, against) = Self.read(&options) }

    var finding: Finding.Kind { Finding.Kind("wrong-median", "the median is out of bounds") }
    var spokenFigure: String { "the median" }

    static let examples: [StageExample] = [
        .passing(
            "one value that is far off moves the median little; of two in the middle it is the mean",
            options: """
                rules:
                  - median: { column: count, min: 2.5, max: 2.5 }
                  - median: { column: count, max: 2 }
                  - median: { column: count, change: { max: 20% }, anomaly: { deviations: 5 } }
                """,
            rows: """
                count:integer
                3
                1

                1000
                2
                """,
            findings: ["0 count wrong-median"]
        ),
        .passing(
            "without a value there is no median",
            options: "rules: [{ median: { column: price, min: 0 } }]",
            rows: "price:decimal\n\n",
            findings: ["0 price wrong-median"]
        ),
    ]
}
