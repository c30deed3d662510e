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
