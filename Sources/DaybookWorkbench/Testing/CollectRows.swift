/// The sink of a test: keeps all rows of the stages of which some are expected.
///
/// No job can name it. It stands where the outputs of a job would, so the engine runs as it always does.
struct CollectRows: SinkStage {
    let output = PathText("-")
    private let collection: RowCollection

    init(_ collection: RowCollection) { self.collection = collection }

    init(reading options: inout OptionReader) { preconditionFailure("rows are collected for a program") }

    static let takesSeveral = true
    static let description = StageDescription(name: "collect rows", summary: "Keep all rows.", examples: [])

    func piece(of batch: Batch, reporting findings: inout Findings) -> Batch { batch }

    func writer(for inputs: [SinkInput]) -> Writer {
        collection.begin(inputs.map(\.schema))
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
    let sink: any SinkStage

    init(_ sink: any SinkStage) { self.sink = sink }

    init(reading options: inout OptionReader) { preconditionFailure("an output check is made of an output") }

    static let description = StageDescription(name: "check output", summary: "Check an output.", examples: [])

    func schema(after input: Schema) throws(DaybookError) -> Schema {
        try sink.check(input)
        return input
    }

    func process(_ batch: Batch, reporting findings: inout Findings) -> Batch {
        _ = sink.piece(of: batch, reporting: &findings)
        return batch
    }
}
