import DaybookCore

/// How a delimited file is read, as far as its format is concerned.
package struct CSVReadSettings: Sendable {
    /// Where the names of the columns come from.
    package enum Header: Sendable, Hashable {
        case present, absent
        case names([String])
    }

    package enum Delimiter: Sendable, Hashable {
        case byte(UInt8)
        case auto
    }

    /// What becomes of a row that is the header once more.
    package enum Repeated: String, CaseIterable, BitwiseCopyable, Sendable { case reject, skip, keep }

    package let delimiter: Delimiter
    /// Whether the job says what separates cells, and does not leave it to the file.
    package let namesDelimiter: Bool
    package let header: Header
    package let skipLines: Int
    package let dialect: CSVDialect

    package init(
        delimiter: Delimiter,
        namesDelimiter: Bool,
        header: Header,
        skipLines: Int,
        dialect: CSVDialect
    ) {
        self.delimiter = delimiter
        self.namesDelimiter = namesDelimiter
        self.header = header
        self.skipLines = skipLines
        self.dialect = dialect
    }
}
