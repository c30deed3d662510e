import DaybookCore

/// Rows in order, in memory or on disk: one or several batches, none of them empty.
enum SortedRun: Sendable {
    case memory([Batch])
    case file(BatchFile, level: Int)

    var isInMemory: Bool { if case .memory = self { true } else { false } }

    /// How often the rows have been merged on disk; nil in memory.
    var level: Int? { if case .file(_, let level) = self { level } else { nil } }

    var batchCount: Int {
        switch self {
        case .memory(let batches): batches.count
        case .file(let file, _): file.places.count
        }
    }

    func batch(_ index: Int) throws(DaybookError) -> Batch {
        switch self {
        case .memory(let batches): batches[index]
        case .file(let file, _): try file.batch(index)
        }
    }
}

/// What a sort knows of some rows: sorted runs, in the order of the input.
public struct SortedRuns: FoldPartial, BinaryForm {
    var runs: [SortedRun] = []
    public internal(set) var foldedRows = 0
    /// Bytes of the runs in memory.
    public internal(set) var footprint = 0

    init(_ batch: Batch) {
        foldedRows = batch.count
        if batch.count > 0 { runs = [.memory([batch])] }
        footprint = batch.footprint
    }

    public func write(to bytes: Bytes) throws(DaybookError) {
        bytes.append(raw: UInt64(foldedRows))
        bytes.append(raw: UInt32(runs.count))
        for run in runs {
            bytes.append(raw: UInt32(run.batchCount))
            for index in 0..<run.batchCount { try run.batch(index).write(to: bytes) }
        }
    }

    public init(reading reader: inout ByteReader) throws(DaybookError) {
        foldedRows = Int(try reader.raw(UInt64.self))
        for _ in 0..<(try reader.raw(UInt32.self)) {
            var batches: [Batch] = []
            for _ in 0..<(try reader.raw(UInt32.self)) {
                let batch = try Batch(reading: &reader)
                if batch.count > 0 { batches.append(batch) }
            }
            footprint += batches.reduce(0) { $0 + $1.footprint }
            if !batches.isEmpty { runs.append(.memory(batches)) }
        }
    }
}
