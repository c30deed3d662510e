/// How rows are written as delimited text.
package struct CSVWriteSettings: Sendable {
    package enum Quoting: String, CaseIterable, BitwiseCopyable, Sendable { case needed, all }

    package enum LineEnds: String, CaseIterable, BitwiseCopyable, Sendable { case lf, crlf }

    package enum Formulas: String, CaseIterable, BitwiseCopyable, Sendable { case keep, escape }

    package var dialect = CSVDialect()
    package var header = true
    package var quoting = Quoting.needed
    package var lineEnds = LineEnds.lf
    package var missing = ""
    package var formulas = Formulas.keep
    package var encoding = TextEncoding.utf8

    package init() {}
}
