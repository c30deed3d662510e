import DaybookTables

/// Emits the rows of `deduplicate_rows`, with their findings.
struct DistinctEmission {
    private static let rowsInBatch = 4_096
    private static let bytesInBatch = 1 << 20

    let stage: DeduplicateRows
    let rows: DistinctRows
    /// The number for the next repeated key, or nil if none is left.
    private var nextNumber: Int64?
    /// The number of duplicates so far.
    private var beatenBefore = 0

    init(_ stage: DeduplicateRows, _ rows: DistinctRows) {
        self.stage = stage
        self.rows = rows
        nextNumber = rows.largest == .max ? nil : rows.largest + 1
    }

    mutating func emitAll(_ emit: (LateFindings) throws(DaybookError) -> Void) throws(DaybookError) {
        guard stage.keepsAll else { return try emitKept(emit) }
        for index in 0..<rows.batchCount {
            let judged = try judge(index)
            switch stage.repeats {
            case .renumber: try emit(renumbered(judged))
            case .drop:
                if let warnings = warnings(judged) { try emit(warnings) }
                let kept = judged.rows.keeping(rows: judged.isBeaten.indices.filter { !judged.isBeaten[$0] })
                if kept.count > 0 { try emit(LateFindings(Findings()) { kept }) }
            }
        }
    }

    /// Emits kept rows without findings. Batches are built on demand, several small ones in one.
    private func emitKept(_ emit: (LateFindings) throws(DaybookError) -> Void) throws(DaybookError) {
        for stretch in rows.stretches(rows: Self.rowsInBatch, bytes: Self.bytesInBatch) {
            try emit(LateFindings(Findings()) { [rows] () throws(DaybookError) in try rows.kept(stretch) })
        }
    }

    /// Rows, the duplicates among them and, if reported, the place of each duplicate's kept row.
    private struct Judged {
        var rows: Batch
        var isBeaten: [Bool]
        var winners: [RowPlace]

        var beaten: [Int] { isBeaten.indices.filter { isBeaten[$0] } }
    }

    private mutating func judge(_ index: Int) throws(DaybookError) -> Judged {
        let (batch, first) = try rows.rows(ofBatch: index)
        let isBeaten = (first..<first + batch.count).map { rows.beaten.contains($0) }
        var judged = Judged(rows: batch, isBeaten: isBeaten, winners: [])
        let count = judged.beaten.count
        let winners: [Int64] = try rows.winners.values(beatenBefore..<beatenBefore + count)
        beatenBefore += count
        let order = winners.indices.sorted { winners[$0] < winners[$1] }
        let places = try rows.places.provenance(of: order.map { Int(winners[$0]) })
        judged.winners = [RowPlace](repeating: RowPlace(nil, in: [:]), count: count)
        for (origin, place) in zip(places, order) { judged.winners[place] = RowPlace(origin, in: rows.sources) }
        return judged
    }

    /// Emits the dropped rows as well, in a batch of their own, so that each is reported with its place.
    private func warnings(_ judged: Judged) -> LateFindings? {
        let beaten = judged.beaten
        guard !beaten.isEmpty else { return nil }
        let dropped = judged.rows.keeping(rows: beaten)
        let places = RowPlace.places(of: dropped)
        var findings = Findings()
        let token = findings.token(.duplicateRow, in: stage.by[0])
        for row in places.indices {
            let place = judged.winners[row]
            var named: [RowOrigin] = []
            let key = places[row].displayKey(beside: place, naming: &named)
            let kept = place.displayText(beside: places[row], rows.sources, naming: &named)
            findings.warn(row, token, saying: "\(key) stands in \(kept) too, and that row is kept", naming: named)
            findings.drop(row, as: DeduplicateRows.dropName)
        }
        return LateFindings(findings) { dropped }
    }

    private mutating func renumbered(_ judged: Judged) -> LateFindings {
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
            let kept = winner.displayText(beside: places[row], rows.sources, naming: &named)
            let message = "'\(numbers.elements[row])' is the number of \(kept) too, and became \(number)"
            findings.warn(row, token, saying: message, naming: named)
            numbers.elements[row] = number
            nextNumber = number == .max ? nil : number + 1
        }
        let renumbered = judged.rows.setting(stage.by[0], to: .integers(numbers), from: stage.by[0])
        return LateFindings(findings) { renumbered }
    }
}
