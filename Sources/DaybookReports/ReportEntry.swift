import DaybookBytes
import DaybookEngine

/// One thing that a report tells: an error, a gate or a rule that failed, or a finding.
///
/// Secrets are masked in all of it; control characters are left to each form, which has its own way with them.
struct ReportEntry {
    package enum Kind: Equatable {
        /// What stopped the run, with the way in which it ends.
        case error(DaybookError.Blame)
        case gate
        /// A failed rule about all rows together.
        case rule
        case finding(RenderedFinding)
    }

    var kind: Kind
    var severity: Finding.Severity
    /// The id of its rule in this report.
    var rule: String
    /// The id of the stage that it comes from.
    var stage: String?
    var message: String
    var hint: String?
    /// Where it is to be shown; nil where no file holds it.
    var place: ReportPlace?
    /// Whether `place` only stands for the true one, which `shown` tells: no file holds the row, so its stage is shown.
    var isElsewhere = false
    /// The place as a person reads it, and where the file alone would not tell: `jobs/standard input:3:5`, `a.sqlite#/words/12`.
    var shown: String
    /// Where the job asks for what an error of an input is about.
    var related: ReportPlace?
    /// The column and the value that a finding is about.
    var field: String?
    var value: String?
    /// 16 hex digits, the same as long as the thing is the same.
    var fingerprint: String

    /// The message, after its place where `place` is another one.
    var placedMessage: String { isElsewhere ? "\(shown): \(message)" : message }

    /// Whether the rule tolerates this finding.
    var isTolerated: Bool { if case .finding = kind { severity == .note } else { false } }

    var isError: Bool { if case .error = kind { true } else { false } }

    /// Whether the job or the command line is wrong, rather than the data or the machine.
    var isJobError: Bool { kind == .error(.job) }
}

extension [ReportEntry] {
    /// At most `limit` entries, in their order: what stopped the run and the first of each rule before a second of any, and
    /// the worst first, so that a rule which every row breaks hides no other.
    func mostTelling(_ limit: Int) -> [ReportEntry] {
        guard count > limit else { return self }
        var turns: [String: Int] = [:]
        let ranked = enumerated().map { index, entry in
            // A rule of two stages is two rules.
            let rule = "\(entry.stage ?? "")\0\(entry.rule)"
            turns[rule, default: 0] += 1
            let turn = entry.isError ? 0 : turns[rule, default: 0]
            return (isFirst: turn > 1 ? 1 : 0, severity: entry.severity.rank, turn: turn, index: index)
        }
        let chosen = ranked.sorted { $0 < $1 }.prefix(limit)
        return chosen.map(\.index).sorted().map { self[$0] }
    }
}

/// A place in a file as a program looks it up.
struct ReportPlace: Hashable {
    /// From the root of the repository; absolute for a file outside.
    var file: String
    var line: Int?
    var endLine: Int?
    var column: Int?
    /// The column behind its last character, on the same line, where its extent is known.
    var endColumn: Int?

    var isInRepository: Bool { !file.hasPrefix("/") }

    /// The file for a form that escapes line breaks, so that they can stay; other characters that control a terminal cannot.
    var escapableFile: String {
        let kept: Set<Unicode.Scalar> = ["\n", "\r", "\t"]
        return String(
            String.UnicodeScalarView(file.unicodeScalars.map { kept.contains($0) ? $0 : PrintableText.of($0) })
        )
    }
}

/// All entries of a report: errors first, then gates, rules and findings by place.
struct ReportEntries {
    private let run: RunReport
    private let rules: ReportRules
    /// Paths are looked up on the disk, and thousands of findings share a few.
    private var paths: [String: String] = [:]

    static func all(in run: RunReport, _ rules: ReportRules) -> [ReportEntry] {
        var entries = ReportEntries(run: run, rules: rules)
        return entries.all()
    }

    /// The entries for alerts or annotations: without what rules tolerate, unless the run reports it.
    static func told(in run: RunReport, _ rules: ReportRules) -> [ReportEntry] {
        all(in: run, rules).filter { !$0.isTolerated || run.tellsTolerated }
    }

    private mutating func all() -> [ReportEntry] {
        var entries = (run.outcome.errors + run.afterthoughts).map { entry($0) }
        entries += run.outcome.gates.filter { !$0.passed }.map { entry($0) }
        entries += rules.all.filter(\.needsEntry).map { entry($0) }
        return entries + FindingText.sorted(run.outcome.findings).map { entry($0) }
    }

    private mutating func entry(_ error: DaybookError) -> ReportEntry {
        let message = run.mask.masking(error.message)
        var entry = ReportEntry(
            kind: .error(error.blame),
            severity: .error,
            rule: error.code.rawValue,
            message: message,
            hint: error.hint.map(run.mask.masking),
            place: error.place.flatMap { place(inJob: $0) } ?? jobPlace,
            shown: error.place.map { run.mask.masking("\($0)") } ?? run.shownJobFile,
            fingerprint: ReportEntries.fingerprint([error.code.rawValue, message])
        )
        // What is wrong with an input is shown there, and the job beside it.
        guard let file = error.file, file != InputPath.standardInput.shown, error.place?.file != file else {
            return entry
        }
        entry.related = entry.place
        entry.place = ReportPlace(file: path(of: file))
        entry.shown = "\(run.mask.masking(file)), read at \(entry.shown)"
        return entry
    }

    private mutating func entry(_ gate: RunOutcome.Gate) -> ReportEntry {
        // Without a line of its own, a gate is where the job names its stage, and else the job as a whole.
        let place = run.policyPlace(of: gate.stage) ?? gate.stage.flatMap { run.place(of: $0) }
        return ReportEntry(
            kind: .gate,
            severity: .error,
            rule: ReportRules.gate,
            stage: gate.stage.map(run.mask.masking),
            message: "gate failed for \(GateText.story(gate, run.mask))",
            place: place.flatMap { self.place(inJob: $0) } ?? jobPlace,
            shown: place.map { run.mask.masking("\($0)") } ?? run.shownJobFile,
            // Without its counts: it is the same gate tomorrow.
            fingerprint: ReportEntries.fingerprint(
                [ReportRules.gate, run.job, run.mask.masking(gate.stage ?? "")]
                    + (gate.source.map { [run.mask.masking($0)] } ?? [])
            )
        )
    }

    private mutating func entry(_ rule: ReportRule) -> ReportEntry {
        ReportEntry(
            kind: .rule,
            severity: rule.severity,
            rule: rule.id,
            stage: rule.stage,
            message: rule.message,
            place: rule.place.flatMap { place(inJob: $0) } ?? jobPlace,
            shown: rule.place.map { run.mask.masking("\($0)") } ?? run.shownJobFile,
            fingerprint: ReportEntries.fingerprint(["rule", run.job, rule.stage, rule.name])
        )
    }

    private mutating func entry(_ finding: RenderedFinding) -> ReportEntry {
        var place: ReportPlace?
        if let source = finding.source, source != "-" {
            place = ReportPlace(
                file: path(of: FilePath.join(run.directory, source)),
                line: finding.line,
                endLine: finding.line == nil ? nil : finding.endLine,
                column: finding.line == nil ? nil : finding.column
            )
        }
        return ReportEntry(
            kind: .finding(finding),
            severity: finding.severity,
            rule: rules.id(of: finding),
            stage: run.mask.masking(finding.stage),
            message: run.mask.masking(finding.sentence),
            place: place ?? finding.jobPlace.flatMap { self.place(inJob: $0) } ?? jobPlace,
            isElsewhere: place == nil && finding.source != nil,
            shown: FindingText.place(of: finding, in: run),
            field: finding.field.map(run.mask.masking),
            value: finding.value.map(run.mask.masking),
            fingerprint: finding.ownFingerprint
        )
    }

    /// The job file as a whole; nil when it came from standard input.
    private var jobPlace: ReportPlace? {
        mutating get { run.jobFile == "-" ? nil : ReportPlace(file: path(of: run.jobFile)) }
    }

    /// A place that the job file, or another file of YAML, holds.
    private mutating func place(inJob place: SourcePlace) -> ReportPlace? {
        guard run.jobFile != "-" || place.file != run.source?.file else { return nil }
        // A place of one character may stand for one whose end nobody knows.
        let end = place.length > 1 ? place.column + place.length : nil
        return ReportPlace(file: path(of: place.file), line: place.line, column: place.column, endColumn: end)
    }

    private mutating func path(of path: String) -> String {
        if let known = paths[path] { return known }
        let found = run.repositoryPath(of: path)
        paths[path] = found
        return found
    }

    /// 16 hex digits of what makes a thing the same as yesterday's.
    static func fingerprint(_ parts: [String]) -> String {
        String(SHA256Digest.of(parts.joined(separator: "\0")).prefix(16))
    }
}

extension RunReport {
    /// The job file as a person knows it.
    var shownJobFile: String { jobFile == "-" ? "standard input" : mask.masking(jobFile) }

    /// A path that starts from where the command was started, as seen from the root of the repository; absolute for a
    /// file outside.
    func repositoryPath(of path: String) -> String {
        let path = FilePath.tidied(path)
        guard let surroundings else { return mask.masking(path) }
        return mask.masking(surroundings.path(inRepository: path) ?? FilePath.canonical(path))
    }
}
