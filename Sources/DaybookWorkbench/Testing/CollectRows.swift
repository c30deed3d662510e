/// Keeps all rows of the stages of which a test expects some, where the outputs of a job would stand.
struct CollectRows: Sink, SinkOperator {
    static let takesSeveral = true

    let collection: RowCollection

    var target: SinkTarget { SinkTarget(nil) }

    func bind(_ inputs: SinkInputs) -> SinkBinding { SinkBinding(self) }

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

/// An output of a job as a test runs it: checks its columns and its rows, passes them on, and writes nothing.
struct OutputCheck: TransformStage {
    private let sink: any Sink

    init(_ sink: any Sink) { self.sink = sink }

    init(reading options: inout OptionReader) { preconditionFailure("an output check is made of an output") }

    static let description = StageDescription(name: "check output", summary: "Check an output.", examples: [])

    func schema(after input: Schema) throws(DaybookError) -> Schema {
        _ = try output(for: input)
        return input
    }

    /// Nil for an output of several stages, since the rows of each come alone.
    private func output(for input: Schema) throws(DaybookError) -> (any SinkOperator)? {
        if type(of: sink).takesSeveral { return nil }
        return try sink.bind(SinkInputs([SinkInput(id: "", schema: input)])).output
    }

    func process(_ batch: Batch, reporting findings: inout Findings) throws(DaybookError) -> Batch {
        _ = try output(for: batch.schema)?.piece(of: batch, from: 0, reporting: &findings)
        return batch
    }
}
