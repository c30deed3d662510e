/// Batches in order: in memory up to a limit, beyond it on disk.
public struct BatchBuffer: Sendable {
    private enum Place {
        case memory(Batch)
        /// Its number in the file.
        case file(Int)
    }

    /// About how many bytes of rows stay in memory before they go to disk.
    private let memoryLimit: Int
    private var places: [Place] = []
    private var file: BatchFile?
    private var footprint = 0
    public private(set) var rowCount = 0

    public init(memoryLimit: Int) { self.memoryLimit = memoryLimit }

    /// Batches that are in memory and stay there.
    public init(inMemory batches: [Batch]) {
        memoryLimit = .max
        places = batches.map { .memory($0) }
        rowCount = batches.reduce(0) { $0 + $1.count }
    }

    /// How many batches there are.
    public var count: Int { places.count }

    /// Adds rows that stand alone, without a hold on their morsel.
    public mutating func append(_ batch: Batch, _ scratch: any Scratch) throws(DaybookError) {
        places.append(.memory(batch))
        rowCount += batch.count
        footprint += batch.footprint
        if footprint > memoryLimit { try spill(to: scratch) }
    }

    /// All batches; nil where some are on disk.
    public var inMemory: [Batch]? {
        guard file == nil else { return nil }
        return places.compactMap { if case .memory(let batch) = $0 { batch } else { nil } }
    }

    public func batch(_ index: Int) throws(DaybookError) -> Batch {
        switch places[index] {
        case .memory(let batch): return batch
        case .file(let number):
            guard let file else { preconditionFailure("a batch is in a file that is not there") }
            return try file.batch(number)
        }
    }

    /// Calls `body` with every batch in order.
    public func forEachBatch(_ body: (Batch) throws(DaybookError) -> Void) throws(DaybookError) {
        for index in 0..<count { try body(try batch(index)) }
    }

    /// Brings to disk what is in memory.
    public mutating func spill(to scratch: any Scratch) throws(DaybookError) {
        if file == nil { file = BatchFile(file: try scratch.makeFile()) }
        guard var file else { return }
        for (index, place) in places.enumerated() {
            guard case .memory(let batch) = place else { continue }
            places[index] = .file(file.places.count)
            try file.append(batch)
        }
        self.file = file
        footprint = 0
    }
}
