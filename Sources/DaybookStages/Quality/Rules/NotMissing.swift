import DaybookCore

/// A value has to be there. An empty text is one.
struct NotMissing: RowRule {
    static let name = "not_missing"
    static let summary = "Every row has a value in the column."

    let column: ColumnName

    init(reading options: inout OptionReader) {
        column = options.read("column", help: "Column that has to have a value.")
    }

    var finding: Finding.Kind { Finding.Kind("missing-value", "the value is missing") }
    var columns: [ColumnName] { [column] }
    var complaint: String { "have no value in '\(column)'" }

    func check(_ input: Schema) throws(DaybookError) {}

    func broken(in batch: Batch) -> Mask { batch.column(column).missing ?? Mask(count: batch.count) }
}
