import DaybookCore

/// Gives the rows of `deduplicate_rows` back, with what there is to say about each.
struct DistinctEmission {
    private static let rowsInBatch = 4_096
    private static let bytesInBatch = 1 << 20

    let stage: DeduplicateRows
    let rows: DistinctRows
    /// The number that the next repeated key gets, or nil when none is left.
    private var nextNumber: Int64?
    /// Rows that are kept and wait until there are enough for a batch.
    private var waiting: [Batch] = []
    private var waitingBytes = 0

    init(_ stage: DeduplicateRows, _ rows: DistinctRows) {
        self.stage = stage
        self.rows = rows
        nextNumber = rows.largest == .max ? nil : rows.largest + 1
    }

    mutating func emitAll(_ emit: (Batch, Findings) throws(DaybookError) -> Void) throws(DaybookError) {
        for stretch in rows.stretches {
            for index in 0..<stretch.rows.batchCount {
                let judged = rows.judge(try stretch.rows.batch(index), from: stretch.first, stage)
                switch stage.repeats {
                case .renumber: try renumber(judged, emit)
                case .drop:
                    if stage.warn { try warn(judged, emit) }
                    try keep(judged, emit)
                }
            }
        }
        try flush(emit)
    }

    private mutating func keep(
        _ judged: DistinctRows.Judged,
        _ emit: (Batch, Findings) throws(DaybookError) -> Void
    ) throws(DaybookError) {
        let kept = judged.rows.keeping(judged.winners.indices.filter { judged.winners[$0] < 0 }.map { Int32($0) })
        guard kept.count > 0 else { return }
        waiting.append(kept)
        waitingBytes += kept.footprint
        let count = waiting.reduce(0) { $0 + $1.count }
        if count >= Self.rowsInBatch || waitingBytes >= Self.bytesInBatch { try flush(emit) }
    }

    private mutating func flush(_ emit: (Batch, Findings) throws(DaybookError) -> Void) throws(DaybookError) {
        guard !waiting.isEmpty else { return }
        let picks = waiting.indices.flatMap { batch in
            (0..<waiting[batch].count).map { RowPick(batch: batch, row: $0) }
        }
        try emit(Batch.gathering(picks, from: waiting), Findings())
        waiting = []
        waitingBytes = 0
    }

    /// Gives out the dropped rows too, apart from the others, so that each can be told with its place.
    private func warn(
        _ judged: DistinctRows.Judged,
        _ emit: (Batch, Findings) throws(DaybookError) -> Void
    ) throws(DaybookError) {
        let beaten = judged.winners.indices.filter { judged.winners[$0] >= 0 }
        guard !beaten.isEmpty else { return }
        let dropped = judged.rows.keeping(beaten.map { Int32($0) })
        let places = RowPlace.places(of: dropped)
        var findings = Findings()
        let token = findings.token(.duplicateRow, in: stage.by[0])
        for row in places.indices {
            let place = rows.place(ofKey: judged.winners[beaten[row]])
            var named: [RowOrigin] = []
            let key = places[row].spokenKey(beside: place, naming: &named)
            let kept = place.spoken(beside: places[row], rows.paths, naming: &named)
            findings.warn(
                row,
                token,
                saying: "\(key) stands in \(kept) too, and that row is kept",
                naming: named
            )
            findings.drop(row, as: DeduplicateRows.dropName)
        }
        try emit(dropped, findings)
    }

    private mutating func renumber(
        _ judged: DistinctRows.Judged,
        _ emit: (Batch, Findings) throws(DaybookError) -> Void
    ) throws(DaybookError) {
        var findings = Findings()
        let token = findings.token(.keyRenumbered, in: stage.by[0])
        let none = findings.token(.noFreeNumber, in: stage.by[0])
        let places = RowPlace.places(of: judged.rows)
        var numbers = judged.rows.integers(in: stage.by[0])
        for row in places.indices where judged.winners[row] >= 0 {
            guard let number = nextNumber else {
                findings.reject(row, none)
                continue
            }
            var named: [RowOrigin] = []
            let kept = rows.place(ofKey: judged.winners[row]).spoken(beside: places[row], rows.paths, naming: &named)
            findings.warn(
                row,
                token,
                saying: "'\(numbers.elements[row])' is the number of \(kept) too, and became \(number)",
                naming: named
            )
            numbers.elements[row] = number
            nextNumber = number == .max ? nil : number + 1
        }
        try emit(judged.rows.setting(stage.by[0], to: .integers(numbers), from: stage.by[0]), findings)
    }
}
