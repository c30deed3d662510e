import DaybookBytes
import DaybookDates

/// A Swift model that reads the records of a sketch.
///
/// What cannot be typed is left out with its reason: a decoder steps over keys that its type does not name.
package struct GuessedModel {
    /// How records are held together.
    package enum Holder {
        case array, one, dictionary
        /// A dictionary whose keys are no texts, which Swift writes as keys and values in turn.
        case pairs(keys: [String])
    }

    /// Why a value has no type.
    private struct Untold: Error { var reason: String }

    private typealias Typed = (type: String, remark: String?)

    /// The Swift source.
    package private(set) var source = ""
    /// The type of all records, such as `[Todo]`.
    package private(set) var type = ""
    /// The name of the type of a record; nil where it is none of its own.
    package private(set) var name: String?
    /// How a decoder has to read dates; nil where it reads none, or dates of a property list.
    package private(set) var dates: CodableDates?

    private let sketch: ModelSketch
    private let strategy: CodableDates?

    /// - Parameters:
    ///   - key: the key of the records, which names their type.
    ///   - isList: whether the records are values of a property list, which tells dates and kinds of numbers itself.
    ///   - about: sentences about the records, the first lines of the source.
    package init(
        _ sketch: ModelSketch,
        key: String?,
        _ holder: Holder,
        isList: Bool,
        about: [String]
    ) throws(DaybookError) {
        (self.sketch, strategy) = (sketch, isList ? nil : sketch.dates)
        var (names, declared): (Set<String>, [String]) = ([], [])
        let record: Typed
        do throws(Untold) {
            record = try typed(0, key ?? "records", isMany: true, &names, &declared)
        } catch {
            let hint = "a model is made of records of one kind; 'daybook guess' without '--swift' shows what is there"
            throw DaybookError("no-model", "no Swift type reads the records: \(error.reason)", hint: hint)
        }
        let element = record.type + (sketch.places[0].isNullable ? "?" : "")
        name = declared.isEmpty ? nil : record.type
        switch holder {
        case .array: type = "[\(element)]"
        case .one: type = element
        case .dictionary: type = "[String: \(element)]"
        case .pairs(let keys):
            let key = keys.allSatisfy { ModelSketch.isUUID(Array($0.utf8)) } ? "UUID" : GuessedModel.free("Key", names)
            type = "[\(key): \(element)]"
            if key != "UUID" {
                let cases = try GuessedModel.cases(keys)
                declared += ["", "enum \(key): String, Codable {"] + cases + ["}"]
            }
        }
        var lines = about.map { "// " + CommentText.of($0) }
        lines.append("// The app decodes \(type)" + (self.dates.map { ", with dates as \($0.rawValue)." } ?? "."))
        if !isList, type.contains("Int") || declared.contains(where: { $0.contains(": Int") }) {
            lines.append(
                "// A number without a fraction in all records is Int here; JSON does not tell it from a Double."
            )
        }
        if declared.contains(where: { $0.contains(GuessedModel.leftOut) }) {
            lines.append("// A decoder steps over keys that its type does not name, such as those left out here.")
        }
        lines += ["import Foundation", ""] + (declared.isEmpty ? ["typealias Records = \(type)"] : declared)
        source = lines.joined(separator: "\n") + "\n"
    }

    private static let leftOut = "is left out: "

    // MARK: - Types

    /// - Parameters:
    ///   - isMany: whether the key names several values, each of which is one of this type.
    ///   - names: of the types beside this one.
    ///   - nested: the lines of the types that this one needs.
    private mutating func typed(
        _ index: Int,
        _ key: String,
        isMany: Bool,
        _ names: inout Set<String>,
        _ nested: inout [String]
    ) throws(Untold) -> Typed {
        let place = sketch.places[index]
        if let strategy, sketch.isDate(place, strategy) {
            dates = strategy
            return ("Date", nil)
        }
        switch place.kinds {
        case []:
            throw Untold(reason: place.isNullable ? "null wherever it stands" : "without a value wherever it stands")
        case .flag: return ("Bool", nil)
        case .date: return ("Date", nil)
        case .data: return ("Data", nil)
        case .url: return ("URL", nil)
        case .decimal: return ("Decimal", nil)
        case .text: return place.areUUIDs ? ("UUID", nil) : ("String", GuessedModel.remark(place))
        case .integer where !place.isWide: return ("Int", dateRemark(place))
        // The columns of a job hold no whole numbers of that size.
        case .integer where place.least >= 0: return ("Double", "a UInt64?")
        case .integer, .real, [.integer, .real]: return ("Double", dateRemark(place))
        case .array:
            guard let element = place.element, !isEmpty(element) else {
                throw Untold(reason: "an empty array in all records")
            }
            let inner = try typed(element, key, isMany: true, &names, &nested)
            return ("[\(inner.type)\(sketch.places[element].isNullable ? "?" : "")]", inner.remark)
        case .object where place.isDictionary:
            guard let element = place.element else { break }
            let inner = try typed(element, key, isMany: true, &names, &nested)
            return ("[String: \(inner.type)\(sketch.places[element].isNullable ? "?" : "")]", inner.remark)
        case .object:
            guard !place.fields.isEmpty else { throw Untold(reason: "an object without keys in all records") }
            let name = GuessedModel.free(GuessedModel.typeName(key, isMany: isMany), names)
            names.insert(name)
            let lines = try structure(place, name)
            nested += (nested.isEmpty ? [] : [""]) + lines
            return (name, nil)
        default: break
        }
        throw Untold(reason: GuessedModel.words(place.kinds))
    }

    /// Whether no value was met at a place.
    private func isEmpty(_ place: Int) -> Bool {
        sketch.places[place].kinds.isEmpty && !sketch.places[place].isNullable
    }

    private func dateRemark(_ place: ModelSketch.Place) -> String? {
        let known = CodableDates.allCases.first { sketch.isDate(place, $0, in: 2005...2034) }
        return known.map { "a date? as \($0.rawValue)" }
    }

    private static func remark(_ place: ModelSketch.Place) -> String? {
        if place.isNamedDate, place.areInstants { return "a date? as iso" }
        if place.areAddresses { return "a URL?" }
        guard place.texts >= 20, (2...ModelSketch.mostWords).contains(place.words.count) else { return nil }
        let words = place.words.map { CommentText.of(String(decoding: $0, as: UTF8.self)) }
        return "an enum? \(words.sorted().joined(separator: ", "))"
    }

    private static func words(_ kinds: ModelSketch.Kinds) -> String {
        let all: [(ModelSketch.Kinds, String)] = [
            (.text, "text"), (.flag, "a flag"), ([.integer], "a whole number"), (.real, "a number"),
            (.object, "an object"), (.array, "an array"), (.date, "a date"), (.data, "data"), (.url, "a URL"),
            (.decimal, "a Decimal"), (.other, "a value that no type holds, or one too deep or of too many keys"),
        ]
        let met = all.filter { !kinds.isDisjoint(with: $0.0) }.map(\.1)
        return met.count == 1 ? met[0] : "of several kinds: \(DisplayText.list(met, "and"))"
    }

    // MARK: - Structures

    private mutating func structure(_ place: ModelSketch.Place, _ name: String) throws(Untold) -> [String] {
        let keys = place.fields.map { String(decoding: $0.key, as: UTF8.self) }
        // Texts that Swift takes for equal cannot both be keys.
        var met: [String: Int] = [:]
        for key in keys { met[key, default: 0] += 1 }
        var properties = Set(keys.filter(SwiftName.isPlain))
        var types = properties.union([name])
        var (lines, nested, cases): ([String], [String], [(property: String, key: String)]) = ([], [], [])
        for (field, key) in zip(place.fields, keys) {
            let value = sketch.places[field.place]
            do throws(Untold) {
                guard met[key] == 1 else { throw Untold(reason: "two keys differ in the code points of one text") }
                guard SwiftName.literal(key) != nil else { throw Untold(reason: "no plain string of Swift is its key") }
                let typed = try typed(field.place, key, isMany: false, &types, &nested)
                var property = key
                if !SwiftName.isPlain(key) {
                    property = GuessedModel.free(SwiftName.property(key), properties)
                    properties.insert(property)
                }
                cases.append((property, key))
                let isOptional = value.isNullable || value.holders < place.objects
                let remark = typed.remark.map { "  // \($0)" } ?? ""
                lines.append("let \(SwiftName.quoted(property)): \(typed.type)\(isOptional ? "?" : "")\(remark)")
            } catch { lines.append("// '\(CommentText.of(key))' \(GuessedModel.leftOut)\(error.reason)") }
        }
        guard !cases.isEmpty else { throw Untold(reason: "an object of which no key can be told") }
        if !nested.isEmpty { lines += [""] + nested }
        if cases.contains(where: { $0.property != $0.key }) {
            lines += ["", "enum CodingKeys: String, CodingKey {"]
            lines += cases.map { property, key in
                let raw = property == key ? "" : " = \(SwiftName.literal(key) ?? "")"
                return "    case \(SwiftName.quoted(property))\(raw)"
            }
            lines.append("}")
        }
        return ["struct \(name): Codable {"] + lines.map { $0.isEmpty ? "" : "    " + $0 } + ["}"]
    }

    private static func cases(_ keys: [String]) throws(DaybookError) -> [String] {
        var (names, lines): (Set<String>, [String]) = ([], [])
        for key in keys {
            guard let literal = SwiftName.literal(key) else {
                let message = "no Swift enumeration has the key \(key.debugDescription)"
                throw DaybookError("no-model", message, hint: "write the type of the keys by hand")
            }
            let name = free(SwiftName.isPlain(key) ? key : SwiftName.property(key), names)
            names.insert(name)
            lines.append("    case \(SwiftName.quoted(name))" + (name == key ? "" : " = \(literal)"))
        }
        return lines
    }

    // MARK: - Names

    private static func free(_ name: String, _ taken: Set<String>) -> String {
        if !taken.contains(name) { return name }
        return (2...).lazy.map { name + String($0) }.first { !taken.contains($0) } ?? name
    }

    /// `Todo` for `todos`, `Entry` for `com.app.diary-entries`.
    private static func typeName(_ key: String, isMany: Bool) -> String {
        let last = key.split(separator: ".").last.map(String.init) ?? ""
        var name = SwiftName.words(last, cutting: "_").map(SwiftName.raised).joined()
        if isMany {
            if name.hasSuffix("ies"), name.count > 4 {
                name = name.dropLast(3) + "y"
            } else if ["sses", "xes", "ches", "shes"].contains(where: name.hasSuffix) {
                name.removeLast(2)
            } else if name.hasSuffix("s"), name.count > 2, !["ss", "us", "is"].contains(where: name.hasSuffix) {
                name.removeLast()
            }
        }
        if !SwiftName.isPlain(name) { return "Record" }
        return SwiftModelReading.builtIn[name] == nil && !SwiftName.knownTypes.contains(name) ? name : name + "Record"
    }
}

/// Names of Swift source, made of the keys of JSON.
enum SwiftName {
    private static let keywords: Set<String> = [
        "Any", "as", "associatedtype", "async", "await", "break", "case", "catch", "class", "continue", "default",
        "defer", "deinit", "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func",
        "guard", "if", "import", "in", "inout", "internal", "is", "let", "nil", "operator", "precedencegroup",
        "private", "protocol", "public", "repeat", "rethrows", "return", "static", "struct", "subscript", "super",
        "switch", "throw", "throws", "true", "try", "typealias", "var", "where", "while",
    ]
    /// Names that Swift or the coding that it makes has for something else.
    private static let taken: Set<String> = ["_", "init", "self", "Self", "Type", "Protocol", "CodingKeys", "encode"]
    /// Types that a model may name, beside those that have values.
    static let knownTypes: Set<String> = [
        "Any", "AnyObject", "Array", "CaseIterable", "Codable", "CodingKey", "ContiguousArray", "Decodable", "Decoder",
        "Dictionary", "Encodable", "Encoder", "Foundation", "Optional", "Records", "Set", "Swift",
    ]

    private static func begins(_ scalar: Unicode.Scalar) -> Bool { scalar == "_" || scalar.properties.isXIDStart }
    private static func goesOn(_ scalar: Unicode.Scalar) -> Bool { scalar == "_" || scalar.properties.isXIDContinue }

    /// Whether a key is a name as it stands, perhaps in backticks.
    static func isPlain(_ key: String) -> Bool {
        guard let first = key.unicodeScalars.first, begins(first), !taken.contains(key) else { return false }
        return key.unicodeScalars.allSatisfy(goesOn)
    }

    static func quoted(_ name: String) -> String { keywords.contains(name) ? "`\(name)`" : name }

    static func raised(_ word: String) -> String { word.prefix(1).uppercased() + word.dropFirst() }

    /// The parts of a key that may stand in a name.
    static func words(_ key: String, cutting mark: Unicode.Scalar? = nil) -> [String] {
        key.unicodeScalars.split { !goesOn($0) || $0 == mark }.map { String(String.UnicodeScalarView($0)) }
    }

    /// A name for a key that is none: `dueDate` for `due-date`, `_1st` for `1st`.
    static func property(_ key: String) -> String {
        if taken.contains(key), key != "_" { return key.prefix(1).lowercased() + key.dropFirst() + "Value" }
        var name = words(key).enumerated().map { $0.offset == 0 ? $0.element : raised($0.element) }.joined()
        if name.unicodeScalars.allSatisfy({ $0.isASCII }) { name = name.prefix(1).lowercased() + name.dropFirst() }
        if isPlain(name) { return name }
        return isPlain("_" + name) && !name.isEmpty ? "_" + name : "field"
    }

    /// A key as a string without escapes; nil where only escapes can spell it.
    static func literal(_ key: String) -> String? {
        let isShown = key.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F || $0 == "\t" }
        guard isShown, !key.hasPrefix("\""), key.utf8.count < 1_000 else { return nil }
        var marks = ""
        // More marks than stand anywhere behind a quote or a backslash.
        while key.utf8.contains(where: { $0 == 0x22 || $0 == 0x5C }), marks.count < 64 {
            if !marks.isEmpty, !key.contains("\"" + marks), !key.contains("\\" + marks) { break }
            marks += "#"
        }
        return marks.count < 64 ? "\(marks)\"\(key)\"\(marks)" : nil
    }
}

/// The records of a file as a sketch, and how they are held together.
package struct SketchedRecords {
    package var sketch = ModelSketch()
    package var holder = GuessedModel.Holder.array
    /// Whether each record is a line or a document of its own.
    package var areApart = false
    /// Whether the records are values of a property list, which tells dates itself.
    package let isList: Bool

    /// More keys are no enumeration.
    private static let mostKeys = 1_000

    package init(ofList isList: Bool) { self.isList = isList }

    /// Reads the records of JSON text: the elements of an array, values under keys, or values one behind the other.
    ///
    /// - Parameter name: of the file, for messages.
    package init(_ text: Bytes, at place: RecordsPlace, of name: String) throws(DaybookError) {
        isList = false
        defer { withExtendedLifetime(text) {} }
        let mark = text.filled.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        var cursor = JSONCursor(text.base, from: mark, to: text.count)
        var missing: String?
        let around = cursor.enter(place.pointer, missing: &missing)
        cursor.skipSpace()
        guard let around, read(&cursor, place), around.isEmpty || cursor.finish(around) else {
            let why = cursor.fault?.message ?? "nothing stands at '\(place.pointer.written)'"
            let before = text.filled[..<min(cursor.faultAt, text.count)].count { $0 == 0x0A } + 1
            let message = "\(name):\(before): \(why)"
            let hint = "a model is guessed from a file whose records can all be read"
            throw DaybookError.data("no-model", message, hint: hint)
        }
        sketch.findDictionaries()
    }

    private mutating func read(_ cursor: inout JSONCursor, _ place: RecordsPlace) -> Bool {
        let isArray = cursor.byte == UInt8(ascii: "[")
        if place.keys != nil { return isArray ? readPairs(&cursor) : readMembers(&cursor) }
        if isArray { return cursor.elements { add(&$0) } }
        holder = .one
        guard add(&cursor) else { return false }
        guard place.pointer.tokens.isEmpty else { return true }
        cursor.skipSpace()
        while cursor.position < cursor.end {
            (holder, areApart) = (.array, true)
            guard add(&cursor) else { return false }
            cursor.skipSpace()
        }
        return true
    }

    private mutating func add(_ cursor: inout JSONCursor) -> Bool {
        sketch.noteRecord()
        return sketch.add(&cursor, at: 0)
    }

    private mutating func readMembers(_ cursor: inout JSONCursor) -> Bool {
        holder = .dictionary
        return cursor.members { cursor, _ in add(&cursor) }
    }

    private mutating func readPairs(_ cursor: inout JSONCursor) -> Bool {
        var (keys, isKey): ([String], Bool) = ([], false)
        let isRead = cursor.elements { cursor in
            cursor.skipSpace()
            isKey.toggle()
            guard isKey else { return add(&cursor) }
            guard let key = cursor.text() else { return false }
            if keys.count < SketchedRecords.mostKeys { keys.append(String(decoding: key, as: UTF8.self)) }
            return true
        }
        holder = .pairs(keys: keys)
        return isRead
    }
}

extension RecordsPlace {
    /// The place that an option of a guess names.
    package init(suggested option: SuggestedValue?) {
        self.init()
        switch option {
        case .text(let text): pointer = (try? JSONPointer(written: text)) ?? pointer
        case .map(let entries):
            for case (let key, .text(let text)) in entries.map({ ($0.key, $0.value) }) {
                if key == "at" { pointer = (try? JSONPointer(written: text)) ?? pointer }
                if key == "each_key" { keys = RecordKeys(column: ColumnName(text)) }
            }
        default: break
        }
    }
}
