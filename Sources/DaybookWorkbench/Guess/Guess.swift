/// Looks at files and writes a job that imports them.
///
/// Every stage of the table is asked whether a file is its own; the surest one wins. Its rows are then looked at by the
/// engine that runs jobs, so that the job says what a run would find.
public struct Guess {
    /// How much of a file is looked at, in bytes of its text.
    public static let standardLimit = 64 << 20

    private let detector: FormatDetector
    private let candidates: DateCandidates
    /// The directory that the job will stand in, as seen from here.
    private let directory: String
    private let command: String
    private let run: InferenceRun

    /// - Parameters:
    ///   - directory: where the job will be saved, as seen from the working directory.
    ///   - command: the command line that asks, for the first comment of the job.
    public init(
        table: StageTable,
        names: [LocaleNames],
        directory: String,
        command: String,
        limit: Int = Guess.standardLimit,
        isCancelled: @escaping @Sendable () -> Bool
    ) {
        detector = FormatDetector(table: table, what: "a guess", limit: limit, isCancelled: isCancelled)
        self.directory = directory
        self.command = command
        candidates = DateCandidates(names: names)
        run = InferenceRun(table: table, directory: directory, limit: limit, isCancelled: isCancelled)
    }

    /// The job and what there is to say of it.
    public func job(for files: [String]) throws(DaybookErrors) -> GuessedJob {
        var imports: [GuessedImport] = []
        var leftOut: [String] = []
        for input in try detector.inputs(files) {
            for one in try self.imports(of: input, &leftOut) {
                if let index = imports.firstIndex(where: { $0.agrees(with: one) }) {
                    imports[index].merge(one)
                } else {
                    imports.append(one)
                }
            }
        }
        return try compose(imports, leftOut)
    }

    // MARK: - One file

    /// The imports of one file. A part that cannot be read is left out, unless it is the only one.
    private func imports(of input: InputPath, _ leftOut: inout [String]) throws(DaybookErrors) -> [GuessedImport] {
        let found = try detector.detect(input)
        var failure: DaybookErrors?
        let path = FilePath.relative(input.path, from: directory)
        var imports: [GuessedImport] = []
        for suggestion in found.detection.imports {
            let text = JobComposer.importText(found.stage, path: path, suggestion.options)
            let result: InferenceRun.Result
            do throws(DaybookErrors) {
                result = try run.run(text, candidates)
            } catch {
                guard let part = suggestion.part, let first = error.errors.first, first.code != "interrupted" else {
                    throw error
                }
                leftOut.append("'\(part)' is left out: \(first.message).")
                failure = failure ?? error
                continue
            }
            guard let look = result.look else { preconditionFailure("a run that ended well has looked at its rows") }
            let stem = GuessNames.stem(of: input.path)
            var guessed =
                GuessedImport(
                    found,
                    suggestion: suggestion,
                    path: path,
                    look: look,
                    isPartial: result.isPartial,
                    name: suggestion.part.map { GuessNames.name(of: $0) } ?? stem
                )
            guessed.mixed = Set(result.outcome.findings.filter { $0.code == "mixed-kinds" }.compactMap(\.field))
            imports.append(guessed)
        }
        if let failure, imports.isEmpty { throw failure }
        return imports
    }

    // MARK: - The job

    private func compose(_ imports: [GuessedImport], _ leftOut: [String]) throws(DaybookErrors) -> GuessedJob {
        var imports = imports
        GuessNames.makeUnique(&imports)
        let names = imports.map(\.name)
        let paths = Set(imports.flatMap(\.paths))
        let name = imports.count == 1 ? names[0] : paths.count == 1 ? GuessNames.stem(of: paths.first ?? "") : "imports"
        let taken = Set(paths.map { FilePath.canonical(FilePath.join(directory, $0)) })
        func free(_ stem: String, _ ending: String) -> String {
            var path = "out/\(stem)\(ending)"
            var number = 2
            while taken.contains(FilePath.canonical(FilePath.join(directory, path))) {
                path = "out/\(stem)-\(number)\(ending)"
                number += 1
            }
            return path
        }
        var composer = JobComposer(
            command: command,
            name: name,
            imports: imports,
            trial: nil,
            outputs: imports.map { free($0.name, $0.hasColumns ? ".csv" : ".json") },
            rejects: free("\(name)-rejects", ".ndjson"),
            leftOut: leftOut
        )
        var trial = GuessTrial()
        trial.namesFiles = paths.count > 1
        for index in imports.indices { trial.add(try run.run(composer.trialText(of: index), nil)) }
        composer.trial = trial
        let text = composer.text
        try run.check(text)
        return GuessedJob(text: text, trial: trial, imports: imports)
    }
}

/// A guessed job, and what there is to say of it.
public struct GuessedJob {
    /// The job file.
    public let text: String
    /// What the person should know, one line each.
    public let notes: [String]

    package init(text: String, trial: GuessTrial, imports: [GuessedImport]) {
        self.text = text
        var notes: [String] = []
        let rows = Spoken.count(trial.readRows, "row")
        let fit =
            trial.rejectedRows == 0
            ? "all fit" : "\(Spoken.count(trial.rejectedRows, "does", "do")) not fit, as the job says"
        notes.append("looked at \(rows); \(fit)")
        let choices = imports.reduce(0) { $0 + $1.choiceCount }
        if choices > 0 {
            notes.append("\(Spoken.count(choices, "choice is", "choices are")) left to you; look for 'choose one'")
        }
        if imports.contains(where: \.makesInstants) { notes.append("set 'timezone'; the job says UTC") }
        self.notes = notes
    }
}
