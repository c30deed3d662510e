import CSQLite
import DaybookSQLite
import Foundation

/// Looks at the rows that lie so near before a mark that some of them may have come late, and keeps those that the next run may see again.
struct SQLiteOverlap {
    private let since: SQLiteSince
    private let overlap: SinceOverlap

    /// So many rows are kept at most, since each of them is held against the next night's.
    private static let most = 100_000

    init(_ since: SQLiteSince, _ overlap: SinceOverlap) { (self.since, self.overlap) = (since, overlap) }

    /// - Parameters:
    ///   - selection: all rows.
    ///   - highest: the highest value of the rows behind the mark; nil where there are none.
    func look(
        _ store: SQLiteStore,
        _ selection: SQLiteSelection,
        highest: StoreMark?
    ) throws(DaybookError) -> OverlapReading {
        let mark = since.bound.mark
        let keptFrom = try start(before: highest ?? mark, store)
        let first = since.bound.isInclusive ? mark : try start(before: mark, store)
        let known = since.bound.kept.map { rows in
            Dictionary(rows.map { ($0.key, $0.digest) }, uniquingKeysWith: { first, _ in first })
        }
        let (value, key) = (since.value, SQLiteSelection.quoted(overlap.key))
        let sql = """
            SELECT \(value) <= ?1, \(value) >= ?2, \(key), * FROM \(selection.subject)
            WHERE \(selection.condition(and: "\(value) >= ?3"))
            """
        let (reading, fault) = try store.read { db -> (OverlapReading, DaybookError?) in
            let statement = try SQLiteStatement(db, sql)
            for (place, bound) in [mark, keptFrom, first].enumerated() { try statement.bind(bound, at: place + 1) }
            var reading = OverlapReading()
            var seen: Set<StoreMark> = []
            while try statement.step() {
                let isBefore = !since.bound.isInclusive && statement.integer(0) != 0
                let isKept = statement.integer(1) != 0
                guard isBefore || isKept || known != nil else { continue }
                guard let key = try SQLiteSince.mark(statement, 2), isKey(key) else {
                    return (reading, withoutKey(store, selection))
                }
                let digest = isKept || known?[key] != nil ? SQLiteOverlap.digest(of: statement) : ""
                if isBefore || isKept {
                    guard seen.insert(key).inserted else { return (reading, repeated(key, store, selection)) }
                }
                if isKept {
                    guard reading.rows.count < SQLiteOverlap.most else { return (reading, tooMany(store, selection)) }
                    reading.rows.append(OverlapRow(key: key, digest: digest))
                }
                if let last = known?[key] {
                    if last == digest { reading.again += 1 } else { reading.changed += 1 }
                    if isBefore, last != digest { reading.wanted.append(key) }
                } else if isBefore, known != nil {
                    reading.late += 1
                    reading.wanted.append(key)
                }
            }
            return (reading, nil)
        }
        if let fault { throw fault }
        return reading
    }

    /// A number that is no whole one is the same in no two places.
    private func isKey(_ key: StoreMark) -> Bool { if case .decimal = key { false } else { true } }

    private func start(before mark: StoreMark, _ store: SQLiteStore) throws(DaybookError) -> StoreMark {
        if let start = overlap.start(before: mark) { return start }
        throw fault(
            "overlap-of-other-kind",
            "'\(mark.spoken)' in '\(since.column)' is no day or time such as 2026-03-01T08:00:00, from before which 'overlap' could read again",
            store,
            hint: "write the times in one such form, or read a 'query' that does"
        )
    }

    /// Of all values of the row that a statement stands on, each with its kind.
    private static func digest(of statement: SQLiteStatement) -> String {
        var digest = XXH128Digest()
        for column in 3..<statement.columnCount {
            let bytes = statement.type(column) == SQLITE_NULL ? nil : statement.bytes(column)
            let head = [UInt64(statement.type(column)), UInt64(bytes?.count ?? 0)]
            head.withUnsafeBytes { digest.update($0.bindMemory(to: UInt8.self)) }
            if let bytes { digest.update(bytes) }
        }
        return String(digest.finish().prefix(16))
    }

    /// Keys as a list of JSON; nil where there are none.
    static func list(of keys: [StoreMark]) -> String? {
        guard !keys.isEmpty, let list = try? JSONEncoder().encode(keys) else { return nil }
        return String(decoding: list, as: UTF8.self)
    }

    // MARK: - What is wrong

    private func withoutKey(_ store: SQLiteStore, _ selection: SQLiteSelection) -> DaybookError {
        fault(
            "overlap-without-key",
            "\(selection.spoken) has a row without a whole number or text in '\(overlap.key)', by which rows that 'overlap' reads again are known",
            store,
            hint: "name a column under 'key' that has one for every row"
        )
    }

    private func repeated(_ key: StoreMark, _ store: SQLiteStore, _ selection: SQLiteSelection) -> DaybookError {
        fault(
            "overlap-key-repeated",
            "\(selection.spoken) has two rows with '\(key.spoken)' in '\(overlap.key)', by which rows that 'overlap' reads again are known",
            store,
            hint: "name a column under 'key' in which no value stands twice"
        )
    }

    private func tooMany(_ store: SQLiteStore, _ selection: SQLiteSelection) -> DaybookError {
        fault(
            "overlap-too-wide",
            "more than \(Spoken.count(SQLiteOverlap.most)) rows of \(selection.spoken) lie in the overlap, and each has to be kept for the next run",
            store,
            hint: "make 'overlap' smaller"
        )
    }

    private func fault(
        _ code: DaybookError.Code,
        _ message: String,
        _ store: SQLiteStore,
        hint: String
    ) -> DaybookError {
        DaybookError(
            code,
            message,
            at: SourcePlace(file: store.file.source.path, line: 1, column: 1),
            hint: hint,
            blame: .data
        )
    }
}
