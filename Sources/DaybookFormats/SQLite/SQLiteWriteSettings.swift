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

    package var output = PathText.placeholder
    package var table = ""
    package var tablePlace: SourcePlace?
    package var mode = Mode.replace
    /// The columns by which a row of the table is found, which then is written over; none where every row is a new one.
    package var keys: [ColumnName] = []
    package var keysPlace: SourcePlace?
    package var dates = CodableDates.iso
    package var blobs: [ColumnName] = []

    package init() {}
}
