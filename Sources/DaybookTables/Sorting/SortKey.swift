/// A column to sort by, and which way.
///
/// Written as a column name, or as a map: `{ column: count, order: descending, missing: first }`.
package struct SortKey: Sendable {
    package enum Order: String, CaseIterable, BitwiseCopyable, Sendable {
        case ascending, descending
    }
    package enum Missing: String, CaseIterable, BitwiseCopyable, Sendable { case first, last }

    package var column: ColumnName
    package var order = Order.ascending
    package var missing = Missing.last

    package init(column: ColumnName, order: Order = .ascending, missing: Missing = .last) {
        self.missing = missing
        self.column = column
        self.order = order
    }
}
