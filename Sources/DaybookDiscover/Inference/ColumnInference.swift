import DaybookEngine
import DaybookTables

/// The inferred properties of one column.
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

    /// The number of values that are not missing.
    public var present: Int { count - missing }

    /// The format of texts that are formatted numbers; nil for other texts, and for numbers that need no format.
    package var numberVerdict: NumberVerdict? {
        let values = present - text.gapCount
        guard kind == .text, text.integers.fitting != values else { return nil }
        let verdict = NumberVerdict(text.formats, values: values)
        // Plain decimals need no format, unless something tells of one.
        if text.decimals.fitting == values, case .format = verdict { return nil }
        // Among decimals, a whole number would lose digits.
        if text.wides.count > 0, case .format(_, _, isWhole: false, _) = verdict { return nil }
        return verdict
    }

    /// Adds the values of one batch, and passes the form of each to `note`.
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
            sample = column.displayText(row).map { InferenceSample($0, row: row) }
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
                let text = column.displayText(Int(entry.row)) ?? ""
                dates.odd.add(Int(entry.count), InferenceSample(text, row: Int(entry.row)))
            }
        case .instants(let values):
            for index in 0..<tally.count {
                let entry = tally[index]
                let micros = Double(values.elements[Int(entry.row)])
                note(entry, noCell, ValueForm(.instant, number: micros / 86_400_000_000))
            }
        }
    }

    private mutating func form(of cell: Cell, _ entry: ColumnTally.Entry, _ candidates: DateCandidates) -> ValueForm {
        let (row, times) = (Int(entry.row), Int(entry.count))
        let form = text.add(cell, row: row, times: times, numbers: &numbers)
        guard form.kind != .gap, let reading = dates.add(cell, row: row, times: times, candidates), form.kind == .text
        else { return form }
        let isDay = reading.micros == 0 && !reading.isInstant
        return ValueForm(isDay ? .day : .instant, number: Double(reading.day))
    }

    package mutating func merge(_ later: ColumnInference) {
        precondition(name == later.name && kind == later.kind, "only looks at one column can be merged")
        count += later.count
        missing += later.missing
        text.merge(later.text)
        dates.merge(later.dates)
        numbers.merge(later.numbers)
        sample = sample ?? later.sample
    }

    /// Calls `body` with every sample, to fill in its place.
    mutating func forEachSample(_ body: (inout InferenceSample) -> Void) {
        func visit(_ sample: inout InferenceSample?) { if sample != nil { body(&sample!) } }
        visit(&sample)
        visit(&text.integers.misfit)
        visit(&text.decimals.misfit)
        visit(&text.flags.misfit)
        text.formats.forEachSample(visit)
        visit(&text.colours.misfit)
        visit(&text.codes.sample)
        visit(&text.wides.sample)
        visit(&text.respelt)
        visit(&text.powers.sample)
        visit(&text.padded)
        visit(&text.gapped.sample)
        visit(&dates.unread.sample)
        visit(&dates.impossible.sample)
        visit(&dates.odd.sample)
        for mask in dates.tallies.keys {
            if dates.tallies[mask] != nil { body(&dates.tallies[mask]!.sample) }
        }
    }
}

/// The inferred properties of the columns of a table. Batches are added, and results of further rows merged.
///
/// Memory depends on the columns alone, time on the bytes. Results of batches, merged in order, equal the result of all
/// rows together.
public struct TableInference: Sendable {
    public private(set) var schema: Schema
    public private(set) var columns: [ColumnInference]
    public private(set) var rows = 0
    private let candidates: DateCandidates

    /// Further columns are counted, but not read; nobody reads a job with more.
    public static let mostColumns = 1000

    public init(_ schema: Schema, _ candidates: DateCandidates) {
        self.schema = schema
        self.candidates = candidates
        columns = schema.fields.prefix(TableInference.mostColumns).map(ColumnInference.init)
    }

    public mutating func add(_ batch: Batch) {
        add(batch) { _, column, candidates, look in look.add(column, ColumnTally(column), candidates) { _, _, _ in } }
    }

    /// Adds a batch; `body` adds each column.
    package mutating func add(_ batch: Batch, _ body: (Int, Column, DateCandidates, inout ColumnInference) -> Void) {
        precondition(batch.schema.fields.count == schema.fields.count, "a look sees the columns that it was made for")
        rows += batch.count
        for index in columns.indices { body(index, batch.columns[index], candidates, &columns[index]) }
        place(in: batch)
    }

    /// Merges the result of further rows, whose columns may be in another order.
    public mutating func merge(_ later: TableInference) {
        precondition(Set(schema.fields) == Set(later.schema.fields), "looks at one table are merged")
        rows += later.rows
        let places = Dictionary(later.columns.enumerated().map { ($1.name, $0) }) { first, _ in first }
        for index in columns.indices {
            // Of very many columns some were not looked at.
            if let place = places[columns[index].name] { columns[index].merge(later.columns[place]) }
        }
    }

    /// Fills in the places of the new samples while the batch exists.
    private mutating func place(in batch: Batch) {
        var samples: [InferenceSample] = []
        for index in columns.indices { columns[index].forEachSample { if $0.row != nil { samples.append($0) } } }
        guard !samples.isEmpty else { return }
        let places = SamplePlaces(batch, samples)
        for index in columns.indices { columns[index].forEachSample { places.locate(&$0) } }
    }

    /// The date formats of a column; nil for texts that are no dates.
    public func dateVerdict(of column: ColumnInference) -> DateVerdict? { DateVerdict(column.dates, candidates) }
}

/// Infers columns from the rows of a job in memory.
package struct InferenceRun {
    package var table: StageTable
    /// The directory that the job's paths start from.
    package var directory: String
    /// How many bytes of each file are read.
    package var limit: Int
    package var isCancelled: @Sendable () -> Bool

    /// The result of a run.
    package struct Result {
        package var outcome: RunOutcome
        package var look: TableInference?
        /// Whether only a part of the rows was read.
        var isPartial: Bool

        var rejected: Int { outcome.ledger.reduce(0) { $0 + $1.rejected } }
    }

    /// Runs the job in `text`, a chain of stages, and looks at the rows of its last stage.
    package func run(_ text: String, _ candidates: DateCandidates?) throws(DaybookErrors) -> Result {
        let observed = ObservedJob(table: table, directory: directory, isCancelled: isCancelled)
        let observer = InferenceObserver(candidates: candidates, limit: limit)
        let result = try observed.run(try InferenceRun.job(text, table), asOf: CalendarDay(number: 0), by: observer)
        guard result.outcome.errors.isEmpty else { throw DaybookErrors(result.outcome.errors) }
        return Result(outcome: result.outcome, look: result.seen.look, isPartial: !result.isWhole)
    }

    /// Checks the job in `text` as `validate` does.
    package func check(_ text: String) throws(DaybookErrors) {
        var plan = try Plan(try InferenceRun.job(text, table), table: table, asOf: CalendarDay(number: 0))
        try plan.resolve(plan.declaredSchemas)
    }

    package static func job(_ text: String, _ table: StageTable) throws(DaybookErrors) -> Job {
        try JobParser(stageNames: table.names) { _ in nil }.job(Array(text.utf8), file: InferenceRun.file)
    }

    /// The name of the job in messages; no file holds it.
    private static let file = "the guessed job"
}

/// Infers the columns of a run until it has read enough.
struct InferenceObserver: RowObserver {
    /// The limit for sources without bytes to count.
    private static let mostRows = 5_000_000

    /// Nil when the rows are only counted.
    let candidates: DateCandidates?
    /// How many bytes of a file are looked at.
    let limit: Int

    struct Partial: Sendable {
        var look: TableInference?
        var rows = 0
        /// Where the morsel of the last batch ends in its file.
        var end = 0
    }

    func nothing(_ schema: Schema) -> Partial { Partial(look: candidates.map { TableInference(schema, $0) }) }

    func partial(of batch: Batch, reporting findings: inout Findings) -> Partial {
        var partial = nothing(batch.schema)
        partial.rows = batch.count
        if case .morsel(let morsel, _, _) = batch.provenance { partial.end = morsel.offset + morsel.length }
        partial.look?.add(batch)
        return partial
    }

    func merge(_ later: Partial, into earlier: inout Partial, scratch: any Scratch) {
        earlier.rows += later.rows
        earlier.end = later.end
        if let found = later.look { earlier.look?.merge(found) }
    }

    func isEnough(_ seen: Partial) -> Bool { seen.end >= limit || seen.rows >= InferenceObserver.mostRows }
}

/// A value as an example, and its place.
public struct InferenceSample: Sendable, Hashable {
    /// The value as a person would read it, cut where it is long.
    public var text: String
    /// The path of its file; nil for a value that no file holds.
    public var source: String?
    /// The physical line on which its record begins, from 1.
    public var line: Int?
    /// The row and the address, while the batch exists.
    package var row: Int?
    private(set) var address: UInt?

    package init(_ text: String, row: Int) {
        (self.text, self.row) = (text.shortened(to: 60), row)
    }

    package init(_ cell: Cell, row: Int) {
        // More than is kept, but little enough for every column.
        self.init(String(decoding: cell.prefix(400), as: UTF8.self), row: row)
        address = UInt(bitPattern: cell.baseAddress)
    }

    /// Sets the place; the batch may then be released.
    package mutating func locate(source: String?, line: Int?) {
        (self.source, self.line, row, address) = (source, line, nil, nil)
    }
}

extension InferenceSample {
    /// `'2024-13-01' (line 4,183)`, as much of it as is known.
    package var quoted: String { "'\(text)'\(place)" }

    /// ` (line 4,183)`, or nothing.
    package var place: String { line.map { " (line \(DisplayText.count($0)))" } ?? "" }
}

extension InferenceSample? {
    /// Whether no sample is kept yet. Checked for every value, where a comparison with nil would copy texts.
    @inline(__always)
    var isFree: Bool {
        if case .none = self { true } else { false }
    }
}

/// Finds the lines of samples of one batch in one pass over its bytes.
struct SamplePlaces {
    private let batch: Batch
    /// By the byte of the morsel.
    private var lines: [Int: Int] = [:]
    private var source: String?

    init(_ batch: Batch, _ samples: [InferenceSample]) {
        self.batch = batch
        // A text inside another file has no lines of that file.
        guard case .morsel(let morsel, _, _) = batch.provenance, morsel.holder == nil else { return }
        source = morsel.source.path
        var cursor = LineCursor(morsel.cell, firstLine: morsel.firstLine, lineEnd: morsel.lineEnd)
        for place in Set(samples.compactMap(place)).sorted() { lines[place] = cursor.place(of: place).line }
        withExtendedLifetime(morsel) {}
    }

    /// The byte of a sample in the morsel: its cell if the cell points into the morsel, otherwise its record.
    private func place(of sample: InferenceSample) -> Int? {
        guard let row = sample.row, case .morsel(let morsel, let spans, _) = batch.provenance else { return nil }
        let base = UInt(bitPattern: morsel.bytes.base)
        if let address = sample.address, address >= base, address < base + UInt(morsel.length) {
            return Int(address - base)
        }
        return SamplePlaces.start(of: spans[row], in: morsel.cell)
    }

    /// A record of a JSON array begins after the comma and the line end of the previous record.
    private static func start(of span: RecordSpan, in bytes: Cell) -> Int {
        var start = Int(span.start)
        while start < Int(span.end), bytes[start] <= 0x20 || bytes[start] == UInt8(ascii: ",") { start += 1 }
        return start < Int(span.end) ? start : Int(span.start)
    }

    /// Sets the place of a sample.
    func locate(_ sample: inout InferenceSample) {
        guard let row = sample.row else { return }
        if case .gathered(let provenance) = batch.provenance {
            return sample.locate(source: nil, line: provenance[row].line > 0 ? Int(provenance[row].line) : nil)
        }
        if case .morsel(let morsel, _, _) = batch.provenance, let holder = morsel.holder {
            return sample.locate(source: holder.line == nil ? nil : morsel.source.path, line: holder.line)
        }
        let line = place(of: sample).flatMap { lines[$0] }
        sample.locate(source: line == nil ? nil : source, line: line)
    }
}
