import ArgumentParser
import DaybookBytes
import DaybookHistory

/// `daybook site DIR`.
struct SiteCommand: ParsableCommand {
    static var configuration: CommandConfiguration {
        let name = CommandContext.current.name
        return CommandConfiguration(
            commandName: "site",
            abstract: "Write pages about the runs of the history: an index, and a page for each job and each run.",
            discussion: """
                The pages are files that a browser opens from the disk; they need no server,
                no network and no script. The index has the last runs of each job in a strip.
                The page of a job has its measures and rows over time, its rules with their
                last runs, the way of the rows, and the runs with links to their outputs. The
                page of a run has all that the history keeps of it.

                The directory is written as a whole, and replaces one that this command has
                written. One that holds other things is left as it is.

                Examples:
                  \(name) site www --job pipelines/nightly-report.yaml
                  \(name) site /srv/reports --state /var/lib/daybook --last 90
                """
        )
    }

    @Argument(help: "The directory for the pages.", completion: .directory) var directory: String

    @OptionGroup var place: HistoryPlace

    @Option(help: ArgumentHelp("How many runs of each job at most.", valueName: "n")) var last = 30

    mutating func validate() throws {
        if directory.isEmpty || directory == "-" {
            throw ValidationError("the pages go to a directory, found '\(directory)'")
        }
        if directory.hasSuffix(".yaml") || directory.hasSuffix(".yml"), place.job == nil {
            throw ValidationError(
                "'\(directory)' is a job, and the pages go to a directory: write 'site www --job \(directory)'"
            )
        }
        guard (1...Site.mostRuns).contains(last) else {
            throw ValidationError("'--last' is between 1 and \(Site.mostRuns), found '\(last)'")
        }
    }

    mutating func run() throws {
        Interruption.listen()
        let (history, path) = try place.open(place.job)
        let jobs = try Site.write(history, of: path, last: last, to: directory) { Interruption.isRequested }
        let index = PrintableText.of(FilePath.join(directory, "index.html"))
        Terminal.note("wrote \(index), with \(DisplayText.count(jobs, "job"))")
    }
}
