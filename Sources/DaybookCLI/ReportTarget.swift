import DaybookCore
import DaybookPipeline

/// One `--report FORMAT[=FILE]`.
struct ReportTarget {
    var reporter: any Reporter.Type
    /// A path, `-` for standard output, or nil for standard error.
    var file: String?

    /// The option as messages name it.
    var option: String { "--report \(reporter.name)" }

    init(_ argument: String, among table: ReporterTable) throws(DaybookError) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let reporter = table[parts[0]] else {
            throw DaybookError(
                "unknown-report",
                "no form of report named '\(parts[0])'",
                hint: NearestName.hint(for: parts[0], among: table.names)
                    ?? "the forms are \(table.names.joined(separator: ", "))"
            )
        }
        guard parts.count == 1 || !parts[1].isEmpty else {
            throw DaybookError(
                "unknown-report",
                "'--report \(argument)' names no file",
                hint: "write '--report \(parts[0])=FILE', or '--report \(parts[0])' for standard error"
            )
        }
        self.reporter = reporter
        file = parts.count == 2 ? parts[1] : nil
    }
}
