import DaybookBytes
import DaybookEngine
import DaybookReports
import DaybookTables

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
