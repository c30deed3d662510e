import DaybookBytes

/// What a run is told beside its job.
public struct RunSettings: Sendable {
    /// How far a run has come, in bytes of its inputs as they lie on the disk: compressed ones where they are compressed.
    public struct Progress: Sendable {
        public var stage: String
        public var bytes: Int
        /// How many bytes all inputs have; nil where nobody can tell.
        public var total: Int?

        package init(stage: String, bytes: Int, total: Int?) {
            (self.stage, self.bytes, self.total) = (stage, bytes, total)
        }
    }

    /// Workers; at least 1.
    public var threads: Int
    /// About how many bytes a worker takes at a time.
    public var morselSize: Int
    /// How many findings are put into words for each rule, and for all of a stage that no rule asked for; all are counted.
    public var maxFindings: Int
    /// Of which inputs and outputs the SHA-256 is taken.
    public var sha256: SHA256Policy
    /// The findings that are known; nil for a run without a baseline.
    public var baseline: BaselineUse?
    /// The directory that the job's paths start from.
    public var directory: String
    /// Where the inputs are.
    package var origin: any InputOrigin = LocalFiles()
    public var state: StateDirectory
    /// The job file, which no output may replace: `-` for standard input, nil when there is none.
    public var jobFile: String?
    /// Asked often; true stops the run.
    public var isCancelled: @Sendable () -> Bool
    /// Told often, by one thread at a time; nil where nobody looks.
    public var onProgress: (@Sendable (Progress) -> Void)?
    /// Told in words when the run waits for another program.
    public var onWait: @Sendable (String) -> Void = { _ in }

    /// The files that imports with 'new_only' leave out; nil where they read all.
    public var taken: TakenFiles?

    /// Up to where earlier runs have read stores, by the stage that reads them; empty where they begin anew.
    public var marks: [String: StageMark] = [:]

    /// Whether an earlier run of this very text of the job passed; asked where the data lack a column that the job may misspell.
    public var hasPassed: @Sendable () -> Bool = { false }

    /// The files that are read, of those that paths stand for; nil for all.
    public var chosen: ChosenFiles?

    /// Keeps what the run comes to; nil where there is no history.
    public var recorder: (any RunRecorder)?

    /// About how many bytes of rows that wait are kept in memory, for each stage that makes rows wait; more go to disk.
    package var heldBytes = 64 << 20
    /// Whether what is odd about the job, as `validate` tells it, is told among the findings.
    package var tellsOfJob = false
    /// Whether the run ends as soon as the data lack something, though rules could still be judged.
    package var stopsAtFaults = false
    /// Whether columns are learnt from all records, and not from the first ones of each text.
    package var learnsAll = false
    /// About how many bytes a fold may remember in memory; more goes to disk.
    package var foldBytes = 24 << 20

    public static let standardMorselSize = 1 << 20
    public static let standardMaxFindings = 1000

    public init(
        threads: Int,
        directory: String,
        state: StateDirectory,
        jobFile: String? = nil,
        morselSize: Int = RunSettings.standardMorselSize,
        maxFindings: Int = RunSettings.standardMaxFindings,
        sha256: SHA256Policy = .auto,
        isCancelled: @escaping @Sendable () -> Bool = { false },
        onProgress: (@Sendable (Progress) -> Void)? = nil
    ) {
        self.threads = max(1, threads)
        self.directory = directory
        self.state = state
        self.jobFile = jobFile
        self.morselSize = morselSize
        self.maxFindings = max(0, maxFindings)
        self.sha256 = sha256
        self.isCancelled = isCancelled
        self.onProgress = onProgress
    }
}
