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

            Of the directory of an app's files (AppName.xcappdata, or one with Documents
            and Library), the job takes the records out of all of them and writes them
            back into a copy; what is copied as it is stands at its end.

            With --swift, the records of a property list, a dump of user defaults or a
            JSON file become a Swift model, to compare with the app's own: a struct for
            each kind of object, optionals for what some records lack, and comments
            about what is likely and what cannot be told. Behind it, as a comment,
            stands the job that takes the records out and writes them back, read by
            that model. With -o, the job is written to its file, and the model beside
            it, as Todo.swift.

            Examples:
              \(name) guess diary.csv
              \(name) guess diary.csv -o diary.yaml && \(name) run diary.yaml
              \(name) guess 'exports/*.csv' todos.json -o jobs/exports.yaml
              \(name) guess App.xcappdata -o migration.yaml
              \(name) guess app.plist --swift --key todos > Todo.swift
              \(name) guess app.plist --swift --key todos -o todos.yaml
            """
        }
    }

    @Argument(help: "The files to look at.", completion: .file())
    var files: [String]

    @Option(
        name: [.customShort("o"), .long],
        help: .value("file", "Write the job to a file that is not there yet, with paths that start from it."),
        completion: .job
    )
    var output: String?

    @Flag(help: "Print a Swift model of the records of one file, and the job that writes them back.")
    var swift = false

    @Option(help: "With --swift: the key, or the part of a JSON document, whose records are looked at.")
    var key: String?

    func validate() throws {
        if swift, files.count != 1 { throw ValidationError("'--swift' is about one file, found \(files.count)") }
        if key != nil, !swift { throw ValidationError("'--key' goes with '--swift'; a job is guessed for all keys") }
    }

    mutating func run() throws {
        Interruption.listen()
        if let output { try NewFile.check(output) }
        let name = CommandContext.current.name
        let command = ([name, "guess"] + files).joined(separator: " ")
        let guess = Guess(
            table: CommandContext.current.table,
            names: ["ko_KR", "en_US"].compactMap { LocaleNames(locale: $0) },
            directory: output.map(FilePath.directory) ?? ".",
            command: command,
            isCancelled: { Interruption.isRequested }
        )
        if swift { return try printModel(guess, "\(command) --swift", name) }
        let (text, found): (String, [String])
        if files.count == 1, ContainerGuess.isContainer(files[0]) {
            let job = try ContainerGuess(guess, of: files[0], from: output.map(FilePath.directory) ?? ".")
            (text, found) = (job.text, job.notes)
        } else {
            let job = try guess.job(for: files)
            (text, found) = (job.text, job.notes)
        }
        var notes = found
        if let output {
            try NewFile.write(text, to: output)
            notes.append("wrote \(output); next: \(name) run \(output)")
        } else {
            Terminal.print(text, as: nil)
            notes.append("next: save it with '-o FILE.yaml', read it, and run it")
        }
        Terminal.remark(notes.joined(separator: "\n"))
    }

    private func printModel(_ guess: Guess, _ command: String, _ name: String) throws {
        let command = command + (key.map { " --key \($0)" } ?? "")
        let found = try ModelGuess(guess, of: files[0], key: key, command: command)
        guard let output else {
            Terminal.print(found.text, as: nil)
            return Terminal.remark("next: compare it with the app's own; '-o FILE.yaml' writes model and job to files")
        }
        let directory = FilePath.directory(of: output)
        let model = directory == "." ? found.file : FilePath.join(directory, found.file)
        try NewFile.check(model)
        try NewFile.write(found.model.source, to: model)
        try NewFile.write(found.job, to: output)
        Terminal.remark("wrote \(model) and \(output); next: \(name) run \(output)")
    }
}
