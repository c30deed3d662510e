import DaybookCore
import Synchronization

/// What the commits of a run have gathered for one stage. Touched by the committing thread only, but for
/// `roomForFindings`.
package final class StageState: @unchecked Sendable {
    package let stage: PlannedStage
    package var line: LedgerLine
    /// Whether a batch did not balance in itself, which the sums over all batches could hide.
    var hasUnbalancedBatch = false
    package var tallies: [FindingReport.Tally] = []
    package var samples: [FindingReport.Sample] = []
    /// How many rows were held against each rule of the stage.
    package var looks: [Int]
    /// How many rows were rejected, by the source that they were read from; nil for rows that a stage made.
    private(set) var rejectedBySource: [Int?: Int] = [:]
    /// What rules about all rows together have to say, by number.
    var judgements: [Int: String] = [:]
    /// What a fold knows of all rows so far; nil when none came.
    package var gathered: (any PartialResult)?
    /// The rows that a check may yet reject, where another stage waits for them.
    package var held: HeldRows?
    /// The rows of inputs that wait until others have come, by input.
    package var waiting: [Int: HeldRows] = [:]
    /// The rows of the stage's sides, by number.
    package var sides: [Int: GatheredSide] = [:]
    package var writer: (any SinkWriter)?
    package var output: OutputSink?
    var rejectsOutput: OutputSink?
    /// How many findings may still be put into words, by rule; what no rule asked for comes first. Workers look at it to
    /// spare themselves words that nobody will read.
    private let room: Mutex<[Int]>

    /// Tells findings that are known from new ones; nil for a run without a baseline.
    private let baseline: BaselineLedger?
    /// How many findings of each rule the baseline knows; what no rule asked for comes first.
    package private(set) var known: [Int]
    /// The rules about all rows together whose judgement it knows.
    private(set) var knownJudgements: Set<Int> = []
    /// How many rejected rows and records it knows.
    private(set) var knownRejects = 0
    /// The same by the name of the source.
    private(set) var knownRejectsBySource: [String?: Int] = [:]

    /// - Parameter maxFindings: how many findings are kept in words for each rule, and for all that no rule asked for.
    package init(_ stage: PlannedStage, maxFindings: Int, baseline: BaselineLedger? = nil) {
        self.stage = stage
        self.baseline = baseline
        known = [Int](repeating: 0, count: stage.rules.count + 1)
        line = LedgerLine(id: stage.id, stage: stage.typeName, isSource: stage.isSource)
        looks = [Int](repeating: 0, count: stage.rules.count)
        room = Mutex([Int](repeating: maxFindings, count: stage.rules.count + 1))
    }

    /// How many findings may still be put into words, by rule; what no rule asked for comes first.
    var roomForFindings: [Int] {
        baseline == nil ? room.withLock { $0 } : [Int](repeating: .max, count: stage.rules.count + 1)
    }

    /// - Parameter recordsBefore: what the number of a record has to be raised by, for it was counted in its morsel.
    package func add(_ report: FindingReport, recordsBefore: Int) {
        for tally in report.tallies {
            let same = tallies.firstIndex {
                $0.code == tally.code && $0.column == tally.column && $0.severity == tally.severity
                    && $0.rule == tally.rule
            }
            if let same { tallies[same].count += tally.count } else { tallies.append(tally) }
        }
        rejectedBySource.merge(report.rejectedBySource, uniquingKeysWith: +)
        for look in report.looks { looks[look.rule] += look.rows }
        for judgement in report.judgements { judgements[judgement.rule] = judgement.message }
        guard !report.samples.isEmpty else { return }
        room.withLock { room in
            // By place, for most may be more than there is room for, and a copy of one costs as much as its words.
            for place in report.samples.indices {
                let key = (report.samples[place].rule ?? -1) + 1
                guard baseline != nil || room[key] > 0 else { continue }
                var sample = report.samples[place]
                if baseline?.knows(sample.finding) == true {
                    known[key] += 1
                    let finding = sample.finding
                    let tally = tallies.firstIndex {
                        $0.code == finding.code && $0.column == finding.field && $0.rule == sample.rule
                    }
                    if let tally { tallies[tally].known += 1 }
                    if sample.isReject {
                        knownRejects += 1
                        knownRejectsBySource[finding.source, default: 0] += 1
                    }
                    if sample.isJudgement, let rule = sample.rule { knownJudgements.insert(rule) }
                    continue
                }
                guard room[key] > 0, sample.isTold else { continue }
                room[key] -= 1
                sample.finding.record = sample.finding.record.map { $0 + recordsBefore }
                samples.append(sample)
            }
        }
    }
}

/// An output of the transaction as the stages see it.
package final class OutputSink: ByteOutput, @unchecked Sendable {
    package let file: OutputFile

    package init(_ file: OutputFile) { self.file = file }

    package func write(_ bytes: UnsafeBufferPointer<UInt8>) throws(DaybookError) {
        try file.append(bytes)
    }
}
