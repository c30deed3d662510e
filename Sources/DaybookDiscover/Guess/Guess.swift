import DaybookBytes
import DaybookDates
import DaybookEngine
import DaybookReports

/// Looks at files and writes a job that imports them.
///
/// The stage that recognises a file most surely wins. The engine that runs jobs then reads the rows, so that the job says
/// what a run would find.
public struct Guess {
    /// How much of a file is read, in bytes of its text.
    public static let standardLimit = 64 << 20

    let detector: FormatDetector
    private let candidates: DateCandidates
    /// The directory that the job will stand in, as seen from here.
    private let directory: String
    let command: String
    let run: InferenceRun

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
        (self.directory, self.command) = (directory, command)
        detector = FormatDetector(table: table, what: "a guess", limit: limit, isCancelled: isCancelled)
        candidates = DateCandidates(names: names)
        run = InferenceRun(table: table, directory: directory, limit: limit, isCancelled: isCancelled)
    }

    /// The guessed job, with notes.
    public func job(for files: [String]) throws(DaybookErrors) -> GuessedJob {
        var imports: [GuessedImport] = []
        var leftOut = LeftOut()
        let groups = try detector.groups(files)
        leftOut.mayLeaveFilesOut = groups.reduce(0) { $0 + $1.inputs.count } > 1
        for group in groups {
            for one in try self.imports(of: group, &leftOut) { imports.add(one) }
        }
        if imports.isEmpty, let failure = leftOut.failure { throw failure }
        return try compose(imports, leftOut)
    }

    // MARK: - Several files

    /// The imports of one argument. A file that cannot be read is left out with a note, unless it is the only one.
    private func imports(of group: FormatDetector.Group, _ leftOut: inout LeftOut) throws(DaybookErrors)
        -> [GuessedImport]
    {
        var imports: [GuessedImport] = []
        for input in group.inputs {
            var found: [GuessedImport] = []
            do throws(DaybookErrors) {
                found = try self.imports(of: input, &leftOut)
            } catch { try leftOut.add(input, error) }
            for one in found { imports.add(one) }
        }
        guard group.isPattern, !imports.isEmpty else { return imports }
        imports = together(imports)
        let pattern = FilePath.relative(group.text, from: directory)
        let note = "not all files of '\(group.text)' are read like this, so they are named one by one"
        for index in imports.indices {
            if imports[index].paths.count == group.inputs.count {
                imports[index].pattern = pattern
            } else {
                imports[index].suggestion.notes.append(note)
            }
        }
        return imports
    }

    /// Joins the imports of files with alike formats and columns, so that each column has one kind.
    private func together(_ imports: [GuessedImport]) -> [GuessedImport] {
        var (rest, result) = (imports, [GuessedImport]())
        while let first = rest.first {
            let alike = rest.filter { first.isWritten(like: $0) && first.sharesColumns(with: $0) }
            guard alike.count > 1 else {
                result.append(rest.removeFirst())
                continue
            }
            rest.removeAll { first.isWritten(like: $0) && first.sharesColumns(with: $0) }
            var one = first
            for other in alike.dropFirst() { one.take(other) }
            if Set(alike.map { Set($0.look.schema.fields.map(\.name)) }).count > 1, one.putsColumnsTogether {
                let reason = "not all files have the same columns; what one lacks is missing"
                let stop = "if a file with other columns is to stop the run"
                let refuse = SuggestedChoice(.plain("refuse"), because: stop)
                one.suggestion.options.append(
                    SuggestedOption("columns_differ", .plain("union"), because: reason, others: [refuse])
                )
            }
            let text = JobComposer.importText(one.stage, paths: one.paths, one.suggestion.options)
            // Files that cannot be read together are read one by one.
            if let look = try? run.run(text, candidates).look {
                one.see(look)
                result.append(one)
            } else {
                result += alike
            }
        }
        return result
    }

    // MARK: - One file

    /// The imports of one file. A part that cannot be read is left out, unless it is the only one.
    private func imports(of input: InputPath, _ leftOut: inout LeftOut) throws(DaybookErrors) -> [GuessedImport] {
        let found = try detector.detect(input)
        var failure: DaybookErrors?
        var imports: [GuessedImport] = []
        for suggestion in found.detection.imports {
            do throws(DaybookErrors) {
                var (guessed, mixed) = try seen(input, found, suggestion)
                guessed.note(mixed: mixed)
                imports.append(guessed)
            } catch {
                guard let part = suggestion.part, let first = error.errors.first, first.code != "interrupted" else {
                    throw error
                }
                let advice = first.code == "records-not-found" ? first.hint.map { "; \($0)" } ?? "" : ""
                leftOut.parts.append("'\(part)' is left out: \(first.message)\(advice).")
                failure = failure ?? error
            }
        }
        if let failure, imports.isEmpty { throw failure }
        return imports
    }

    /// One import of a file, with all of its rows looked at, and the findings of columns of several kinds.
    func seen(
        _ input: InputPath,
        _ found: FormatDetector.Detected,
        _ suggestion: SuggestedImport
    ) throws(DaybookErrors) -> (import: GuessedImport, mixed: [RenderedFinding]) {
        let path = FilePath.relative(input.path, from: directory)
        func look(_ suggestion: SuggestedImport) throws(DaybookErrors) -> InferenceRun.Result {
            try run.run(JobComposer.importText(found.stage, paths: [path], suggestion.options), candidates)
        }
        var suggestion = suggestion
        var result = try look(suggestion)
        // The head of a file may miss rows that need other options.
        if let keeping = suggestion.keeping(result.outcome, found) {
            let again = try look(keeping)
            if again.rejected < result.rejected { (suggestion, result) = (keeping, again) }
        }
        guard let look = result.look else { preconditionFailure("a run that ended well has looked at its rows") }
        let name = GuessNames.name(of: input, part: suggestion.part)
        let guessed = GuessedImport(found, suggestion, path, look, isPartial: result.isPartial, name: name)
        return (guessed, result.outcome.findings.filter { $0.code == "mixed-kinds" })
    }

    // MARK: - The job

    private func compose(_ imports: [GuessedImport], _ leftOut: LeftOut) throws(DaybookErrors) -> GuessedJob {
        var imports = imports
        GuessNames.makeUnique(&imports)
        let names = imports.map(\.name)
        let paths = Set(imports.flatMap(\.paths))
        let name = imports.count == 1 ? names[0] : paths.count == 1 ? GuessNames.stem(of: paths.first ?? "") : "imports"
        let taken = Set(paths.map { FilePath.canonical(FilePath.join(directory, $0)) })
        func isTaken(_ path: String) -> Bool { taken.contains(FilePath.canonical(FilePath.join(directory, path))) }
        func free(_ stem: String, _ ending: String) -> String {
            var (path, number) = ("out/\(stem)\(ending)", 2)
            while isTaken(path) { (path, number) = ("out/\(stem)-\(number)\(ending)", number + 1) }
            return path
        }
        var composer = JobComposer(
            command: command,
            name: name,
            imports: imports,
            trial: nil,
            outputs: imports.map { free($0.name, $0.hasColumns ? ".csv" : ".json") },
            rejects: free("\(name)-rejects", ".ndjson"),
            leftOut: leftOut.parts
        )
        // A pattern must not find the outputs of the job.
        let written = (composer.outputs + [composer.rejects]).map { FilePath.canonical(FilePath.join(directory, $0)) }
        for index in composer.imports.indices {
            guard let pattern = composer.imports[index].pattern else { continue }
            let finds = PathPattern(FilePath.join(directory, pattern))
            guard written.contains(where: { finds.wouldFind($0) }) else { continue }
            let note = "'\(pattern)' would find what this job writes too, so its files are named one by one"
            composer.imports[index].pattern = nil
            composer.imports[index].suggestion.notes.append(note)
        }
        var trial = GuessTrial()
        trial.namesFiles = paths.count > 1
        for index in imports.indices { trial.add(try run.run(composer.trialText(of: index), nil)) }
        composer.trial = trial
        let text = composer.text
        try run.check(text)
        return GuessedJob(text: text, trial: trial, imports: imports, leftOut: leftOut.parts)
    }
}

extension [GuessedImport] {
    /// Adds an import, or adds its files to an import with the same options and columns; a pattern stays alone.
    fileprivate mutating func add(_ one: GuessedImport) {
        let index = firstIndex { $0.pattern == nil && one.pattern == nil && $0.agrees(with: one) }
        if let index { self[index].merge(one) } else { append(one) }
    }
}

/// What a guess leaves out, and why.
private struct LeftOut {
    /// Sentences, one each.
    var parts: [String] = []
    /// Whether there are files beside one that cannot be read.
    var mayLeaveFilesOut = false
    /// The error of the first file.
    private(set) var failure: DaybookErrors?

    mutating func add(_ input: InputPath, _ error: DaybookErrors) throws(DaybookErrors) {
        guard mayLeaveFilesOut, let first = error.errors.first, first.code != "interrupted" else { throw error }
        let name = "'\(input.shown)'"
        let named = first.message.hasPrefix(name)
        parts.append(named ? "\(first.message); it is left out." : "\(name) is left out: \(first.message).")
        failure = failure ?? error
    }
}

/// A guessed job, with notes.
public struct GuessedJob {
    /// The job file.
    public let text: String
    /// Notes for the person, one line each.
    public let notes: [String]

    package init(text: String, trial: GuessTrial, imports: [GuessedImport], leftOut: [String] = []) {
        self.text = text
        var notes = trial.warning.map { ["warning: \($0)"] } ?? []
        notes += leftOut
        let rows = DisplayText.count(trial.read, "row")
        let fit =
            trial.rejected == 0
            ? "all fit" : "\(DisplayText.count(trial.rejected, "does", "do")) not fit, as the job says"
        notes.append("looked at \(rows); \(fit)")
        let choices = imports.reduce(0) { $0 + $1.choiceCount }
        if choices > 0 {
            notes.append("\(DisplayText.count(choices, "choice is", "choices are")) left to you; look for 'choose one'")
        }
        if imports.contains(where: \.makesInstants) { notes.append("set 'timezone'; the job says UTC") }
        self.notes = notes
    }
}

/// The result of a trial of the guessed job: how many rows do not fit, and which.
package struct GuessTrial {
    package private(set) var rejected = 0
    fileprivate var read = 0
    private var isPartial = false
    private var findings: [RenderedFinding] = []
    /// Whether findings name their file, because there are several.
    var namesFiles = false

    /// How many findings the job shows.
    private static let shown = 5

    package mutating func add(_ result: InferenceRun.Result) {
        for line in result.outcome.ledger { rejected += line.rejected }
        read += result.outcome.ledger.first?.rowsIn ?? 0
        isPartial = isPartial || result.isPartial
        findings += FindingText.sorted(result.outcome.findings.filter { $0.severity == .error })
    }

    /// How many rows may be rejected so that the job runs today.
    package var allow: String {
        guard isPartial, rejected > 0, read > 0 else { return String(rejected) }
        // As many again, since the rest was not seen; never all.
        return "\(min(99, rejected * 200 / read + 1))%"
    }

    var allowReason: String {
        if isPartial, rejected == 0 { return "not all rows were looked at; one that does not fit fails the run" }
        if isPartial { return "not all rows were looked at, so this is a guess; lower it once you know" }
        return rejected == 0
            ? "one row that does not fit fails the run" : "those that do not fit today; one more fails the run"
    }

    /// Notes about the rows that do not fit.
    var remarks: [String] {
        guard rejected > 0 else { return [] }
        let rows = "\(DisplayText.count(rejected)) of \(DisplayText.count(read, "row"))"
        let shown = findings.prefix(GuessTrial.shown).map { finding in
            let file = namesFiles ? finding.source.map { "\($0) " } ?? "" : ""
            return "- \(file)\(finding.inBrief)"
        }
        let rest = rejected - GuessTrial.shown
        return ["\(rows) \(rejected == 1 ? "does" : "do") not fit:"] + shown
            + (rest > 0 ? ["- and \(DisplayText.count(rest)) more"] : [])
    }

    /// The first note: the job leaves more than a handful of rows out.
    var warning: String? {
        guard rejected > GuessTrial.shown else { return nil }
        let rows = "\(DisplayText.count(rejected)) of \(DisplayText.count(read, "row"))"
        return "this job leaves out \(rows); 'rejects' in it says which and why"
    }
}
