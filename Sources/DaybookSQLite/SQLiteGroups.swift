import CSQLite
import DaybookBytes
import Foundation

/// Computes the digests of the rows of some groups as a table holds them.
///
/// The rows of a table have no order: a digest is a sum over its rows, so that it stays when the table is vacuumed or has
/// no rowid. Values are read back from the table, after its affinities and triggers.
struct SQLiteGroups {
    /// The columns of the group, then all columns that a run writes.
    let columns: String
    /// What they are selected from, with a condition for the rows of the groups.
    let chosen: String
    /// The quoted name of the table.
    let quoted: String
    let table: String
    /// How many columns a group has.
    let keys: Int

    /// The highest rowid before rows are added; nil for a table without one.
    func mark(_ db: SQLiteDatabase) -> Int64? {
        // A column of this name counts as well: what `read` makes of it is checked.
        (try? db.rows("SELECT ifnull(max(_rowid_), 0) FROM \(quoted)") { $0.integer(0) })?.first
    }

    /// The digests of rows that were just added, by group, in order; nil if there are more than a manifest keeps.
    ///
    /// - Parameters:
    ///   - days: groups that are told though they have no rows.
    ///   - mark: what `mark` gave before the rows were added, all rows of the groups among them.
    ///   - count: how many rows were added.
    func read(_ db: SQLiteDatabase, besides days: [String], after mark: Int64?, _ count: Int) throws -> [SinkGroup]? {
        // No row had a higher rowid, so as many rows as were added are those; rows whose rowid is one of their values may
        // lie elsewhere.
        if let mark {
            let (groups, found) = try read(db, "FROM \(quoted) WHERE _rowid_ > \(mark)", besides: days)
            if found == count { return groups }
        }
        return try read(db, besides: days)
    }

    /// The digests of all rows of the groups, by group, in order; nil if there are more than a manifest keeps.
    func read(_ db: SQLiteDatabase, besides days: [String] = []) throws -> [SinkGroup]? {
        try read(db, chosen, besides: days).groups
    }

    private func read(
        _ db: SQLiteDatabase,
        _ source: String,
        besides days: [String]
    ) throws -> (groups: [SinkGroup]?, count: Int) {
        var sums: [String: (bytes: Int, digest: DigestSum)] = [:]
        for day in days { sums[day] = (0, DigestSum()) }
        let (row, group, last) = (Bytes(), Bytes(), Bytes())
        var (key, sum): (String?, (bytes: Int, digest: DigestSum)) = (nil, (0, DigestSum()))
        let statement = try SQLiteStatement(db, "SELECT \(columns) \(source)")
        var count = 0
        while try statement.step() {
            count += 1
            group.removeAll()
            for column in 0..<keys { SQLiteGroups.add(statement, column, to: group) }
            // A row mostly belongs to the group of the one before.
            if key == nil || !SQLiteGroups.areSame(group.filled, last.filled) {
                if let key { sums[key] = sum }
                guard sums.count <= SinkGroup.most else { return (nil, count) }
                let text = (0..<keys).map { statement.text($0) ?? "" }.joined(separator: ", ")
                (key, sum) = (text, sums[text] ?? (0, DigestSum()))
                last.removeAll()
                last.append(group.filled)
            }
            row.removeAll()
            for column in keys..<statement.columnCount { SQLiteGroups.add(statement, column, to: row) }
            sum.bytes += row.count
            sum.digest.add(row.filled)
        }
        if let key { sums[key] = sum }
        guard sums.count <= SinkGroup.most else { return (nil, count) }
        let groups = sums.sorted { $0.key < $1.key }.map {
            SinkGroup(part: table, key: $0.key, bytes: $0.value.bytes, xxh128: $0.value.digest.text)
        }
        return (groups, count)
    }

    private static func areSame(_ first: Cell, _ second: Cell) -> Bool {
        first.count == second.count
            && (first.isEmpty || memcmp(first.baseAddress!, second.baseAddress!, first.count) == 0)
    }

    /// Adds a value with its type and length, so that no two rows have the same bytes.
    private static func add(_ statement: SQLiteStatement, _ column: Int, to row: Bytes) {
        let type = statement.type(column)
        row.append(raw: UInt8(truncatingIfNeeded: type))
        switch type {
        case SQLITE_INTEGER: row.append(raw: statement.integer(column))
        case SQLITE_FLOAT: row.append(raw: statement.decimal(column).bitPattern)
        case SQLITE_NULL: break
        default:
            let bytes = statement.bytes(column)
            row.append(raw: UInt64(bytes.count))
            row.append(bytes)
        }
    }
}
