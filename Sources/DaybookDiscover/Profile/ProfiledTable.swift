import DaybookBytes
import DaybookEngine
import DaybookReports

/// The profile of one table of a file.
struct ProfiledTable: Sendable {
    /// The file as the command line names it.
    var file: String
    /// The part of the file that the table is, such as the name of a table of a database; nil where it is the whole file.
    var part: String?
    /// What the file is.
    var form: String
    /// How many bytes the file has, where it is one that has an end.
    var bytes: Int?
    /// Records that are not as they should be, and so are in no count of the profile.
    var rejected: Int
    /// The first of those, with their places.
    var rejections: [String]
    var columns: [ColumnFacts]
    /// Columns past those that were looked at.
    var restOfColumns: Int
    var rows: Int
    /// How a job would import it, with what its columns look like.
    var guess: GuessedImport
    var profile: TableProfile

    /// What a heading calls it.
    var title: String { part.map { "\(file): \($0)" } ?? file }

    /// - Parameter guess: of the columns as texts, while the profile may have read some of them as numbers.
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
        let sizes = inputs.map { input in (try? FileStatus.of(input.path))?.size }
        bytes = sizes.contains(nil) ? nil : sizes.reduce(0) { $0 + ($1 ?? 0) }
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

    /// How many rejected records are named.
    private static let named = 5

    private static func rejections(_ outcome: RunOutcome) -> [String] {
        let findings = FindingText.sorted(outcome.findings.filter { $0.severity == .error })
        return findings.prefix(named).map(\.inBrief)
    }
}
