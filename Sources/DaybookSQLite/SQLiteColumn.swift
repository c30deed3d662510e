import CSQLite
import CScan
import DaybookBytes
import DaybookDates

/// Collects one column of a batch from the rows of a statement.
struct SQLiteColumn {
    let reading: SQLiteReading
    /// The index of the column in the statement.
    let place: Int
    let refusesBLOBs: Bool
    /// The contents of BLOBs; nil if they are their own contents.
    let contents: (any BLOBContents)?
    private var integers: [Int64] = []
    private var decimals: [Double] = []
    private var flags: [Bool] = []
    private var days: [Int32] = []
    private var views: [TextView] = []
    private var gaps: [Int32] = []

    init(_ reading: SQLiteReading, at place: Int, refusesBLOBs: Bool, contents: (any BLOBContents)?) {
        (self.reading, self.place, self.refusesBLOBs, self.contents) = (reading, place, refusesBLOBs, contents)
    }

    /// Appends the value of the statement's current row; text goes into `bytes`. A value that does not fit leaves a
    /// filler, and its misfit is returned.
    @inline(__always)
    mutating func append(_ statement: SQLiteStatement, row: Int, to bytes: Bytes) -> SQLiteMisfit? {
        let type = statement.type(place)
        if type == SQLITE_NULL {
            gaps.append(Int32(truncatingIfNeeded: row))
            fill()
            return nil
        }
        let misfit =
            switch reading {
            case .integer: appendInteger(statement, type)
            case .decimal, .appleInstant: appendDecimal(statement, type)
            case .text: appendText(statement, type, to: bytes)
            case .flag: appendFlag(statement, type)
            case .day: appendDay(statement, type)
            case .instant: appendTime(statement, type, to: bytes)
            case .base64: appendBLOB(statement, type, to: bytes)
            case .uuid: appendUUID(statement, type, to: bytes)
            case .anything: appendAnything(statement, type, to: bytes)
            case .json: appendJSON(statement, type, to: bytes)
            }
        if let misfit, !misfit.isWarning { fill() }
        return misfit
    }

    private mutating func fill() {
        switch reading {
        case .integer: integers.append(0)
        case .decimal, .appleInstant: decimals.append(0)
        case .flag: flags.append(false)
        case .day: days.append(0)
        case .text, .instant, .base64, .uuid, .anything, .json: views.append(TextView(offset: 0, length: 0))
        }
    }

    private mutating func appendInteger(_ statement: SQLiteStatement, _ type: Int32) -> SQLiteMisfit? {
        if type == SQLITE_INTEGER {
            integers.append(statement.integer(place))
            return nil
        }
        guard type == SQLITE_FLOAT else { return .notInteger }
        let value = statement.decimal(place)
        guard value.magnitude <= SQLiteColumn.exact else { return .tooLargeInteger }
        guard let whole = Int64(exactly: value) else { return .notInteger }
        integers.append(whole)
        return nil
    }

    private mutating func appendDecimal(_ statement: SQLiteStatement, _ type: Int32) -> SQLiteMisfit? {
        guard let value = SQLiteColumn.number(statement, place, type) else {
            if reading == .appleInstant { return .notSeconds }
            return type == SQLITE_INTEGER ? .notExact : .notNumber
        }
        decimals.append(value)
        return nil
    }

    /// The largest whole number up to which all are exact as doubles.
    private static let exact = 9_007_199_254_740_992.0

    private static func number(_ statement: SQLiteStatement, _ place: Int, _ type: Int32) -> Double? {
        if type == SQLITE_FLOAT {
            let value = statement.decimal(place)
            return value.isFinite ? value : nil
        }
        guard type == SQLITE_INTEGER else { return nil }
        return Double(exactly: statement.integer(place))
    }

    private mutating func appendText(_ statement: SQLiteStatement, _ type: Int32, to bytes: Bytes) -> SQLiteMisfit? {
        guard type == SQLITE_TEXT else { return .notText }
        return append(statement.bytes(place), to: bytes)
    }

    private mutating func append(_ cell: Cell, to bytes: Bytes) -> SQLiteMisfit? {
        if cell.count > 0, scan_utf8_valid_portable(cell.baseAddress, cell.count) != cell.count { return .notUTF8 }
        if cell.contains(0) { return .nul }
        views.append(TextView(offset: bytes.count, length: cell.count))
        bytes.append(cell)
        return nil
    }

    private mutating func appendFlag(_ statement: SQLiteStatement, _ type: Int32) -> SQLiteMisfit? {
        if type == SQLITE_INTEGER {
            let value = statement.integer(place)
            guard value == 0 || value == 1 else { return .notFlag }
            flags.append(value == 1)
            return nil
        }
        guard type == SQLITE_TEXT, let flag = CellReading.flag(statement.bytes(place)) else { return .notFlag }
        flags.append(flag)
        return nil
    }

    private mutating func appendDay(_ statement: SQLiteStatement, _ type: Int32) -> SQLiteMisfit? {
        guard type == SQLITE_TEXT, let day = CellReading.day(statement.bytes(place)) else { return .notDay }
        days.append(day)
        return nil
    }

    private mutating func appendTime(_ statement: SQLiteStatement, _ type: Int32, to bytes: Bytes) -> SQLiteMisfit? {
        guard type == SQLITE_TEXT else { return .notTime }
        let cell = statement.bytes(place)
        if let misfit = append(cell, to: bytes) { return misfit }
        return cell.namesZone || !cell.isShapedLikeTime ? nil : .noZone
    }

    private mutating func appendBLOB(_ statement: SQLiteStatement, _ type: Int32, to bytes: Bytes) -> SQLiteMisfit? {
        guard type == SQLITE_BLOB else { return .notBytes }
        guard !refusesBLOBs else { return .blob }
        return withContents(of: statement.bytes(place)) { column, contents in
            let start = bytes.count
            Base64.append(contents, to: bytes)
            column.views.append(TextView(offset: start, length: bytes.count - start))
            return nil
        }
    }

    /// Appends the contents of a BLOB with `body`. If they cannot be found, a reference stands for itself.
    private mutating func withContents(
        of blob: Cell,
        _ body: (inout SQLiteColumn, Cell) -> SQLiteMisfit?
    ) -> SQLiteMisfit? {
        switch contents?.place(of: blob) ?? .blob(from: 0) {
        case .blob(let start):
            return body(&self, Cell(rebasing: blob[start...])) ?? (blob.namesExternalData ? .external : nil)
        case .file(let bytes):
            defer { withExtendedLifetime(bytes) {} }
            return body(&self, bytes.filled)
        case .missingFile: return body(&self, blob) ?? .external
        case .largeFile: return .largeFile
        }
    }

    private mutating func appendUUID(_ statement: SQLiteStatement, _ type: Int32, to bytes: Bytes) -> SQLiteMisfit? {
        guard type == SQLITE_BLOB, statement.bytes(place).count == 16 else { return .notUUID }
        views.append(TextView(offset: bytes.count, length: 36))
        bytes.append(uuid: statement.bytes(place))
        return nil
    }

    private mutating func appendAnything(_ statement: SQLiteStatement, _ type: Int32, to bytes: Bytes) -> SQLiteMisfit?
    {
        if type == SQLITE_TEXT { return append(statement.bytes(place), to: bytes) }
        if type == SQLITE_BLOB { return appendBLOB(statement, type, to: bytes) }
        let start = bytes.count
        bytes.append(number: statement, place, type)
        views.append(TextView(offset: start, length: bytes.count - start))
        return nil
    }

    private mutating func appendJSON(_ statement: SQLiteStatement, _ type: Int32, to bytes: Bytes) -> SQLiteMisfit? {
        if type == SQLITE_TEXT {
            let cell = statement.bytes(place)
            guard cell.isJSON else { return .notJSON }
            return append(cell, to: bytes)
        }
        if type == SQLITE_BLOB, contents != nil { return appendPeeled(statement, to: bytes) }
        guard type != SQLITE_BLOB, SQLiteColumn.number(statement, place, type) != nil || type == SQLITE_INTEGER else {
            return .notJSON
        }
        return appendAnything(statement, type, to: bytes)
    }

    /// Appends the JSON in a BLOB. A reference whose file is missing becomes base64 text in it.
    private mutating func appendPeeled(_ statement: SQLiteStatement, to bytes: Bytes) -> SQLiteMisfit? {
        guard !refusesBLOBs else { return .blob }
        let blob = statement.bytes(place)
        return withContents(of: blob) { column, contents in
            if let json = column.contents?.json(of: contents) {
                defer { withExtendedLifetime(json) {} }
                return column.append(json.filled, to: bytes)
            }
            guard contents.namesExternalData else { return .sealed }
            let start = bytes.count
            bytes.append(UInt8(ascii: "\""))
            Base64.append(contents, to: bytes)
            bytes.append(UInt8(ascii: "\""))
            column.views.append(TextView(offset: start, length: bytes.count - start))
            return nil
        }
    }

    /// The collected column. `texts` holds the text of all columns of the batch.
    ///
    /// Times are parsed here, all at once; `noting` receives the rows without a valid time, or with something odd.
    func column(_ texts: Bytes, count: Int, noting: (Int, SQLiteMisfit) -> Void) -> Column {
        var missing: Mask?
        for row in gaps { missing.insert(Int(row), of: count) }
        switch reading {
        case .integer: return .integers(Values(integers, missing: missing))
        case .appleInstant: return times(.decimals(Values(decimals, missing: missing)), SQLiteTimes.apple, noting)
        case .decimal: return .decimals(Values(decimals, missing: missing))
        case .flag: return .flags(Values(flags, missing: missing))
        case .day: return .days(Values(days, missing: missing))
        case .json: return .json(TextColumn(texts, views: views, missing: missing))
        case .text, .base64, .uuid, .anything: return .text(TextColumn(texts, views: views, missing: missing))
        case .instant:
            return times(.text(TextColumn(texts, views: views, missing: missing)), SQLiteTimes.iso, noting)
        }
    }

    private func times(_ column: Column, _ reader: DateColumnReader, _ noting: (Int, SQLiteMisfit) -> Void) -> Column {
        reader.read(column) { row, failure in
            noting(row, failure.outcome == .outOfRange ? .outOfRange : reading == .instant ? .notTime : .notSeconds)
        } remarking: { row, remark in
            if remark == .finer { noting(row, .finer) }
        }
    }
}

/// Reads the times of whole columns.
private enum SQLiteTimes {
    /// Times as SQLite writes them: UTC, unless they say otherwise.
    static let iso = DateColumnReader([.iso], to: .instant, zone: .utc)
    /// Seconds since 2001, as Core Data stores them.
    static let apple = DateColumnReader([.epoch(.appleSeconds)], to: .instant, zone: nil)
}

extension Bytes {
    /// Appends 16 bytes as Foundation writes a UUID.
    package func append(uuid: some Collection<UInt8>) {
        for (place, byte) in uuid.enumerated() {
            if [4, 6, 8, 10].contains(place) { append(UInt8(ascii: "-")) }
            for digit in [byte >> 4, byte & 15] { append(digit < 10 ? digit + 48 : digit + 55) }
        }
    }

    /// Appends a number of the statement's current row, with all its digits.
    package func append(number statement: SQLiteStatement, _ place: Int, _ type: Int32) {
        if type == SQLITE_INTEGER { return append(integer: statement.integer(place)) }
        let value = statement.decimal(place)
        // SQLite's own spelling of infinity.
        if value.isInfinite { return append(value < 0 ? "-9e999" as StaticString : "9e999") }
        append(decimal: value)
    }
}

/// Finds the contents of a column's BLOBs, where they are not the BLOBs themselves.
package protocol BLOBContents: Sendable {
    /// Where the bytes are that a BLOB stands for.
    func place(of blob: Cell) -> BLOBPlace

    /// The JSON text of these bytes; nil if they hold no values that JSON can hold.
    func json(of contents: Cell) -> Bytes?
}

/// The place of the bytes that a BLOB stands for.
package enum BLOBPlace {
    /// The BLOB from this byte on.
    case blob(from: Int)
    /// A file beside the store; these are its bytes.
    case file(Bytes)
    /// A file beside the store that is missing or cannot be read.
    case missingFile
    /// A file beside the store with more bytes than one value may have.
    case largeFile
}

extension Cell {
    /// The file name in Core Data's reference to external data: 2, a UUID and 0; nil for other bytes.
    package var externalName: String? {
        guard namesExternalData else { return nil }
        let name = self[1..<37]
        let isUUID = name.enumerated().allSatisfy { place, byte in
            [8, 13, 18, 23].contains(place) || (Character(Unicode.Scalar(byte)).isHexDigit && byte < 0x80)
        }
        return isUUID ? String(decoding: name, as: UTF8.self) : nil
    }
}
