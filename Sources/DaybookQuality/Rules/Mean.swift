/// The mean of a column's numbers has to lie between two bounds. Missing values do not count; without numbers there is
/// no mean.
struct Mean: TotalsRule {
    static let name = "mean"
    static let summary = "The mean of a column of numbers lies between two bounds, inclusive."

    let limits: FigureLimits
    let measure = ObservedValue.Measure.mean

    init(reading options: inout OptionReader) { limits = FigureLimits(reading: &options, of: Self.name) }

    var finding: Finding.Kind { Finding.Kind("wrong-mean", "the mean is out of bounds") }
    func value(of memory: ColumnTotals?) -> ColumnFigure? {
        memory.flatMap { $0.count > 0 ? .decimal($0.mean) : nil }
    }

    static let examples: [StageExample] = [
        .passing(
            "a mean above its bound; missing values do not count",
            options: """
                rules:
                  - mean: { column: count, min: 1, max: 5 }
                  - mean: { column: count, max: 5 }
                    where: "count < 10"
                """,
            rows: """
                count:integer
                1
                30

                2
                """,
            findings: ["0 count wrong-mean"]
        ),
        .passing(
            "without a value there is no mean, and nothing to hold against earlier runs",
            options: """
                rules:
                  - mean: { column: count, min: 0 }
                  - mean: { column: count, change: { max: 10%, from: median of 7 } }
                  - mean: { column: count, min: 0, anomaly: { of: 14 runs, deviations: 3, include: failed } }
                """,
            rows: "count:decimal\n\n",
            findings: ["0 count wrong-mean", "0 count wrong-mean", "0 count wrong-mean"]
        ),
    ]
}
