/// One property of an app's model: what it holds, whether it may lack, and the column that fills it.
///
/// Written as a kind, `date` or `date?`, or as a map where the column has another name: `{ from: target_date, kind: date }`.
package struct CodableField: Sendable {
    /// What a property holds, in the words for columns; `date` stands for Swift's `Date`, which is an instant.
    package enum Kind: String, CaseIterable, BitwiseCopyable { case text, integer, decimal, flag, date, json }

    package var type: Kind
    package var isOptional: Bool
    /// The column, when it has another name than the property.
    package var from: ColumnName?

    package init(kind: Kind, isOptional: Bool, from: ColumnName? = nil) {
        self.from = from
        type = kind
        self.isOptional = isOptional
    }
}
