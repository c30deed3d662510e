/// What one stage has open while a run goes on: its outputs, and rows that wait. Touched by the committing thread only.
final class OpenStage {
    var writer: (any SinkWriter)?
    var output: (any RunOutput)?
    var rejectsOutput: OutputSink?
    /// The rows that a check may yet reject, where another stage waits for them.
    var held: RowBuffer?
    /// The rows of inputs that wait until others have come, by input.
    var waiting: [Int: RowBuffer] = [:]
    /// The rows of the stage's build sides, by number.
    var sides: [Int: BatchBuffer] = [:]
}

extension [Int: BatchBuffer] {
    /// Keeps rows of a build side of a stage.
    mutating func append(
        _ batch: Batch,
        ofSide number: Int,
        of stage: PlannedStage,
        _ scratch: any Scratch
    ) throws(DaybookError) {
        guard batch.count > 0 else { return }
        let empty = BatchBuffer(memoryLimit: stage.binding?.sides[number].memory ?? 0)
        try self[number, default: empty].append(batch, scratch)
    }
}

/// What an output stage writes to.
protocol RunOutput: ByteOutput {
    var files: [OutputFile] { get }
    /// How many rows others have written.
    var adoptedRows: Int { get }

    /// Called when all rows were written.
    func end() throws(DaybookError)
}

/// Where nothing is written.
final class NoOutput: RunOutput {
    var files: [OutputFile] { [] }
    var adoptedRows: Int { 0 }

    func end() {}

    func write(_ bytes: Bytes, _ part: Range<Int>) {}
}

/// An output of the transaction as the stages see it.
final class OutputSink: RunOutput, @unchecked Sendable {
    let file: OutputFile

    var files: [OutputFile] { [file] }
    var adoptedRows: Int { 0 }

    func end() {}

    init(_ file: OutputFile) { self.file = file }

    func write(_ bytes: Bytes, _ part: Range<Int>) throws(DaybookError) { try file.append(bytes, part) }
}
