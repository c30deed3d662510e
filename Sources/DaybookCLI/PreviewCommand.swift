import ArgumentParser
import DaybookJobTools
import DaybookReports

extension PreviewTable.Format: ExpressibleByArgument {
    /// Rows as CSV have no way of writing a text that is no command, so that a file gets them as they are.
    fileprivate var logForm: LogText.Form? {
        switch self {
        case .table: .prose
        case .csv: nil
        case .json: .json
        }
    }
}

/// `daybook preview JOB --stage ID`.
struct PreviewCommand: ParsableCommand {
    static var configuration: CommandConfiguration {
        let name = CommandContext.current.name
        return CommandConfiguration(
            commandName: "preview",
            abstract: "Show the first rows that a stage gives, and write nothing.",
            discussion: """
                The stage is named by its id; 'id.rejects' shows what it rejected. Rows go
                to standard output, what was found on the way to standard error.

                Examples:
                  \(name) preview nightly.yaml --stage entries
                  \(name) preview nightly.yaml --stage clean --rows 100 --format csv
                  \(name) preview nightly.yaml --stage clean.rejects
                """
        )
    }

    @Argument(help: "The job file; - is standard input.", completion: .file(extensions: ["yaml", "yml"]))
    var job: String

    @Option(help: ArgumentHelp("The id of the stage.", valueName: "id")) var stage: String

    @Option(help: ArgumentHelp("How many rows to show.", valueName: "n")) var rows = 10

    @Option(help: "How to print them.") var format = PreviewTable.Format.table

    @OptionGroup var options: JobOptions

    @OptionGroup var state: StateOption

    mutating func validate() throws {
        if rows < 1 { throw ValidationError("'--rows' is at least 1, found '\(rows)'") }
    }

    mutating func run() throws {
        state.recover(job: job)
        let reading = JobReading(job, options, readsRows: true)
        let plan = try reading.planOrExit()
        if !reading.warnings.isEmpty { Terminal.note(reading.rendered(reading.warnings)) }
        Interruption.listen()
        let preview = try Preview(of: stage, in: plan, table: CommandContext.current.table)
        let result: Preview.Result
        do {
            result = try preview.run(rows: rows, threads: 2) { Interruption.isRequested }
        } catch {
            throw reading.exit(with: error.errors)
        }
        guard result.outcome.errors.isEmpty else { throw reading.exit(with: result.outcome.errors) }
        Terminal.print(
            result.rows.text(
                as: format,
                style: format == .table ? Terminal.outputStyle : .plain
            ),
            as: format.logForm
        )
        Terminal.note(
            PreviewNotes.text(
                result,
                RunReport(reading, threads: 2),
                style: Terminal.style
            )
        )
    }
}
