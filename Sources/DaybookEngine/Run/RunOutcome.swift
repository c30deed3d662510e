import DaybookBytes
import Dispatch

/// How a run ended and what it can tell.
public struct RunOutcome: Sendable {
    /// A file that was read, or the address of a service.
    public struct Input: Sendable {
        public var path: String
        public var bytes: Int
        /// Of the bytes of a file, or of the state of a service. Nil when it was not read to its end.
        public var digest: FileDigest?
        /// What the file and its parts were found to be, where that had to be found out.
        public var recognised: [String] = []
        /// In which its text was read.
        public var encoding = TextEncoding.utf8
        /// The state of the service that it stands for; nil for a file.
        public var version: InputVersion?

        package init(path: String, bytes: Int, digest: FileDigest? = nil, recognised: [String] = []) {
            self.path = path
            self.bytes = bytes
            self.digest = digest
            self.recognised = recognised
        }
    }

    /// What became of the files of an import that need not read all of them.
    public struct Intake: Sendable {
        /// The id of the import.
        public var stage: String
        /// Whether it leaves out files that an earlier run has taken.
        public var isNewOnly: Bool
        /// The paths, as the job writes them, that stand for no file and need not.
        public var absent: [String]
        /// How many files there are, and how many of them an earlier run has taken.
        public var files: Int
        public var taken: Int
        /// What came of asking a store for new rows; nil where all are read.
        public var since: SinceReading?
    }

    /// The directory that a run has published.
    public struct Published: Sendable {
        /// The link that readers know, as the job writes it.
        public var link: String
        /// The directory to which it leads now, seen from the same place.
        public var directory: String
    }

    public struct Output: Sendable {
        public var path: String
        /// The path of the output that it is a part of; nil for one that is whole.
        public var whole: String?
        public var bytes: Int
        public var digest: FileDigest
    }

    /// A service that rows went to.
    public struct Service: Sendable {
        public var address: String
        public var rows: Int
    }

    /// One gate: what it allowed and what it met.
    public struct Gate: Sendable {
        /// The id of the stage, or nil for the job's own gate.
        public var stage: String?
        /// For the job's own gate, the import on whose rows it is judged; nil for all rows together.
        public var source: String?
        public var allowed: Allowance
        public var rejected: Int
        /// How many of the rejects the baseline knows; they do not count.
        public var known = 0
        public var total: Int
        /// Whether several branches rejected rows, which may be the same ones: each counts in every branch.
        public var countsBranches = false
        /// Whether every row was rejected, which no allowance lets pass but a stage's own of all.
        public var rejectsAll = false
        public var passed: Bool { !rejectsAll && allowed.permits(rejected - known, of: total) }
    }

    public struct Tally: Sendable {
        public var stage: String
        public var code: String
        public var severity: Finding.Severity
        public var column: String?
        /// The id of the rule that asked; nil for what no rule asked for.
        public var rule: String?
        public var count: Int
        /// How many of them the baseline knows, which are not told.
        public var known = 0
        /// How the job may read such values, so that no row is lost; nil where only the row can be mended.
        public var mend: String?
    }

    public var ledger: [LedgerLine] = []
    /// Which stages of the ledger read which.
    public var links: [RunSummary.Link] = []
    public var gates: [Gate] = []
    /// How every rule of the job ended, in its order.
    public var rules: [RuleOutcome] = []
    /// The measures that the outputs show, with the ids of their stages.
    public var measures: [(stage: String, measure: SinkMeasure)] = []
    public var tallies: [Tally] = []
    /// Findings in words, as many of each rule and stage as were asked for; `tallies` count them all.
    public var findings: [RenderedFinding] = []
    /// What a baseline knows and this run did not find.
    public var fixed: [Baseline.Entry] = []
    /// The findings of this run as a new baseline, where that was asked for.
    public var baseline: Baseline?
    public var inputs: [Input] = []
    /// What imports have left out, or looked for in vain.
    public var intakes: [Intake] = []
    /// What was put in place; empty when the run failed before.
    public var outputs: [Output] = []
    /// The services that have committed.
    public var services: [Service] = []
    /// What was published, for a job that says so.
    public var published: Published?
    /// What is true of the files of the run, however it ended.
    public var outputState = OutputState.old
    /// The streams that got rows which nobody can take back.
    public var fedStreams: [String] = []
    /// The name of the run; nil where it did not begin.
    public var run: RunID?
    /// Whether the recorder was handed the entry of the run, in the commit of its outputs.
    public var isRecorded = false
    /// What stopped the run, or what the data lack.
    public var errors: [DaybookError] = []
    /// Whether the run came to its end although the data lack what the job names: what could run did, and every rule was
    /// judged that could be.
    public var isPartial = false
    /// The ids of the stages that did not run for that.
    public var idleStages: [String] = []

    public init(errors: [DaybookError] = []) { self.errors = errors }

    /// A run that was refused before it began.
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

    /// Whether it came to its end, so that rows are counted and rules are judged.
    public var hasEnded: Bool { errors.isEmpty || isPartial }

    /// Notes of every rule of the plan that nobody can say how it ended.
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
    /// The inputs of a plan as far as they can be found without reading them, for a run that failed early.
    public static func inputs(of plan: Plan, in directory: String) -> [Input] {
        plan.inputPaths(in: directory).map { input in
            Input(path: input.name, bytes: input.size ?? 0, digest: nil)
        }
    }
}

extension Plan {
    /// The files that the sources would read; those that cannot be found are left out.
    package func inputPaths(in directory: String) -> [InputPath] {
        var found: [InputPath] = []
        for stage in stages {
            guard case .source(let source) = stage.role else { continue }
            for path in source.paths { found += (try? PathPattern(path.text, from: directory).expand()) ?? [] }
        }
        return found
    }

    /// The paths of all outputs and reject files as the job writes them.
    package var outputPaths: [PathText] { rejectPaths + sinkPaths }

    /// The paths of all reject files.
    var rejectPaths: [PathText] {
        stages.compactMap(\.policy.path) + (job.rejects?.path.map { [$0] } ?? [])
    }

    /// The paths of all other outputs.
    var sinkPaths: [PathText] {
        stages.compactMap { $0.target?.path }
    }
}

/// Measures how long something took.
struct Stopwatch {
    private let start = DispatchTime.now().uptimeNanoseconds

    /// Nanoseconds since it was made.
    var elapsed: UInt64 { DispatchTime.now().uptimeNanoseconds - start }
}

/// Points in time as reports and file names write them.
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
