import DaybookReports

/// One `--report FORMAT[=FILE]`.
struct ReportTarget {
    var reporter: any Reporter.Type
    /// A path, `-` for standard output, or nil for standard error.
    var file: String?
    /// Whether it tells what rules tolerate too.
    var tellsTolerated = false

    /// Stands behind the name of a form to ask for that.
    static let all = ":all"

    /// The option as messages name it.
    var option: String { "--report \(reporter.name)\(tellsTolerated ? ReportTarget.all : "")" }

    /// What completes `--report`.
    static func names(in table: ReporterTable) -> [String] {
        table.reporters.flatMap { $0.leavesOutTolerated ? [$0.name, $0.name + all] : [$0.name] }
    }

    /// The report of a run, ending with a line break.
    func text(of run: RunReport, _ style: TerminalStyle) -> String { reporter.init(style).report(told(run)) }

    /// The run as this report tells it.
    func told(_ run: RunReport) -> RunReport {
        var run = run
        run.tellsTolerated = tellsTolerated
        return run
    }

    init(_ argument: String, among table: ReporterTable) throws(DaybookError) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let asksForAll = parts[0].hasSuffix(ReportTarget.all)
        let name = asksForAll ? String(parts[0].dropLast(ReportTarget.all.count)) : parts[0]
        guard let reporter = table[name] else {
            throw DaybookError(
                "unknown-report",
                "no form of report named '\(name)'",
                hint: NearestName.hint(for: parts[0], among: ReportTarget.names(in: table))
                    ?? NearestName.hint(for: name, among: table.names)
                    ?? "the forms are \(table.names.joined(separator: ", "))"
            )
        }
        guard !asksForAll || reporter.leavesOutTolerated else {
            throw DaybookError(
                "unknown-report",
                "the form '\(name)' leaves nothing out, found '\(parts[0])'",
                hint: "write '\(name)'"
            )
        }
        tellsTolerated = asksForAll
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
