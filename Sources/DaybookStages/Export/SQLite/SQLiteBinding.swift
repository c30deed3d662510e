import DaybookCore
import GRDBSQLite

/// Gives the values of rows to a statement. Text is not copied, so it has to stay until the statement was stepped.
struct SQLiteBinding {
    private let statement: OpaquePointer
    private let dates: CodableDates
    /// Room for the bytes of a BLOB, which SQLite copies.
    private let decoded = Bytes()
    private let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    init(_ statement: OpaquePointer, _ dates: CodableDates) {
        self.statement = statement
        self.dates = dates
    }

    /// Binds one value, and gives SQLite's result code. `made` is room for a date.
    @inline(__always)
    func bind(
        _ column: CellPointers,
        _ row: Int,
        at place: Int32,
        isBLOB: Bool,
        _ made: UnsafeMutablePointer<UInt8>
    ) -> Int32 {
        guard !column.isMissing(row) else { return sqlite3_bind_null(statement, place) }
        switch column.kind {
        case .text: return isBLOB ? bind(base64: column.cell(row), place) : bind(column.cell(row), place)
        case .json: return bind(column.cell(row), place)
        case .integer: return sqlite3_bind_int64(statement, place, column.integer(row))
        case .decimal: return sqlite3_bind_double(statement, place, column.decimal(row))
        case .flag: return sqlite3_bind_int64(statement, place, column.flag(row) ? 1 : 0)
        case .day: return bind(Cell(start: made, count: ISOText.write(day: column.day(row), to: made)), place)
        case .instant: return bind(instant: column.integer(row), place, made)
        }
    }

    private func bind(instant: Int64, _ place: Int32, _ made: UnsafeMutablePointer<UInt8>) -> Int32 {
        guard dates != .iso else {
            return bind(Cell(start: made, count: ISOText.write(instant: instant, to: made)), place)
        }
        guard let number = SQLiteDates.number(instant, dates) else {
            preconditionFailure("an instant is written that was not rejected and has no number")
        }
        return dates == .epochMillis
            ? sqlite3_bind_int64(statement, place, Int64(number)) : sqlite3_bind_double(statement, place, number)
    }

    private func bind(_ cell: Cell, _ place: Int32) -> Int32 {
        guard cell.count > 0, let start = cell.baseAddress else {
            return sqlite3_bind_text(statement, place, "", 0, copied)
        }
        return start.withMemoryRebound(to: CChar.self, capacity: cell.count) {
            sqlite3_bind_text64(statement, place, $0, UInt64(cell.count), nil, UInt8(SQLITE_UTF8))
        }
    }

    private func bind(base64 cell: Cell, _ place: Int32) -> Int32 {
        decoded.removeAll()
        _ = Base64.decode(cell, into: decoded)
        guard decoded.count > 0 else { return sqlite3_bind_zeroblob(statement, place, 0) }
        return sqlite3_bind_blob64(statement, place, decoded.base, UInt64(decoded.count), copied)
    }
}
