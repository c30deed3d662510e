import CSQLite
import DaybookBytes

/// Reads the rows of a table, view or query in batches, and reads them again for findings.
///
/// All of this runs inside `SQLiteStore.read`, and so serially, whichever thread calls.
package final class SQLiteRows: StoreRows, @unchecked Sendable {
    package let schema: Schema
    package private(set) var share = 0.0

    private let table: SQLiteTable
    private let refusesBLOBs: Bool
    private var statement: SQLiteStatement?
    private var columns: [SQLiteColumn] = []
    private var isOver = false
    private var drawn: Int64 = 0
    /// The first and the last key; the last key read, compared with them, shows the progress.
    private var bounds: ClosedRange<Double>?
    /// Warnings already reported, by column.
    private var warned: [Set<SQLiteMisfit>] = []
    private lazy var records = SQLiteRecords(table.selection, table.store.file.room)

    init(_ table: SQLiteTable, schema: Schema, refusesBLOBs: Bool) {
        (self.table, self.schema, self.refusesBLOBs) = (table, schema, refusesBLOBs)
    }

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
            var error = error
            if drawn > 0, error.code != DaybookError.interrupted.code { error.message += ", behind row \(drawn)" }
            throw error
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
                refusesBLOBs: refusesBLOBs,
                contents: table.fields[index].contents
            )
        }
        warned = Array(repeating: [], count: columns.count)
        statement = try table.selection.prepare(sql ?? table.selection.statement, on: db)
        guard let sql = table.selection.boundsStatement else { return }
        let ends = try db.rows(sql) { (Double($0.integer(0)), Double($0.integer(1))) }
        if let (first, last) = ends.first, first < last { bounds = first...last }
    }

    private typealias Misfit = (row: Int, column: Int, what: SQLiteMisfit)

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
                    misfits.append((row, index, what))
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
            column.column(texts, count: provenance.count) { row, what in misfits.append((row, index, what)) }
        }
        note(misfits, &findings)
        return Batch(schema, made, count: provenance.count, provenance: .store(table.source, rows: provenance))
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

    /// A row that cannot be read again is still reported by its pointer, so a failure here is no error.
    package func record(again row: Int64) -> StoredRecord? {
        try? table.store.read { db in try records.record(row, db) }
    }
}

/// Reads single rows of a table, view or query again. Used by one thread at a time.
///
/// A row with a key is looked up. Rows without a key are kept in a scratch file, up to the requested row. A query gives
/// the same rows in the same order again, since it is the same statement on the same snapshot of the database, but
/// running it anew for each finding would take forever.
final class SQLiteRecords {
    private let selection: SQLiteSelection
    private let context: any StoreContext
    private var statement: SQLiteStatement?
    private var kept: (records: any ScratchFile, ends: any ScratchFile)?
    private var count: Int64 = 0
    private var isOver = false

    init(_ selection: SQLiteSelection, _ context: any StoreContext) {
        (self.selection, self.context) = (selection, context)
    }

    func record(_ row: Int64, _ db: SQLiteDatabase) throws -> StoredRecord? {
        guard let sql = selection.findingStatement else { return try counted(row, db) }
        let statement = try self.statement ?? SQLiteStatement(db, sql)
        self.statement = statement
        defer { statement.reset() }
        try statement.bind(row, at: 1)
        guard try statement.step() else { return nil }
        return SQLiteRecords.record(at: statement)
    }

    // MARK: - Rows without a key

    private func counted(_ row: Int64, _ db: SQLiteDatabase) throws -> StoredRecord? {
        let kept = try self.kept ?? (try context.makeFile(), try context.makeFile())
        self.kept = kept
        let statement = try self.statement ?? selection.prepare(selection.statement, on: db)
        self.statement = statement
        while count < row, !isOver {
            guard try statement.step() else {
                isOver = true
                break
            }
            let (bytes, end) = (SQLiteRecords.record(at: statement).written, Bytes())
            try kept.records.append(bytes)
            end.append(raw: Int64(kept.records.length))
            try kept.ends.append(end)
            withExtendedLifetime((bytes, end)) {}
            count += 1
        }
        guard row >= 1, row <= count else { return nil }
        let start = try SQLiteRecords.end(ofRow: Int(row) - 1, in: kept.ends)
        let end = try SQLiteRecords.end(ofRow: Int(row), in: kept.ends)
        let bytes = Bytes(capacity: end - start)
        try kept.records.read(end - start, at: start, into: bytes)
        return StoredRecord(written: bytes)
    }

    /// The end of a row that is kept, from 1; 0 for row 0.
    private static func end(ofRow row: Int, in ends: any ScratchFile) throws -> Int {
        guard row > 0 else { return 0 }
        let bytes = Bytes(capacity: 8)
        try ends.read(8, at: (row - 1) * 8, into: bytes)
        return bytes.array.reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    // MARK: - One row

    private static func record(at statement: SQLiteStatement) -> StoredRecord {
        let json = Bytes(capacity: 256)
        var values: [(field: String, text: Bytes?)] = []
        json.append("{" as StaticString)
        for (column, name) in statement.names.enumerated() {
            if column > 0 { json.append("," as StaticString) }
            json.append(jsonString: name)
            json.append(":" as StaticString)
            values.append((name, append(statement, column, to: json)))
        }
        json.append("}" as StaticString)
        return StoredRecord(json: json, values: values)
    }

    /// Appends the value to JSON, and returns it as text: numbers with all their digits, BLOBs as base64.
    private static func append(_ statement: SQLiteStatement, _ column: Int, to json: Bytes) -> Bytes? {
        let (type, text) = (statement.type(column), Bytes())
        switch type {
        case SQLITE_NULL:
            json.append("null" as StaticString)
            return nil
        case SQLITE_INTEGER, SQLITE_FLOAT:
            text.append(number: statement, column, type)
            json.append(text)
            return text
        case SQLITE_BLOB: Base64.append(statement.bytes(column), to: text)
        default: text.append(statement.bytes(column))
        }
        // Invalid UTF-8 cannot be in JSON unchanged.
        json.append(jsonString: String(decoding: text.array, as: UTF8.self))
        return text
    }
}

extension StoredRecord {
    /// The record in the form of the scratch file: the number of values, then the name and value of each, then the
    /// JSON.
    fileprivate var written: Bytes {
        let bytes = Bytes(capacity: json.count * 2)
        bytes.append(raw: Int64(values.count))
        for value in values {
            bytes.append(counted: value.field)
            bytes.append(raw: Int64(value.text?.count ?? -1))
            if let text = value.text { bytes.append(text) }
        }
        bytes.append(json)
        return bytes
    }

    fileprivate init?(written bytes: Bytes) {
        defer { withExtendedLifetime(bytes) {} }
        var reader = ByteReader(bytes.filled)
        do {
            var values: [(field: String, text: Bytes?)] = []
            for _ in 0..<(try reader.raw(Int64.self)) {
                let field = try reader.text()
                let size = Int(try reader.raw(Int64.self))
                values.append((field, size < 0 ? nil : Bytes(try reader.take(size))))
            }
            self.init(json: Bytes(try reader.rest()), values: values)
        } catch { return nil }
    }
}
