import ArgumentParser
import DaybookBytes
import DaybookDates
import DaybookDiscover

/// `daybook guess FILE…`.
struct GuessCommand: ParsableCommand {
    static var configuration: CommandConfiguration {
        .of("guess", "Look at files and write a first job that imports them.") { name in
            """
            The job is printed, and runs as it is: encoding, delimiter, columns with
            their kinds and the ways in which dates are written are found out, each
            with its evidence as a comment. What the files do not tell, such as
            whether 03/04/2024 is in March or in April, is left to you under
            'choose one'. Up to 64 MiB of each file are looked at.

            A pattern in quotes stays a pattern in the job, with one kind for each
            column of all its files. Of a directory or of several files, one that
            cannot be read is named, and the rest is guessed.

            Examples:
              \(name) guess diary.csv
              \(name) guess diary.csv -o diary.yaml && \(name) run diary.yaml
              \(name) guess 'exports/*.csv' todos.json -o jobs/exports.yaml
            """
        }
    }

    @Argument(help: "The files to look at.", completion: .file())
    var files: [String]

    @Option(
        name: [.customShort("o"), .long],
        help: ArgumentHelp(
            "Write the job to a file that is not there yet, with paths that start from it.",
            valueName: "file"
        ),
        completion: .job
    )
    var output: String?

    mutating func run() throws {
        Interruption.listen()
        if let output { try NewFile.check(output) }
        let name = CommandContext.current.name
        let guess = Guess(
            table: CommandContext.current.table,
            names: ["ko_KR", "en_US"].compactMap { LocaleNames(locale: $0) },
            directory: output.map(FilePath.directory) ?? ".",
            command: ([name, "guess"] + files).joined(separator: " "),
            isCancelled: { Interruption.isRequested }
        )
        let job = try guess.job(for: files)
        var notes = job.notes
        if let output {
            try NewFile.write(job.text, to: output)
            notes.append("wrote \(output); next: \(name) run \(output)")
        } else {
            Terminal.print(job.text, as: nil)
            notes.append("next: save it with '-o FILE.yaml', read it, and run it")
        }
        Terminal.remark(notes.joined(separator: "\n"))
    }
}
