/// Keeps all rows of the stages of which a test expects some, where the outputs of a job would stand.
struct CollectRows: Sink, SinkOperator {
    static let takesSeveral = true

    let collection: RowCollection

    var target: SinkTarget { SinkTarget(nil) }

    func bind(_ inputs: StageInputs) -> Binding { Binding(inputs.schema, .sink(self)) }

    func piece(of batch: Batch, from _: Int, reporting findings: inout Findings) -> Batch { batch }

    func writer(in context: SinkContext) -> Writer {
        collection.begin(context.inputs.map(\.schema))
        return Writer(collection: collection)
    }

    struct Writer: SinkWriter {
        let collection: RowCollection
        var writtenRows = 0

        mutating func begin(_ out: any ByteOutput) {}

        mutating func append(_ piece: Batch, input: Int, to out: any ByteOutput) throws(DaybookError) {
            writtenRows += piece.count
            try collection.add(piece, input)
        }

        mutating func finish(_ run: RunSummary, _ out: any ByteOutput) {}
    }
}

/// The rows that came of a test, by the stages of which they were expected. Touched by the committing thread while the
/// run lasts, and read after it.
final class RowCollection: @unchecked Sendable {
    struct Rows: Sendable {
        var schema: Schema
        var batches: [Batch] = []
    }

    /// False where the stages only run for what they find.
    var keepsRows = true
    private(set) var rows: [Rows] = []
    private var count = 0

    fileprivate func begin(_ schemas: [Schema]) { rows = schemas.map { Rows(schema: $0) } }

    fileprivate func add(_ batch: Batch, _ input: Int) throws(DaybookError) {
        guard keepsRows, batch.count > 0 else { return }
        count += batch.count
        guard count <= WrittenRows.limit else {
            throw DaybookError(
                "too-many-rows",
                "the stages of the test give more than \(WrittenRows.limit) rows",
                hint: "give it fewer rows"
            )
        }
        rows[input].batches.append(batch)
    }
}

/// An output of a job as a test runs it: checks its columns and its rows, and writes nothing.
struct OutputCheck: Sink {
    static let takesSeveral = true

    let sink: any Sink

    var target: SinkTarget { SinkTarget(nil) }

    func bind(_ inputs: StageInputs) throws(DaybookError) -> Binding {
        guard case .sink(let output) = try sink.bind(inputs).ready else {
            preconditionFailure("an output looks nothing up")
        }
        return Binding(inputs.schema, .sink(Operator(output: output)))
    }

    private struct Operator: SinkOperator {
        let output: any SinkOperator

        /// How many rows would be written.
        func piece(of batch: Batch, from input: Int, reporting findings: inout Findings) -> Int {
            _ = output.piece(of: batch, from: input, reporting: &findings)
            return findings.keptRows(of: batch.count)?.count ?? batch.count
        }

        func writer(in context: SinkContext) -> Writer { Writer() }
    }

    private struct Writer: SinkWriter {
        var writtenRows = 0

        mutating func begin(_ out: any ByteOutput) {}
        mutating func append(_ piece: Int, input: Int, to out: any ByteOutput) { writtenRows += piece }
        mutating func finish(_ run: RunSummary, _ out: any ByteOutput) {}
    }
}
