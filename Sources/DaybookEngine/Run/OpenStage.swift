/// What one stage has open while a run goes on: its outputs, and rows that wait. Touched by the committing thread only.
final class OpenStage {
    var writer: (any SinkWriter)?
    var output: (any RunOutput)?
    var rejectsOutput: OutputFile?
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

/// The output of a sink.
package protocol RunOutput: ByteOutput {
    var files: [OutputFile] { get }
    /// How many rows others have written.
    var adoptedRows: Int { get }

    /// Called when all rows were written.
    func end() throws(DaybookError)
}

extension RunOutput {
    package var adoptedRows: Int { 0 }
    package func end() {}
}

/// The output of a sink that writes no file.
final class NoOutput: RunOutput {
    var files: [OutputFile] { [] }

    func write(_ bytes: Bytes, _ part: Range<Int>) {}
}

/// Rows that wait, in order: in memory up to a bound, beyond it on disk.
package struct RowBuffer {
    /// Which of the rows that came those of a batch are.
    private struct Part {
        var first: Int
        /// Nil when all wait.
        var kept: [Int32]?
    }

    private var batches: BatchBuffer
    /// One for each batch.
    private var parts: [Part] = []
    private var rowsSeen = 0
    /// Numbers of rows, counted from 0 in the order in which they came, that will not go on.
    private var rejected = RowSet()

    package init(memoryLimit: Int) { batches = BatchBuffer(memoryLimit: memoryLimit) }

    /// Adds rows that stand alone, without a hold on their morsel.
    ///
    /// - Parameters:
    ///   - count: how many rows came.
    ///   - kept: which of them `batch` holds, or nil for all.
    package mutating func append(
        _ batch: Batch,
        of count: Int,
        kept: [Int32]? = nil,
        _ scratch: any Scratch
    ) throws(DaybookError) {
        defer { rowsSeen += count }
        guard batch.count > 0 else { return }
        parts.append(Part(first: rowsSeen, kept: kept))
        try batches.append(batch, scratch)
    }

    /// Notes which rows are rejected by what is said of them at the end.
    package mutating func reject(_ late: LateFindings) {
        guard let kept = late.findings.keptRows(of: late.numbers.count) else { return }
        var isKept = [Bool](repeating: false, count: late.numbers.count)
        for row in kept { isKept[Int(row)] = true }
        for (row, number) in late.numbers.enumerated() where !isKept[row] { rejected.insert(number) }
    }

    /// Hands on the rows that may go on, in order.
    package func release(_ isCancelled: () -> Bool, _ body: (Batch) throws(DaybookError) -> Void) throws(DaybookError) {
        for (number, part) in parts.enumerated() {
            if isCancelled() { throw .interrupted }
            let batch = try batches.batch(number)
            guard !rejected.isEmpty else {
                try body(batch)
                continue
            }
            let rest = (0..<batch.count).filter { row in
                !rejected.contains(part.first + (part.kept.map { Int($0[row]) } ?? row))
            }
            try body(batch.keeping(rest.map { Int32($0) }))
        }
    }
}
