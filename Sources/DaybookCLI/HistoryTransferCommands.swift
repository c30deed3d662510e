import ArgumentParser
import DaybookBytes
import DaybookEngine
import DaybookHistory
import DaybookReports

/// `daybook history export FILE`.
struct HistoryExportCommand: Subcommand {
    static let outline = CommandOutline(
        "export",
        "Write the history, and what a next run needs beside it, into one file."
    ) { name in
        """
        The file is for the cache of a CI service, or for another machine. It has all
        runs as of one moment, what incremental jobs have read, and the manifests.

        Example:
          \(name) history export history.cache --state .daybook
        """
    }

    @Argument(help: "The file to write; one that is there is replaced.", completion: .file())
    var file: String

    @OptionGroup var place: HistoryPlace

    mutating func validate() throws { try HistoryExportCommand.check(file) }

    static func check(_ file: String) throws(ValidationError) {
        if file.isEmpty || file == "-" { throw ValidationError("the history is one file, found '\(file)'") }
    }

    mutating func run() throws {
        let directory = try place.state.directory(of: place.job)
        guard let runs = try HistoryTransfer(directory, file: file).export() else {
            _ = try place.open(place.job)
            return
        }
        Terminal.note("wrote \(PrintableText.of(file)), with \(DisplayText.count(runs, "run"))")
    }
}

/// `daybook history import FILE`.
struct HistoryImportCommand: Subcommand {
    static let outline = CommandOutline("import", "Take over a history that 'history export' has written.") { name in
        """
        The history and the files beside it are replaced by those of the file. Where
        the last run here is not among those of the file, nothing is replaced, unless
        --force says so.

        Examples:
          \(name) history import history.cache --state .daybook
          \(name) history import history.cache --job pipelines/nightly-report.yaml
        """
    }

    @Argument(help: "The file to read.", completion: .file())
    var file: String

    @Flag(help: "Replace a history with runs that the file does not know.") var force = false

    @OptionGroup var place: HistoryPlace

    mutating func validate() throws { try HistoryExportCommand.check(file) }

    mutating func run() throws {
        let directory = try place.state.directory(of: place.job)
        let runs = try HistoryTransfer(directory, file: file).takeOver(isForced: force)
        Terminal.note("the history in '\(PrintableText.of(directory.path))' has \(DisplayText.count(runs, "run")) now")
    }
}
