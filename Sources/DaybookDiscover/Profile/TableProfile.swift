import DaybookTables

/// What the columns of a table hold: batches are added, and profiles of further rows merged in.
struct TableProfile: Sendable {
    private(set) var look: TableInference
    private(set) var columns: [ColumnProfile]

    init(_ schema: Schema, _ candidates: DateCandidates, bounds: ProfileBounds? = nil) {
        look = TableInference(schema, candidates)
        let bounds = bounds ?? ProfileBounds(columns: look.columns.count)
        columns = look.columns.map { _ in ColumnProfile(bounds) }
    }

    /// Adds the first batch.
    mutating func add(_ batch: Batch) {
        look.add(batch) { index, column, candidates, look in
            columns[index].add(column, ColumnTally(column), to: &look, candidates)
        }
    }

    /// Adds a profile of further rows, whose columns may stand in another order.
    mutating func merge(_ later: TableProfile) {
        let places = Dictionary(later.look.columns.enumerated().map { ($1.name, $0) }) { first, _ in first }
        for (index, column) in look.columns.enumerated() {
            // Of very many columns some were not looked at.
            if let place = places[column.name] { columns[index].merge(later.columns[place]) }
        }
        look.merge(later.look)
    }
}

/// Profiles the rows of a run.
struct ProfileObserver: RowObserver {
    let candidates: DateCandidates

    func nothing(_ schema: Schema) -> TableProfile { TableProfile(schema, candidates) }

    func partial(of batch: Batch, reporting findings: inout Findings) -> TableProfile {
        var profile = nothing(batch.schema)
        profile.add(batch)
        return profile
    }

    func merge(_ later: TableProfile, into earlier: inout TableProfile, scratch: any Scratch) { earlier.merge(later) }
}
