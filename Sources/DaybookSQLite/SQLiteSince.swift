import CSQLite
import DaybookBytes
import Foundation

/// The condition for new rows of a selection: their value in a column lies behind a mark. The mark is always a
/// parameter.
struct SQLiteSince: Sendable {
    let column: String
    let bound: SinceBound
    /// The keys of rows up to the mark to read nevertheless, as a JSON list; nil for none.
    var wanted: String?

    /// Texts are compared byte by byte, whatever the column's collation, so that every run uses one order.
    var value: String { "\(SQLiteSelection.quoted(column)) COLLATE BINARY" }

    /// The condition for rows to read.
    var condition: String {
        guard let overlap = bound.overlap, wanted != nil else { return behind }
        let key = "\(SQLiteSelection.quoted(overlap.key)) COLLATE BINARY"
        return "(\(behind) OR (\(before) AND \(key) IN (SELECT value FROM json_each(?2))))"
    }

    private var behind: String { "\(value) \(bound.isInclusive ? ">=" : ">") ?1" }
    /// The condition for rows up to the mark.
    fileprivate var before: String { "\(value) \(bound.isInclusive ? "<" : "<=") ?1" }

    func bind(to statement: SQLiteStatement) throws(SQLiteError) {
        try statement.bind(bound.mark, at: 1)
        if let wanted, statement.parameterCount > 1 { try statement.bind(wanted, at: 2) }
    }

    /// The keys as a JSON list; nil for none.
    static func list(of keys: [StoreValue]) -> String? {
        guard !keys.isEmpty, let list = try? JSONEncoder().encode(keys) else { return nil }
        return String(decoding: list, as: UTF8.self)
    }
}

/// Finds out which rows of a selection lie behind a mark, and what is odd about the others.
struct SQLiteSurvey {
    let since: SQLiteSince
    let store: SQLiteStore
    /// All rows.
    let selection: SQLiteSelection

    /// The most SQLite steps for counting rows that are not read: some seconds.
    private static let steps = 200_000_000
    /// The most rows of an overlap to keep, since the next run compares each of them.
    private static let mostKept = 100_000

    private var bound: SinceBound { since.bound }
    private var column: String { since.column }
    private var quoted: String { SQLiteSelection.quoted(column) }
    private var isText: Bool { if case .text = bound.mark { true } else { false } }

    /// The highest value of the new rows, and the number of the other rows.
    func reading() throws(DaybookError) -> SinceReading {
        var reading = SinceReading(column: column, bound: bound)
        (reading.highest, reading.new) = try highest()
        try refuseTwoForms()
        reading.missing = try count("\(quoted) IS NULL")
        reading.before = try count(since.before)
        if let overlap = bound.overlap { reading.overlap = try look(at: overlap, highest: reading.highest) }
        if let known = bound.known {
            let late = reading.overlap?.late ?? 0
            reading.unread = reading.before.map { max(0, $0 - known - late) }
        }
        if reading.highest == nil, !bound.isInclusive {
            reading.isPastAll = try count("\(since.value) = ?1") == 0
        }
        return reading
    }

    /// The highest value of the new rows, and their number.
    private func highest() throws(DaybookError) -> (StoreValue?, Int) {
        let type = "typeof(\(quoted))"
        let sql = """
            SELECT count(*), sum(\(type) IN ('integer', 'real')), sum(\(type) = 'text'), max(\(since.value))
            FROM \(selection.subject) WHERE \(selection.condition(and: since.condition))
            """
        let (counts, highest) = try store.read { db -> ([Int64], StoreValue?) in
            let statement = try SQLiteStatement(db, sql)
            try since.bind(to: statement)
            guard try statement.step() else { return ([0, 0, 0], nil) }
            return ((0..<3).map { statement.integer($0) }, statement.mark(3))
        }
        let (numbers, texts) = (counts[1], counts[2])
        if counts[0] > numbers + texts { throw mixed("BLOBs") }
        if !isText, texts > 0 { throw mixed("text") }
        // Numbers sort before any text, so no run would ever read them.
        if isText, try !isEmpty("\(quoted) < ''") { throw mixed("numbers") }
        guard counts[0] > 0 else { return (nil, 0) }
        guard let highest else { throw mixed("a value that is no finite number, or no UTF-8") }
        return (highest, Int(counts[0]))
    }

    /// Refuses texts with two forms of times, with a `T` and with a blank between day and hour: within a day, all times
    /// of one form sort before the other, so rows would never be read.
    private func refuseTwoForms() throws(DaybookError) {
        guard isText else { return }
        for mark in ["T", " "] {
            let form = "\(quoted) GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]\(mark)[0-9]*'"
            if try isEmpty(form) { return }
        }
        let message =
            "column '\(column)' of \(selection.displayText) holds times in two forms, '2026-11-22T08:00' and '2026-11-22 08:00', and as texts all of one form stand "
            + "before the other"
        let hint =
            "write them in one form, or read a 'query' that does: SELECT *, replace(\(column), 'T', ' ') AS moment FROM …"
        throw DaybookError.data("since-of-two-forms", message, at: place, hint: hint)
    }

    private func mixed(_ what: String) -> DaybookError {
        DaybookError.data(
            "since-of-other-kind",
            "column '\(column)' of \(selection.displayText) holds \(what), and 'since' asks for what lies behind \(isText ? "the text" : "the number") "
                + "'\(bound.mark.displayText)'",
            at: place,
            hint:
                "write 'start' as the column holds it: a number as it is, and text in quotes; all values have to be of one sort; where the job "
                + "asked for other rows before, 'run --full-refresh' begins anew"
        )
    }

    private var place: SourcePlace { SourcePlace(file: store.file.source.path, line: 1, column: 1) }

    /// The number of rows that fulfil a condition; nil if counting takes too long.
    private func count(_ condition: String) throws(DaybookError) -> Int? {
        try look("SELECT count(*)", condition).map(Int.init)
    }

    private func isEmpty(_ condition: String) throws(DaybookError) -> Bool {
        try look("SELECT 1", "\(condition) LIMIT 1") == nil
    }

    /// The first number in the result for the rows of a condition; nil if there is none, or it takes too long.
    private func look(_ select: String, _ condition: String) throws(DaybookError) -> Int64? {
        let sql = "\(select) FROM \(selection.subject) WHERE \(selection.condition(and: condition))"
        do throws(DaybookError) {
            return try store.look(steps: SQLiteSurvey.steps) { db in
                let statement = try SQLiteStatement(db, sql)
                if statement.parameterCount > 0 { try since.bind(to: statement) }
                return try statement.step() ? statement.integer(0) : nil
            }
        } catch {
            guard error.code == SQLiteFault.takesTooLong else { throw error }
            return nil
        }
    }

    // MARK: - Rows shortly before the mark

    /// Examines the rows shortly before a mark, some of which may be late, and keeps those that the next run may see
    /// again.
    ///
    /// - Parameter highest: the highest value of the rows behind the mark; nil for none.
    private func look(at overlap: SinceOverlap, highest: StoreValue?) throws(DaybookError) -> OverlapReading {
        let mark = bound.mark
        let keptFrom = try start(of: overlap, before: highest ?? mark)
        let first = bound.isInclusive ? mark : try start(of: overlap, before: mark)
        let known = bound.kept.map { rows in
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
            var seen: Set<StoreValue> = []
            while try statement.step() {
                let isBefore = !bound.isInclusive && statement.integer(0) != 0
                let isKept = statement.integer(1) != 0
                guard isBefore || isKept || known != nil else { continue }
                guard let key = statement.mark(2), isKey(key) else { return (reading, withoutKey(overlap)) }
                let digest = isKept || known?[key] != nil ? SQLiteSurvey.digest(of: statement) : ""
                if isBefore || isKept {
                    guard seen.insert(key).inserted else { return (reading, repeated(key, overlap)) }
                }
                if isKept {
                    guard reading.rows.count < SQLiteSurvey.mostKept else { return (reading, tooMany) }
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

    /// A fractional number does not compare equal everywhere, so it is no key.
    private func isKey(_ key: StoreValue) -> Bool { if case .decimal = key { false } else { true } }

    private func start(of overlap: SinceOverlap, before mark: StoreValue) throws(DaybookError) -> StoreValue {
        if let start = overlap.start(before: mark) { return start }
        let message =
            "'\(mark.displayText)' in '\(column)' is no day or time such as 2026-03-01T08:00:00, from before which 'overlap' could read again"
        let hint = "write the times in one such form, or read a 'query' that does"
        throw fault("overlap-of-other-kind", message, hint: hint)
    }

    /// A digest of all values of the statement's current row, each with its kind.
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

    private func withoutKey(_ overlap: SinceOverlap) -> DaybookError {
        let message =
            "\(selection.displayText) has a row without a whole number or text in '\(overlap.key)', by which rows that 'overlap' reads again are known"
        let hint = "name a column under 'key' that has one for every row"
        return fault("overlap-without-key", message, hint: hint)
    }

    private func repeated(_ key: StoreValue, _ overlap: SinceOverlap) -> DaybookError {
        let message =
            "\(selection.displayText) has two rows with '\(key.displayText)' in '\(overlap.key)', by which rows that 'overlap' reads again are known"
        let hint = "name a column under 'key' in which no value stands twice"
        return fault("overlap-key-repeated", message, hint: hint)
    }

    private var tooMany: DaybookError {
        let message =
            "more than \(DisplayText.count(SQLiteSurvey.mostKept)) rows of \(selection.displayText) lie in the overlap, and each has to be kept for the next run"
        return fault("overlap-too-wide", message, hint: "make 'overlap' smaller")
    }

    private func fault(_ code: DaybookError.Code, _ message: String, hint: String) -> DaybookError {
        DaybookError.data(code, message, at: place, hint: hint)
    }
}

extension SinceReading {
    /// Warnings about rows that no run reads.
    var warnings: [Finding.Kind] { [withoutValue, filledAnew, neverRead].compactMap(\.self) }

    /// Rows that were inserted behind the mark of earlier runs; nil for none.
    private var neverRead: Finding.Kind? {
        guard let unread, unread > 0 else { return nil }
        let message =
            "at least \(DisplayText.count(unread, "row")) \(unread == 1 ? "lies" : "lie") before '\(bound.mark.displayText)' in '\(column)', up to which runs have read, and "
            + "\(unread == 1 ? "was" : "were") never read: they came later, or with that very value; 'run --full-refresh' into an output made anew reads all"
        return Finding.Kind("never-read", message, severity: .warning)
    }

    /// Rows without a value; nil for none.
    private var withoutValue: Finding.Kind? {
        guard missing != 0 else { return nil }
        let rows = missing.map { "\($0.displayText) \($0 == 1 ? "row has" : "rows have")" } ?? "rows may have"
        let message =
            "\(rows) no value in '\(column)', by which new rows are known, and \(missing == 1 ? "is" : "are") not read"
            + (missing == nil ? "; they were not counted, for that takes too long" : "")
        return Finding.Kind("no-since-value", message, severity: .warning)
    }

    /// A table that may have been refilled or replaced; nil if its highest value reaches the mark.
    private var filledAnew: Finding.Kind? {
        guard isPastAll else { return nil }
        let message =
            "all rows lie before '\(bound.mark.displayText)' in '\(column)', up to which runs have read, and are not read; where the table was "
            + "filled anew or is another one, 'run --full-refresh' begins anew"
        return Finding.Kind("past-since", message, severity: .warning)
    }
}

extension SQLiteStatement {
    func bind(_ mark: StoreValue, at place: Int) throws(SQLiteError) {
        switch mark {
        case .integer(let number): try bind(number, at: place)
        case .decimal(let number): try bind(number, at: place)
        case .text(let text): try bind(text, at: place)
        }
    }

    /// The value at an index; nil for a value that no later run could be compared with.
    fileprivate func mark(_ place: Int) -> StoreValue? {
        switch type(place) {
        case SQLITE_INTEGER: return .integer(integer(place))
        case SQLITE_FLOAT:
            let number = decimal(place)
            return number.isFinite ? .decimal(number) : nil
        case SQLITE_TEXT: return String(validating: bytes(place), as: UTF8.self).map(StoreValue.text)
        default: return nil
        }
    }
}

/// `{ column: updated_at, start: 2026-01-01 }`: the column by which an import finds new rows.
struct SinceOption {
    let column: ColumnName
    let start: StoreValue
    /// The width of the overlap before the highest value, whose rows are read again, and the key column of the rows.
    let overlap: (width: SinceOverlap.Width, key: ColumnName)?

    var asked: SinceColumn {
        let overlap = overlap.map { SinceOverlap($0.width, key: $0.key.text) }
        return SinceColumn(column: column.text, start: start, overlap: overlap)
    }
}

extension SinceOption: OptionObject {
    static let title = "'since'"
    static let example: String? = "write { column: updated_at, start: 2026-01-01 }"
    static var placeholder: SinceOption { SinceOption(column: .placeholder, start: .integer(0), overlap: nil) }

    init(reading fields: inout OptionFields) throws(DaybookError) {
        let column: ColumnName? = try fields.optional(
            "column",
            isRequired: true,
            help: "Column whose values rise, such as a time of change or an id."
        )
        let written = fields.written(
            "start",
            .text,
            isRequired: true,
            help:
                "Where the first run begins, with the rows that have this very value: a number, or text as the column holds it."
        )
        let start = try written.map(SinceOption.start)
        let overlap = fields.written(
            "overlap",
            .text,
            help:
                "How far before the highest value rows are read again, since some come late or change: a time such as 2 hours, or a number for numbers."
        )
        let key: ColumnName? = try fields.optional(
            "key",
            help: "Column that tells one row from another, by which those that overlap reads again are known."
        )
        guard let column, let start else { throw fields.missing(column == nil ? "column" : "start") }
        if let key, overlap == nil {
            let message = "'key' tells apart rows that are read again, and no 'overlap' asks for any"
            let hint = "add overlap: 2 hours, or leave 'key' out"
            throw DaybookError("missing-option", message, at: key.place, hint: hint)
        }
        guard let overlap else {
            self.init(column: column, start: start, overlap: nil)
            return
        }
        guard let key else {
            let message = "the option 'key' is missing: rows that 'overlap' reads again are known by it"
            let hint = "add key: id, with a column in which no value stands twice"
            throw DaybookError("missing-option", message, at: fields.node.place, hint: hint)
        }
        let width = try SinceOption.width(overlap, start)
        guard SinceOverlap(width, key: key.text).start(before: start) != nil else {
            let hint =
                "write 'start' as a day or a time, 2026-03-01 or 2026-03-01T08:00:00, or as the number that the column holds"
            throw overlap.expected("nothing where 'start' is '\(start.displayText)'", hint: hint)
        }
        self.init(column: column, start: start, overlap: (width, key))
    }

    private static func width(_ node: OptionNode, _ start: StoreValue) throws(DaybookError) -> SinceOverlap.Width {
        let text = node.text ?? ""
        guard case .text = start else {
            if let number = Int64(text), number > 0 { return .whole(number) }
            if let number = Double(text), number.isFinite, number > 0 { return .decimal(number) }
            let message = "a number above 0, since 'start' is one"
            throw node.expected(message, hint: "an hour is 3600 where the column holds seconds")
        }
        let words = text.split(separator: " ")
        let units: [String: Int64] = ["second": 1, "minute": 60, "hour": 3_600, "day": 86_400, "week": 604_800]
        guard words.count == 2, let count = Int64(words[0]), (1...1_000_000).contains(count),
            let unit = units[words[1].hasSuffix("s") ? String(words[1].dropLast()) : String(words[1])]
        else {
            throw node.expected("a time such as '30 minutes', '2 hours' or '1 day'", hint: "write overlap: 2 hours")
        }
        return .seconds(count * unit)
    }

    /// An unquoted value written like a number is a number.
    private static func start(_ node: OptionNode) throws(DaybookError) -> StoreValue {
        guard let text = node.text, !text.isEmpty else { throw node.expected("a number or text") }
        guard let plain = node.plainText else { return .text(text) }
        if let number = Int64(plain) { return .integer(number) }
        if let number = Double(plain), number.isFinite { return .decimal(number) }
        return .text(text)
    }

    var written: String { "{ column: \(column.written), start: \(start.displayText) }" }
}
