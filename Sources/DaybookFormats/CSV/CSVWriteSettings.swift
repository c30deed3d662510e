import DaybookCore

/// How rows are written as delimited text.
package struct CSVWriteSettings: Sendable {
    package enum Quoting: String, CaseIterable, BitwiseCopyable, Sendable { case needed, all }

    package enum LineEnds: String, CaseIterable, BitwiseCopyable, Sendable { case lf, crlf }

    package enum Formulas: String, CaseIterable, BitwiseCopyable, Sendable { case keep, escape }

    package let dialect: CSVDialect
    package let header: Bool
    package let quoting: Quoting
    package let lineEnds: LineEnds
    package let missing: String
    package let formulas: Formulas
    package let encoding: TextEncoding

    package init(
        dialect: CSVDialect,
        header: Bool,
        quoting: Quoting,
        lineEnds: LineEnds,
        missing: String,
        formulas: Formulas,
        encoding: TextEncoding
    ) {
        self.dialect = dialect
        self.header = header
        self.quoting = quoting
        self.lineEnds = lineEnds
        self.missing = missing
        self.formulas = formulas
        self.encoding = encoding
    }
}
