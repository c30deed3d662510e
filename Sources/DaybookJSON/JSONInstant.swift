import DaybookDates

/// Reads instants out of JSON values.
enum JSONInstant {
    package typealias Place = UnsafePointer<UInt8>

    /// The instant at `place`, and the place behind it.
    static func read(_ place: Place, _ limit: Place, _ encoding: CodableDates) -> (ReadInstant, Place)? {
        guard let unit = encoding.unit else { return text(place, limit) }
        return number(place, limit, unit)
    }

    private static func text(_ place: Place, _ limit: Place) -> (ReadInstant, Place)? {
        guard place < limit, place.pointee == UInt8(ascii: "\"") else { return nil }
        // No spelling of an instant needs an escape.
        var end = place + 1
        while end < limit, end.pointee != UInt8(ascii: "\""), end.pointee != UInt8(ascii: "\\") { end += 1 }
        guard end < limit, end.pointee == UInt8(ascii: "\"") else { return nil }
        return ReadInstant(iso: Cell(start: place + 1, count: end - place - 1)).map { ($0, end + 1) }
    }

    private static func number(_ place: Place, _ limit: Place, _ unit: EpochUnit) -> (ReadInstant, Place)? {
        var end = place
        var hasExponent = false
        scan: while end < limit {
            switch end.pointee {
            case 48...57, UInt8(ascii: "-"), UInt8(ascii: "."): break
            case UInt8(ascii: "e"), UInt8(ascii: "E"), UInt8(ascii: "+"): hasExponent = true
            default: break scan
            }
            end += 1
        }
        let cell = Cell(start: place, count: end - place)
        let digits = cell.first == UInt8(ascii: "-") ? place + 1 : place
        // JSON has no number such as 007.
        if end - digits > 1, digits.pointee == 48, digits[1] &- 48 <= 9 { return nil }
        if !hasExponent { return ReadInstant(cell, unit).map { ($0, end) } }
        var cursor = JSONCursor(place, to: end - place)
        guard cursor.number() != nil, cursor.position == end - place else { return nil }
        let plain = withoutExponent(cell)
        return plain.withUnsafeBufferPointer { ReadInstant($0, unit) }.map { ($0, end) }
    }

    /// The same number with its point moved to where the exponent puts it.
    private static func withoutExponent(_ cell: Cell) -> [UInt8] {
        let mark = cell.firstIndex { $0 | 0x20 == UInt8(ascii: "e") } ?? cell.count
        let exponent = JSONDigits.exponent(Cell(rebasing: cell[(mark + 1)...]))
        var digits: [UInt8] = []
        var point: Int?
        for byte in cell[..<mark] {
            if byte == UInt8(ascii: ".") { point = digits.count }
            if byte &- 48 <= 9 { digits.append(byte) }
        }
        // No instant is further from its epoch, or finer, than 400 digits beyond its own can express.
        let most = 400 + digits.count
        let place = (point ?? digits.count) + min(max(exponent, -most), most)
        if place <= 0 { digits.insert(contentsOf: [UInt8](repeating: 48, count: 1 - place), at: 0) }
        let whole = max(place, 1)
        if digits.count < whole { digits += [UInt8](repeating: 48, count: whole - digits.count) }
        if digits.count > whole { digits.insert(UInt8(ascii: "."), at: whole) }
        return cell.first == UInt8(ascii: "-") ? [UInt8(ascii: "-")] + digits : digits
    }
}

/// Tells the keys of dates in JSON by their names.
package enum DateKey {
    /// Whether the last word of a key is one for dates: `date`, `savedDate`, `startdate`, `createdAt`, `updated_at`.
    package static func saysDate(_ key: [UInt8]) -> Bool {
        var start = key.count
        while start > 0, isLetter(key[start - 1]) {
            start -= 1
            // A capital begins a word, unless all letters are capitals.
            if isCapital(key[start]), start + 1 < key.count, !isCapital(key[start + 1]) { break }
        }
        let word = String(decoding: key[start...], as: UTF8.self).lowercased()
        switch word {
        case "at": return start > 0
        case "timestamp": return true
        // Words of another meaning that end alike.
        case "update", "candidate", "mandate", "validate": return false
        default: return word.hasSuffix("date")
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (97...122).contains(byte | 0x20) }
    private static func isCapital(_ byte: UInt8) -> Bool { (65...90).contains(byte) }
}

/// Reads a column of instants whose job wants the days that calendars in its time zone show.
package struct DayReader: WrappingReader {
    package let reader: any RecordReader
    package let schema: Schema
    /// The columns whose instants become days.
    let days: [String]
    let zone: ZoneRules

    package init(reader: any RecordReader, schema: Schema, days: [String], zone: ZoneRules) {
        (self.reader, self.schema, self.days, self.zone) = (reader, schema, days, zone)
    }

    package func read(_ morsel: Morsel, reporting findings: inout Findings) -> Batch {
        var batch = reader.read(morsel, reporting: &findings)
        let kernel = DateColumnReader([.iso], to: .day, zone: zone)
        for field in schema.fields where days.contains(field.name) {
            let name = ColumnName(field.name)
            // The last hours of the year 9999 in UTC belong to the year 10000 in the east, as the first of the year 1 do to the
            // year 0 in the west.
            var stray: [Int] = []
            let column = kernel.read(batch[name]) { row, _ in stray.append(row) }
            batch = batch.setting(name, to: column, from: name)
            guard !stray.isEmpty else { continue }
            let token = findings.token(.instantOutOfRange, in: name)
            for row in stray { findings.reject(row, token) }
        }
        return batch
    }
}
