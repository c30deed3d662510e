/// Which columns and rows of an input a table shows, and how.
package struct HTMLTableSpec: Sendable {
    package struct Column: Sendable {
        package var index: Int
        package var title: String
        package var kind: ColumnKind
        /// Whether a bar beside the number shows how large it is.
        package var hasBar = false
        /// Whether it is a share, of which 1 is the whole.
        package var isShare = false
        package var format: NumberPattern?

        package init(index: Int, title: String, kind: ColumnKind) {
            self.index = index
            self.title = title
            self.kind = kind
        }

        var isNumber: Bool { ColumnKind.numbers.contains(kind) }
        /// How a number is shown; nil for its digits as they are.
        var pattern: NumberPattern? { format ?? (isShare ? HTMLTableSpec.percent : nil) }
    }

    private static let percent = try? NumberPattern("0.0 %")

    package var columns: [Column]
    /// How many rows are shown; the others are counted.
    package var rows: Int
    /// Whether the last row comes first, and the others that are not shown are those before.
    package var isNewestFirst = false
    package var signs = NumberSigns(language: "")

    package init(columns: [Column], rows: Int) {
        self.columns = columns
        self.rows = rows
    }

    /// All columns as they are called.
    package init(_ schema: Schema, rows: Int) {
        self.init(
            columns: schema.fields.enumerated().map { Column(index: $0, title: $1.name, kind: $1.kind) },
            rows: rows
        )
    }
}
