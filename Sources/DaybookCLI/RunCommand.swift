import ArgumentParser
import DaybookCore
import DaybookPipeline
import Foundation

/// `daybook run JOB`.
struct RunCommand: ParsableCommand {
    static var configuration: CommandConfiguration {
        let context = CommandContext.current
        let reports = context.reporters.reporters.map { reporter in
            "  \(reporter.name)\(String(repeating: " ", count: max(1, 8 - reporter.name.count)))\(reporter.summary)"
        }.joined(separator: "\n")
        return CommandConfiguration(
            commandName: "run",
            abstract: "Run a job, and put all its outputs in place or none.",
            discussion: """
                Findings, the ledger and what to do next go to standard error. Paths in
                the job start from the job file, also those that '--set' puts into it; other
                paths on the command line start from here.
                '\(context.name) help job' tells how to write a job.

                Examples:
                  \(context.name) run nightly.yaml
                  \(context.name) run nightly.yaml --as-of 2026-11-21
                  \(context.name) run nightly.yaml --set diary='/backup/entries-*.csv' --quiet
                  \(context.name) run nightly.yaml --report json=findings.json --manifest run.json
                  \(context.name) run checks.yaml --report github --report sarif=out.sarif
                  \(context.name) run gate.yaml --baseline known.json --update-baseline
                  cat nightly.yaml | \(context.name) run -

                Forms of report:
                \(reports)
                """
        )
    }

    @Argument(help: "The job file; - is standard input.", completion: .file(extensions: ["yaml", "yml"]))
    var job: String

    @OptionGroup var options: JobOptions

    @Option(help: ArgumentHelp("How many threads work; the result is the same for any number.", valueName: "n"))
    var threads: Int?

    @Option(
        help: ArgumentHelp("Where runs keep their state. (default: .daybook beside the job)", valueName: "directory"),
        completion: .directory
    )
    var state: String?

    @Option(help: ArgumentHelp("Write the manifest of the run there too.", valueName: "file"), completion: .file())
    var manifest: String?

    @Option(
        name: .customLong("report"),
        parsing: .singleValue,
        help: ArgumentHelp(
            "Report the run in that form: on standard error, or to a file; may be repeated.",
            valueName: "format[=file]"
        ),
        completion: .custom { _, _, _ in CommandContext.current.reporters.names }
    )
    var reports: [String] = []

    @Option(
        name: .customLong("max-findings"),
        help: ArgumentHelp("How many findings of each rule are told; all are counted.", valueName: "n")
    )
    var maxFindings = RunSettings.standardMaxFindings

    @Option(
        help: ArgumentHelp("Let findings pass that this file knows; only new ones count.", valueName: "file"),
        completion: .file(extensions: ["json"])
    )
    var baseline: String?

    @Flag(name: .customLong("update-baseline"), help: "Write all findings of this run to the file of '--baseline'.")
    var updatesBaseline = false

    @Flag(help: "Say nothing of a run that went well.")
    var quiet = false

    @Flag(name: .customLong("no-progress"), help: "Show no progress bar on a terminal.")
    var noProgress = false

    mutating func validate() throws {
        if let threads, threads < 1 { throw ValidationError("'--threads' is at least 1, found '\(threads)'") }
        guard (0...1_000_000).contains(maxFindings) else {
            throw ValidationError("'--max-findings' is between 0 and 1000000, found '\(maxFindings)'")
        }
        if updatesBaseline, baseline == nil {
            throw ValidationError("'--update-baseline' needs '--baseline FILE'")
        }
        if baseline == "-" { throw ValidationError("'--baseline' names a file, found '-'") }
        if let threads, threads > 1024 { throw ValidationError("'--threads' is at most 1024, found '\(threads)'") }
    }

    mutating func run() throws {
        var targets: [ReportTarget] = []
        for report in reports {
            let target = try ReportTarget(report, among: CommandContext.current.reporters)
            // To ask twice for one thing is to ask for it.
            let isKnown = targets.contains { $0.option == target.option && $0.file == target.file }
            if !isKnown { targets.append(target) }
        }
        Interruption.listen()
        let session = RunSession(
            job: job,
            options: options,
            threads: threads ?? ProcessInfo.processInfo.activeProcessorCount,
            state: StateDirectory(state ?? FilePath.join(job == "-" ? "" : FilePath.directory(of: job), ".daybook")),
            manifest: manifest,
            reports: targets,
            maxFindings: maxFindings,
            baseline: baseline.map { ($0, updatesBaseline) },
            isQuiet: quiet,
            showsProgress: !noProgress && !quiet && Terminal.errorIsTerminal
        )
        throw ExitCode(session.run())
    }
}
