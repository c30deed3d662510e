/// Open state of one stage during a run: its output and its buffered rows. Used by the committing thread only.
final class OpenStage {
    var writer: (any SinkWriter)?
    var output: (any RunOutput)?
    var rejectsOutput: OutputFile?
    /// Rows that a check may still reject, if another stage reads them.
    var held: RowBuffer?
    /// Buffered rows of inputs that wait for other rows, by input.
    var waiting: [Int: RowBuffer] = [:]
    /// Rows of the stage's build sides, by number.
    var sides: [Int: BatchBuffer] = [:]
}

extension [Int: BatchBuffer] {
    /// Appends rows to a build side of a stage.
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

/// Output of a sink.
package protocol RunOutput: ByteOutput {
    var files: [OutputFile] { get }
    /// Number of rows that other processes have written.
    var adoptedRows: Int { get }

    /// Called after the last row.
    func end() throws(DaybookError)
}

extension RunOutput {
    package var adoptedRows: Int { 0 }
    package func end() {}
}

/// Output of a sink without a file.
final class NoOutput: RunOutput {
    var files: [OutputFile] { [] }

    func write(_ bytes: Bytes, _ part: Range<Int>) {}
}

/// Buffered rows, in order: in memory up to a limit, beyond it on disk.
package struct RowBuffer {
    /// One batch, with the numbers of its rows among the input rows.
    private struct Part {
        var first: Int
        /// Nil if the batch has all rows.
        var kept: [Int32]?
    }

    private var batches: BatchBuffer
    /// One part per batch.
    private var parts: [Part] = []
    private var rowsSeen = 0
    /// Numbers of rejected rows, counted from 0 in the order of arrival.
    private var rejected = RowSet()

    package init(memoryLimit: Int) { batches = BatchBuffer(memoryLimit: memoryLimit) }

    /// Appends rows as copies, without a reference to their morsel.
    ///
    /// - Parameters:
    ///   - count: number of input rows.
    ///   - kept: numbers of the rows in `batch`; nil for all.
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

    /// Marks the rows that late findings reject.
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
