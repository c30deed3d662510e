import DaybookEngine
import Synchronization

/// What observes the rows that a stage gives, in the place of the outputs of a job.
package protocol RowObserver: Aggregator where Rows == Batch, Report == Findings {
    /// What no rows with these columns come to.
    func nothing(_ schema: Schema) -> Partial

    /// Whether enough was seen. No further rows are merged, and the run is cancelled.
    func isEnough(_ partial: Partial) -> Bool
}

extension RowObserver {
    package func isEnough(_ partial: Partial) -> Bool { false }
}

/// What an observer has seen so far. Touched by the committing thread while the run lasts, and read after it.
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

/// Gathers what an observer makes of the rows, where the outputs of a job would stand.
struct ObserveRows<Observer: RowObserver>: Sink, SinkOperator {
    let observation: Observation<Observer>

    var target: SinkTarget { SinkTarget(nil) }

    func bind(_ inputs: StageInputs) -> Binding { Binding(inputs.schema, .sink(self)) }

    struct Piece: Sendable {
        var rows: Int
        var partial: Result<Observer.Partial, DaybookError>
    }

    func piece(of batch: Batch, from _: Int, reporting findings: inout Findings) -> Piece {
        Piece(
            rows: batch.count,
            partial: Result { () throws(DaybookError) in
                try observation.observer.partial(of: batch, reporting: &findings)
            }
        )
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
