import CSQLite
import DaybookSQLite

/// Reads single rows of a table, view or query once more. Used by one thread at a time.
///
/// A row with a key is looked up. Rows that can only be counted are kept in a scratch file, up to the one that is asked
/// for: a query gives the same rows in the same order again, since it is the same statement on the same moment of the
/// database, but giving them anew for each finding would take forever.
final class SQLiteRecords {
    private let selection: SQLiteSelection
    private let room: any StoreContext
    private var statement: SQLiteStatement?
    private var kept: (records: any ScratchFile, ends: any ScratchFile)?
    private var count: Int64 = 0
    private var isOver = false

    init(_ selection: SQLiteSelection, _ room: any StoreContext) {
        self.selection = selection
        self.room = room
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
        let kept = try self.kept ?? (try room.makeFile(), try room.makeFile())
        self.kept = kept
        let statement = try self.statement ?? selection.prepare(selection.statement, on: db)
        self.statement = statement
        while count < row, !isOver {
            guard try statement.step() else {
                isOver = true
                break
            }
            let bytes = SQLiteRecords.record(at: statement).written
            try kept.records.append(bytes)
            withExtendedLifetime(bytes) {}
            try SQLiteRecords.append(kept.records.length, to: kept.ends)
            count += 1
        }
        guard row >= 1, row <= count else { return nil }
        let start = row == 1 ? 0 : try SQLiteRecords.number(at: Int(row) - 2, of: kept.ends)
        let end = try SQLiteRecords.number(at: Int(row) - 1, of: kept.ends)
        let bytes = Bytes(capacity: end - start)
        try kept.records.read(end - start, at: start, into: bytes)
        return StoredRecord(written: bytes)
    }

    private static func append(_ number: Int, to file: any ScratchFile) throws {
        let bytes = Bytes()
        bytes.append(raw: Int64(number))
        try file.append(bytes)
        withExtendedLifetime(bytes) {}
    }

    private static func number(at index: Int, of file: any ScratchFile) throws -> Int {
        let bytes = Bytes(capacity: 8)
        try file.read(8, at: index * 8, into: bytes)
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
            let text = text(statement, column)
            values.append((name, text))
            append(text, stored: statement.type(column), to: json)
        }
        json.append("}" as StaticString)
        return StoredRecord(json: json, values: values)
    }

    /// The value as text: numbers with all their digits, BLOBs as base64.
    private static func text(_ statement: SQLiteStatement, _ column: Int) -> Bytes? {
        let bytes = Bytes()
        switch statement.type(column) {
        case SQLITE_NULL: return nil
        case SQLITE_BLOB: Base64.append(statement.bytes(column), to: bytes)
        case SQLITE_TEXT: bytes.append(statement.bytes(column))
        default: bytes.append(number: statement, column, statement.type(column))
        }
        return bytes
    }

    private static func append(_ text: Bytes?, stored type: Int32, to json: Bytes) {
        guard let text else { return json.append("null" as StaticString) }
        switch type {
        case SQLITE_INTEGER, SQLITE_FLOAT: json.append(text)
        // What is not UTF-8 cannot stand in JSON as it is.
        default: json.append(jsonString: String(decoding: text.array, as: UTF8.self))
        }
    }
}

extension StoredRecord {
    /// The record as a scratch file keeps it: how many values there are, then name and value of each, then the JSON.
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
        func copy(_ part: Cell) -> Bytes {
            let copy = Bytes(capacity: part.count)
            copy.append(part)
            return copy
        }
        do {
            var values: [(field: String, text: Bytes?)] = []
            for _ in 0..<(try reader.raw(Int64.self)) {
                let field = try reader.text()
                let size = Int(try reader.raw(Int64.self))
                values.append((field, size < 0 ? nil : copy(try reader.take(size))))
            }
            self.init(json: copy(try reader.rest()), values: values)
        } catch { return nil }
    }
}
