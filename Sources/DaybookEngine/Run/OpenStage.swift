/// What one stage has open while a run goes on: its outputs, and rows that wait. Touched by the committing thread only.
final class OpenStage {
    var writer: (any SinkWriter)?
    var output: OutputSink?
    var rejectsOutput: OutputSink?
    /// The rows that a check may yet reject, where another stage waits for them.
    var held: RowBuffer?
    /// The rows of inputs that wait until others have come, by input.
    var waiting: [Int: RowBuffer] = [:]
    /// The rows of the stage's build sides, by number.
    var sides: [Int: BuildSideBuffer] = [:]
}

/// An output of the transaction as the stages see it.
final class OutputSink: ByteOutput, @unchecked Sendable {
    let file: OutputFile

    init(_ file: OutputFile) { self.file = file }

    func write(_ bytes: Bytes, _ part: Range<Int>) throws(DaybookError) { try file.append(bytes, part) }
}
