import CSQLite
import DaybookBytes

/// How the values of one column are read.
package enum SQLiteReading: String, Sendable {
    /// Text that is stored as text.
    case text
    /// Text, and numbers and BLOBs written as text at the job's request.
    case anything
    /// BLOBs, written as base64.
    case base64
    /// BLOBs of 16 bytes, Core Data's form of a UUID, written as a UUID.
    case uuid
    case integer, decimal, flag, day, json
    /// Text such as `2026-11-21 05:00:00`, in UTC unless it has an offset.
    case instant
    /// Numbers of seconds since 2001-01-01T00:00:00Z.
    case appleInstant

    package var kind: ColumnKind { self == .appleInstant ? .instant : ColumnKind(rawValue: rawValue) ?? .text }

    /// How to read a column with a declared kind.
    package init(declared kind: ColumnKind) {
        self = kind == .text ? .anything : SQLiteReading(rawValue: kind.rawValue) ?? .anything
    }
}

/// Why a value does not fit its column.
enum SQLiteMisfit: UInt8, Sendable {
    case notInteger, tooLargeInteger, notNumber, notExact, notFlag, notDay, notText, notBytes, notUTF8, nul, notJSON,
        notSeconds, notTime
    case outOfRange, blob, notUUID, sealed, largeFile
    /// Warnings: the value is accepted.
    case noZone, finer, external

    var isWarning: Bool { self == .noZone || self == .finer || self == .external }

    var kind: Finding.Kind {
        switch self {
        case .notInteger: .notAnInteger
        case .tooLargeInteger: .wholeNumberTooLarge
        case .notNumber: .notADecimal
        case .notExact: Finding.Kind("not-exact", "{value} has more digits than a decimal number keeps")
        case .notFlag: Finding.Kind("not-a-flag", "{value} is not 0 or 1, nor true or false")
        case .notDay: .notADay
        case .notText:
            Finding.Kind("unexpected-kind", "{value} is stored as a number or a BLOB, in a column of text")
        case .notBytes: Finding.Kind("unexpected-kind", "{value} is not stored as a BLOB, as the others are")
        case .notUTF8: .notText
        case .nul: .nulCharacter
        case .notJSON: Finding.Kind("not-json", "{value} is not JSON")
        case .notSeconds: Finding.Kind("not-a-date", "{value} is not a number of seconds since 2001")
        case .notTime: Finding.Kind("not-an-instant", "{value} is not a time such as 2026-11-21 05:00:00")
        case .outOfRange: Finding.Kind("date-out-of-range", "{value} lies outside the years 1 to 9999")
        case .blob: Finding.Kind("blob", "{value} is a BLOB, and 'blobs' refuses those")
        case .noZone:
            Finding.Kind(
                "read-as-utc",
                "{value} names no time zone; such times of this column are read as UTC, as SQLite's own functions read them",
                severity: .warning
            )
        case .finer:
            Finding.Kind(
                "finer-than-a-microsecond",
                "{value} is finer than a microsecond, which is all that the instants of this column keep",
                severity: .warning
            )
        case .notUUID:
            Finding.Kind(
                "not-a-uuid",
                "{value} is no BLOB of 16 bytes, as the others are, which are read as UUIDs",
                mend: "declare the column as text to read its BLOBs as base64"
            )
        case .sealed:
            Finding.Kind(
                "not-json",
                "{value} is neither JSON, a property list nor an archive of plain values, as the others are",
                mend: "declare the column as text to read its BLOBs as base64"
            )
        case .largeFile:
            Finding.Kind(
                "external-data-too-large",
                "{value} is the name of a file beside the store with more than 64 MiB, the most that one value may have"
            )
        case .external:
            Finding.Kind(
                "external-data",
                "{value} is the name of a file beside the store, in which Core Data keeps the data; that file is not read",
                severity: .warning
            )
        }
    }
}

extension Finding.Kind {
    package static let wholeNumberTooLarge = Finding.Kind(
        "not-an-integer",
        "{value} is stored as a decimal, and too large for one that is a whole number beyond doubt"
    )
}

/// The kinds of the first values of a column, counted.
struct SQLiteEvidence: Sendable {
    private enum Fact { case integer, decimal, text, blob, uuid, sealed, bit, word, day, time }

    private var facts: [Fact: Int] = [:]

    private func count(_ kinds: Fact...) -> Int { kinds.reduce(0) { $0 + (facts[$1] ?? 0) } }

    private mutating func note(_ fact: Fact, if isTrue: Bool = true) { if isTrue { facts[fact, default: 0] += 1 } }

    private var count: Int { count(.integer, .decimal, .text, .blob) }

    mutating func add(_ other: SQLiteEvidence) { facts.merge(other.facts, uniquingKeysWith: +) }

    /// Notes the value of the statement's current row, and returns how many bytes it has.
    ///
    /// - Parameter contents: set for a column whose BLOBs may hold JSON.
    mutating func note(_ statement: SQLiteStatement, _ place: Int, _ contents: (any BLOBContents)?) -> Int {
        switch statement.type(place) {
        case SQLITE_INTEGER:
            note(.integer)
            note(.bit, if: (0...1).contains(statement.integer(place)))
        case SQLITE_FLOAT: note(.decimal)
        case SQLITE_TEXT:
            let text = statement.bytes(place)
            note(.text)
            note(.day, if: CellReading.day(text) != nil)
            note(.time, if: text.isShapedLikeTime)
            note(.word, if: CellReading.flag(text) != nil)
            return text.count
        case SQLITE_BLOB:
            let blob = statement.bytes(place)
            note(.blob)
            note(.uuid, if: blob.isUUID)
            // A file is not opened for a sample.
            if let contents, blob.externalName == nil, case .blob(let start) = contents.place(of: blob) {
                note(.sealed, if: contents.json(of: Cell(rebasing: blob[start...])) == nil)
            }
            return blob.count
        default: break
        }
        return 0
    }

    /// How to read the column: by its declared type, unless no sampled value fits it; then by the values. An empty
    /// column without a type is text.
    func reading(declared type: String?, dates: CoreDataDates?) -> SQLiteReading {
        if dates != nil, count > 0, count(.uuid) == count { return .uuid }
        if let reading = SQLiteEvidence.reading(ofType: type, dates: dates), count == 0 || fitting(reading) > 0 {
            return reading
        }
        if count(.text) > 0 { return .text }
        if count(.decimal) > 0 { return .decimal }
        if count(.integer) > 0 { return .integer }
        return count(.blob) > 0 ? .base64 : .text
    }

    /// How to read a column for which the store's own model gives a reading; nil if no sampled value fits that.
    func reading(modelled reading: SQLiteReading) -> SQLiteReading? {
        switch reading {
        case .json: count(.sealed) == 0 ? .json : .base64
        // Decimal numbers of more digits than SQLite's have are stored as text.
        case .decimal where count(.text) > 0: .anything
        case .uuid: count == 0 || count(.blob) > 0 ? .uuid : nil
        default: count == 0 || fitting(reading) > 0 ? reading : nil
        }
    }

    private func fitting(_ reading: SQLiteReading) -> Int {
        switch reading {
        case .text: count(.text)
        case .anything, .json: count
        case .base64: count(.blob)
        case .uuid: count(.uuid)
        case .integer: count(.integer)
        case .decimal, .appleInstant: count(.integer, .decimal)
        case .flag: count(.bit, .word)
        case .day: count(.day)
        case .instant: count(.time)
        }
    }

    /// The reading for a declared type, by SQLite's affinity rules and by the usual meaning of types unknown to SQLite.
    private static func reading(ofType type: String?, dates: CoreDataDates?) -> SQLiteReading? {
        guard let type = type?.uppercased() else { return nil }
        if let dates, type == "TIMESTAMP" { return dates == .instant ? .appleInstant : .decimal }
        if type == "DATE" { return .day }
        if type.hasPrefix("DATETIME") || type.hasPrefix("TIMESTAMP") { return .instant }
        if type.contains("BOOL") { return .flag }
        if type.contains("INT") { return .integer }
        if type.contains("CHAR") || type.contains("CLOB") || type.contains("TEXT") { return .text }
        if type.contains("BLOB") { return .base64 }
        if type.contains("REAL") || type.contains("FLOA") || type.contains("DOUB") { return .decimal }
        return nil
    }
}

/// How dates of Core Data are read.
package enum CoreDataDates: String, OptionChoice {
    /// As instants, which keep microseconds.
    case instant
    /// As the stored numbers.
    case appleSeconds = "apple_seconds"
}

extension Cell {
    /// Whether 16 bytes are a UUID of RFC 9562; other data of that length is one only by chance.
    var isUUID: Bool { count == 16 && (1...8).contains(self[6] >> 4) && self[8] >> 6 == 2 }

    /// Whether the bytes are Core Data's reference to an external data file: 2, the file's name and 0.
    var namesExternalData: Bool {
        guard count == 38, self[0] == 2, self[37] == 0 else { return false }
        return [9, 14, 19, 24].allSatisfy { self[$0] == UInt8(ascii: "-") }
    }

    /// Whether the text begins with a day, followed by a time of day.
    var isShapedLikeTime: Bool {
        guard count >= 16, CellReading.day(Cell(rebasing: self[..<10])) != nil else { return false }
        return (self[10] == 0x20 || self[10] == UInt8(ascii: "T")) && self[13] == UInt8(ascii: ":")
    }

    /// Whether the time ends with its offset from UTC.
    var namesZone: Bool {
        guard count > 16, let last else { return false }
        if last == UInt8(ascii: "Z") || last == UInt8(ascii: "z") { return true }
        return self[11...].contains { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") }
    }
}
