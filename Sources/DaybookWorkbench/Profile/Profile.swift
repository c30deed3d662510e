/// Reads whole files and tells what their columns hold.
///
/// A file is recognised and imported as `daybook guess` would, on the engine that runs jobs: in parallel, with bounded
/// memory, and with the same result for any number of threads.
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
        detector = FormatDetector(
            table: table,
            what: "a profile",
            limit: Guess.standardLimit,
            isCancelled: isCancelled
        )
        candidates = DateCandidates(names: names)
        self.directory = directory
        observed = ObservedJob(
            table: table,
            directory: directory,
            threads: threads,
            isCancelled: isCancelled,
            onProgress: onProgress
        )
    }

    /// The profiles of all tables in the files.
    public func report(on files: [String]) throws(DaybookErrors) -> ProfileReport {
        var tables: [ProfiledTable] = []
        var leftOut: [String] = []
        let inputs = try detector.inputs(files)
        var progress = ProfileProgress(of: inputs, observed.onProgress)
        for input in inputs { tables += try self.tables(of: input, &leftOut, &progress) }
        return ProfileReport(tables: tables, leftOut: leftOut, observed: observed)
    }

    /// The tables of one file. A part that cannot be read is left out, unless it is the only one.
    private func tables(
        of input: InputPath,
        _ leftOut: inout [String],
        _ progress: inout ProfileProgress
    ) throws(DaybookErrors) -> [ProfiledTable] {
        let found = try detector.detect(input)
        let path = FilePath.relative(input.path, from: directory)
        var tables: [ProfiledTable] = []
        var failure: DaybookErrors?
        let suggestions = found.detection.imports.map(\.rejecting)
        for suggestion in suggestions {
            let reading = progress.begin(input, of: suggestions.count, isFurther: false)
            defer { progress.end(reading) }
            do throws(DaybookErrors) {
                let (profile, outcome) = try self.profile(found, path, suggestion.options, reading)
                let guess = GuessedImport(
                    found,
                    suggestion: suggestion,
                    path: path,
                    look: profile.look,
                    isPartial: false,
                    name: suggestion.part.map { GuessNames.name(of: $0) } ?? GuessNames.stem(of: input.path)
                )
                // Only when all of them were seen is it known how numbers are written.
                let read = try guess.optionsReadingNumbers.map { options throws(DaybookErrors) in
                    progress.end(reading)
                    let again = progress.begin(input, of: suggestions.count, isFurther: true)
                    return try self.profile(found, path, options, again).profile
                }
                tables.append(ProfiledTable(read ?? profile, of: input, found, guess, outcome))
            } catch {
                guard let part = suggestion.part, let first = error.errors.first, first.code != "interrupted" else {
                    throw error
                }
                leftOut.append("'\(part)' of '\(input.shown)' is left out: \(first.message)")
                failure = failure ?? error
            }
        }
        if let failure, tables.isEmpty { throw failure }
        return tables
    }

    private func profile(
        _ found: FormatDetector.Detected,
        _ path: String,
        _ options: [SuggestedOption],
        _ reading: ProfileProgress.Reading
    ) throws(DaybookErrors) -> (profile: TableProfile, outcome: RunOutcome) {
        var observed = observed
        observed.onProgress = reading.tell
        let job = try InferenceRun.job(JobComposer.importText(found.stage, path: path, options), observed.table)
        let result = try observed.run(
            job,
            asOf: CalendarDay(number: 0),
            by: ProfileObserver(candidates: candidates)
        )
        guard result.outcome.errors.isEmpty else { throw DaybookErrors(result.outcome.errors) }
        return (result.seen, result.outcome)
    }
}

/// The profiles of some files, and the forms in which they are told.
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

    /// What has changed since a profile that was kept.
    public func compared(with old: KeptProfile, as format: Format, style: TerminalStyle = .plain) -> String {
        ProfileComparison(old, KeptProfile(tables)).told(as: format, style: style)
    }

    /// A job that checks that the files are as they are today. It was run on them.
    ///
    /// - Parameter command: the command line that asks, for the first comment of the job.
    public func rules(command: String) throws(DaybookErrors) -> String {
        try ProfileRules(tables, command: command).text(triedBy: observed)
    }
}

extension SuggestedImport {
    /// The same without what keeps rows that the import would else reject: they are what a profile has to tell of, and a gate to fail.
    fileprivate var rejecting: SuggestedImport {
        var copy = self
        copy.options.removeAll { $0.others.contains { $0.value == .plain("reject") } }
        return copy
    }
}
