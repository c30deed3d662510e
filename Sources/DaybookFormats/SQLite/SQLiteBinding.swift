import DaybookSQLite

/// Gives the values of rows to a statement. Text is not copied, so it has to stay until the statement was stepped.
struct SQLiteBinding {
    private let statement: SQLiteStatement
    private let dates: CodableDates
    /// Room for the bytes of a BLOB, which SQLite copies.
    private let decoded = Bytes()

    init(_ statement: SQLiteStatement, _ dates: CodableDates) {
        self.statement = statement
        self.dates = dates
    }

    /// Binds one value. `made` is room for a date, which has to stay as well.
    @inline(__always)
    func bind(
        _ column: CellPointers,
        _ row: Int,
        at place: Int,
        isBLOB: Bool,
        _ made: UnsafeMutablePointer<UInt8>
    ) throws(SQLiteError) {
        guard !column.isMissing(row) else { return try statement.bindNull(at: place) }
        switch column.kind {
        case .text where isBLOB: try bind(base64: column.cell(row), at: place)
        case .text, .json: try statement.bind(uncopied: column.cell(row), at: place)
        case .integer: try statement.bind(column.integer(row), at: place)
        case .decimal: try statement.bind(column.decimal(row), at: place)
        case .flag: try statement.bind(column.flag(row) ? 1 : 0 as Int64, at: place)
        case .day: try bind(made, ISOText.write(day: column.day(row), to: made), at: place)
        case .instant: try bind(instant: column.integer(row), at: place, made)
        }
    }

    private func bind(_ made: UnsafeMutablePointer<UInt8>, _ count: Int, at place: Int) throws(SQLiteError) {
        try statement.bind(uncopied: Cell(start: made, count: count), at: place)
    }

    private func bind(instant: Int64, at place: Int, _ made: UnsafeMutablePointer<UInt8>) throws(SQLiteError) {
        guard dates != .iso else { return try bind(made, ISOText.write(instant: instant, to: made), at: place) }
        guard let number = SQLiteDates.number(instant, dates) else {
            preconditionFailure("an instant is written that was not rejected and has no number")
        }
        if dates == .epochMillis {
            try statement.bind(Int64(number), at: place)
        } else {
            try statement.bind(number, at: place)
        }
    }

    private func bind(base64 cell: Cell, at place: Int) throws(SQLiteError) {
        decoded.removeAll()
        _ = Base64.decode(cell, into: decoded)
        try statement.bind(blob: Cell(start: decoded.base, count: decoded.count), at: place)
        withExtendedLifetime(decoded) {}
    }
}
