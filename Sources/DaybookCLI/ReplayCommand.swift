import ArgumentParser
import DaybookJobTools
import Foundation

/// `daybook replay REJECTS --job JOB --into DIRECTORY`.
struct ReplayCommand: Subcommand {
    static let outline = CommandOutline("replay", "Run corrected rejects through their job again.") { name in
        """
        Correct 'original' in the lines of a reject file, which is the record as it
        stood, and leave the rest of each line as it is. Lines that stay as they were
        are rejected again, but for rules such as unique that compare rows with
        others: those see the replayed rows alone.

        Each record is imported as from the file where it stood first, whose header
        is read again, and goes through the same stages to the one that rejected it
        and to all behind. What branches off before had it the first time and does
        not get it again. A record of which several rows were rejected comes once,
        with all of its rows: also those that passed before.

        Outputs go into a directory of their own and replace nothing: they hold the
        replayed rows alone. So do sums and sorted lists; for those of all rows, mend
        the records where they stand and run the job. What still fails stands in a new
        reject file there, which can be replayed in its turn. Findings tell the line
        of the reject file; the gates of the job hold for the replayed rows.

        A replay is for a run whose gates passed. Where they failed nothing of that run
        was written, so mend the source and run the job again.

        Rows of databases, and rows that a stage made, cannot be replayed. Give
        '--as-of' the day of the first run where stages ask for it.

        Examples:
          \(name) replay out/rejects.ndjson --job nightly.yaml --into out/replayed
          \(name) replay out/rejects.ndjson --job nightly.yaml --into out/dates \\
            --stage normalise_dates_1
        """
    }

    @Argument(help: "The reject file.", completion: .file(extensions: ["ndjson"]))
    var rejects: String

    @Option(help: .value("job", "The job that rejected them."), completion: .job) var job: String

    @Option(
        help: .value("directory", "Where the outputs go; none of them may be there already."),
        completion: .directory
    )
    var into: String

    @Option(
        name: .customLong("stage"),
        parsing: .singleValue,
        help: .value("id", "Replay only what that stage rejected; may be repeated.")
    )
    var stages: [String] = []

    @OptionGroup var options: JobOptions

    @OptionGroup var limit: FindingLimit
    @OptionGroup var work: WorkOptions
    @OptionGroup var state: StateOption
    @OptionGroup var digest: DigestOption
    @OptionGroup var sessionOptions: SessionOptions

    mutating func validate() throws {
        if into.isEmpty || into == "-" { throw ValidationError("'--into' names a directory, found '\(into)'") }
        if job == "-" { throw ValidationError("'--job' names a file, found '-'") }
    }

    mutating func run() throws {
        var session = try sessionOptions.session(of: job, options, work, state, digest, maxFindings: limit.maxFindings)
        Interruption.listen()
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
            for remark in replay.remarks { Terminal.remark(remark) }
            return replay.plan
        }
        session.manifestSuffix = "+replay"
        throw ExitCode(session.run())
    }
}
