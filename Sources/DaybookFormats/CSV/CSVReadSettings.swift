/// How a delimited file is read, as far as its format is concerned.
package struct CSVReadSettings: Sendable {
    /// Where the names of the columns come from.
    package enum Header: Sendable, Hashable {
        case present, absent
        case names([String])
    }

    package enum Delimiter: Sendable, Hashable {
        /// One to eight bytes.
        case text([UInt8])
        case auto
    }

    /// What becomes of a row that is the header once more.
    package enum Repeated: String, CaseIterable, BitwiseCopyable, Sendable { case reject, skip, keep }

    /// What becomes of a row with other cells than the header: with fewer, `pad` adds cells without a value; with more, `extend`
    /// does that too and gives them columns of their own.
    package enum Ragged: String, CaseIterable, BitwiseCopyable, Sendable { case reject, pad, extend }

    /// What becomes of a row of nothing but delimiters.
    package enum BlankRows: String, CaseIterable, BitwiseCopyable, Sendable { case keep, skip, reject }

    /// What becomes of a file in which another table follows the first: it is refused, or its rows are read as those of the first.
    package enum SecondHeader: String, CaseIterable, BitwiseCopyable, Sendable { case refuse, keep }

    package var delimiter: Delimiter = .auto
    /// Whether the job says what separates cells, and does not leave it to the file.
    package var namesDelimiter = false
    package var header: Header = .present
    /// Whether the job says that there is a header, and does not leave it to what is usual.
    package var namesHeader = false
    /// The columns that the job names.
    package var named: [String] = []
    /// How many rows the header has.
    package var headerRows = 1
    /// What stands between the names of several header rows.
    package var headerSeparator = " "
    package var secondHeader = SecondHeader.refuse
    package var skipLines = 0
    /// How many records at the end of a file are no rows.
    package var skipFooter = 0
    package var ragged: Ragged = .reject
    /// Nil where the job does not say; then they are kept, and warned of.
    package var blankRows: BlankRows?
    /// How many columns there are where rows are extended; nil where the head of the file says.
    package var width: Int?
    package var dialect = CSVDialect()

    package init() {}
}
