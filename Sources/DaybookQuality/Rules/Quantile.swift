/// A quantile of a column of numbers has to lie between two bounds. Missing values do not count; without numbers there
/// is no quantile.
struct Quantile: RankRule {
    static let name = "quantile"
    static let summary = "The number below which a share of a column's numbers lies is between two bounds, inclusive."

    let limits: FigureLimits
    let share: Double
    let measure = ObservedValue.Measure.quantile

    init(reading options: inout OptionReader) {
        share = options.read("q", help: "The share of numbers below it, from 0 to 1: 0.95 for all but the highest 5%.")
        limits = FigureLimits(reading: &options, of: Self.name)
        if !(0...1).contains(share) { options.refuse("q", "'q' is a share from 0 to 1, found \(share.written)") }
    }

    var finding: Finding.Kind { Finding.Kind("wrong-quantile", "the quantile is out of bounds") }
    var displayFigure: String { "the \(share.written) quantile" }
    var figureName: String { "\(displayFigure) of '\(column)'" }

    static let examples: [StageExample] = [
        .passing(
            "nine in ten took less than so long; between two numbers it is taken in proportion",
            options: """
                rules:
                  - quantile: { column: seconds, q: 0.9, max: 4.7 }
                  - quantile: { column: seconds, q: 0.25, min: 1.75, max: 1.75 }
                    where: seconds < 50
                  - quantile: { column: seconds, q: 0.9, change: { max: 50% }, anomaly: { of: 14 runs } }
                """,
            rows: """
                seconds:decimal
                4

                2
                1
                99.5
                3
                """,
            findings: ["0 seconds wrong-quantile"]
        ),
        StageExample(
            "a share is a number from 0 to 1",
            options: "rules: [{ quantile: { column: seconds, q: 95, max: 3 } }]",
            input: "seconds:decimal",
            refused: "'q' is a share from 0 to 1, found 95.0"
        ),
    ]
}

/// The median of a column of numbers has to lie between two bounds. Missing values do not count; without numbers there
/// is no median.
struct Median: RankRule {
    static let name = "median"
    static let summary = "The median of a column of numbers lies between two bounds, inclusive."

    let limits: FigureLimits
    let measure = ObservedValue.Measure.median
    let share = 0.5

    init(reading options: inout OptionReader) { limits = FigureLimits(reading: &options, of: Self.name) }

    var finding: Finding.Kind { Finding.Kind("wrong-median", "the median is out of bounds") }
    var displayFigure: String { "the median" }

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
