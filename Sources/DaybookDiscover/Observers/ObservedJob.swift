import DaybookBytes
import DaybookEngine
import Foundation
import Synchronization

/// Runs a job with an observer as its only output, which writes nothing.
package struct ObservedJob {
    let table: StageTable
    /// The directory that the job's paths start from.
    private let directory: String
    private let threads: Int
    private let isCancelled: @Sendable () -> Bool
    package var morselSize = RunSettings.standardMorselSize
    var onProgress: (@Sendable (RunSettings.Progress) -> Void)?

    package init(
        table: StageTable,
        directory: String,
        threads: Int = 2,
        isCancelled: @escaping @Sendable () -> Bool
    ) {
        (self.table, self.directory, self.threads, self.isCancelled) = (table, directory, threads, isCancelled)
    }

    /// The result of an observed run.
    package struct Result<Seen> {
        package var seen: Seen
        /// The columns of the observed rows.
        package var schema: Schema
        /// The outcome of the run; an early end by the observer is no error.
        package var outcome: RunOutcome
        /// Whether the run ended by itself, so that there were no further rows.
        package var isWhole: Bool
    }

    /// Runs the job, which has no outputs, and shows the rows of `input`, by default of the last stage, to the observer.
    package func run<Observer: RowObserver>(
        _ job: Job,
        asOf: CalendarDay,
        observing input: StageReference? = nil,
        by observer: Observer
    ) throws(DaybookErrors) -> Result<Observer.Partial> {
        var job = job
        guard let last = job.stages.last else { preconditionFailure("a job without stages is observed") }
        // No id that a job can write holds a blank.
        let id = "the observer"
        let node = JobStage(
            type: "observe rows",
            typePlace: last.typePlace,
            options: [],
            optionsPlace: last.optionsPlace,
            id: id,
            idPlace: nil,
            from: input.map { [$0] } ?? [],
            rejects: nil
        )
        job.stages.append(node)
        let observation = Observation(observer)
        let plan = try Plan(job, table: table, asOf: asOf, nodes: [id: .sink(ObserveRows(observation: observation))])
        let place = ScratchPlace()
        do { try place.make() } catch { throw DaybookErrors(error) }
        defer { place.remove() }
        var settings = RunSettings(
            threads: threads,
            directory: directory,
            state: StateDirectory(place.path),
            morselSize: morselSize,
            isCancelled: { [isCancelled] in observation.isEnough.load(ordering: .relaxed) || isCancelled() },
            onProgress: onProgress
        )
        settings.stopsAtFaults = true
        var outcome = Runner(plan, settings).run()
        let isEnough = observation.isEnough.load(ordering: .relaxed)
        if isEnough { outcome.errors.removeAll { $0.code == DaybookError.interrupted.code } }
        return Result(seen: observation.seen, schema: observation.schema, outcome: outcome, isWhole: !isEnough)
    }
}

/// Observes the rows of a stage, in the place of the outputs of a job.
package protocol RowObserver: Aggregator where Rows == Batch, Report == Findings {
    /// The partial of no rows with these columns.
    func nothing(_ schema: Schema) -> Partial

    /// Whether enough rows were seen. The run is then cancelled, and merges no further rows.
    func isEnough(_ partial: Partial) -> Bool
}

extension RowObserver {
    package func isEnough(_ partial: Partial) -> Bool { false }
}

/// The state of an observer. Used by the committing thread during the run, and read after it.
final class Observation<Observer: RowObserver>: @unchecked Sendable {
    let observer: Observer
    fileprivate(set) var schema = Schema()
    fileprivate(set) var seen: Observer.Partial
    /// Read by all threads of the run.
    let isEnough = Atomic(false)

    init(_ observer: Observer) {
        self.observer = observer
        seen = observer.nothing(Schema())
    }
}

/// The sink of an observed job.
struct ObserveRows<Observer: RowObserver>: Sink, SinkOperator {
    let observation: Observation<Observer>

    var target: SinkTarget { SinkTarget(nil) }

    func bind(_ inputs: StageInputs) -> Binding { Binding(inputs.schema, .sink(self)) }

    struct Piece: Sendable {
        var rows: Int
        var partial: Result<Observer.Partial, DaybookError>
    }

    func piece(of batch: Batch, from _: Int, reporting findings: inout Findings) -> Piece {
        let partial = Result { () throws(DaybookError) in
            try observation.observer.partial(of: batch, reporting: &findings)
        }
        return Piece(rows: batch.count, partial: partial)
    }

    func writer(in context: SinkContext) -> Writer {
        observation.schema = context.schema
        observation.seen = observation.observer.nothing(observation.schema)
        return Writer(observation: observation)
    }

    struct Writer: SinkWriter {
        let observation: Observation<Observer>
        var writtenRows = 0

        mutating func begin(_ out: any ByteOutput) {}

        mutating func append(_ piece: Piece, input: Int, to out: any ByteOutput) throws(DaybookError) {
            writtenRows += piece.rows
            guard !observation.isEnough.load(ordering: .relaxed) else { return }
            let scratch = ScratchDirectory(memoryLimit: .max, threads: 1)
            try observation.observer.merge(try piece.partial.get(), into: &observation.seen, scratch: scratch)
            if observation.observer.isEnough(observation.seen) { observation.isEnough.store(true, ordering: .relaxed) }
        }

        mutating func finish(_ run: RunSummary, _ out: any ByteOutput) {}
    }
}
