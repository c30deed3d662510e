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
    /// How many of the rows that do not stand for their key have been met.
    private var beatenBefore = 0

    init(_ stage: DeduplicateRows, _ rows: DistinctRows) {
        self.stage = stage
        self.rows = rows
        nextNumber = rows.largest == .max ? nil : rows.largest + 1
    }

    mutating func emitAll(_ emit: (Batch, Findings) throws(DaybookError) -> Void) throws(DaybookError) {
        for index in 0..<rows.batchCount {
            let judged = try judge(index)
            switch stage.repeats {
            case .renumber: try renumber(judged, emit)
            case .drop:
                if stage.warn { try warn(judged, emit) }
                try keep(judged, emit)
            }
        }
        try flush(emit)
    }

    /// Rows, which of them do not stand for their key, and for each of these the place of the row that does, where it is told.
    private struct Judged {
        var rows: Batch
        var isBeaten: [Bool]
        var winners: [RowPlace]

        var beaten: [Int] { isBeaten.indices.filter { isBeaten[$0] } }
    }

    private mutating func judge(_ index: Int) throws(DaybookError) -> Judged {
        let (batch, first) = try rows.rows(ofBatch: index)
        var judged = Judged(
            rows: batch,
            isBeaten: (first..<first + batch.count).map { rows.beaten.contains($0) },
            winners: []
        )
        guard stage.keepsAll else { return judged }
        let count = judged.beaten.count
        let size = MemoryLayout<Int64>.size
        let winners = try rows.winners.withBytes(beatenBefore * size..<(beatenBefore + count) * size) { bytes in
            (0..<count).map {
                Int(UnsafeRawBufferPointer(bytes).loadUnaligned(fromByteOffset: $0 * size, as: Int64.self))
            }
        }
        beatenBefore += count
        let order = winners.indices.sorted { winners[$0] < winners[$1] }
        let places = try rows.places.provenance(of: order.map { winners[$0] })
        judged.winners = [RowPlace](repeating: RowPlace(nil, in: [:]), count: count)
        for (origin, place) in zip(places, order) { judged.winners[place] = RowPlace(origin, in: rows.sources) }
        return judged
    }

    private mutating func keep(
        _ judged: Judged,
        _ emit: (Batch, Findings) throws(DaybookError) -> Void
    ) throws(DaybookError) {
        let staying = judged.isBeaten.indices.filter { !judged.isBeaten[$0] }
        let kept =
            staying.count == judged.rows.count ? judged.rows : judged.rows.keeping(staying.map { Int32($0) })
        guard kept.count > 0 else { return }
        waiting.append(kept)
        waitingBytes += kept.footprint
        let count = waiting.reduce(0) { $0 + $1.count }
        if count >= Self.rowsInBatch || waitingBytes >= Self.bytesInBatch { try flush(emit) }
    }

    private mutating func flush(_ emit: (Batch, Findings) throws(DaybookError) -> Void) throws(DaybookError) {
        guard !waiting.isEmpty else { return }
        if waiting.count == 1 {
            try emit(waiting[0], Findings())
        } else {
            let picks = waiting.indices.flatMap { batch in
                (0..<waiting[batch].count).map { RowPick(batch: batch, row: $0) }
            }
            try emit(Batch.take(picks, from: waiting), Findings())
        }
        waiting = []
        waitingBytes = 0
    }

    /// Gives out the dropped rows too, apart from the others, so that each can be told with its place.
    private func warn(
        _ judged: Judged,
        _ emit: (Batch, Findings) throws(DaybookError) -> Void
    ) throws(DaybookError) {
        let beaten = judged.beaten
        guard !beaten.isEmpty else { return }
        let dropped = judged.rows.keeping(beaten.map { Int32($0) })
        let places = RowPlace.places(of: dropped)
        var findings = Findings()
        let token = findings.token(.duplicateRow, in: stage.by[0])
        for row in places.indices {
            let place = judged.winners[row]
            var named: [RowOrigin] = []
            let key = places[row].spokenKey(beside: place, naming: &named)
            let kept = place.spoken(beside: places[row], rows.sources, naming: &named)
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
        _ judged: Judged,
        _ emit: (Batch, Findings) throws(DaybookError) -> Void
    ) throws(DaybookError) {
        var findings = Findings()
        let token = findings.token(.keyRenumbered, in: stage.by[0])
        let none = findings.token(.noFreeNumber, in: stage.by[0])
        let places = RowPlace.places(of: judged.rows)
        var numbers = judged.rows.integers(in: stage.by[0])
        for (row, winner) in zip(judged.beaten, judged.winners) {
            guard let number = nextNumber else {
                findings.reject(row, none)
                continue
            }
            var named: [RowOrigin] = []
            let kept = winner.spoken(beside: places[row], rows.sources, naming: &named)
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
