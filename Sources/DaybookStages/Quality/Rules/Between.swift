import DaybookCore

/// A number has to lie between two bounds, both inclusive. A missing value breaks nothing; a number that is none does.
struct Between: RowRule {
    static let name = "between"
    static let summary = "Every number or day of a column lies between two bounds, inclusive."
    static var shorthand: String? { nil }

    let column: ColumnName
    let min: RuleBound?
    let max: RuleBound?

    init(reading options: inout OptionReader) {
        column = options.read("column", help: "Column of numbers or days.")
        min = options.optional("min", help: "The least value, a number or a day; none when left out.")
        max = options.optional("max", help: "The greatest value, a number or a day; none when left out.")
        if min == nil, max == nil { options.refuse("min", "'between' needs 'min', 'max' or both") }
    }

    var finding: Finding.Kind { Finding.Kind("out-of-range", "{value} is not \(RuleBound.spoken(min, max))") }
    var columns: [ColumnName] { [column] }
    var complaint: String { "have a value in '\(column)' that is not \(RuleBound.spoken(min, max))" }

    func check(_ input: Schema) throws(DaybookError) {
        try input.requiring(
            column,
            .integer,
            .decimal,
            .day,
            hint: "cast it first, such as with 'columns' of the import or with cast_columns"
        )
        guard let kind = input[column]?.kind else { return }
        for bound in [min, max].compactMap({ $0 }) {
            guard bound.isDay == (kind == .day) else {
                throw DaybookError(
                    "wrong-kind",
                    "column '\(column)' holds \(kind.rawValue), and \(bound.written) is \(bound.isDay ? "a day" : "a number")",
                    at: bound.place
                )
            }
        }
    }

    func broken(in batch: Batch) -> Mask {
        switch batch.column(column) {
        case .integers(let values): RuleBound.outside(values, min?.wholeMin, max?.wholeMax)
        case .decimals(let values): RuleBound.outside(values, min?.number, max?.number)
        case .days(let values): RuleBound.outside(values, min?.day, max?.day)
        default: preconditionFailure("the schema check lets only numbers and days have bounds")
        }
    }
}
