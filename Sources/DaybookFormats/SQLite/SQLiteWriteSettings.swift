import DaybookCore

/// How rows are written into a table.
package struct SQLiteWriteSettings: Sendable {
    package enum Mode: String, CaseIterable, BitwiseCopyable, Sendable {
        /// The rows take the place of those in the table, whose definition stays.
        case replace
        /// The rows come behind those in the table.
        case append
        /// The table is made anew with the columns of the rows; what else its definition said is lost.
        case remake
    }

    package let output: PathText
    package let table: String
    package let tablePlace: SourcePlace?
    package let mode: Mode
    package let dates: CodableDates
    package let blobs: [ColumnName]

    package init(
        output: PathText,
        table: String,
        tablePlace: SourcePlace?,
        mode: Mode,
        dates: CodableDates,
        blobs: [ColumnName]
    ) {
        self.output = output
        self.table = table
        self.tablePlace = tablePlace
        self.mode = mode
        self.dates = dates
        self.blobs = blobs
    }
}
