import DaybookCore
import Synchronization

/// What the commits of a run have gathered for one stage. Touched by the committing thread only, but for `sampled`.
final class StageState: @unchecked Sendable {
    let stage: PlannedStage
    var line: LedgerLine
    /// Whether a batch did not balance in itself, which the sums over all batches could hide.
    var hasUnbalancedBatch = false
    var tallies: [FindingReport.Tally] = []
    var samples: [RenderedFinding] = []
    var gatherer: (any FoldGatherer)?
    var assembler: (any SinkAssembler)?
    var output: OutputSink?
    var rejectsOutput: OutputSink?
    /// How many findings are in `samples`; workers look at it to spare themselves words that nobody will read.
    let sampled = Atomic<Int>(0)

    /// The findings of a stage that are kept in words; the rest are only counted.
    static let sampleLimit = 1000

    init(_ stage: PlannedStage) {
        self.stage = stage
        line = LedgerLine(id: stage.id, stage: stage.typeName)
    }

    func add(_ report: FindingReport) {
        for tally in report.tallies {
            let same = tallies.firstIndex {
                $0.code == tally.code && $0.column == tally.column && $0.severity == tally.severity
            }
            if let same { tallies[same].count += tally.count } else { tallies.append(tally) }
        }
        samples += report.samples.prefix(StageState.sampleLimit - samples.count)
        sampled.store(samples.count, ordering: .relaxed)
    }
}

/// An output of the transaction as the stages see it.
final class OutputSink: ByteOutput, @unchecked Sendable {
    let file: OutputFile

    init(_ file: OutputFile) { self.file = file }

    func write(_ bytes: UnsafeBufferPointer<UInt8>) throws(DaybookError) {
        try file.append(bytes)
    }
}
