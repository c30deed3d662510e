import DaybookCore

/// A text has to be one of a list. A missing value is no text, and so breaks nothing.
struct InSet: RowRule {
    static let name = "in_set"
    static let summary = "Every value of a text column is one of a list."

    let column: ColumnName
    let values: [String]
    private let lookup: TextLookup

    init(reading options: inout OptionReader) {
        column = options.read("column", help: "Column whose values are looked up.")
        values = options.read("values", help: "The values that are allowed, byte by byte.")
        lookup = TextLookup(values)
        if values.isEmpty { options.refuse("values", "'values' allows nothing") }
    }

    static var shorthand: String? { nil }
    var finding: Finding.Kind { Finding.Kind("not-in-set", "{value} is not \(InSet.spoken(values))") }
    var columns: [ColumnName] { [column] }
    var complaint: String { "have a value in '\(column)' that is not \(InSet.spoken(values))" }

    func check(_ input: Schema) throws(DaybookError) {
        try input.requiring(
            column,
            .text,
            hint: "'holds' compares columns of other kinds, as in holds: \"\(column) in (1, 2)\""
        )
    }

    func broken(in batch: Batch) -> Mask {
        var broken = Mask(count: batch.count)
        batch.text(in: column).forEachValue { row, cell in
            if lookup.find(cell) < 0 { broken.insert(row) }
        }
        return broken
    }

    /// `one of 행복해, 우울해`, cut short where there are many.
    static func spoken(_ values: [String]) -> String {
        if values.count == 1 { return "'\(values[0])'" }
        let shown = values.prefix(8).joined(separator: ", ")
        return "one of \(shown)\(values.count > 8 ? " and \(values.count - 8) more" : "")"
    }
}
