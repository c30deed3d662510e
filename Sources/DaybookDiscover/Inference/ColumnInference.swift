import DaybookTables

/// What the values of one column look like.
public struct ColumnInference: Sendable {
    public let name: String
    public let kind: ColumnKind
    public private(set) var count = 0
    public private(set) var missing = 0
    /// For a column of text.
    public private(set) var text = TextInference()
    public private(set) var dates = DateInference()
    /// For a column of numbers, and for texts that are numbers.
    public private(set) var numbers = NumberInference()
    /// The first value.
    public private(set) var sample: InferenceSample?

    package init(_ field: Field) {
        name = field.name
        kind = field.kind
    }

    /// Values that are there.
    public var present: Int { count - missing }

    /// How its texts are numbers as people write them; nil where they are none, or numbers that need no format.
    package var numberVerdict: NumberVerdict? {
        let values = present - text.gapCount
        guard kind == .text, text.integers.fitting != values else { return nil }
        let verdict = NumberVerdict(text.formats, values: values)
        // As a machine writes them, unless nothing tells that one did.
        if text.decimals.fitting == values, case .format = verdict { return nil }
        // Among decimals, a whole number would lose digits.
        if text.wides > 0, case .format(_, _, isWhole: false, _) = verdict { return nil }
        return verdict
    }

    /// Adds the values of one batch, and tells `note` what each of them is.
    @inline(__always)
    package mutating func add(
        _ column: Column,
        _ tally: borrowing ColumnTally,
        _ candidates: DateCandidates,
        note: (ColumnTally.Entry, Cell, ValueForm) -> Void
    ) {
        count += column.count
        missing += column.count - tally.present
        if sample == nil, tally.count > 0 {
            let row = Int(tally[0].row)
            sample = column.spoken(row).map { InferenceSample($0, row: row) }
        }
        let noCell = Cell(start: nil, count: 0)
        switch column {
        case .text(let texts):
            let base = texts.bytes.base
            for index in 0..<tally.count {
                let entry = tally[index]
                let view = texts.views[Int(entry.row)]
                let cell = Cell(start: base + Int(view.offset), count: Int(view.length))
                note(entry, cell, form(of: cell, entry, candidates))
            }
            withExtendedLifetime(texts) {}
        case .json(let texts):
            for index in 0..<tally.count {
                let entry = tally[index]
                texts.withCell(Int(entry.row)) { note(entry, $0, ValueForm(.json)) }
            }
        case .integers(let values):
            let scratch = Bytes(capacity: NumberText.maximumLength)
            for index in 0..<tally.count {
                let entry = tally[index]
                let number = values.elements[Int(entry.row)]
                numbers.add(whole: number, times: Int(entry.count))
                note(entry, noCell, ValueForm(whole: number))
                // Eight digits may be a date without separators.
                guard number >= 19_000_101, number <= 21_001_231 else { continue }
                scratch.removeAll()
                scratch.append(integer: number)
                dates.add(scratch.filled, row: Int(entry.row), times: Int(entry.count), candidates)
            }
            withExtendedLifetime(scratch) {}
        case .decimals(let values):
            for index in 0..<tally.count {
                let entry = tally[index]
                let number = values.elements[Int(entry.row)]
                numbers.add(number, times: Int(entry.count))
                note(entry, noCell, ValueForm(.decimal, number: number))
            }
        case .flags: for index in 0..<tally.count { note(tally[index], noCell, ValueForm(.flag)) }
        case .days(let values):
            for index in 0..<tally.count {
                let entry = tally[index]
                let day = values.elements[Int(entry.row)]
                note(entry, noCell, ValueForm(.day, number: Double(day)))
                guard DateInference.isOdd(day) else { continue }
                let text = column.spoken(Int(entry.row)) ?? ""
                dates.addOdd(InferenceSample(text, row: Int(entry.row)), Int(entry.count))
            }
        case .instants(let values):
            for index in 0..<tally.count {
                let entry = tally[index]
                let micros = Double(values.elements[Int(entry.row)])
                note(entry, noCell, ValueForm(.instant, number: micros / 86_400_000_000))
            }
        }
    }

    private mutating func form(
        of cell: Cell,
        _ entry: ColumnTally.Entry,
        _ candidates: DateCandidates
    ) -> ValueForm {
        let (row, times) = (Int(entry.row), Int(entry.count))
        let form = text.add(cell, row: row, times: times, numbers: &numbers)
        guard form.kind != .gap, let reading = dates.add(cell, row: row, times: times, candidates),
            form.kind == .text
        else { return form }
        let isDay = reading.micros == 0 && !reading.isInstant
        return ValueForm(isDay ? .day : .instant, number: Double(reading.day))
    }

    package mutating func merge(_ later: ColumnInference) {
        precondition(name == later.name && kind == later.kind, "looks of one column are merged")
        count += later.count
        missing += later.missing
        text.merge(later.text)
        dates.merge(later.dates)
        numbers.merge(later.numbers)
        sample = sample ?? later.sample
    }

    /// Every sample, so that their places can be filled in.
    mutating func forEachSample(_ body: (inout InferenceSample) -> Void) {
        func visit(_ sample: inout InferenceSample?) { if sample != nil { body(&sample!) } }
        visit(&sample)
        visit(&text.integers.misfit)
        visit(&text.decimals.misfit)
        visit(&text.flags.misfit)
        text.formats.forEachSample(visit)
        visit(&text.colours.misfit)
        visit(&text.code)
        visit(&text.wide)
        visit(&text.respelt)
        visit(&text.power)
        visit(&text.padded)
        visit(&text.gap)
        visit(&dates.misfit)
        visit(&dates.impossibleSample)
        visit(&dates.oddSample)
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
public struct TableInference: Sendable {
    public private(set) var schema: Schema
    public private(set) var columns: [ColumnInference]
    public private(set) var rows = 0
    private let candidates: DateCandidates

    /// Columns past this are counted and not looked at; nobody reads a job with more.
    public static let mostColumns = 1000

    public init(_ schema: Schema, _ candidates: DateCandidates) {
        self.schema = schema
        self.candidates = candidates
        columns = schema.fields.prefix(TableInference.mostColumns).map(ColumnInference.init)
    }

    public mutating func add(_ batch: Batch) {
        add(batch) { _, column, candidates, look in look.add(column, ColumnTally(column), candidates) { _, _, _ in } }
    }

    /// Adds a batch whose columns `body` adds to the looks at them.
    package mutating func add(_ batch: Batch, _ body: (Int, Column, DateCandidates, inout ColumnInference) -> Void) {
        precondition(batch.schema.fields.count == schema.fields.count, "a look sees the columns that it was made for")
        rows += batch.count
        for index in columns.indices { body(index, batch.columns[index], candidates, &columns[index]) }
        place(in: batch)
    }

    /// Adds a look at further rows, whose columns may stand in another order.
    public mutating func merge(_ later: TableInference) {
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
        var samples: [InferenceSample] = []
        for index in columns.indices { columns[index].forEachSample { if $0.row != nil { samples.append($0) } } }
        guard !samples.isEmpty else { return }
        let places = SamplePlaces(batch, samples)
        for index in columns.indices { columns[index].forEachSample { places.locate(&$0) } }
    }

    /// The date formats that a column needs; nil when its texts are no dates.
    public func dateVerdict(of column: ColumnInference) -> DateVerdict? { DateVerdict(column.dates, candidates) }
}
