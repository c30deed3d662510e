import DaybookSQLite

/// Draws the rows of a table, view or query in batches, and finds them again for findings.
///
/// All of it happens inside `SQLiteStore.read`, and so one thing at a time, whoever asks.
package final class SQLiteRows: StoreRows, @unchecked Sendable {
    package let schema: Schema
    package private(set) var share = 0.0

    private let table: SQLiteTable
    private let refusesBLOBs: Bool
    private var statement: SQLiteStatement?
    private var columns: [SQLiteColumn] = []
    private var isOver = false
    private var drawn: Int64 = 0
    /// The first and the last key, of which the last one drawn tells how far the reading is.
    private var bounds: ClosedRange<Double>?
    /// What was already warned of, by column.
    private var warned: [Set<SQLiteMisfit>] = []
    private lazy var records = SQLiteRecords(table.selection, table.store.file.room)

    package init(_ table: SQLiteTable, schema: Schema, refusesBLOBs: Bool) {
        self.table = table
        self.schema = schema
        self.refusesBLOBs = refusesBLOBs
    }

    private var source: SourceName { table.source }

    // MARK: - Drawing

    package func next(_ size: Int, reporting findings: inout Findings) throws(DaybookError) -> Batch? {
        guard !isOver else { return nil }
        var found = Findings()
        let batch: Batch?
        do throws(DaybookError) {
            batch = try table.store.read { db in
                if statement == nil { try begin(db) }
                return try draw(size, &found)
            }
        } catch {
            throw drawn == 0 ? error : error.told(behind: drawn)
        }
        findings = found
        if isOver { share = 1 }
        return batch
    }

    private func begin(_ db: SQLiteDatabase) throws {
        let wanted = schema.fields.map { wanted in
            guard let index = table.fields.firstIndex(where: { $0.name == wanted.name }) else {
                preconditionFailure("a reader of SQLite is asked for column '\(wanted.name)', which it never promised")
            }
            return index
        }
        let sql = table.selection.statement(selecting: wanted.map { table.fields[$0].expression })
        let readings = table.readings
        columns = wanted.enumerated().map { position, index in
            SQLiteColumn(
                readings[table.fields[index].name] ?? .text,
                at: sql == nil ? index : position + 1,
                refusesBLOBs: refusesBLOBs
            )
        }
        warned = Array(repeating: [], count: columns.count)
        statement = try table.selection.prepare(sql ?? table.selection.statement, on: db)
        guard let sql = table.selection.boundsStatement else { return }
        let ends = try db.rows(sql) { (Double($0.integer(0)), Double($0.integer(1))) }
        if let (first, last) = ends.first, first < last { bounds = first...last }
    }

    /// What one value is that does not fit.
    private struct Misfit {
        var row: Int
        var column: Int
        var what: SQLiteMisfit
    }

    private func draw(_ size: Int, _ findings: inout Findings) throws -> Batch? {
        guard let statement else { return nil }
        let mostRows = max(1, size / 256)
        let isCounted = table.selection.key == nil
        let texts = Bytes(capacity: min(size, 64 << 10))
        var columns = columns
        var provenance: [StoreRow] = []
        var misfits: [Misfit] = []
        while provenance.count < mostRows, texts.count < size {
            guard try statement.step() else {
                isOver = true
                statement.reset()
                break
            }
            drawn += 1
            let row = provenance.count
            for index in columns.indices {
                if let what = columns[index].append(statement, row: row, to: texts) {
                    misfits.append(Misfit(row: row, column: index, what: what))
                }
            }
            provenance.append(StoreRow(isCounted ? drawn : statement.integer(0), at: row))
        }
        guard !provenance.isEmpty else { return nil }
        if let bounds, let last = provenance.last {
            share = (Double(last.number) - bounds.lowerBound) / (bounds.upperBound - bounds.lowerBound)
        }
        findings.saw(records: provenance.count)
        let made = columns.enumerated().map { index, column in
            column.column(texts, count: provenance.count) { row, what in
                misfits.append(Misfit(row: row, column: index, what: what))
            }
        }
        note(misfits, &findings)
        return Batch(schema, made, count: provenance.count, provenance: .store(source, rows: provenance))
    }

    private func note(_ misfits: [Misfit], _ findings: inout Findings) {
        for misfit in misfits {
            let token = findings.token(misfit.what.kind, in: ColumnName(schema.fields[misfit.column].name))
            if !misfit.what.isWarning {
                findings.reject(misfit.row, token)
            } else if warned[misfit.column].insert(misfit.what).inserted {
                findings.warn(misfit.row, token)
            }
        }
    }

    // MARK: - Finding again

    package func pointer(to field: String?, row: Int64) -> String {
        let place = "/\(JSONPointer.escaped(table.selection.name))/\(row)"
        return field.map { "\(place)/\(JSONPointer.escaped($0))" } ?? place
    }

    /// A row that cannot be read again is still told by its pointer, so a failure here is no error.
    package func record(again row: Int64) -> StoredRecord? {
        try? table.store.read { db in try records.record(row, db) }
    }
}

extension DaybookError {
    /// The same error, with how far the reading had come.
    fileprivate func told(behind rows: Int64) -> DaybookError {
        guard code != DaybookError.interrupted.code else { return self }
        var copy = self
        copy.message += ", behind row \(rows)"
        return copy
    }
}
