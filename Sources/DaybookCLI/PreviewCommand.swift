import ArgumentParser
import DaybookJobTools
import DaybookReports

extension PreviewTable.Format: ExpressibleByArgument {}

/// `daybook preview JOB --stage ID`.
struct PreviewCommand: ParsableCommand {
    static var configuration: CommandConfiguration {
        .of("preview", "Show the first rows that a stage gives, and write nothing.") { name in
            """
            The stage is named by its id; 'id.rejects' shows what it rejected. Rows go
            to standard output, what was found on the way to standard error.

            Examples:
              \(name) preview nightly.yaml --stage entries
              \(name) preview nightly.yaml --stage clean --rows 100 --format csv
              \(name) preview nightly.yaml --stage clean.rejects
            """
        }
    }

    @Argument(help: "The job file; - is standard input.", completion: .job)
    var job: String

    @Option(help: .value("id", "The id of the stage.")) var stage: String

    @Option(help: .value("n", "How many rows to show.")) var rows = 10

    @Option(help: "How to print them.") var format = PreviewTable.Format.table

    @OptionGroup var options: JobOptions

    @OptionGroup var state: StateOption

    mutating func validate() throws {
        if rows < 1 { throw ValidationError("'--rows' is at least 1, found '\(rows)'") }
    }

    mutating func run() throws {
        let reading = state.recovered(JobReading(job, options, readsRows: true))
        let plan = try reading.planOrExit()
        if !reading.warnings.isEmpty { Terminal.note(reading.rendered(reading.warnings)) }
        Interruption.listen()
        let preview = try Preview(of: stage, in: plan, table: CommandContext.current.table)
        let result = try reading.orExit { try preview.run(rows: rows, threads: 2) { Interruption.isRequested } }
        guard result.outcome.errors.isEmpty else { throw reading.exit(with: result.outcome.errors) }
        Terminal.print(in: format) { result.rows.text(as: format, style: $0) }
        Terminal.note(PreviewNotes.text(result, RunReport(reading, threads: 2), style: Terminal.style))
    }
}
