/// The least of a column's numbers has to lie between two bounds. Missing values do not count; without numbers there is
/// none.
struct Minimum: ExtremeRule {
    static let name = "minimum"
    static let summary = "The least number of a column lies between two bounds, inclusive."

    let limits: FigureLimits
    let measure = ObservedValue.Measure.minimum

    init(reading options: inout OptionReader) { limits = FigureLimits(reading: &options, of: Self.name) }

    var finding: Finding.Kind { Finding.Kind("wrong-minimum", "the least number is out of bounds") }
    func value(of memory: NumberRange?) -> ColumnFigure? { memory?.least }

    static let examples: [StageExample] = [
        .passing(
            "the least number is itself too large; 'between' would ask each row",
            options: """
                rules:
                  - minimum: { column: count, max: 1 }
                  - minimum: { column: count, min: 0, max: 1, by: shop }
                    where: count is not missing
                """,
            rows: "shop:text,count:integer\n서울,2\n부산,\n부산,5\n서울,3",
            findings: ["0 count wrong-minimum", "0 count wrong-minimum"]
        ),
        .passing(
            "without a number there is none, and nothing to hold against earlier runs",
            options: """
                rules:
                  - minimum: { column: price, min: 0 }
                  - minimum: { column: price, change: { max: 10% }, anomaly: { of: 14 runs } }
                """,
            rows: "price:decimal\n\n",
            findings: ["0 price wrong-minimum", "0 price wrong-minimum"]
        ),
    ]
}

/// The greatest of a column's numbers has to lie between two bounds. Missing values do not count; without numbers there
/// is none.
struct Maximum: ExtremeRule {
    static let name = "maximum"
    static let summary = "The greatest number of a column lies between two bounds, inclusive."

    let limits: FigureLimits
    let measure = ObservedValue.Measure.maximum

    init(reading options: inout OptionReader) { limits = FigureLimits(reading: &options, of: Self.name) }

    var finding: Finding.Kind { Finding.Kind("wrong-maximum", "the greatest number is out of bounds") }
    func value(of memory: NumberRange?) -> ColumnFigure? { memory?.most }

    static let examples: [StageExample] = [
        .passing(
            "a year of days goes up to its last one, exactly also beyond 2^53",
            options: """
                rules:
                  - maximum: { column: day, min: 365, max: 366 }
                  - maximum: { column: id, max: 9007199254740992 }
                  - maximum: { column: day, min: 300, by: year }
                """,
            rows: "year:integer,day:integer,id:integer\n2025,1,9007199254740993\n2026,364,\n2025,365,",
            findings: ["0 id wrong-maximum"]
        ),
        .passing(
            "it is held against earlier runs; the first one holds",
            options:
                "rules: [{ maximum: { column: price, max: 9.5, change: { max: 50% }, anomaly: { of: 14 runs } } }]",
            rows: "price:decimal\n9.75\n-1",
            findings: ["0 price wrong-maximum"]
        ),
    ]
}

/// A rule about the least or the greatest number of a column.
protocol ExtremeRule: TableFigureRule where Partial == NumberRange {}

extension ExtremeRule {
    func partial(of rows: CheckedRows, reporting breaches: inout [Breach]) -> NumberRange {
        NumberRange(column, of: rows)
    }

    func merge(_ later: NumberRange, into earlier: inout NumberRange, scratch: any Scratch) { earlier.add(later) }
}

/// The least and the greatest number of a column.
struct NumberRange: PartialResult {
    private var whole: ClosedRange<Int64>?
    private var decimals: ClosedRange<Double>?

    init(_ column: ColumnName, of rows: CheckedRows) {
        switch rows.batch.column(column) {
        case .integers(let values):
            var (least, most) = (Int64.max, Int64.min)
            rows.forEachValue(of: values) { (least, most) = (min(least, $1), max(most, $1)) }
            if least <= most { whole = least...most }
        case .decimals(let values):
            var (least, most) = (Double.infinity, -Double.infinity)
            rows.forEachValue(of: values) { (least, most) = (min(least, $1), max(most, $1)) }
            if least <= most { decimals = least...most }
        default: preconditionFailure("the schema check lets only numbers be compared")
        }
    }

    mutating func add(_ later: NumberRange) {
        whole = NumberRange.joined(whole, later.whole)
        decimals = NumberRange.joined(decimals, later.decimals)
    }

    private static func joined<Number>(_ one: ClosedRange<Number>?, _ other: ClosedRange<Number>?) -> ClosedRange<
        Number
    >? {
        guard let one, let other else { return one ?? other }
        return min(one.lowerBound, other.lowerBound)...max(one.upperBound, other.upperBound)
    }

    var least: ColumnFigure? { whole.map { .whole(Int128($0.lowerBound)) } ?? decimals.map { .decimal($0.lowerBound) } }
    var most: ColumnFigure? { whole.map { .whole(Int128($0.upperBound)) } ?? decimals.map { .decimal($0.upperBound) } }
}
