import DaybookDates
import Foundation

/// The kinds of values at every place of an app's records: the evidence for a Swift model.
///
/// An object with very many keys, or whose keys are days, numbers or UUIDs, is a dictionary.
package struct ModelSketch: Sendable {
    package struct Kinds: OptionSet, Hashable, Sendable {
        package let rawValue: Int
        package init(rawValue: Int) { self.rawValue = rawValue }

        package static let text = Kinds(rawValue: 1)
        package static let flag = Kinds(rawValue: 2)
        package static let integer = Kinds(rawValue: 4)
        package static let real = Kinds(rawValue: 8)
        package static let object = Kinds(rawValue: 16)
        package static let array = Kinds(rawValue: 32)
        // Kinds that only a property list tells.
        package static let date = Kinds(rawValue: 64)
        package static let data = Kinds(rawValue: 128)
        package static let url = Kinds(rawValue: 256)
        package static let decimal = Kinds(rawValue: 512)
        /// A number that no type of Swift holds, or a reference.
        package static let other = Kinds(rawValue: 1024)
    }

    /// The values that were met at one place.
    struct Place: Sendable {
        var kinds: Kinds = []
        var isNullable = false
        /// Whether its key is called like a date.
        let isNamedDate: Bool
        let depth: Int
        var texts = 0
        var objects = 0
        /// How many objects around it have its key, and the last of them.
        var holders = 0
        var lastHolder = 0
        var fields: [(key: [UInt8], place: Int)] = []
        var known: [[UInt8]: Int] = [:]
        /// The place of the elements of arrays, or of the values of dictionaries.
        var element: Int?
        var isDictionary = false
        var (areUUIDs, areInstants, areAddresses) = (true, true, true)
        /// Distinct texts, up to one more than an enumeration has.
        var words: Set<[UInt8]> = []
        var (least, most) = (Double.infinity, -Double.infinity)
        /// Whether a whole number needs all bits of UInt64.
        var isWide = false

        init(isNamedDate: Bool, depth: Int) { (self.isNamedDate, self.depth) = (isNamedDate, depth) }
    }

    static let mostWords = 8
    private static let longestWord = 40
    private static let mostFields = 200
    private static let mostPlaces = 20_000
    private static let deepest = 16

    /// A record is at place 0.
    private(set) var places = [Place(isNamedDate: false, depth: 0)]
    private var objects = 0
    package private(set) var records = 0

    package init() {}

    // MARK: - Notes of one value

    package mutating func noteRecord() { records += 1 }

    package mutating func noteNull(at place: Int) { places[place].isNullable = true }

    package mutating func note(_ kind: Kinds, at place: Int) { places[place].kinds.insert(kind) }

    package mutating func note(text: [UInt8], at place: Int) {
        note(.text, at: place)
        places[place].texts += 1
        if places[place].areUUIDs { places[place].areUUIDs = ModelSketch.isUUID(text) }
        if places[place].areInstants { places[place].areInstants = ModelNumber.isInstant(text) }
        if places[place].areAddresses {
            places[place].areAddresses = text.starts(with: "https://".utf8) || text.starts(with: "http://".utf8)
        }
        guard places[place].words.count <= ModelSketch.mostWords else { return }
        // A long text is one too many words.
        let isLong = text.isEmpty || text.count > ModelSketch.longestWord
        for word in isLong ? (0...ModelSketch.mostWords).map({ [UInt8(48 + $0)] }) : [text] {
            places[place].words.insert(word)
        }
    }

    package mutating func note(number: String, at place: Int) {
        guard let value = Double(number), ModelNumber.isReal(number, value) else { return note(.other, at: place) }
        let isWhole = Int64(number) != nil
        if !isWhole, UInt64(number) != nil { places[place].isWide = true }
        note(isWhole || UInt64(number) != nil ? .integer : .real, at: place)
        places[place].least = min(places[place].least, value)
        places[place].most = max(places[place].most, value)
    }

    static func isUUID(_ text: [UInt8]) -> Bool {
        text.count == 36 && UUID(uuidString: String(decoding: text, as: UTF8.self)) != nil
    }

    // MARK: - Values in others

    /// The number of a new object at a place.
    package mutating func noteObject(at place: Int) -> Int {
        note(.object, at: place)
        places[place].objects += 1
        objects += 1
        return objects
    }

    /// The place of a key's value; nil where nothing more is looked at.
    package mutating func field(_ key: [UInt8], of holder: Int, in object: Int) -> Int? {
        guard let place = place(of: key, in: holder) else { return nil }
        // A key may stand twice in an object.
        if places[place].lastHolder != object {
            places[place].holders += 1
            places[place].lastHolder = object
        }
        return place
    }

    private mutating func place(of key: [UInt8], in holder: Int) -> Int? {
        if places[holder].isDictionary { return places[holder].element }
        if let place = places[holder].known[key] { return place }
        guard places[holder].fields.count < ModelSketch.mostFields else {
            return makeDictionary(of: holder) ? places[holder].element : nil
        }
        guard let place = add(below: holder, DateKey.saysDate(key)) else { return nil }
        places[holder].fields.append((key, place))
        places[holder].known[key] = place
        return place
    }

    /// The place of the elements of arrays; nil where nothing more is looked at.
    package mutating func element(of holder: Int) -> Int? {
        if places[holder].element == nil { places[holder].element = add(below: holder, places[holder].isNamedDate) }
        return places[holder].element
    }

    private mutating func add(below holder: Int, _ isNamedDate: Bool) -> Int? {
        let depth = places[holder].depth + 1
        guard depth <= ModelSketch.deepest, places.count < ModelSketch.mostPlaces else {
            note(.other, at: holder)
            return nil
        }
        places.append(Place(isNamedDate: isNamedDate, depth: depth))
        return places.count - 1
    }

    /// Puts the values of all keys together; false where there is no room.
    private mutating func makeDictionary(of holder: Int) -> Bool {
        guard places[holder].kinds.isDisjoint(with: .array) else {
            note(.other, at: holder)
            return false
        }
        guard let whole = element(of: holder) else { return false }
        places[holder].isDictionary = true
        for field in places[holder].fields { merge(field.place, into: whole) }
        (places[holder].fields, places[holder].known) = ([], [:])
        return true
    }

    private mutating func merge(_ from: Int, into place: Int) {
        let other = places[from]
        places[place].kinds.formUnion(other.kinds)
        places[place].isNullable = places[place].isNullable || other.isNullable
        places[place].texts += other.texts
        places[place].objects += other.objects
        places[place].areUUIDs = places[place].areUUIDs && other.areUUIDs
        places[place].areInstants = places[place].areInstants && other.areInstants
        places[place].areAddresses = places[place].areAddresses && other.areAddresses
        places[place].words.formUnion(other.words)
        places[place].least = min(places[place].least, other.least)
        places[place].most = max(places[place].most, other.most)
        places[place].isWide = places[place].isWide || other.isWide
        if other.isDictionary, !places[place].isDictionary, !makeDictionary(of: place) { return }
        for field in other.fields {
            guard let inner = self.place(of: field.key, in: place) else { return }
            places[inner].holders += places[field.place].holders
            merge(field.place, into: inner)
        }
        if let element = other.element, let whole = self.element(of: place) { merge(element, into: whole) }
    }

    /// Makes dictionaries of the objects whose keys are days, numbers or UUIDs.
    package mutating func findDictionaries() {
        // Places come behind those around them; a merge may add more.
        var place = 0
        while place < places.count {
            let keys = places[place].fields.map(\.key)
            if keys.count > 1, keys.allSatisfy(ModelSketch.isEntry) { _ = makeDictionary(of: place) }
            place += 1
        }
    }

    private static func isEntry(_ key: [UInt8]) -> Bool {
        let digits = key.filter { (48...57).contains($0) }.count
        if !key.isEmpty, digits == key.count { return true }
        return key.count == 10 && digits == 8 && key[4] == UInt8(ascii: "-") && key[7] == UInt8(ascii: "-")
            || isUUID(key)
    }

    // MARK: - Dates

    /// The encoding of the dates in JSON, of which a decoder knows one; nil without dates.
    var dates: CodableDates? {
        let votes = CodableDates.allCases.map { dates in
            (dates: dates, count: places.count { isDate($0, dates, in: 2005...2034) })
        }
        return votes.filter { $0.count > 0 }.max { $0.count < $1.count }?.dates
    }

    /// Whether the values at a place that is called like a date are dates in an encoding.
    func isDate(_ place: Place, _ dates: CodableDates, in years: ClosedRange<Double> = 1920...2060) -> Bool {
        guard place.isNamedDate else { return false }
        guard let unit = dates.unit else { return place.kinds == .text && place.areInstants }
        guard !place.kinds.isEmpty, place.kinds.isSubset(of: [.integer, .real]) else { return false }
        return [place.least, place.most].allSatisfy {
            years.contains(1970 + unit.secondsSince1970($0) / (365.2425 * 86_400))
        }
    }
}

// MARK: - JSON

extension ModelSketch {
    /// Notes the value at the cursor, which steps behind it; false where it is no JSON.
    package mutating func add(_ cursor: inout JSONCursor, at place: Int) -> Bool {
        cursor.skipSpace()
        let start = cursor.position
        switch cursor.byte {
        case UInt8(ascii: "{"):
            let object = noteObject(at: place)
            return cursor.members { cursor, key in
                field(cursor.name(key), of: place, in: object).map { add(&cursor, at: $0) } ?? cursor.skipValue()
            }
        case UInt8(ascii: "["):
            note(.array, at: place)
            return cursor.elements { cursor in
                element(of: place).map { add(&cursor, at: $0) } ?? cursor.skipValue()
            }
        case UInt8(ascii: "\""):
            guard let text = cursor.text() else { return false }
            note(text: text, at: place)
            return true
        default:
            guard cursor.scalar() else { return false }
            let text = String(decoding: cursor.cell(start..<cursor.position).prefix(1_000), as: UTF8.self)
            switch text {
            case "null": noteNull(at: place)
            case "true", "false": note(.flag, at: place)
            default: note(number: text, at: place)
            }
            return true
        }
    }

}

/// Numbers and instants of JSON as Foundation's decoder reads them.
enum ModelNumber {
    static func hasExponent(_ cell: Cell) -> Bool { cell.contains { $0 | 0x20 == UInt8(ascii: "e") } }

    /// The value of a number, where it is whole: `34`, `34.0` and `3.4e1` are.
    static func integer(_ text: String) -> Int128? {
        if let value = Int64(text) { return Int128(value) }
        if let value = UInt64(text) { return Int128(value) }
        var text = text
        let number = text.withUTF8 { JSONDigits($0) }
        guard number.exponent >= 0, number.digits.count + number.exponent <= 25 else { return nil }
        let zeros = [UInt8](repeating: 48, count: number.exponent)
        let value = (number.digits + zeros).reduce(Int128(0)) { $0 * 10 + Int128($1 - 48) }
        return text.hasPrefix("-") ? -value : value
    }

    /// - Parameter bits: 0 for Int and UInt, which have 64.
    static func fits(_ value: Int128, isSigned: Bool, bits: Int) -> Bool {
        let bits = bits == 0 ? 64 : bits
        let end = Int128(1) << Int128(isSigned ? bits - 1 : bits)
        return value < end && value >= (isSigned ? -end : 0)
    }

    /// Whether a number is finite, and zero only where it is written so.
    static func isReal<Real: BinaryFloatingPoint>(_ text: String, _ value: Real?) -> Bool {
        guard let value, value.isFinite else { return false }
        guard value == 0 else { return true }
        return !text.utf8.prefix { $0 | 0x20 != UInt8(ascii: "e") }.contains { (49...57).contains($0) }
    }

    static func isDecimal(_ text: String) -> Bool {
        guard let value = Decimal(string: text), !value.isNaN else { return false }
        return value != 0 || isReal(text, Double(0))
    }

    /// Whether text stands for a date of a property list: an instant with any fraction, or a number of seconds.
    static func isDateOfList(_ text: [UInt8]) -> Bool {
        let point = text.firstIndex(of: UInt8(ascii: ".")) ?? text.count
        return isInstant(text[..<point] + (point < text.count ? [UInt8(ascii: "Z")] : []))
            || String(decoding: text, as: UTF8.self).hasSuffix(" seconds since 2001")
    }

    /// Whether text is `2026-11-20T05:00:00Z`, with an offset in place of the Z or not: what every version of
    /// Foundation reads. Fractions of seconds it does not.
    static func isInstant(_ text: [UInt8]) -> Bool {
        let form = Array("0000-00-00T00:00:00".utf8)
        guard text.count > form.count else { return false }
        func number(_ range: Range<Int>) -> Int { text[range].reduce(0) { $0 * 10 + Int($1) - 48 } }
        for (byte, model) in zip(text, form) {
            guard model == 48 ? (48...57).contains(byte) : byte == model else { return false }
        }
        let (year, month, day) = (number(0..<4), number(5..<7), number(8..<10))
        guard CalendarDay(year: year, month: month, day: day) != nil else { return false }
        guard number(11..<13) < 24, number(14..<16) < 60, number(17..<19) < 60 else { return false }
        let zone = text[form.count...]
        if zone.elementsEqual([UInt8(ascii: "Z")]) { return true }
        guard zone.first == UInt8(ascii: "+") || zone.first == UInt8(ascii: "-") else { return false }
        let digits = zone.dropFirst().filter { $0 != UInt8(ascii: ":") }
        let isWritten = zone.count == 5 || zone.count == 6 && text[form.count + 3] == UInt8(ascii: ":")
        guard isWritten, digits.count == 4, digits.allSatisfy({ (48...57).contains($0) }) else { return false }
        let hours = Int(digits[0] - 48) * 10 + Int(digits[1] - 48)
        return hours < 24 && digits[2] < 54
    }
}
