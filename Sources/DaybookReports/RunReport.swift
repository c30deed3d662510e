import DaybookBytes
import DaybookEngine

/// Everything there is to tell about a run, also about one that failed to start. Reports and the manifest read it.
public struct RunReport: Sendable {
    /// A value that the job took from outside, fit to be shown.
    public struct Param: Sendable {
        public var name: String
        /// `••••` for a secret.
        public var value: String
        public var isSet: Bool
    }

    /// The name of the job; that of its file when it could not be read.
    public var job: String
    /// The job file as the command line names it.
    public var jobFile: String
    /// The SHA-256 of the job file, where it could be read.
    public var jobSHA256: String?
    public var asOf: CalendarDay?
    public var timezone: String?
    public var params: [Param] = []
    public var threads: Int
    /// Microseconds since 1970-01-01T00:00:00Z.
    public var started: Int64
    public var nanoseconds: UInt64 = 0
    public var outcome = RunOutcome()
    public var exitCode: Int32 = 0
    /// What went wrong beside the run itself: a manifest or a report that could not be written.
    public var afterthoughts: [DaybookError] = []
    /// Whether there was no run, and only what tells of one is tried.
    public var isTrial = false
    /// Whether the run wrote nothing, and tells what would change.
    public var isDry = false
    /// What a dry run would change.
    public var changes: [OutputChanges] = []
    /// The address of a page about the run, for those who are told of it.
    public var link: String?
    /// Who was told of the run, and of whom that failed.
    public var notices: [NoticeOutcome] = []
    /// The directory that paths in findings start from.
    public var directory: String
    /// The text of the job file, for excerpts.
    public var source: SourceText?
    public var mask = SecretMask([])
    /// The repository around the run; nil where nobody looked.
    public var surroundings: ReportSurroundings?
    /// How rules ended in the last runs, this one among them; empty where the history was not asked.
    package var ruleStrips: [RuleName: RunStrip] = [:]
    /// The files of other reports of this run that hold every finding in words, fit to be shown.
    public var fullReports: [String] = []
    /// Where the rejects of each stage are written, by the stage's id.
    private var rejectPaths: [String: String] = [:]
    /// Where the job allows rejects: by stage, and the job's own under the empty name.
    private var policyPlaces: [String: SourcePlace] = [:]
    /// Whether the forms that become alerts or annotations tell what rules tolerate too.
    public var tellsTolerated = false
    /// What each stage is: its type, and what that does in one sentence.
    private var stageTypes: [String: (name: String, summary: String)] = [:]
    /// The stages that read files.
    private var sources: Set<String> = []
    /// Where the job names each stage.
    private var stagePlaces: [String: SourcePlace] = [:]
    /// Ids as the job writes them, by the ids of the copies of stages; empty for a job with one of each.
    private var writtenIDs: [String: String] = [:]
    /// Names of the values that the job has its stages for.
    package private(set) var values: [String] = []
    /// Where the stages write, `-` for standard output; nil while no plan is known.
    package private(set) var targets: [String]?

    public init(jobFile: String, threads: Int, started: Int64) {
        self.jobFile = jobFile
        self.threads = threads
        self.started = started
        directory = JobFile.directory(of: jobFile)
        job = JobFile.name(of: jobFile)
    }

    /// Takes over what the job file says.
    public mutating func tell(of job: Job) {
        mask = SecretMask(job.secrets)
        // It becomes the name of a file.
        if !job.name.isEmpty { self.job = mask.masking(job.name) }
        timezone = job.timezone
        params = job.params.map {
            Param(name: $0.name, value: $0.isSecret ? SecretMask.mark : mask.masking($0.value), isSet: $0.isSet)
        }
        policyPlaces[""] = job.rejects?.place
        values = job.each.map { $0.values.map(\.name) } ?? []
        for stage in job.stages {
            if stage.writtenID != stage.id { writtenIDs[stage.id] = stage.writtenID }
            rejectPaths[stage.id] = stage.rejects?.path?.text ?? job.rejects?.path?.text
            if stage.rejects?.allow != nil { policyPlaces[stage.id] = stage.rejects?.place }
        }
    }

    /// Takes over what the plan has chosen.
    public mutating func tell(of plan: Plan) {
        asOf = plan.context.asOf
        for stage in plan.stages {
            stagePlaces[stage.id] = stage.place
            stageTypes[stage.id] = (stage.typeName, stage.summary)
            if case .source = stage.role { sources.insert(stage.id) }
        }
        targets = plan.stages.compactMap { ($0.target?.path ?? $0.target?.service)?.text }
    }

    /// Whether a stage reads files, so that its rows are those of the whole run.
    public func isSource(_ stage: String) -> Bool { sources.contains(stage) }

    /// The rows that all sources read.
    package var rowsRead: Int { outcome.ledger.filter { isSource($0.id) }.reduce(0) { $0 + $1.rowsIn } }

    /// The rows that all stages rejected.
    package var rowsRejected: Int { outcome.ledger.reduce(0) { $0 + $1.rejected } }

    /// The ledger with one line for all copies of a stage, and its links.
    var ledgerAsWritten: (lines: [LedgerLine], links: [RunSummary.Link]) {
        guard !writtenIDs.isEmpty else { return (outcome.ledger, outcome.links) }
        var lines: [LedgerLine] = []
        var places: [String: Int] = [:]
        let merged = outcome.ledger.map { line in
            let id = writtenIDs[line.id] ?? line.id
            if let place = places[id] {
                lines[place].add(line)
                return place
            }
            places[id] = lines.count
            lines.append(line)
            lines[lines.count - 1].id = id
            return lines.count - 1
        }
        var links: [RunSummary.Link] = []
        for link in outcome.links {
            let new = RunSummary.Link(from: merged[link.from], to: merged[link.to], isOfRejects: link.isOfRejects)
            if !links.contains(new) { links.append(new) }
        }
        return (lines, links)
    }

    /// Where the rejects of a stage are written, as a person at the command line would name it; nil when nowhere.
    public func rejectsFile(of stage: String) -> String? {
        if isDry { return nil }
        return rejectPaths[stage].map { $0 == "-" ? "standard output" : shown($0) }
    }

    /// The files of the rejects of several stages, each once.
    func rejectsFiles(of stages: [String]) -> [String] {
        var files: [String] = []
        for file in stages.compactMap(rejectsFile) where !files.contains(file) { files.append(file) }
        return files
    }

    /// What the job runs under the id of a stage; nil while no plan is known.
    package func type(ofStage stage: String) -> (name: String, summary: String)? { stageTypes[stage] }

    /// Where the job names a stage.
    package func place(of stage: String) -> SourcePlace? { stagePlaces[stage] }

    /// Where the job says what the gate of a stage allows; nil for the default. The job's own gate has no stage.
    public func policyPlace(of stage: String?) -> SourcePlace? { policyPlaces[stage ?? ""] }

    /// How many rows were rejected before they came to the first of the rules; nil where there are none.
    var rowsUnseenByRules: String? {
        guard let first = outcome.rules.first?.stage, let stage = outcome.ledger.firstIndex(where: { $0.id == first })
        else { return nil }
        var above: Set<Int> = [stage]
        for link in outcome.links.sorted(by: { $0.to > $1.to }) where above.contains(link.to) {
            above.insert(link.from)
        }
        let before = above.filter { $0 < stage }.reduce(0) { $0 + outcome.ledger[$1].rejected }
        guard before > 0 else { return nil }
        return
            "\(DisplayText.count(before, "row")) \(before == 1 ? "was" : "were") rejected before, and never came to the rules"
    }

    /// A text that is fit to be shown: without secrets and control characters.
    func printable(_ text: String) -> String { PrintableText.of(mask.masking(text)) }

    /// A path of the job as seen from where the command was started, fit to be shown.
    public func shown(_ path: String) -> String { mask.masking(FilePath.shown(path, from: directory)) }
}

extension RunReport {
    /// How the run ended: `orders failed its gate: 'clean': 12 of 90 rows rejected (13.3 %), 1 % allowed`.
    package var sentence: String {
        let reason = (exitCode == 0 ? rowsInBrief : firstFault).map { ": \($0)" } ?? ""
        return printable("\(job) \(RunVerdict(self).words)\(reason)").shortened(to: 300)
    }

    /// `4,198 rows read, 18 rejected`.
    private var rowsInBrief: String? {
        guard !outcome.ledger.isEmpty else { return nil }
        let rejected = rowsRejected > 0 ? ", \(DisplayText.count(rowsRejected)) rejected" : ""
        return "\(DisplayText.count(rowsRead, "row")) read\(rejected)"
    }

    /// The first thing that went wrong, and how many more there are.
    private var firstFault: String? {
        var reasons = (outcome.errors + afterthoughts).map(\.message)
        reasons += outcome.gates.filter { !$0.passed }.map { gate in
            let story = GateText.story(gate)
            // The sentence begins with the job.
            return story.hasPrefix("the job: ") ? String(story.dropFirst("the job: ".count)) : story
        }
        reasons += outcome.rules.filter { $0.verdict == .failed }.map { "'\($0.rule.id)': \($0.message)" }
        guard let first = reasons.first else { return nil }
        return reasons.count == 1 ? first : "\(first); and \(DisplayText.count(reasons.count - 1)) more"
    }
}

/// Where a run takes place, as far as its reports care: the repository around it, and what a CI service asks for.
public struct ReportSurroundings: Sendable {
    /// The directory that paths in reports start from: absolute, without links.
    public var root: String
    /// The file to which GitHub wants the summary of a step added.
    public var stepSummary: String?

    /// - Parameters:
    ///   - directory: The directory of the job file.
    ///   - variable: Looks up a variable of the environment.
    public init(around directory: String, _ variable: (String) -> String?) {
        let inner = FilePath.canonical(directory)
        // A variable that was left behind by something else must not bend the paths of a repository elsewhere.
        let named = ["GITHUB_WORKSPACE", "CI_PROJECT_DIR"].compactMap(variable).filter { !$0.isEmpty }
            .map(FilePath.canonical)
        root =
            named.first { ReportSurroundings.tail(of: inner, below: $0) != nil }
            ?? ReportSurroundings.repository(around: inner) ?? FilePath.canonical(".")
        stepSummary = variable("GITHUB_STEP_SUMMARY").flatMap { $0.isEmpty ? nil : $0 }
    }

    package init(root: String, stepSummary: String? = nil) { (self.root, self.stepSummary) = (root, stepSummary) }

    /// The nearest directory that holds `.git`, which in a linked work tree is a file.
    private static func repository(around directory: String) -> String? {
        var place = directory
        for _ in 0..<64 {
            if (try? FileStatus.of(FilePath.join(place, ".git"))) != nil { return place }
            if place == "/" { return nil }
            place = FilePath.directory(of: place)
        }
        return nil
    }

    /// `samples/a.csv` for a file in the repository, whichever way `path` leads there; nil for one outside.
    ///
    /// What the links lead to counts first, since that is what the repository holds.
    package func path(inRepository path: String) -> String? {
        let here = FilePath.canonical(".")
        return ReportSurroundings.tail(of: FilePath.canonical(path), below: root)
            ?? ReportSurroundings.tail(of: FilePath.tidied(FilePath.join(here, path)), below: root)
    }

    /// The part of `path` below `root`; empty for the root itself.
    private static func tail(of path: String, below root: String) -> String? {
        if path == root { return "" }
        let start = root == "/" ? root : root + "/"
        return path.hasPrefix(start) ? String(path.dropFirst(start.count)) : nil
    }
}

/// What came of telling somebody of a run.
public struct NoticeOutcome: Sendable {
    /// Who was told, as it may be shown: `webhook at https://hooks.example.com`.
    public var target: String
    /// Why nobody was told; nil where the notice was taken.
    public var failure: DaybookError?

    public init(target: String, failure: DaybookError? = nil) { (self.target, self.failure) = (target, failure) }
}

extension RunReport {
    /// What the run was, of all that somebody may be told of; the first says it best.
    ///
    /// - Parameter earlierFailed: Whether the run of the job before this one failed.
    public func events(earlierFailed: Bool) -> [Notice.Event] {
        // The run that goes on tells how it ends.
        if outcome.errors.contains(where: { $0.code == "already-running" }) { return [] }
        guard exitCode == 0 else { return [.failed] }
        let warned =
            outcome.rules.contains { $0.verdict == .warned }
            || outcome.tallies.contains { $0.severity == .warning && $0.count > $0.known }
        return (earlierFailed ? [.recovered] : []) + (warned ? [.warned] : []) + [.passed]
    }
}

/// What the exit code of a command says. There are no other codes.
public enum ExitMeaning: Int32, Sendable, CaseIterable {
    case done, gateFailed, jobIsWrong, machineFailed

    /// In a few words, as help lists it.
    public var meaning: String {
        switch self {
        case .done: "done, perhaps with warnings"
        case .gateFailed: "the data failed its gate"
        case .jobIsWrong: "the job or the command line is wrong"
        case .machineFailed: "reading, writing or the machine failed"
        }
    }

    /// When it is given, and which outputs are there afterwards.
    public var outputs: String {
        switch self {
        case .done: "All outputs are new."
        case .gateFailed:
            """
            All outputs are the old ones; only the files of rejects are new. A column that the job names and the data lack is the \
            data's fault, and every rule that can be judged without it is judged.
            """
        case .jobIsWrong: "All outputs are the old ones. A name that no stage makes is a mistake of the job."
        case .machineFailed:
            """
            Also where the run was stopped, or another run of the job goes on. All outputs are the old ones, unless the last line \
            says otherwise: all are new where only a report, the manifest or the last flush of a directory failed; some are new \
            where the disk failed between two renames.
            """
        }
    }
}

/// How a run ended, in a few words: `passed with warnings`, `failed its gate`.
package struct RunVerdict {
    package let words: String
    package let isGood: Bool

    /// The words behind a number of runs: `2 failed their gates`.
    package func words(of count: Int) -> String { count == 1 ? words : RunVerdict.plurals[words] ?? words }

    private static let plurals = [
        "sends a notice to try": "send a notice to try", "missed its run": "missed their runs",
        "has old data": "have old data", "failed its gate": "failed their gates",
        "could not judge its data": "could not judge their data", "was stopped": "were stopped",
    ]

    /// Errors by which a run ends before it begins, because of another run or a file.
    private static let unstarted = ["already-running", "waiting-for", "not-delivered"]

    package init(_ run: RunReport) {
        isGood = run.exitCode == 0
        let warns = run.outcome.tallies.contains { $0.severity == .warning }
        words =
            switch run.exitCode {
            case _ where run.isTrial: "sends a notice to try"
            case _ where run.outcome.errors.contains { $0.code == "missed-run" }: "missed its run"
            case _ where run.outcome.errors.contains { $0.code == "old-data" }: "has old data"
            case 0: warns ? "passed with warnings" : "passed"
            case 1 where run.outcome.errors.allSatisfy { $0.code == "diff-limit" }: "failed its gate"
            case 1: "could not judge its data"
            case 2: "could not start"
            case _ where run.outcome.errors.contains { RunVerdict.unstarted.contains($0.code.rawValue) }:
                "did not start"
            case _ where run.outcome.errors.contains { $0.code == "interrupted" }: "was stopped"
            default: "did not finish"
            }
    }
}

extension RunReport {
    /// The report without anything that may show a value of the data: counts, codes and names of columns stay.
    ///
    /// Findings in words go as a whole, since their excerpts show the rows. Errors about the data keep their code, rules that judge
    /// all rows their expectation.
    package func withoutValues() -> RunReport {
        var run = self
        (run.outcome.findings, run.outcome.measures, run.outcome.fixed) = ([], [], [])
        // The addresses of pages stay, and not their rows.
        for index in run.outcome.pages.indices { run.outcome.pages[index].tables = [] }
        for index in run.outcome.rules.indices {
            run.outcome.rules[index].example = nil
            run.outcome.rules[index].observation = nil
            if run.outcome.rules[index].judgement != nil {
                run.outcome.rules[index].judgement = "expected \(run.outcome.rules[index].rule.expectation)"
            }
        }
        let isTold = ["missed-run", "old-data"]
        run.outcome.errors = run.outcome.errors.map { error in
            guard error.blame == .data || error.quotesData, !isTold.contains(error.code.rawValue) else { return error }
            var error = error
            let what = error.blame == .data ? "the data cannot be used" : "an output that is there cannot be used"
            (error.message, error.hint) = (what, nil)
            return error
        }
        return run
    }
}
