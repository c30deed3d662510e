import ArgumentParser
import DaybookApple
import DaybookBytes
import DaybookDates
import DaybookDiscover
import DaybookJSON

/// `daybook guess FILE…`.
struct GuessCommand: Subcommand {
    static let outline = CommandOutline("guess", "Look at files and write a first job that imports them.") { name in
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

    mutating func validate() throws {
        if output == "-" { output = nil }
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
        var (text, notes): (String, [String])
        if files.count == 1, ContainerGuess.isContainer(files[0]) {
            let job = try ContainerGuess(guess, of: files[0], from: output.map(FilePath.directory) ?? ".")
            (text, notes) = (job.text, job.notes)
        } else {
            let job = try guess.job(for: files)
            (text, notes) = (job.text, job.notes)
        }
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

/// A Swift model of the records of a file, and the job that takes them out and writes them back.
struct ModelGuess {
    let model: GuessedModel
    let job: String
    /// The name of the file of the model in the job.
    let file: String

    /// - Parameter key: the key, or the part of a document, that holds the records.
    init(_ guess: Guess, of path: String, key: String?, command: String) throws(DaybookErrors) {
        let way = try guess.wayBack(of: path, part: key)
        do throws(DaybookError) {
            (model, job, file) = try ModelGuess.made(RecordsBack(way, path), path, command)
        } catch { throw DaybookErrors(error) }
    }

    private static func made(
        _ back: RecordsBack,
        _ path: String,
        _ command: String
    ) throws(DaybookError) -> (model: GuessedModel, job: String, file: String) {
        let (way, found) = (back.way, back.found)
        let key = back.key ?? back.place.pointer.tokens.last
        let count = DisplayText.count(found.sketch.records, "record")
        let model = try GuessedModel(
            found.sketch,
            key: back.place.pointer.tokens.last ?? key,
            found.holder,
            isList: found.isList,
            about: [
                command,
                "A model of \(count)\(key.map { " of '\($0)'" } ?? "") in \(path), as they are today: read it before you use it.",
            ]
        )
        let file = "\(model.name ?? "Records").swift"
        // What is read is not written over.
        let directory = way.path.hasPrefix("out/") ? "back" : "out"
        let output = back.isKept ? FilePath.name(of: way.path) : way.name + ".json"
        var options = back.options(to: "\(directory)/\(output)")
        var reading = [SuggestedOption("file", .text(file)), SuggestedOption("type", .text(model.type))]
        if let dates = model.dates { reading.append(SuggestedOption("dates", .plain(dates.rawValue))) }
        options.append(
            SuggestedOption("model", .map(reading), because: "a row that the app could not read fails the run")
        )
        let remark =
            "Takes the records out and writes them back as they came; put stages that change them before the export."
        return (
            model, way.job(remark, zone: found.isList && !back.isKept ? "Etc/UTC" : nil, back.export, options), file
        )
    }

    /// The model and, behind it as a comment, the job: a file that Swift compiles.
    var text: String {
        let lines = job.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        let head =
            "\n// The job that takes the records out and writes them back; '-o FILE.yaml' writes it beside the model.\n//\n"
        return model.source + head + lines.map { $0.isEmpty ? "//\n" : "// \($0)\n" }.joined()
    }
}

/// How the records of a file go back into it.
struct RecordsBack {
    let way: GuessedReturn
    let found: SketchedRecords
    let place: RecordsPlace
    /// The key of user defaults that holds them.
    var key: String? { way.text("key") }
    /// Whether what stands beside them is kept.
    var isKept: Bool { key != nil }
    var export: String { isKept ? "export_user_defaults" : "export_json" }

    /// Throws for a file without records that can go back.
    init(_ way: GuessedReturn, _ path: String) throws(DaybookError) {
        self.way = way
        place = RecordsPlace(suggested: way.options.first { $0.key == "records" }?.value)
        let source = SourceName(index: 0, path: path)
        switch (way.stage, way.bytes) {
        case ("import_json", let bytes?) where way.text("encoding") == nil:
            found = try SketchedRecords(bytes, at: place, of: path)
        case ("import_user_defaults", let bytes?) where way.options.contains { $0.key == "key" || $0.key == "whole" }:
            found = try SketchedRecords(defaults: bytes, source, key: way.text("key"), at: place)
        default:
            let message = "'\(path)' has no records of which a Swift model can be made"
            let hint = "name a property list, a dump of user defaults with records under a key, or JSON as UTF-8"
            throw DaybookError("no-model", message, hint: hint)
        }
    }

    /// The options of the export.
    func options(to output: String) -> [SuggestedOption] {
        let records = way.options.first { $0.key == "records" }
        var options = [SuggestedOption("path", .text(output))]
        if let key {
            options.append(SuggestedOption("key", .text(key)))
            options.append(SuggestedOption("into", .text(way.path), because: "what stands beside the records is kept"))
            if way.isDocument { options.append(SuggestedOption("as", .plain("native"))) }
        } else {
            let plain = [("nest", "true"), ("missing", "leave_out"), ("unlisted", "keep")]
            options += plain.map { SuggestedOption($0, .plain($1)) }
            if found.isList { options.append(SuggestedOption("dates", .plain("apple_seconds"))) }
        }
        switch found.holder {
        case .one: options.append(SuggestedOption("layout", .plain("object")))
        case .array:
            if found.areApart { options.append(SuggestedOption("layout", .plain("lines"))) }
            if isKept, var records {
                records.reason = nil
                options.append(records)
            }
        case .dictionary, .pairs:
            guard case .map(var entries)? = records?.value else { break }
            if !isKept { entries.removeAll { $0.key == "at" } }
            if case .pairs = found.holder { entries.append(SuggestedOption("pairs", .plain("true"))) }
            options.append(SuggestedOption("records", .map(entries)))
        }
        return options
    }
}

/// A first job for the directory of an app's files: its records go out and come back, and all else is copied.
struct ContainerGuess {
    private typealias Way = (way: GuessedReturn, export: String, options: [SuggestedOption])

    let text: String
    let notes: [String]

    /// How many files are looked at; the others of a larger container are named.
    private static let mostFiles = 500
    /// How many files that are only copied are named.
    private static let mostNamed = 60

    /// Whether a path is the directory of an app's files, or a zip archive that is no spreadsheet or document.
    static func isContainer(_ path: String) -> Bool {
        let isArchive = ZipPath.isArchive(path)
        guard isArchive || (try? FileStatus.of(path))??.isDirectory == true else { return false }
        if FilePath.tidied(path).hasSuffix(".xcappdata") { return true }
        let names = Set((try? DirectoryListing.names(in: path)) ?? [])
        if isArchive { return names.isDisjoint(with: ["[Content_Types].xml", "mimetype"]) }
        return !names.isDisjoint(with: ["AppData", "shared_prefs"]) || names.isSuperset(of: ["Documents", "Library"])
    }

    /// - Parameter directory: where the job will stand.
    init(_ guess: Guess, of container: String, from directory: String) throws(DaybookErrors) {
        let container = FilePath.tidied(container)
        let name = FilePath.name(of: container)
        let isArchive = ZipPath.isArchive(container)
        let files = try guess.files(of: isArchive ? container + "/" : container)
        var ways: [Way] = []
        var copied: [String] = []
        var parts: [String] = []
        for (number, file) in files.enumerated() {
            let inside = FilePath.relative(file.path, from: container)
            guard number < ContainerGuess.mostFiles, !ContainerGuess.isOfSystem(inside) else {
                copied.append(inside)
                continue
            }
            do throws(DaybookErrors) {
                let (found, others) = try ContainerGuess.ways(guess, file, to: "out/\(name)/\(inside)", beside: ways)
                if found.isEmpty { copied.append(inside) } else { parts += others.map { "\($0) of \(inside)" } }
                ways += found
            } catch {
                if error.errors.contains(where: { $0.code == "interrupted" }) { throw error }
                copied.append(inside)
            }
        }
        guard !ways.isEmpty else {
            throw DaybookErrors(
                "no-records",
                "'\(container)' has no records that a job could change, in \(DisplayText.count(files.count, "file"))",
                hint: "name one of its files to see why",
                blame: .data
            )
        }
        let place = FilePath.relative(container, from: directory)
        text = try guess.containerText(
            of: place,
            isArchive: isArchive,
            named: name,
            ways,
            leftOut: ContainerGuess.named(copied + parts)
        )
        let read = Set(ways.map(\.way.path)).count
        var notes = ["found records in \(DisplayText.count(ways.count, "place")) of \(DisplayText.count(read, "file"))"]
        if !copied.isEmpty {
            let files = DisplayText.count(copied.count, "other file is", "other files are")
            notes.append("\(files) copied as \(copied.count == 1 ? "it is" : "they are")")
        }
        self.notes = notes
    }

    /// Caches and states of the system, which no job changes.
    private static func isOfSystem(_ path: String) -> Bool {
        let parts = path.split(separator: "/")
        return !Set(["Caches", "tmp", "SystemData", "SplashBoard", "Saved Application State"].map { Substring($0) })
            .isDisjoint(with: parts)
    }

    /// The ways of a file, and the parts that cannot go back. Those of a store lead to tables beside the container, since
    /// stores are only read.
    private static func ways(
        _ guess: Guess,
        _ file: InputPath,
        to output: String,
        beside others: [Way]
    ) throws(DaybookErrors) -> (found: [Way], left: [String]) {
        var (found, left): ([Way], [String]) = ([], [])
        for way in try guess.waysBack(of: file) {
            switch way.stage {
            case "import_core_data", "import_sqlite":
                let head = "\(output.split(separator: "/").prefix(2).joined(separator: "/"))-\(way.name)"
                let taken = (others + found).flatMap { $0.options.prefix(1).map(\.value) }
                let names = ["\(head).json"] + (2...1_000).lazy.map { "\(head)-\($0).json" }
                let table = names.first { !taken.contains(.text($0)) } ?? names[0]
                found.append((way, "export_json", [SuggestedOption("path", .text(table))]))
            case "import_user_defaults", "import_json":
                do throws(DaybookError) {
                    let back = try RecordsBack(way, file.path)
                    found.append((way, back.export, back.options(to: output)))
                } catch { left.append("'\(way.name)'") }
            default: left.append("'\(way.name)'")
            }
        }
        return (found, left)
    }

    /// The first files, and the number of the others.
    private static func named(_ files: [String]) -> [String] {
        let named = Array(files.prefix(mostNamed))
        return files.count > mostNamed ? named + ["and \(DisplayText.count(files.count - mostNamed)) more"] : named
    }
}
