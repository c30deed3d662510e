import DaybookCore

/// What the values of one column look like.
public struct ColumnLook: Sendable {
    public let name: String
    public let kind: ColumnKind
    public private(set) var count = 0
    public private(set) var missing = 0
    /// For a column of text.
    public private(set) var text = TextLook()
    public private(set) var dates = DateLook()
    /// For a column of numbers, and for texts that are numbers.
    public private(set) var numbers = NumberLook()
    /// The first value.
    public private(set) var sample: LookSample?

    init(_ field: Field) {
        name = field.name
        kind = field.kind
    }

    /// Values that are there.
    public var present: Int { count - missing }

    mutating func add(_ column: Column, _ candidates: DateCandidates) {
        count += column.count
        missing += column.missing?.missingCount ?? 0
        if sample == nil, let row = (0..<column.count).first(where: { !column.missing.isMissing($0) }) {
            sample = column.spoken(row).map { LookSample($0, row: row) }
        }
        switch column {
        case .text(let texts):
            texts.forEachValue { row, cell in
                let gaps = text.gapCount
                text.add(cell, row: row, numbers: &numbers)
                if text.gapCount == gaps { dates.add(cell, row: row, candidates) }
            }
        case .integers(let values):
            let scratch = Bytes(capacity: NumberText.maximumLength)
            for row in 0..<values.count where !values.missing.isMissing(row) {
                let number = values.elements[row]
                numbers.add(Double(number))
                // Eight digits may be a date without separators.
                guard number >= 19_000_101, number <= 21_001_231 else { continue }
                scratch.removeAll()
                scratch.append(integer: number)
                dates.add(scratch.filled, row: row, candidates)
            }
            withExtendedLifetime(scratch) {}
        case .decimals(let values):
            for row in 0..<values.count where !values.missing.isMissing(row) { numbers.add(values.elements[row]) }
        case .flags, .days, .instants, .json: break
        }
    }

    mutating func merge(_ later: ColumnLook) {
        precondition(name == later.name && kind == later.kind, "looks of one column are merged")
        count += later.count
        missing += later.missing
        text.merge(later.text)
        dates.merge(later.dates)
        numbers.merge(later.numbers)
        sample = sample ?? later.sample
    }

    /// Every sample, so that their places can be filled in.
    mutating func forEachSample(_ body: (inout LookSample) -> Void) {
        func visit(_ sample: inout LookSample?) { if sample != nil { body(&sample!) } }
        visit(&sample)
        visit(&text.integers.misfit)
        visit(&text.decimals.misfit)
        visit(&text.flags.misfit)
        visit(&text.colours.misfit)
        visit(&text.code)
        visit(&text.padded)
        visit(&text.gap)
        visit(&dates.misfit)
        visit(&dates.impossibleSample)
        for mask in dates.tallies.keys {
            // The key was just given.
            if dates.tallies[mask] != nil { body(&dates.tallies[mask]!.sample) }
        }
    }
}

/// What the columns of a table look like: batches are added, and looks at further rows merged in.
///
/// The memory it takes depends on the columns alone, and the time on the bytes. Looks at the batches of one table, merged
/// in their order, equal one look at all of them.
public struct TableLook: Sendable {
    public private(set) var schema: Schema
    public private(set) var columns: [ColumnLook]
    public private(set) var rows = 0
    private let candidates: DateCandidates

    /// Columns past this are counted and not looked at; nobody reads a job with more.
    public static let mostColumns = 1000

    public init(_ schema: Schema, _ candidates: DateCandidates) {
        self.schema = schema
        self.candidates = candidates
        columns = schema.fields.prefix(TableLook.mostColumns).map(ColumnLook.init)
    }

    public mutating func add(_ batch: Batch) {
        precondition(batch.schema.fields.count == schema.fields.count, "a look sees the columns that it was made for")
        rows += batch.count
        for index in columns.indices { columns[index].add(batch.columns[index], candidates) }
        place(in: batch)
    }

    /// Adds a look at further rows, whose columns may stand in another order.
    public mutating func merge(_ later: TableLook) {
        precondition(Set(schema.fields) == Set(later.schema.fields), "looks at one table are merged")
        rows += later.rows
        let places = Dictionary(later.columns.enumerated().map { ($1.name, $0) }) { first, _ in first }
        for index in columns.indices {
            // Of very many columns some were not looked at.
            if let place = places[columns[index].name] { columns[index].merge(later.columns[place]) }
        }
    }

    /// Tells the new samples where they stand, while the batch is still there.
    private mutating func place(in batch: Batch) {
        var samples: [LookSample] = []
        for index in columns.indices { columns[index].forEachSample { if $0.row != nil { samples.append($0) } } }
        guard !samples.isEmpty else { return }
        let places = SamplePlaces(batch, samples)
        for index in columns.indices { columns[index].forEachSample { places.settle(&$0) } }
    }

    /// The date formats that a column needs; nil when its texts are no dates.
    public func dateVerdict(of column: ColumnLook) -> DateVerdict? { DateVerdict(column.dates, candidates) }
}
