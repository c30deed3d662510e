import DaybookDiscover

/// Keeps the first rows of a run.
struct FirstRows: RowObserver {
    let limit: Int

    func nothing(_ schema: Schema) -> [Batch] { [] }
    func partial(of batch: Batch, reporting findings: inout Findings) -> [Batch] { batch.count > 0 ? [batch] : [] }

    func merge(_ later: [Batch], into earlier: inout [Batch], scratch: any Scratch) {
        var room = limit - earlier.reduce(0) { $0 + $1.count }
        for batch in later where room > 0 {
            earlier.append(batch.count <= room ? batch : batch.keeping((0..<Int32(room)).map { $0 }))
            room -= batch.count
        }
    }

    func isEnough(_ rows: [Batch]) -> Bool { rows.reduce(0) { $0 + $1.count } >= limit }
}
