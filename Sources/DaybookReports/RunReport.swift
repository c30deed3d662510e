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
        for stage in job.stages {
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

    /// Where the rejects of a stage are written, as a person at the command line would name it; nil when nowhere.
    public func rejectsFile(of stage: String) -> String? {
        rejectPaths[stage].map { $0 == "-" ? "standard output" : shown($0) }
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
        guard let first = outcome.rules.first?.stage else { return nil }
        let before = outcome.ledger.prefix { $0.id != first }.reduce(0) { $0 + $1.rejected }
        guard before > 0 else { return nil }
        return
            "\(Spoken.count(before, "row")) \(before == 1 ? "was" : "were") rejected before, and never came to the rules"
    }

    /// A path of the job as seen from where the command was started, fit to be shown.
    public func shown(_ path: String) -> String {
        mask.masking(FilePath.shown(path, from: directory))
    }
}
