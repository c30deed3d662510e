import DaybookCore

/// Keeps the first rows of a run. Touched by the committing thread while the run lasts, and read after it.
final class PreviewWatcher: RowWatcher, @unchecked Sendable {
    private let limit: Int
    private(set) var schema = Schema()
    private(set) var batches: [Batch] = []
    private var count = 0

    init(limit: Int) { self.limit = limit }

    func begin(_ schema: Schema) { self.schema = schema }

    func piece(of batch: Batch) -> Batch { batch }

    func add(_ batch: Batch) -> Bool {
        let room = limit - count
        if room > 0, batch.count > 0 {
            let kept = batch.count <= room ? batch : batch.keeping((0..<Int32(room)).map { $0 })
            batches.append(kept)
            count += kept.count
        }
        return count < limit
    }
}
