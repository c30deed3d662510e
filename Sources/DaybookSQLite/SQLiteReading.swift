/// How to read the values of one column.
package enum SQLiteReading: Sendable, Hashable {
    /// Text stored as text.
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

    package var kind: ColumnKind {
        switch self {
        case .text, .anything, .base64, .uuid: .text
        case .integer: .integer
        case .decimal: .decimal
        case .flag: .flag
        case .day: .day
        case .json: .json
        case .instant, .appleInstant: .instant
        }
    }

    /// How to read a column with a declared kind.
    package init(declared kind: ColumnKind) {
        switch kind {
        case .text: self = .anything
        case .integer: self = .integer
        case .decimal: self = .decimal
        case .flag: self = .flag
        case .day: self = .day
        case .instant: self = .instant
        case .json: self = .json
        }
    }
}

extension Finding.Kind {
    static let notStoredAsText = Finding.Kind(
        "unexpected-kind",
        "{value} is stored as a number or a BLOB, in a column of text"
    )
    static let notStoredAsBytes = Finding.Kind("unexpected-kind", "{value} is not stored as a BLOB, as the others are")
    static let notStoredAsUUID = Finding.Kind(
        "not-a-uuid",
        "{value} is no BLOB of 16 bytes, as the others are, which are read as UUIDs",
        mend: "declare the column as text to read its BLOBs as base64"
    )
    static let externalData = Finding.Kind(
        "external-data",
        "{value} is the name of a file beside the store, in which Core Data keeps the data; that file is not read",
        severity: .warning
    )
    static let notStoredExactly = Finding.Kind("not-exact", "{value} has more digits than a decimal number keeps")
    static let notZeroOrOne = Finding.Kind("not-a-flag", "{value} is not 0 or 1, nor true or false")
    static let notAppleSeconds = Finding.Kind("not-a-date", "{value} is not a number of seconds since 2001")
    static let outOfYears = Finding.Kind("date-out-of-range", "{value} lies outside the years 1 to 9999")
    static let refusedBlob = Finding.Kind("blob", "{value} is a BLOB, and 'blobs' refuses those")
    static let notStoredJSON = Finding.Kind("not-json", "{value} is not JSON")
    static let unreadableTime = Finding.Kind("not-an-instant", "{value} is not a time such as 2026-11-21 05:00:00")
    static let noTimeZone = Finding.Kind(
        "read-as-utc",
        "{value} names no time zone; such times of this column are read as UTC, as SQLite's own functions read them",
        severity: .warning
    )
    package static let wholeNumberTooLarge = Finding.Kind(
        "not-an-integer",
        "{value} is stored as a decimal, and too large for one that is a whole number beyond doubt"
    )
    static let finerThanMicroseconds = Finding.Kind(
        "finer-than-a-microsecond",
        "{value} is finer than a microsecond, which is all that the instants of this column keep",
        severity: .warning
    )
}

/// Why a value does not fit the reading of its column.
enum SQLiteMisfit: UInt8, Sendable {
    case notInteger, tooLargeInteger, notNumber, notExact, notFlag, notDay, notText, notBytes, notUTF8, nul, notJSON,
        notSeconds, notTime
    case outOfRange, blob, notUUID
    /// Warnings: the value is accepted.
    case noZone, finer, external

    var kind: Finding.Kind {
        switch self {
        case .notInteger: .notAnInteger
        case .tooLargeInteger: .wholeNumberTooLarge
        case .notNumber: .notADecimal
        case .notExact: .notStoredExactly
        case .notFlag: .notZeroOrOne
        case .notDay: .notADay
        case .notText: .notStoredAsText
        case .notBytes: .notStoredAsBytes
        case .notUTF8: .notText
        case .nul: .nulCharacter
        case .notJSON: .notStoredJSON
        case .notSeconds: .notAppleSeconds
        case .notTime: .unreadableTime
        case .outOfRange: .outOfYears
        case .blob: .refusedBlob
        case .noZone: .noTimeZone
        case .finer: .finerThanMicroseconds
        case .notUUID: .notStoredAsUUID
        case .external: .externalData
        }
    }

    var isWarning: Bool { self == .noZone || self == .finer || self == .external }
}

/// Counts of the kinds of a column's first values.
struct SQLiteEvidence: Sendable {
    private(set) var integers = 0
    private(set) var decimals = 0
    private(set) var texts = 0
    private(set) var blobs = 0
    private(set) var uuids = 0
    private(set) var bits = 0
    private(set) var words = 0
    private(set) var days = 0
    private(set) var times = 0

    var count: Int { integers + decimals + texts + blobs }

    mutating func add(_ other: SQLiteEvidence) {
        integers += other.integers
        decimals += other.decimals
        texts += other.texts
        blobs += other.blobs
        uuids += other.uuids
        bits += other.bits
        words += other.words
        days += other.days
        times += other.times
    }

    mutating func note(integer: Int64) {
        integers += 1
        if integer == 0 || integer == 1 { bits += 1 }
    }

    mutating func noteDecimal() { decimals += 1 }

    mutating func note(blob: Cell) {
        blobs += 1
        if blob.isUUID { uuids += 1 }
    }

    mutating func note(text: Cell) {
        texts += 1
        if CellReading.day(text) != nil { days += 1 }
        if text.isShapedLikeTime { times += 1 }
        if CellReading.flag(text) != nil { words += 1 }
    }

    /// How to read the column: by its declared type, unless no sampled value fits it; then by the values. An empty
    /// column without a type is text.
    func reading(declared type: String?, dates: CoreDataDates?) -> SQLiteReading {
        if dates != nil, uuids > 0, uuids == count { return .uuid }
        if let reading = SQLiteEvidence.reading(ofType: type, dates: dates), count == 0 || fitting(reading) > 0 {
            return reading
        }
        if texts > 0 { return .text }
        if decimals > 0 { return .decimal }
        if integers > 0 { return .integer }
        return blobs > 0 ? .base64 : .text
    }

    private func fitting(_ reading: SQLiteReading) -> Int {
        switch reading {
        case .text: texts
        case .anything, .json: count
        case .base64: blobs
        case .uuid: uuids
        case .integer: integers
        case .decimal, .appleInstant: integers + decimals
        case .flag: bits + words
        case .day: days
        case .instant: times
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

/// How to read Core Data's dates.
package enum CoreDataDates: String, CaseIterable, BitwiseCopyable, Sendable {
    /// As instants, with microseconds.
    case instant
    /// As the stored numbers.
    case appleSeconds = "apple_seconds"
}

extension UnsafeBufferPointer<UInt8> {
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

extension CoreDataDates: OptionChoice {}
