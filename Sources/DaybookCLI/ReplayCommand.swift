import ArgumentParser
import DaybookCore
import DaybookPipeline
import Foundation

/// `daybook replay REJECTS --job JOB --into DIRECTORY`.
struct ReplayCommand: ParsableCommand {
    static var configuration: CommandConfiguration {
        let name = CommandContext.current.name
        return CommandConfiguration(
            commandName: "replay",
            abstract: "Run corrected rejects through their job again.",
            discussion: """
                Correct 'original' in the lines of a reject file, which is the record as it
                stood, and leave the rest of each line as it is. Lines that stay as they were
                are rejected again, but for rules such as unique that compare rows with
                others: those see the replayed rows alone.

                Each record is imported as from the file where it stood first, whose header
                is read again, and goes through the same stages to the one that rejected it
                and to all behind. What branches off before had it the first time and does
                not get it again.

                Outputs go into a directory of their own and replace nothing: they hold the
                replayed rows alone. So do sums and sorted lists; for those of all rows, mend
                the records where they stand and run the job. What still fails stands in a new
                reject file there, which can be replayed in its turn. Findings tell the line
                of the reject file; the gates of the job hold for the replayed rows.

                A replay is for a run whose gates held. Where they failed nothing of that run
                was written, so mend the source and run the job again.

                Rows of databases, and rows that a stage made, cannot be replayed. Give
                '--as-of' the day of the first run where stages ask for it.

                Examples:
                  \(name) replay out/rejects.ndjson --job nightly.yaml --into out/replayed
                  \(name) replay out/rejects.ndjson --job nightly.yaml --into out/dates \\
                    --stage normalise_dates_1
                """
        )
    }

    @Argument(help: "The reject file.", completion: .file(extensions: ["ndjson"]))
    var rejects: String

    @Option(
        help: ArgumentHelp("The job that rejected them.", valueName: "job"),
        completion: .file(extensions: ["yaml", "yml"])
    )
    var job: String

    @Option(
        help: ArgumentHelp("Where the outputs go; none of them may be there already.", valueName: "directory"),
        completion: .directory
    )
    var into: String

    @Option(
        name: .customLong("stage"),
        parsing: .singleValue,
        help: ArgumentHelp("Replay only what that stage rejected; may be repeated.", valueName: "id")
    )
    var stages: [String] = []

    @OptionGroup var options: JobOptions

    @Option(help: ArgumentHelp("How many threads work; the result is the same for any number.", valueName: "n"))
    var threads: Int?

    @Option(
        help: ArgumentHelp("Where runs keep their state. (default: .daybook beside the job)", valueName: "directory"),
        completion: .directory
    )
    var state: String?

    @Option(help: ArgumentHelp("Write the manifest of the replay there too.", valueName: "file"), completion: .file())
    var manifest: String?

    @Option(
        name: .customLong("report"),
        parsing: .singleValue,
        help: ArgumentHelp(
            "Report the replay in that form: on standard error, or to a file; may be repeated.",
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

    @Flag(help: "Say nothing of a replay that went well.")
    var quiet = false

    mutating func validate() throws {
        if let threads, threads < 1 { throw ValidationError("'--threads' is at least 1, found '\(threads)'") }
        if let threads, threads > 1024 { throw ValidationError("'--threads' is at most 1024, found '\(threads)'") }
        guard (0...1_000_000).contains(maxFindings) else {
            throw ValidationError("'--max-findings' is between 0 and 1000000, found '\(maxFindings)'")
        }
        if into.isEmpty || into == "-" { throw ValidationError("'--into' names a directory, found '\(into)'") }
        if job == "-" { throw ValidationError("'--job' names a file, found '-'") }
    }

    mutating func run() throws {
        var targets: [ReportTarget] = []
        for report in reports { targets.append(try ReportTarget(report, among: CommandContext.current.reporters)) }
        Interruption.listen()
        var session = RunSession(
            job: job,
            options: options,
            threads: threads ?? ProcessInfo.processInfo.activeProcessorCount,
            state: StateDirectory(state ?? FilePath.join(FilePath.directory(of: job), ".daybook")),
            manifest: manifest,
            reports: targets,
            maxFindings: maxFindings,
            isQuiet: quiet,
            showsProgress: !quiet && Terminal.errorIsTerminal
        )
        let (rejects, into, stages) = (rejects, into, stages)
        session.change = { plan, directory throws(DaybookErrors) in
            let replay = try ReplayPlan(
                rejects,
                of: plan,
                CommandContext.current.table,
                from: directory,
                into: into,
                only: stages,
                isCancelled: { Interruption.isRequested }
            )
            if replay.passedOver > 0 {
                Terminal.note("\(replay.count) lines are replayed, \(replay.passedOver) of other stages are not")
            }
            return replay.plan
        }
        session.manifestSuffix = "-replay"
        throw ExitCode(session.run())
    }
}
