/// The standard deviation of a column of numbers has to lie between two bounds. It is the sample deviation, divided by
/// the number of values less one. Missing values do not count; fewer than two numbers have no deviation.
struct Deviation: TableFigureRule {
    static let name = "deviation"
    static let summary = "The standard deviation of a column of numbers lies between two bounds, inclusive."

    let limits: FigureLimits
    let measure = ObservedValue.Measure.deviation

    init(reading options: inout OptionReader) { limits = FigureLimits(reading: &options, of: Self.name) }

    var finding: Finding.Kind { Finding.Kind("wrong-deviation", "the standard deviation is out of bounds") }
    func partial(of rows: CheckedRows, reporting breaches: inout [Breach]) -> Moments { Moments(column, of: rows) }
    func merge(_ later: Moments, into earlier: inout Moments, scratch: any Scratch) { earlier.add(later) }

    var lacking: String { "too few rows have a value in '\(column)' for the standard deviation" }

    func value(of memory: Moments?) -> ColumnFigure? {
        memory.flatMap { $0.tooLarge > 0 ? nil : $0.deviation }.map { .decimal($0) }
    }

    func judgement(of memory: Moments?, in schema: Schema) -> String? {
        guard let memory, memory.tooLarge > 0 else { return judgement(of: value(of: memory)) }
        return
            "'\(column)' holds \(memory.tooLarge.displayText) numbers of more than 150 digits, so no deviation is known"
    }

    static let examples: [StageExample] = [
        .passing(
            "numbers that are all alike deviate by nothing, as where a sensor is stuck",
            options: """
                rules:
                  - deviation: { column: level, min: 0.1 }
                  - deviation: { column: flow, min: 1, max: 1 }
                  - deviation: { column: flow, change: { max: 50% }, anomaly: { of: 14 runs } }
                """,
            rows: """
                level:decimal,flow:integer
                7.25,1
                7.25,2
                7.25,3
                ,
                """,
            findings: ["0 level wrong-deviation"]
        ),
        .passing(
            "of a single number there is none",
            options: "rules: [{ deviation: { column: flow, min: 0 } }]",
            rows: "flow:integer\n5",
            findings: ["0 flow wrong-deviation"]
        ),
    ]
}

/// The sum of numbers and the sum of their squares, both exact until read.
struct Moments: PartialResult {
    private(set) var count = 0
    private(set) var sum = ExactSum()
    private(set) var squares = ExactSum()
    /// The count of numbers whose square no decimal can hold.
    private(set) var tooLarge = 0

    init(_ column: ColumnName, of rows: CheckedRows) {
        switch rows.batch.column(column) {
        case .integers(let values):
            var wide = (sum: Int128(0), squares: UInt128(0))
            rows.forEachValue(of: values) { _, value in
                count += 1
                wide.sum += Int128(value)
                let (total, overflow) = wide.squares.addingReportingOverflow(
                    UInt128(value.magnitude) * UInt128(value.magnitude)
                )
                if overflow {
                    squares.add(whole: .max)
                    squares.add(1)
                }
                wide.squares = total
            }
            sum.add(whole: wide.sum.magnitude, isNegative: wide.sum < 0)
            squares.add(whole: wide.squares)
        case .decimals(let values):
            rows.forEachValue(of: values) { _, value in
                guard value.magnitude < 1e150 else {
                    tooLarge += 1
                    return
                }
                count += 1
                sum.add(value)
                squares.add(productOf: value, value)
            }
        default: preconditionFailure("the schema check lets only numbers deviate")
        }
    }

    mutating func add(_ later: Moments) {
        count += later.count
        tooLarge += later.tooLarge
        sum.add(later.sum)
        squares.add(later.squares)
    }

    /// The sample standard deviation; nil for fewer than two numbers.
    var deviation: Double? {
        guard count > 1 else { return nil }
        // n·Σx² − (Σx)² is summed exactly as well, since its terms are nearly equal for numbers far from 0.
        var spread = ExactSum()
        for part in squares.parts { spread.add(productOf: part, Double(count)) }
        let sums = sum.parts
        for one in sums { for other in sums { spread.add(productOf: -one, other) } }
        return (Swift.max(spread.value, 0) / Double(count) / Double(count - 1)).squareRoot()
    }
}

extension ExactSum {
    /// Adds a product and its rounding error, which together are exact.
    fileprivate mutating func add(productOf one: Double, _ other: Double) {
        let product = one * other
        add(product)
        add((-product).addingProduct(one, other))
    }

    /// Adds a whole number in parts that a decimal holds exactly.
    fileprivate mutating func add(whole: UInt128, isNegative: Bool = false) {
        for shift: UInt128 in [0, 48, 96] {
            let part = Double(whole >> shift & 0xFFFF_FFFF_FFFF) * Double(UInt128(1) << shift)
            if part > 0 { add(isNegative ? -part : part) }
        }
    }

    /// Decimals that add up to the sum: the nearest one, then twice the nearest to the rest.
    fileprivate var parts: [Double] {
        var rest = self
        return (0..<3).map { _ in
            let part = rest.value
            rest.add(-part)
            return part
        }
    }
}
