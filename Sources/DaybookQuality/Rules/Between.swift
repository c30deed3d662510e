/// A number has to lie between two bounds, both inclusive. A missing value passes; NaN fails.
struct Between: ValueRule {
    static let name = "between"
    static let summary = "Every number or day of a column lies between two bounds, inclusive."

    let column: ColumnName
    let min: RuleBound?
    let max: RuleBound?

    init(reading options: inout OptionReader) {
        column = options.read("column", help: "Column of numbers or days.")
        min = options.optional("min", help: "The least value, a number or a day; none when left out.")
        max = options.optional("max", help: "The greatest value, a number or a day; none when left out.")
        RuleBound.check(min, max, of: Self.name, &options)
    }

    var finding: Finding.Kind { Finding.Kind("out-of-range", "{value} is not \(RuleBound.displayText(min, max))") }
    var columns: [ColumnName] { [column] }
    var complaint: String { "have a value in '\(column)' that is not \(RuleBound.displayText(min, max))" }
    var expectation: String { "every value in '\(column)' is \(RuleBound.displayText(min, max))" }

    func check(_ input: Schema) throws(DaybookError) {
        try input.requiring(
            column,
            ColumnKind.numbers + [.day],
            hint: "cast it first, such as with 'columns' of the import or with cast_columns"
        )
        guard let kind = input[column]?.kind else { return }
        for bound in [min, max].compactMap({ $0 }) {
            guard bound.isDay == (kind == .day) else {
                throw DaybookError(
                    "wrong-kind",
                    "column '\(column)' holds \(kind.rawValue), and \(bound.written) is \(bound.displayKind)",
                    at: bound.place
                )
            }
        }
    }

    func broken(in batch: Batch) -> Mask {
        switch batch.column(column) {
        case .integers(let values): RuleBound.outside(values, min, max)
        case .decimals(let values): RuleBound.outside(values, min?.decimalMin, max?.decimalMax)
        case .days(let values): RuleBound.outside(values, min?.day, max?.day)
        default: preconditionFailure("the schema check lets only numbers and days have bounds")
        }
    }

    static let examples: [StageExample] = [
        .passing(
            "both bounds belong to what is allowed, and either may be left out",
            options: """
                rules:
                  - between: { column: count, min: 0, max: 1000 }
                  - between: { column: date, max: 2026-11-21 }
                """,
            rows: """
                date:day,count:integer
                2026-11-20,0
                2026-11-21,1000
                2026-11-22,1001
                ,
                """,
            findings: ["3 count out-of-range", "3 date out-of-range"]
        ),
        StageExample(
            "text has no bounds, for '10' stands before '9'",
            options: "rules: [{ between: { column: count, min: 0 } }]",
            input: "count:text",
            refused: "column 'count' holds text, not integer or decimal or day"
        ),
    ]
}
