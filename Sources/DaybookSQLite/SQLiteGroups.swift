import CSQLite
import DaybookBytes

/// Computes the digests of the rows of some groups as a table holds them.
///
/// The rows of a table have no order: a digest is a sum over its rows, so that it stays when the table is vacuumed or has
/// no rowid. Values are read back from the table, after its affinities and triggers.
struct SQLiteGroups {
    /// A query of the columns of the group, then all columns that a run writes.
    let selection: String
    let table: String
    /// How many columns a group has.
    let keys: Int

    /// The digests by group, in order; nil if there are more than a manifest keeps.
    ///
    /// - Parameter days: groups that are told though they have no rows.
    func read(_ db: SQLiteDatabase, besides days: [String]) throws -> [SinkGroup]? {
        var sums: [String: (bytes: Int, digest: DigestSum)] = [:]
        for day in days { sums[day] = (0, DigestSum()) }
        let row = Bytes()
        var (key, sum): (String?, (bytes: Int, digest: DigestSum)) = (nil, (0, DigestSum()))
        let statement = try SQLiteStatement(db, selection)
        while try statement.step() {
            let group = (0..<keys).map { statement.text($0) ?? "" }.joined(separator: ", ")
            if group != key {
                if let key { sums[key] = sum }
                guard sums.count <= SinkGroup.most else { return nil }
                (key, sum) = (group, sums[group] ?? (0, DigestSum()))
            }
            row.removeAll()
            for column in keys..<statement.columnCount { SQLiteGroups.add(statement, column, to: row) }
            sum.bytes += row.count
            sum.digest.add(row.filled)
        }
        if let key { sums[key] = sum }
        guard sums.count <= SinkGroup.most else { return nil }
        return sums.sorted { $0.key < $1.key }.map {
            SinkGroup(part: table, key: $0.key, bytes: $0.value.bytes, xxh128: $0.value.digest.text)
        }
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
