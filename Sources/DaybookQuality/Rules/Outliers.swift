/// No number of a column lies far from the others. Decided after the last row; each outlier is reported with its place.
///
/// `mad` measures from the median, in median absolute deviations scaled by 0.6745 as the deviation of a normal distribution is (Iglewicz
/// and Hoaglin, "How to Detect and Handle Outliers", 1993); `iqr` from the quartiles, in ranges between these (Tukey, "Exploratory Data
/// Analysis", 1977). Where half of the values, or more, are alike, both measures may be 0; then no value is far from others.
struct Outliers: MemoryRule, ColumnRule {
    enum Method: String, OptionChoice { case mad, iqr }

    static let name = "outliers"
    static let summary = "No number of a column lies far from the others."
    static var shorthand: String? { "column" }

    let column: ColumnName
    let method: Method
    let factor: Double

    init(reading options: inout OptionReader) {
        column = options.read("column", help: "Column of numbers.")
        method = options.read(
            "method",
            default: .mad,
            help:
                "How far is measured: in median absolute deviations from the median, or in quartile ranges from the quartiles."
        )
        let factor: Double? = options.optional(
            "factor",
            help: "How many of these are too far; 3.5 for 'mad' and 1.5 for 'iqr' when left out."
        )
        self.factor = factor ?? (method == .mad ? 3.5 : 1.5)
        if self.factor <= 0 { options.refuse("factor", "'factor' is more than 0, found \(self.factor.written)") }
    }

    var finding: Finding.Kind { Finding.Kind("outlier", "{value} lies far from the other values") }
    var complaint: String { "have a value in '\(column)' that lies far from the others" }

    func check(_ input: Schema) throws(DaybookError) {
        let hint = "cast it first, such as with 'columns' of the import or with cast_columns"
        try input.requiring(column, ColumnKind.numbers, hint: hint)
    }

    struct Memory: PartialResult {
        var numbers: NumberLog
        var places: CompactProvenance

        var footprint: Int { numbers.footprint + places.footprint }

        mutating func spill(to scratch: any Scratch) throws(DaybookError) {
            try numbers.spill(to: scratch)
            try places.spill(to: scratch)
        }
    }

    func partial(of rows: CheckedRows, reporting breaches: inout [Breach]) -> Memory {
        Memory(numbers: NumberLog(column, of: rows, keepsGaps: true), places: CompactProvenance(rows.batch))
    }

    func merge(_ later: Memory, into earlier: inout Memory, scratch: any Scratch) throws(DaybookError) {
        try earlier.numbers.append(later.numbers)
        try earlier.places.append(later.places)
    }

    func conclude(_ memory: Memory?, _ conclusion: inout RuleConclusion) throws(DaybookError) {
        guard let memory, let fence = try fence(of: memory.numbers) else { return }
        var left = conclusion.reportLimit
        var unreported = 0
        try memory.numbers.forEachPiece { (first, numbers) throws(DaybookError) in
            let far = numbers.indices.filter { numbers[$0] < fence.low || numbers[$0] > fence.high }.map { first + $0 }
            let reported = far.prefix(left)
            left -= reported.count
            unreported += far.count - reported.count
            try conclusion.report(rows: reported, memory.places, message: fence.message)
        }
        conclusion.count(unreported)
    }

    /// The bounds between which values are no outliers; nil if there is no measure.
    private func fence(of numbers: NumberLog) throws(DaybookError) -> (low: Double, high: Double, message: String)? {
        let (low, high, because): (Double, Double, String)
        switch method {
        case .mad:
            guard let median = try numbers.quantile(0.5),
                let deviation = try numbers.quantile(0.5, of: { ($0 - median).magnitude }), deviation > 0
            else { return nil }
            let far = factor * deviation / 0.6745
            (low, high) = (median - far, median + far)
            because = "the median is \(median.brief), the median deviation \(deviation.brief)"
        case .iqr:
            guard let lower = try numbers.quantile(0.25), let upper = try numbers.quantile(0.75), upper > lower
            else { return nil }
            let far = factor * (upper - lower)
            (low, high) = (lower - far, upper + far)
            because = "the quartiles are \(lower.brief) and \(upper.brief)"
        }
        let bounds = "between \(low.brief) and \(high.brief)"
        return (low, high, "{value} is not \(bounds); \(because)")
    }

    static let examples: [StageExample] = [
        .passing(
            "a value in another unit is told with its place; what varies more lets more through",
            options: """
                rules:
                  - outliers: height
                  - outliers: { column: height, method: iqr, factor: 3 }
                  - outliers: { column: weight, factor: 20 }
                """,
            rows: """
                height:decimal,weight:integer
                1.71,60
                1.68,
                171,90
                1.8,75
                1.62,50
                ,80
                """,
            findings: ["3 height outlier", "3 height outlier"]
        ),
        StageExample(
            "what is far off can be rejected, and values that are all but one alike tell nothing",
            options: """
                rules:
                  - outliers: { column: count, method: mad }
                    then: reject
                  - outliers: rate
                """,
            input: """
                count:integer,rate:decimal
                5,1
                6,1
                500,1
                7,9
                5,1
                """,
            output: """
                count:integer,rate:decimal
                5,1
                6,1
                7,9
                5,1
                """,
            findings: ["3 count outlier"]
        ),
    ]
}
