import DaybookBytes
import Dispatch

/// Result of a run, and its report.
public struct RunOutcome: Sendable {
    /// A file that was read, or the address of a service.
    public struct Input: Sendable {
        public var path: String
        public var bytes: Int
        /// Digest of a file's bytes or of a service's state. Nil for an incomplete read.
        public var digest: FileDigest?
        /// Detected types of the file and its parts, if detection was necessary.
        public var recognised: [String]
        /// Encoding of the text.
        public var encoding: TextEncoding
        /// State of the service; nil for a file.
        public var version: InputVersion?
        /// The days of its rows, for an import that reads them from a column.
        package var days: DaysOfFile?

        package init(
            path: String,
            bytes: Int,
            digest: FileDigest? = nil,
            recognised: [String] = [],
            encoding: TextEncoding = .utf8,
            version: InputVersion? = nil
        ) {
            (self.path, self.bytes, self.digest, self.recognised) = (path, bytes, digest, recognised)
            (self.encoding, self.version) = (encoding, version)
        }
    }

    /// Intake of an import that need not read all of its files.
    public struct Intake: Sendable {
        /// Id of the import.
        public var stage: String
        /// Whether the import leaves out files that an earlier run imported.
        public var isNewOnly: Bool
        /// Paths, as the job writes them, that match no file and need not match any.
        public var absent: [String]
        /// Number of files, and number of files among them that an earlier run imported.
        public var files: Int
        public var taken: Int
        /// Number of files left out for what they are: copies of others, or other bytes under a known name.
        package var leftOut = 0
        /// The days whose files it read, in order; empty if its files belong to none.
        public var days: [CalendarDay] = []
        /// The files that it read whose names say their day, with that.
        public var dayOfFile: [(name: String, day: CalendarDay)] = []
        /// What came again and was left out, in words.
        public var remarks: [String] = []
        /// Files left out that have the bytes of another.
        package var copies: [Input] = []
        /// Why files were read that need not be, by name.
        public var reasons: [(name: String, reason: String)] = []
        /// Result of a request for new rows from a store; nil if all rows are read.
        public var since: SinceReading?
    }

    /// Directory that a run has published.
    public struct Published: Sendable {
        /// Link for readers, as the job writes it.
        public var link: String
        /// Directory that the link leads to now, relative to the same base.
        public var directory: String
    }

    /// Directory that a run has copied, with its own outputs in it.
    public struct Copied: Sendable {
        public var from: String
        public var to: String
        /// Number of copied files, without those that the run wrote.
        public var files: Int
        public var bytes: Int

        init(_ container: Container, files: Int, bytes: Int) {
            (from, to, self.files, self.bytes) = (container.from.text, container.place.text, files, bytes)
        }
    }

    public struct Output: Sendable {
        public var path: String
        /// Path of the output in parts; nil for a whole output.
        public var whole: String?
        public var bytes: Int
        public var digest: FileDigest
        /// Groups of rows that the run wrote and replaced; nil for outputs that keep no groups apart.
        public var groups: SinkGroups?
    }

    /// Service that received rows.
    public struct Service: Sendable {
        public var address: String
        public var rows: Int
    }

    /// One gate: its allowance and the actual counts.
    public struct Gate: Sendable {
        /// Id of the stage; nil for the job's own gate.
        public var stage: String?
        /// For the job's own gate, the stage that read or made the rows that it judges; nil for all rows together.
        public var source: String?
        public var allowed: Allowance
        public var rejected: Int
        /// Number of rejects in the baseline; they do not count.
        public var known = 0
        public var total: Int
        /// Whether several branches rejected rows, possibly the same ones: each counts in every branch.
        public var countsBranches = false
        /// Whether every row was rejected. Only a stage's own allowance of all rows permits that.
        public var rejectsAll = false
        public var passed: Bool { !rejectsAll && allowed.permits(rejected - known, of: total) }
    }

    public struct Tally: Sendable {
        public var stage: String
        public var code: String
        public var severity: Finding.Severity
        public var column: String?
        /// Id of the rule; nil for findings without a rule.
        public var rule: String?
        public var count: Int
        /// Number of these in the baseline, which are not reported.
        public var known = 0
        /// Option by which the job can read such values without losing rows; nil if only the data can be corrected.
        public var mend: String?
    }

    public var ledger: [LedgerLine] = []
    /// Links between the stages of the ledger: readers and their inputs.
    public var links: [RunSummary.Link] = []
    public var gates: [Gate] = []
    /// Results of all rules, in the order of the job.
    public var rules: [RuleOutcome] = []
    /// Measures that the outputs show, with the ids of their stages.
    public var measures: [(stage: String, measure: SinkMeasure)] = []
    /// What mails show of outputs that are pages.
    public var pages: [SinkPage] = []
    public var tallies: [Tally] = []
    /// Findings with messages, within the limits per rule and stage; `tallies` count all findings.
    public var findings: [RenderedFinding] = []
    /// Baseline entries that this run did not find.
    public var fixed: [Baseline.Entry] = []
    /// Findings of this run as a new baseline, if requested.
    public var baseline: Baseline?
    public var inputs: [Input] = []
    /// Files that imports left out or did not find.
    public var intakes: [Intake] = []
    /// Outputs that were put in place; empty for a run that failed before.
    public var outputs: [Output] = []
    /// Services that have committed.
    public var services: [Service] = []
    /// Directories that were copied.
    public var copied: [Copied] = []
    /// Published directory, for a job that publishes.
    public var published: Published?
    /// State of the files of the run, for every ending.
    public var outputState = OutputState.old
    /// Streams that received rows, which cannot be withdrawn.
    public var fedStreams: [String] = []
    /// Name of the run; nil if it did not begin.
    public var run: RunID?
    /// Whether the recorder received the entry of the run, in the commit of its outputs.
    public var isRecorded = false
    /// Errors that stopped the run, and faults of the data.
    public var errors: [DaybookError] = []
    /// Whether the run ended although the data lack columns of the job: everything else ran, and every other rule was
    /// judged.
    public var isPartial = false
    /// Ids of the stages that therefore did not run.
    public var idleStages: [String] = []
    /// Outputs that the run left as they were, with the reasons.
    public var keptOutputs: [(id: String, reason: String)] = []
    /// The runs with which rules and measures were compared; nil without any.
    public var earlierRuns: EarlierRuns?

    public init(errors: [DaybookError] = []) { self.errors = errors }

    /// Outcome of a run that was refused before it began.
    public init(_ errors: [DaybookError], of plan: Plan, in directory: String) {
        self.errors = errors
        leaveRulesUnjudged(of: plan)
        inputs = RunOutcome.inputs(of: plan, in: directory)
    }

    /// 0 done, 1 the data failed its gate, 2 the job is wrong, 3 the machine failed.
    public var exitCode: Int32 {
        if errors.contains(where: { $0.blame == .machine }) { return 3 }
        if errors.contains(where: { $0.blame == .job }) { return 2 }
        if errors.contains(where: { $0.blame == .data }) || !passesGates { return 1 }
        return 0
    }

    /// Whether the run reached its end, so that rows are counted and rules are judged.
    public var hasEnded: Bool { errors.isEmpty || isPartial }

    /// Marks every rule of the plan as not judged.
    mutating func leaveRulesUnjudged(of plan: Plan) {
        rules = plan.stages.flatMap { stage in
            stage.rules.enumerated().map { number, rule in
                var outcome = RuleOutcome(stage: stage.id, rule: rule, rows: 0, failing: 0)
                outcome.unjudged = stage.unjudged[number] ?? "the run did not come to its end"
                return outcome
            }
        }
    }

    /// Whether every gate passed and no rule failed.
    package var passesGates: Bool { gates.allSatisfy(\.passed) && rules.allSatisfy { $0.verdict != .failed } }
}

extension RunOutcome {
    /// Inputs of a plan that can be found without reading them, for a run that failed early.
    public static func inputs(of plan: Plan, in directory: String) -> [Input] {
        plan.inputPaths(in: directory).map { Input(path: $0.name, bytes: $0.size ?? 0) }
    }
}

extension Plan {
    /// Files of the sources, without the ones that cannot be found.
    package func inputPaths(in directory: String) -> [InputPath] {
        stages.compactMap(\.source).flatMap(\.paths).flatMap { path in
            (try? PathPattern(path.text, from: directory).expand()) ?? []
        }
    }

    /// Paths of all outputs and reject files, as the job writes them.
    package var outputPaths: [PathText] { rejectPaths + sinkPaths }

    /// Paths of all reject files.
    var rejectPaths: [PathText] { stages.compactMap(\.policy.path) + [job.rejects?.path].compactMap(\.self) }

    /// Paths of all other outputs.
    var sinkPaths: [PathText] { stages.compactMap { $0.target?.path } }
}

/// Measures elapsed time.
struct Stopwatch {
    private let start = DispatchTime.now().uptimeNanoseconds

    /// Nanoseconds since creation.
    var elapsed: UInt64 { DispatchTime.now().uptimeNanoseconds - start }
}

/// Points in time in the form of reports and file names.
package enum Instant {
    /// `2026-11-21T03:00:00Z`, from microseconds since 1970-01-01T00:00:00Z.
    package static func text(_ microseconds: Int64) -> String {
        let bytes = Bytes(capacity: ISOText.maximumLength)
        bytes.count = ISOText.write(instant: microseconds, to: bytes.mutableBase)
        return bytes.text(0..<bytes.count)
    }

    /// The current second.
    static var now: String { text(Int64(time(nil)) * 1_000_000) }
}
