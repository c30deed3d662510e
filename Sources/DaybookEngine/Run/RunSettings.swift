import DaybookBytes

/// Settings of a run beside its job.
public struct RunSettings: Sendable {
    /// Progress of a run, in raw bytes of its inputs: compressed bytes for compressed files.
    public struct Progress: Sendable {
        public var stage: String
        public var bytes: Int
        /// Total bytes of all inputs; nil if unknown.
        public var total: Int?

        package init(stage: String, bytes: Int, total: Int?) {
            (self.stage, self.bytes, self.total) = (stage, bytes, total)
        }
    }

    /// Number of workers; at least 1.
    public var threads: Int
    /// Approximate number of bytes per morsel.
    public var morselSize: Int
    /// Limit of messages per rule, and for all findings of a stage without a rule; all findings are counted.
    public var maxFindings: Int
    /// Policy for the SHA-256 of inputs and outputs.
    public var sha256: SHA256Policy
    /// Use of the baseline; nil for a run without a baseline.
    public var baseline: BaselineUse?
    /// Base directory of the job's paths.
    public var directory: String
    /// Origin of the inputs.
    package var origin: any InputOrigin = LocalFiles()
    public var state: StateDirectory
    /// The job file, which no output may replace: `-` for standard input, nil without a job file.
    public var jobFile: String?
    /// Called often; true stops the run.
    public var isCancelled: @Sendable () -> Bool
    /// Called often, by one thread at a time; nil without a progress display.
    public var onProgress: (@Sendable (Progress) -> Void)?
    /// Called with a message when the run waits for another program.
    public var onWait: @Sendable (String) -> Void = { _ in }

    /// Files that imports with 'new_only' leave out; nil if they read all.
    package var ingested: (any IngestedInputs)?

    /// Incremental state: the marks that earlier runs have reached in stores, by stage; empty for a new start.
    public var positions: [String: StagePosition] = [:]

    /// Whether an earlier run of the same job text passed; called if the data lack a column that the job may misspell.
    public var hasPassed: @Sendable () -> Bool = { false }

    /// Selected files among the files that the paths match; nil for all.
    public var chosen: ChosenFiles?

    /// The days to make anew: imports that name days read their files, new or not, and no others. Nil for what is new.
    public var redo: RedoneDays?
    /// Whether there may be no file of them, as in a backfill over Sundays.
    public var mayRedoNothing = false

    /// Recorder of the run's result; nil without a history.
    public var recorder: (any RunRecorder)?

    /// Approximate memory limit of buffered rows, in bytes, for each stage that buffers rows; further rows go to disk.
    package var heldBytes = 64 << 20
    /// Faults of the data that were found before the run: its rules are judged, and nothing is written.
    package var faults: [DaybookError] = []
    /// The warnings about the job that are reported beside findings.
    package var jobWarnings: [JobWarning] = []
    /// Whether the run ends at the first missing column, even if rules could still be judged.
    package var stopsAtFaults = false
    /// Whether columns are learnt from all records rather than from the head of each text.
    package var learnsAll = false
    /// Approximate memory limit of a fold, in bytes; further data goes to disk.
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
        (self.directory, self.state, self.jobFile, self.morselSize) = (directory, state, jobFile, morselSize)
        self.maxFindings = max(0, maxFindings)
        (self.sha256, self.isCancelled, self.onProgress) = (sha256, isCancelled, onProgress)
    }
}

/// Days that a run makes anew: all of a range, or some of it.
public struct RedoneDays: Sendable {
    public let range: ClosedRange<CalendarDay>
    private let some: Set<CalendarDay>?

    public init(_ range: ClosedRange<CalendarDay>) { (self.range, some) = (range, nil) }

    /// Nil for no days.
    public init?(_ days: Set<CalendarDay>) {
        guard let first = days.min(), let last = days.max() else { return nil }
        (range, some) = (first...last, days)
    }

    func contains(_ day: CalendarDay) -> Bool { some?.contains(day) ?? range.contains(day) }
}
