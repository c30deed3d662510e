import DaybookBytes
import DaybookEngine
import DaybookReports
import DaybookTables

/// The statistics of the values of one column: counts by kind, lengths, spread, and frequent values.
///
/// Memory depends on the bounds and not on the rows. Except for counts of frequent values past their bound, the result does
/// not depend on how the rows were divided before merging.
struct ColumnProfile: Sendable {
    /// Values by `ValueForm.Kind`.
    private(set) var kinds = [Int](repeating: 0, count: ValueForm.Kind.allCases.count)
    private(set) var lengths = TextLengths()
    private(set) var distinct: DistinctCount
    /// A digest of the values, in any order.
    private(set) var digest: UInt64 = 0
    private(set) var frequent: FrequentValues
    /// The numbers.
    private(set) var numbers = NumberSummary()
    /// The days and instants, in days since 1970-01-01.
    private(set) var days = NumberSpread()
    /// Whether each value is greater than the previous one; nil for a column without values.
    private(set) var order: ValueOrder?

    init(_ bounds: ProfileBounds) {
        distinct = DistinctCount(bound: bounds.distinct)
        frequent = FrequentValues(limit: bounds.frequent)
    }

    func count(_ kind: ValueForm.Kind) -> Int { kinds[Int(kind.rawValue)] }

    /// Adds the values of one batch, also to `look`.
    mutating func add(
        _ column: Column,
        _ tally: borrowing ColumnTally,
        to look: inout ColumnInference,
        _ candidates: DateCandidates
    ) {
        var found: [(number: Double, count: Int)] = []
        var wholes = WholeRange()
        var dates: [(number: Double, count: Int)] = []
        distinct.reserve(tally.count)
        // If no value repeats, the first rows of the values are all rows, in order.
        let isDistinct = tally.count == tally.present
        var order = tally.count > 0 ? ValueOrder(isRising: isDistinct) : nil
        look.add(column, tally, candidates) { entry, cell, form in
            let times = Int(entry.count)
            kinds[Int(form.kind.rawValue)] &+= times
            distinct.add(entry.hash)
            digest &+= entry.hash &* UInt64(entry.count)
            if cell.baseAddress != nil { lengths.add(cell, times: times) }
            switch form.kind {
            case .integer, .decimal:
                found.append((form.number, times))
                if let whole = form.whole { wholes.add(whole) }
            case .day, .instant: dates.append((form.number, times))
            default: break
            }
            if isDistinct { order?.add(form) }
        }
        frequent.add(column, tally)
        numbers = NumberSummary(found, wholes)
        days = NumberSpread(dates)
        self.order = order
    }

    mutating func merge(_ later: ColumnProfile) {
        for index in kinds.indices { kinds[index] += later.kinds[index] }
        lengths.merge(later.lengths)
        distinct.merge(later.distinct)
        digest &+= later.digest
        frequent.merge(later.frequent)
        numbers.merge(later.numbers)
        days.merge(later.days)
        if let following = later.order { order = order?.followed(by: following) ?? following }
    }
}

/// How much is kept of a column, so that very many columns need no more memory than a few.
struct ProfileBounds: Sendable, Hashable {
    /// How many distinct values are counted exactly.
    var distinct: Int
    /// How many values are kept with their counts.
    var frequent: Int
}

extension ProfileBounds {
    init(columns: Int) {
        let columns = max(1, columns)
        distinct = min(100_000, max(1_000, 1_000_000 / columns))
        frequent = min(1_000, max(50, 50_000 / columns))
    }
}

/// The lengths of texts, in characters, and their common shape.
struct TextLengths: Sendable, Hashable {
    private(set) var count = 0
    private(set) var least = Int.max
    private(set) var most = 0
    private(set) var total = 0
    private(set) var shape = TextShape()

    @inline(__always)
    mutating func add(_ cell: Cell, times: Int) {
        // Every byte of UTF-8 except continuation bytes begins a character.
        var length = 0
        for byte in cell { length &+= byte & 0xC0 == 0x80 ? 0 : 1 }
        shape.add(cell)
        count &+= times
        least = min(least, length)
        most = max(most, length)
        total &+= length &* times
    }

    mutating func merge(_ later: TextLengths) {
        count += later.count
        least = min(least, later.least)
        most = max(most, later.most)
        total += later.total
        shape.merge(later.shape)
    }
}

/// Sum, spread and sizes of the finite numbers of a column.
struct NumberSummary: Sendable, Hashable {
    private(set) var sum = ExactSum()
    private(set) var spread = NumberSpread()
    private(set) var octaves = NumberOctaves()
    /// The range of whole numbers of 64 bits.
    private(set) var wholes = WholeRange()
    /// Numbers that are not finite.
    private(set) var unbounded = 0
    private(set) var fractions = 0

    init() {}

    init(_ numbers: [(number: Double, count: Int)], _ wholes: WholeRange = WholeRange()) {
        guard !numbers.isEmpty else { return }
        self.wholes = wholes
        var finite = numbers
        if !numbers.allSatisfy(\.number.isFinite) {
            finite.removeAll { !$0.number.isFinite }
            unbounded = numbers.reduce(0) { $0 + ($1.number.isFinite ? 0 : $1.count) }
        }
        for one in finite {
            sum.add(one.number, times: one.count)
            if one.number != one.number.rounded(.towardZero) { fractions += one.count }
        }
        spread = NumberSpread(finite)
        octaves = NumberOctaves(finite)
    }

    mutating func merge(_ later: NumberSummary) {
        if later.spread.total > 0 {
            sum.add(later.sum)
            spread.merge(later.spread)
            octaves.merge(later.octaves)
            wholes.merge(later.wholes)
        }
        unbounded += later.unbounded
        fractions += later.fractions
    }
}

extension ExactSum {
    /// Adds a number several times.
    fileprivate mutating func add(_ number: Double, times: Int) {
        guard times > 1 else { return add(number) }
        // A product and its rounding error are together exact.
        let product = number * Double(times)
        let rest = (-product).addingProduct(number, Double(times))
        if product.isFinite, number.magnitude > 1e-250 || number == 0 {
            add(product)
            add(rest)
        } else {
            for _ in 0..<times { add(number) }
        }
    }
}

/// Whether the values of a column rise strictly from row to row.
struct ValueOrder: Sendable, Hashable {
    private(set) var isRising: Bool
    private var first = -Double.infinity
    private var last = -Double.infinity

    init(isRising: Bool) { self.isRising = isRising }

    mutating func add(_ form: ValueForm) {
        switch form.kind {
        case .integer, .decimal, .day, .instant:
            if last == -.infinity { first = form.number }
            if !(form.number > last) { isRising = false }
            last = form.number
        default: isRising = false
        }
    }

    func followed(by later: ValueOrder) -> ValueOrder {
        var both = self
        both.isRising = isRising && later.isRising && last < later.first
        both.last = later.last
        return both
    }
}

/// The profile of the columns of a table. Batches are added, and profiles of further rows merged.
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

    /// Merges a profile of further rows, whose columns may be in another order.
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

/// The profile of one table of a file.
struct ProfiledTable: Sendable {
    /// The file as the command line names it.
    var file: String
    /// The part of the file, such as a table of a database; nil for the whole file.
    var part: String?
    /// What the file is.
    var form: String
    /// The size of the file, if it has an end.
    var bytes: Int?
    /// Unreadable records, which no other count includes.
    var rejected: Int
    /// The first unreadable records, with their places.
    var rejections: [String]
    var columns: [ColumnFacts]
    /// Columns past those that were looked at.
    var restOfColumns: Int
    var rows: Int
    /// The import in a job.
    var guess: GuessedImport
    var profile: TableProfile

    /// The heading.
    var title: String { part.map { "\(file): \($0)" } ?? file }

    /// - Parameter guess: has the columns as texts, some of which the profile may have read as numbers.
    init(
        _ profile: TableProfile,
        of inputs: [InputPath],
        _ shown: String,
        _ found: FormatDetector.Detected,
        _ guess: GuessedImport,
        _ outcome: RunOutcome
    ) {
        file = shown
        part = guess.suggestion.part
        form = found.form
        bytes = inputs.totalSize
        rejected = outcome.ledger.reduce(0) { $0 + $1.rejected }
        rejections = ProfiledTable.rejections(outcome)
        rows = profile.look.rows
        columns = zip(zip(profile.look.columns, profile.columns), guess.look.columns).map { read, text in
            var facts = ColumnFacts(read.0, read.1, in: profile.look)
            if text.kind != read.0.kind { facts.notes = ColumnNotes.notes(of: text, nil) }
            return facts
        }
        restOfColumns = profile.look.schema.fields.count - columns.count
        self.guess = guess
        self.profile = profile
    }

    /// How many rejected records are listed.
    private static let named = 5

    private static func rejections(_ outcome: RunOutcome) -> [String] {
        let findings = FindingText.sorted(outcome.findings.filter { $0.severity == .error })
        return findings.prefix(named).map(\.inBrief)
    }
}
