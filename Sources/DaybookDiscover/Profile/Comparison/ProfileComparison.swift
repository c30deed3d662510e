import DaybookBytes
import DaybookQuality
import DaybookReports
import Foundation

/// A comparison of two profiles, the largest changes first.
struct ProfileComparison: Sendable {
    /// A table of both profiles.
    struct Table: Sendable {
        let old: StoredProfile.Table
        let new: StoredProfile.Table
        /// Changed columns, the largest change first.
        var changed: [ColumnComparison] = []
        var unchanged: [String] = []
        /// Columns whose values changed, but no facts.
        var alike: [String] = []
        /// New columns, and lost ones.
        var came: [StoredProfile.Column] = []
        var went: [StoredProfile.Column] = []

        var isChanged: Bool {
            !changed.isEmpty || !alike.isEmpty || !came.isEmpty || !went.isEmpty || old.rows != new.rows
        }

        /// The change of the number of rows, in words.
        var rowChange: String {
            old.rows == new.rows ? "" : ColumnComparison.relative(Double(old.rows), Double(new.rows))
        }
    }

    private(set) var tables: [Table] = []
    /// New tables, and lost ones.
    private(set) var came: [StoredProfile.Table] = []
    private(set) var went: [StoredProfile.Table] = []

    init(_ old: StoredProfile, _ new: StoredProfile) {
        // Single tables belong together, whatever their files are called.
        if old.tables.count == 1, new.tables.count == 1 {
            tables = [ProfileComparison.compare(old.tables[0], new.tables[0])]
            return
        }
        let pairs = ProfileComparison.pairs(old.tables, new.tables, by: \.title)
        tables = pairs.both.map(ProfileComparison.compare)
        (came, went) = (pairs.came, pairs.went)
    }

    /// Things of one name in their order, and those that are only in one of both.
    private static func pairs<Thing>(
        _ old: [Thing],
        _ new: [Thing],
        by name: KeyPath<Thing, String>
    ) -> (both: [(Thing, Thing)], came: [Thing], went: [Thing]) {
        var left = old
        var (both, came): ([(Thing, Thing)], [Thing]) = ([], [])
        for thing in new {
            if let index = left.firstIndex(where: { $0[keyPath: name] == thing[keyPath: name] }) {
                both.append((left.remove(at: index), thing))
            } else {
                came.append(thing)
            }
        }
        return (both, came, left)
    }

    private static func compare(_ old: StoredProfile.Table, _ new: StoredProfile.Table) -> Table {
        var table = Table(old: old, new: new)
        let pairs = pairs(old.columns, new.columns, by: \.name)
        (table.came, table.went) = (pairs.came, pairs.went)
        for (earlier, column) in pairs.both {
            let both = ColumnComparison(earlier, of: old.rows, column, of: new.rows)
            if both.isChanged {
                table.changed.append(both)
            } else if both.hasOtherValues {
                table.alike.append(column.name)
            } else {
                table.unchanged.append(column.name)
            }
        }
        // The sort is stable: equal changes keep the order of the columns.
        table.changed.sort { $0.weight > $1.weight }
        return table
    }

    /// A sentence about lost columns and tables; nil for none.
    var lost: String? {
        let columns = tables.flatMap { table in table.went.map { (table.new.title, $0.name) } }
        var parts: [String] = []
        if !columns.isEmpty {
            let names = columns.prefix(10).map { "'\($0.1)'" }
            let more = columns.count > 10 ? " and \(DisplayText.count(columns.count - 10)) more" : ""
            let are = columns.count == 1 ? "a column is" : "columns are"
            parts.append("\(are) gone: \(DisplayText.list(names))\(more)")
        }
        if !went.isEmpty {
            let names = went.prefix(10).map { "'\($0.title)'" }
            parts.append("\(went.count == 1 ? "a table is" : "tables are") gone: \(DisplayText.list(names))")
        }
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }

    func told(as format: ProfileReport.Format, style: TerminalStyle) -> String {
        switch format {
        case .text: ComparisonText(style).text(of: self)
        case .json: ComparisonJSON.text(of: self)
        case .html: ComparisonPage.text(of: self)
        }
    }
}

/// A profile stored as JSON, as far as a comparison needs it.
public struct StoredProfile: Sendable {
    struct Table: Sendable, Decodable {
        var file: String
        var part: String?
        var rows: Int
        var columns: [Column]

        var title: String { part.map { "\(file): \($0)" } ?? file }
    }

    struct Column: Sendable, Decodable {
        struct Distinct: Sendable, Decodable {
            var count: Int
            var exact: Bool
        }

        struct Top: Sendable, Decodable {
            var value: String
            var count: Int
        }

        struct Length: Sendable, Decodable { var least, most: Int }

        struct Days: Sendable, Decodable { var first, last: String }

        struct Format: Sendable, Decodable {
            var format: String
            var count: Int
        }

        var name: String
        var holds: String
        var count: Int
        var missing: Int
        var distinct: Distinct
        var top: [Top]
        var length: Length?
        var numbers: Numbers?
        var days: Days?
        /// Nil in profiles of older versions, as is the digest of the values.
        var formats: [Format]?
        var digest: String?

        enum CodingKeys: String, CodingKey {
            case name, holds, count, missing, distinct, top, length, numbers, days
            case formats = "date_formats"
            case digest = "values_digest"
        }
    }

    struct Numbers: Sendable, Decodable {
        struct Median: Sendable, Decodable {
            var value: Double
            var exact: Bool
        }

        struct Quantile: Sendable, Decodable { var share, least, most: Double }

        var least, most, mean: Double
        var median: Median
        /// Nil in profiles of older versions.
        var quantiles: [Quantile]?
    }

    private struct Document: Decodable { var tables: [Table] }

    private struct Head: Decodable { var profile: Int }

    /// The known version of the document.
    static let version = 1
    /// A profile of a thousand columns takes about a megabyte.
    private static let sizeLimit = 64 << 20
    /// No file has more rows, and every number up to it is exact as a double.
    private static let mostRows = 1 << 53

    let tables: [Table]

    /// Reads the profile that `profile --format json` wrote to `path`.
    public init(readingFile path: String) throws(DaybookError) {
        let data = try JSONDocument.data(ofFile: path, limit: StoredProfile.sizeLimit)
        guard let head = try? JSONDecoder().decode(Head.self, from: data) else { throw StoredProfile.isNone(path) }
        guard head.profile == StoredProfile.version else {
            let known = "and version \(StoredProfile.version) is the one that is known"
            let hint = "make it again with 'profile --format json', or compare it with the Daybook that wrote it"
            throw .machine("bad-profile", "'\(path)' is a profile of version \(head.profile), \(known)", hint: hint)
        }
        guard let document = try? JSONDecoder().decode(Document.self, from: data),
            document.tables.allSatisfy(StoredProfile.isPossible)
        else { throw StoredProfile.isNone(path) }
        tables = document.tables
    }

    /// A profile just made, by way of its document.
    init(_ tables: [ProfiledTable]) {
        do {
            let data = Data(ProfileJSON.text(of: tables).utf8)
            self.tables = try JSONDecoder().decode(Document.self, from: data).tables
        } catch { preconditionFailure("a profile is read as it is written: \(error)") }
    }

    private static func isNone(_ path: String) -> DaybookError {
        .machine("bad-profile", "'\(path)' is no profile", hint: "'profile FILE --format json -o OLD.json' writes one")
    }

    /// Whether a file may have these numbers.
    private static func isPossible(_ table: Table) -> Bool {
        let counts = 0...mostRows
        return counts.contains(table.rows)
            && table.columns.allSatisfy { column in
                counts.contains(column.count) && (0...table.rows).contains(column.missing)
                    && counts.contains(column.distinct.count) && column.top.allSatisfy { counts.contains($0.count) }
                    && column.length.map { counts.contains($0.least) && counts.contains($0.most) } ?? true
            }
    }
}
