import DaybookDates

/// The parts of a property that the row loop needs.
struct CodableCell: BitwiseCopyable {
    var column: Int
    var conversion: CodableProperty.Conversion
    var absence: CodableProperty.Absence
}

/// Why a value cannot be written.
enum CodableFault: BitwiseCopyable {
    case missing, noKey, notFinite, notWhole, inexact, otherKind, skippedDay, notJSON, twofold

    func kind(_ property: CodableProperty) -> Finding.Kind {
        switch self {
        case .missing where property.columnName == nil:
            Finding.Kind("missing-value", "the app needs '\(property.key)', and no column fills it")
        case .missing: Finding.Kind("missing-value", "the app needs '\(property.key)', and there is no value")
        case .noKey:
            Finding.Kind("missing-key", "there is no key in '\(property.key)' under which the row could stand")
        case .notFinite: .notAJSONNumber
        case .notWhole:
            Finding.Kind("not-an-integer", "{value} is not a whole number of 64 bits, and the app declares one")
        case .inexact: Finding.Kind("not-a-double", "{value} has more digits than the app's Double can hold")
        case .otherKind: Finding.Kind("not-of-the-field", "{value} is not of the kind that the app declares")
        case .skippedDay:
            Finding.Kind(
                "skipped-day",
                "{value} has no beginning in the job's time zone, whose clocks skipped that day"
            )
        case .notJSON:
            Finding.Kind("not-json", "{value} is not JSON, and the app declares '\(property.key)' as a value of JSON")
        case .twofold where property.path.isEmpty:
            Finding.Kind(
                "value-and-keys",
                "the record was {value} and no object, and other columns have values too; "
                    + "to write '\(property.key)' as a key, rename it with rename_columns"
            )
        case .twofold:
            Finding.Kind(
                "object-and-parts",
                "'\(property.key)' is {value} here, and columns of its keys have values too"
            )
        }
    }
}

extension Finding.Kind {
    static let innerDate = Finding.Kind(
        "inner-date",
        "a date inside {value} is written in another way than 'dates' says",
        mend: "write 'dates' as the dates were, or leave the column out"
    )
    static let notAJSONNumber = Finding.Kind("not-a-json-number", "{value} is a number that JSON cannot write")
}

/// Writes values of any kind so that the app's decoder gives them back.
struct CodableValues {
    var zone: ZoneCursor
    let onOneLine: Bool

    /// Writes the value of a row, which is not missing.
    @inline(__always)
    mutating func put(
        _ column: CellPointers,
        _ row: Int,
        _ conversion: CodableProperty.Conversion,
        _ out: inout ByteCursor
    ) -> CodableFault? {
        switch conversion {
        case .text: out.put(jsonString: column.cell(row))
        case .integer: put(integer: column.integer(row), &out)
        case .wholeAsDouble:
            let value = column.integer(row)
            guard Int64(exactly: Double(value)) == value else { return .inexact }
            put(integer: value, &out)
        case .decimal:
            let value = column.decimal(row)
            guard value.isFinite else { return .notFinite }
            out.next += NumberText.write(value, to: out.next)
        case .decimalAsWhole:
            guard let value = Int64(exactly: column.decimal(row)) else { return .notWhole }
            put(integer: value, &out)
        case .flag: out.put(word: column.flag(row) ? "true" : "false")
        case .isoDay: out.put(isoDay: column.day(row))
        case .isoInstant: out.put(isoInstant: column.integer(row))
        case .instant(let unit):
            let (seconds, micros) = CodableValues.split(column.integer(row))
            out.next += unit.write(seconds: seconds, micros: micros, to: out.next)
        case .startOfDay(let unit):
            guard let seconds = zone.start(ofDay: column.day(row)) else { return .skippedDay }
            out.next += unit.write(seconds: seconds, micros: 0, to: out.next)
        case .isoStartOfDay:
            guard let seconds = zone.start(ofDay: column.day(row)) else { return .skippedDay }
            let (instant, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000)
            // Days more than 290,000 years away, which an instant cannot name.
            if overflows { return .skippedDay }
            out.put(isoInstant: instant)
        case .json(let kind):
            let cell = column.cell(row)
            if let fault = CodableValues.fault(cell, as: kind) { return fault }
            out.put(json: cell, onOneLine: onOneLine)
        case .textAsJSON:
            let cell = column.cell(row)
            guard cell.isJSON else { return .notJSON }
            out.put(json: cell, onOneLine: onOneLine)
        }
        return nil
    }

    @inline(__always)
    private func put(integer: Int64, _ out: inout ByteCursor) { out.next += NumberText.write(integer, to: out.next) }

    /// Seconds and the microseconds behind them, for every Int64.
    @inline(__always)
    static func split(_ instant: Int64) -> (Int64, Int64) {
        let (day, micros) = InstantParts.split(instant)
        return (Int64(day) &* 86_400 &+ micros / 1_000_000, micros % 1_000_000)
    }

    /// The fault of JSON text as a value of a kind. Its grammar was checked on import.
    private static func fault(_ cell: Cell, as kind: CodableField.Kind) -> CodableFault? {
        let first = cell.first ?? 0
        switch kind {
        case .json: return nil
        case .text: return first == UInt8(ascii: "\"") ? nil : .otherKind
        case .flag: return first == UInt8(ascii: "t") || first == UInt8(ascii: "f") ? nil : .otherKind
        case .decimal, .date:
            guard first.isJSONNumber else { return .otherKind }
            // Only a long number or one with an exponent can be too large.
            if cell.count < 300, !cell.contains(where: { $0 | 0x20 == UInt8(ascii: "e") }) { return nil }
            return Double(String(decoding: cell, as: UTF8.self))?.isFinite == true ? nil : .notFinite
        case .integer:
            guard first.isJSONNumber else { return .otherKind }
            return CellReading.integer(cell) == nil ? .notWhole : nil
        }
    }
}

/// The brackets around rows, and what stands between a row's key and the row.
package struct RowBrackets: Sendable {
    package let opening: StaticString
    package let closing: StaticString
    package let isArray: Bool

    /// - Parameter keys: of the rows; nil for the elements of an array.
    package init(_ keys: RecordKeys?) {
        isArray = keys.map { $0.inPairs == true } ?? true
        (opening, closing) = isArray ? ("[", "]") : ("{", "}")
    }
}

/// The keys of rows written so far: an object holds one value under each.
package struct DistinctKeys {
    private var known: Set<[UInt8]> = []
    private let column: ColumnName

    package init(_ keys: RecordKeys) { column = keys.column }

    /// Adds the keys of some rows. Throws if one was there before.
    package mutating func add(_ piece: TextPiece) throws(DaybookError) {
        defer { withExtendedLifetime(piece.bytes) {} }
        var cursor = JSONCursor(piece.bytes.base, to: piece.bytes.count)
        for _ in 0..<piece.rows {
            cursor.skipSpace()
            let start = cursor.position
            guard cursor.skipValue() else { return }
            let key = Array(cursor.cell(start..<cursor.position))
            guard known.insert(key).inserted else {
                let shown = String(decoding: key.prefix(DisplayText.longestValue), as: UTF8.self)
                let message = "two rows have the key \(shown) in '\(column)', and one value stands under each key"
                let hint = "a 'unique' check of '\(column)' names the rows; 'deduplicate_rows' keeps one of them"
                throw DaybookError.data("key-twice", message, at: column.place, hint: hint)
            }
            guard cursor.stepBehindKey(), cursor.skipValue() else { return }
            cursor.skipSpace()
            // The comma before the next row.
            cursor.position += cursor.byte == UInt8(ascii: ",") ? 1 : 0
        }
    }
}

/// The key of a row as it is written before the row.
struct RowKey {
    let property: CodableProperty
    private let inPairs: Bool
    private let separator: StaticString
    private let indentation: Int

    /// Nil where rows have no keys.
    init?(_ encoding: CodableEncoding, _ schema: Schema, prettyDepth: Int?) {
        guard let keys = encoding.keys, let column = schema.index(of: keys.column) else { return nil }
        inPairs = keys.inPairs == true
        // A key of an object is text, which no number of seconds is.
        let dates = inPairs ? encoding.dates(of: schema.fields[column]) : .iso
        property = CodableProperty(column, of: schema, nests: false, dates, .rejected)
        let isPretty = prettyDepth != nil
        separator = inPairs ? (isPretty ? ", " : ",") : isPretty ? ": " : ":"
        indentation = (prettyDepth ?? 0) * 2
    }

    /// Writes the key of a row, or returns why it cannot be written.
    func put(_ column: CellPointers, _ row: Int, _ values: inout CodableValues, _ out: inout ByteCursor)
        -> CodableFault?
    {
        guard !column.isMissing(row) else { return .noKey }
        for _ in 0..<indentation { out.put(UInt8(ascii: " ")) }
        let isQuoted = !inPairs && !property.isText
        if isQuoted { out.put(UInt8(ascii: "\"")) }
        if let fault = values.put(column, row, property.conversion, &out) { return fault }
        out.reserve(ByteCursor.jsonLimit)
        if isQuoted { out.put(UInt8(ascii: "\"")) }
        out.put(word: separator)
        return nil
    }
}
