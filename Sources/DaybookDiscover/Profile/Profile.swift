import DaybookBytes
import DaybookDates
import DaybookEngine
import DaybookReports

/// Reads whole files and describes their columns.
///
/// Files are recognised and imported as by `daybook guess`, on the engine that runs jobs: in parallel, with bounded memory, and
/// with the same result for any number of threads.
public struct Profile {
    private let detector: FormatDetector
    private let candidates: DateCandidates
    /// The directory that the printed job will stand in, as seen from here.
    private let directory: String
    private let observed: ObservedJob

    public init(
        table: StageTable,
        names: [LocaleNames],
        directory: String,
        threads: Int,
        isCancelled: @escaping @Sendable () -> Bool,
        onProgress: (@Sendable (RunSettings.Progress) -> Void)? = nil
    ) {
        detector = FormatDetector(table: table, what: "a profile", limit: Guess.standardLimit, isCancelled: isCancelled)
        candidates = DateCandidates(names: names)
        self.directory = directory
        var observed = ObservedJob(table: table, directory: directory, threads: threads, isCancelled: isCancelled)
        observed.onProgress = onProgress
        self.observed = observed
    }

    /// The profiles of all tables in the files.
    public func report(on files: [String]) throws(DaybookErrors) -> ProfileReport {
        var tables: [ProfiledTable] = []
        var leftOut = LeftOut()
        let groups = try detector.groups(files)
        let inputs = groups.flatMap(\.inputs)
        var progress = ProfileProgress(of: inputs, observed.onProgress)
        for group in groups {
            for files in try self.files(of: group, isAlone: inputs.count == 1, &leftOut) {
                do throws(DaybookErrors) {
                    tables += try self.tables(of: files, &leftOut, &progress)
                } catch {
                    try leftOut.add("'\(files.shown)'", error, unless: inputs.count == files.inputs.count)
                }
            }
        }
        if tables.isEmpty, let failure = leftOut.failure { throw failure }
        return ProfileReport(tables: tables, leftOut: leftOut.notes, observed: observed)
    }

    /// What is left out, and why.
    private struct LeftOut {
        var notes: [String] = []
        /// The error of the first file or part.
        var failure: DaybookErrors?

        /// Leaves out what cannot be read, or throws why if nothing stands beside it.
        mutating func add(_ name: String, _ error: DaybookErrors, unless isOnly: Bool) throws(DaybookErrors) {
            guard !isOnly, let first = error.errors.first, first.code != "interrupted" else { throw error }
            notes.append("\(name) is left out: \(first.message)")
            failure = failure ?? error
        }
    }

    /// Files of one table: those of a pattern with one format; any other file is alone.
    private struct Files {
        var inputs: [InputPath]
        var found: FormatDetector.Detected
        var suggestions: [SuggestedImport]
        /// The name on the command line.
        var shown: String
        /// The pattern that finds exactly these files.
        var pattern: String?

        func isWritten(like other: Files) -> Bool {
            found.stage == other.found.stage && suggestions.map(\.part) == other.suggestions.map(\.part)
                && suggestions.map(\.plainOptions) == other.suggestions.map(\.plainOptions)
        }
    }

    /// The files of one argument. A file that cannot be read is left out with a note, unless it is the only one.
    private func files(
        of group: FormatDetector.Group,
        isAlone: Bool,
        _ leftOut: inout LeftOut
    ) throws(DaybookErrors) -> [Files] {
        var all: [Files] = []
        for input in group.inputs {
            do throws(DaybookErrors) {
                let found = try detector.detect(input)
                let suggestions = found.detection.imports.map(\.rejecting)
                let one = Files(inputs: [input], found: found, suggestions: suggestions, shown: input.shown)
                if group.isPattern, let index = all.firstIndex(where: { $0.isWritten(like: one) }) {
                    all[index].inputs.append(input)
                    for place in one.suggestions.indices { all[index].suggestions[place].take(one.suggestions[place]) }
                } else {
                    all.append(one)
                }
            } catch { try leftOut.add("'\(input.shown)'", error, unless: isAlone) }
        }
        guard group.isPattern, let most = all.indices.max(by: { all[$0].inputs.count < all[$1].inputs.count }),
            all[most].inputs.count > 1
        else { return all }
        if all.count == 1, all[0].inputs.count == group.inputs.count {
            all[0].pattern = FilePath.relative(group.text, from: directory)
        }
        for index in all.indices {
            let (count, first) = (all[index].inputs.count, all[index].shown)
            if index != most {
                let others = count > 1 ? " and \(DisplayText.count(count - 1)) more files differ" : " differs"
                leftOut.notes.append(
                    "'\(first)'\(others) from the other files of '\(group.text)' in the way it is written: "
                        + "\(all[index].found.form); it has a table of its own"
                )
            }
            if count > 1 {
                all[index].shown = index == most ? group.text : "\(first) and \(DisplayText.count(count - 1)) more"
                all[index].found.displayText += ", in \(DisplayText.count(count, "file"))"
            }
        }
        return all
    }

    /// The tables of files that are read together. A part that cannot be read is left out, unless it is the only one.
    private func tables(of files: Files, _ leftOut: inout LeftOut, _ progress: inout ProfileProgress)
        throws(DaybookErrors)
        -> [ProfiledTable]
    {
        let found = files.found
        let paths = files.inputs.map { FilePath.relative($0.path, from: directory) }
        var tables: [ProfiledTable] = []
        var failure: DaybookErrors?
        let count = files.suggestions.count
        for suggestion in files.suggestions {
            var suggestion = suggestion
            let reading = progress.begin(files.inputs, of: count, isFurther: false)
            defer { progress.end(reading) }
            do throws(DaybookErrors) {
                if paths.count > 1, found.options.contains(where: { $0.key == "empty" }) {
                    let reason = "every file has a row today"
                    suggestion.options.append(SuggestedOption("empty", .plain("refuse_rowless"), because: reason))
                }
                var seen: (profile: TableProfile, outcome: RunOutcome)?
                while seen == nil {
                    do throws(DaybookErrors) {
                        seen = try self.profile(found, paths, suggestion.options, reading)
                    } catch {
                        guard paths.count > 1, let code = error.errors.first?.code else { throw error }
                        if code == "empty-file", let place = suggestion.options.index(of: "empty") {
                            suggestion.options.remove(at: place)
                        } else if code == "columns-differ", suggestion.options.index(of: "columns_differ") == nil {
                            suggestion.options.append(SuggestedOption("columns_differ", .plain("union")))
                        } else {
                            throw error
                        }
                    }
                }
                guard let (profile, outcome) = seen else { continue }
                leftOut.notes += outcome.findings.filter { $0.code == "columns-differ" }.map {
                    "'\($0.source ?? files.shown)': \($0.message)"
                }
                let name = GuessNames.name(of: files.inputs[0], part: suggestion.part)
                var guess = GuessedImport(found, suggestion, paths[0], profile.look, isPartial: false, name: name)
                (guess.paths, guess.pattern) = (paths, files.pattern)
                // The number format is known only when all numbers were seen.
                let read = try guess.optionsReadingNumbers.map { options throws(DaybookErrors) in
                    progress.end(reading)
                    let again = progress.begin(files.inputs, of: count, isFurther: true)
                    return try self.profile(found, paths, options, again).profile
                }
                tables.append(ProfiledTable(read ?? profile, of: files.inputs, files.shown, found, guess, outcome))
            } catch {
                let part = suggestion.part.map { "'\($0)' of '\(files.shown)'" }
                try leftOut.add(part ?? "", error, unless: part == nil)
                failure = failure ?? error
            }
        }
        if let failure, tables.isEmpty { throw failure }
        return tables
    }

    private func profile(
        _ found: FormatDetector.Detected,
        _ paths: [String],
        _ options: [SuggestedOption],
        _ reading: ProfileProgress.Reading
    ) throws(DaybookErrors) -> (profile: TableProfile, outcome: RunOutcome) {
        var observed = observed
        observed.onProgress = reading.tell
        let job = try InferenceRun.job(JobComposer.importText(found.stage, paths: paths, options), observed.table)
        let result = try observed.run(job, asOf: CalendarDay(number: 0), by: ProfileObserver(candidates: candidates))
        guard result.outcome.errors.isEmpty else { throw DaybookErrors(result.outcome.errors) }
        return (result.seen, result.outcome)
    }
}

/// The profiles of some files, in several forms.
public struct ProfileReport: Sendable {
    public enum Format: String, Sendable, CaseIterable {
        case text, json, html
    }

    let tables: [ProfiledTable]
    /// Parts of files that could not be read, and why; one sentence each.
    public let leftOut: [String]
    let observed: ObservedJob

    public func told(as format: Format, style: TerminalStyle = .plain) -> String {
        switch format {
        case .text: ProfileText(style).text(of: tables)
        case .json: ProfileJSON.text(of: tables)
        case .html: ProfilePage.text(of: tables)
        }
    }

    /// The changes since a stored profile, and a sentence about lost columns and tables.
    public func compared(
        with old: StoredProfile,
        as format: Format,
        style: TerminalStyle = .plain
    ) -> (text: String, lost: String?) {
        let comparison = ProfileComparison(old, StoredProfile(tables))
        return (comparison.told(as: format, style: style), comparison.lost)
    }

    /// A job that checks that the files stay as they are. It was tried on them.
    ///
    /// - Parameter command: the command line, for the first comment of the job.
    public func rules(command: String) throws(DaybookErrors) -> String {
        try ProfileRules(tables, command: command).text(triedBy: observed)
    }
}

extension SuggestedImport {
    /// The import without options that keep bad rows: a profile reports these, and a gate fails.
    fileprivate var rejecting: SuggestedImport {
        var copy = self
        copy.options.removeAll { $0.others.contains { $0.value == .plain("reject") } }
        return copy
    }
}

/// The progress over all files, each of which may be read several times.
struct ProfileProgress {
    typealias Tell = @Sendable (RunSettings.Progress) -> Void

    private let tell: Tell?
    private var done = 0
    private var total: Int?

    /// - Parameter tell: receives the progress; nil if nobody watches, and then no sizes are looked up.
    init(of inputs: [InputPath], _ tell: Tell?) {
        self.tell = tell
        total = tell == nil ? nil : inputs.totalSize
    }

    /// Begins one reading of files.
    ///
    /// - Parameters:
    ///   - readings: how many readings are expected.
    ///   - isFurther: whether the reading was not expected, so that the total grows.
    mutating func begin(_ inputs: [InputPath], of readings: Int, isFurther: Bool) -> Reading {
        guard let tell else { return Reading(bytes: 0, tell: nil) }
        let size = inputs.totalSize ?? 0
        let shown = inputs[0].shown
        // Each expected reading counts as its share of the files.
        let bytes = size / max(1, readings)
        if isFurther, let known = total { total = known + bytes }
        let (done, total) = (done, total)
        return Reading(bytes: bytes) { progress in
            let read = total == nil ? progress.bytes : min(bytes, progress.bytes / max(1, readings))
            tell(RunSettings.Progress(stage: shown, bytes: done + read, total: total))
        }
    }

    mutating func end(_ reading: Reading) { done += reading.bytes }

    struct Reading {
        fileprivate var bytes: Int
        /// The observer of the progress.
        var tell: Tell?
    }
}
