import DaybookDates
import Foundation

/// Walks over JSON as a decoder of a model would, and tells the first place at which the decoder fails.
package struct ModelWalk: Sendable {
    /// What is wrong, and where in the JSON.
    package struct Fault: Equatable {
        /// The keys and element numbers that lead to the value; none for the JSON itself.
        package var steps: [String] = []
        package var message: String
        /// The key that the object there lacks.
        package var missing: String?
        /// Whether it is the key of the record that is refused.
        package var isKey = false

        /// A JSON pointer, empty for the value itself.
        package var pointer: String {
            steps.map { "/" + $0.replacing("~", with: "~0").replacing("/", with: "~1") }.joined()
        }

        /// What is wrong, with the pointer from the record.
        var displayText: String {
            "the app's decoder refuses \(pointer.isEmpty ? "the record" : "'\(pointer)'"): \(message)"
        }

        /// The field of a record in which the fault is, by the paths of fields.
        func field<Path: Sequence<String>>(among paths: [Path]) -> Int? {
            let place = steps + (missing.map { [$0] } ?? [])
            let holding = paths.indices.filter { place.starts(with: paths[$0]) }
            return holding.max { Array(paths[$0]).count < Array(paths[$1]).count }
        }
    }

    /// Where the fault is that the walk has met.
    private struct Trail {
        /// Innermost first.
        var steps: [String] = []
        var missing: String?

        mutating func append(_ step: String) { steps.append(step) }
    }

    /// Deeper values cost more stack than a thread has to give.
    private static let deepest = 200

    /// A field of an object as the walk looks for it.
    private struct Key: Sendable {
        var bytes: [UInt8]
        var shape: SwiftModel.Shape
        var isOptional: Bool
    }

    private enum Form: Sendable {
        case record([Key])
        case words(Set<[UInt8]>)
        case numbers(SwiftModel.Shape, Set<Int>)
        case cases([(key: [UInt8], fields: [Key])])
    }

    private let model: SwiftModel
    /// How dates are written; nil in a property list, whose dates, addresses and decimal numbers have forms of their own.
    private let dates: CodableDates?
    private let forms: [Form]

    package init(_ model: SwiftModel, dates: CodableDates?) {
        (self.model, self.dates) = (model, dates)
        forms = model.types.map { type in
            switch type.form {
            case .record(let fields): .record(fields.map(ModelWalk.key))
            case .words(let words): .words(Set(words.map { Array($0.utf8) }))
            case .numbers(let shape, let numbers): .numbers(shape, Set(numbers))
            case .cases(let cases): .cases(cases.map { (Array($0.key.utf8), $0.fields.map(ModelWalk.key)) })
            }
        }
    }

    private static func key(_ field: SwiftModel.Field) -> Key {
        var isOptional = false
        if case .optional = field.shape { isOptional = true }
        return Key(bytes: Array(field.key.utf8), shape: field.shape, isOptional: isOptional)
    }

    /// The first fault of JSON that holds one value of the model's root.
    package func fault(in json: Cell) -> Fault? { fault(in: json, as: model.root) }

    /// The first fault of JSON that holds one value of `shape`; nil if a decoder reads all of it.
    package func fault(in json: Cell, as shape: SwiftModel.Shape) -> Fault? {
        guard let base = json.baseAddress else { return Fault(message: "there is no JSON") }
        var cursor = JSONCursor(base, to: json.count)
        var trail = Trail()
        guard let message = walk(shape, &cursor, &trail, 0) else {
            return cursor.finish() ? nil : Fault(message: notJSON(cursor))
        }
        return Fault(steps: trail.steps.reversed(), message: message, missing: trail.missing)
    }

    /// The first fault of one entry of a dictionary: a key, a colon or a comma, and its value.
    ///
    /// - Parameter shape: of the dictionary.
    func fault(inEntry json: Cell, of shape: SwiftModel.Shape, _ brackets: RowBrackets) -> Fault? {
        let whole = Bytes(capacity: json.count + 2)
        whole.append(brackets.opening)
        whole.append(json)
        whole.append(brackets.closing)
        defer { withExtendedLifetime(whole) {} }
        guard var fault = fault(in: whole.filled, as: shape) else { return nil }
        // The first step leads to the entry: its key in an object, 0 for the key of a pair.
        let first = fault.steps.isEmpty ? nil : fault.steps.removeFirst()
        fault.isKey = first == nil || (brackets.isArray && first == "0")
        return fault
    }

    /// Whether Swift writes a dictionary with such keys as an object.
    func isObjectKey(_ key: SwiftModel.Shape) -> Bool {
        if case .type(let number) = key { return model.types[number].isKey }
        return key == .text || key == .integer(isSigned: true, bits: 0)
    }

    /// Walks over a value; returns what is wrong and has then added the steps to it, innermost first.
    private func walk(
        _ shape: SwiftModel.Shape,
        _ cursor: inout JSONCursor,
        _ trail: inout Trail,
        _ depth: Int
    ) -> String? {
        guard depth < ModelWalk.deepest else { return "this is nested too deeply to be held against the model" }
        cursor.skipSpace()
        switch shape {
        case .optional(let inner):
            if cursor.byte == UInt8(ascii: "n") { return step(over: &cursor) }
            return walk(inner, &cursor, &trail, depth + 1)
        case .array(let inner): return array(inner, shape, &cursor, &trail, depth)
        case .dictionary(let key, let value): return dictionary(key, value, shape, &cursor, &trail, depth)
        case .type(let number):
            switch forms[number] {
            case .record(let keys): return object(keys, model.types[number].name, &cursor, &trail, depth)
            case .words(let words): return word(words, model.types[number].name, &cursor)
            case .numbers(let shape, let numbers): return raw(numbers, shape, model.types[number].name, &cursor)
            case .cases(let cases): return one(of: cases, model.types[number].name, &cursor, &trail, depth)
            }
        case .flag:
            guard cursor.byte == UInt8(ascii: "t") || cursor.byte == UInt8(ascii: "f") else {
                return other(shape, cursor)
            }
            return step(over: &cursor)
        case .date where dates != nil && dates != .iso: return number(shape, &cursor)
        case .url where dates == nil && cursor.byte == UInt8(ascii: "{"),
            .decimal where dates == nil && cursor.byte == UInt8(ascii: "{"):
            return step(over: &cursor)
        case .double, .float, .decimal, .integer: return number(shape, &cursor)
        case .text, .date, .url, .uuid, .data: return text(shape, &cursor)
        }
    }

    private func step(over cursor: inout JSONCursor) -> String? {
        cursor.skipValue() ? nil : cursor.fault?.message ?? "this is not JSON"
    }

    private func notJSON(_ cursor: JSONCursor) -> String { cursor.fault?.message ?? "this is not JSON" }

    /// Says that a value is of another kind.
    private func other(_ shape: SwiftModel.Shape, _ cursor: JSONCursor) -> String {
        other(expected(shape), cursor)
    }

    private func expected(_ shape: SwiftModel.Shape) -> String {
        guard shape == .date, let dates else { return model.name(shape) }
        return "Date, which 'dates: \(dates.rawValue)' writes as \(dates == .iso ? "text" : "a number")"
    }

    private func other(_ expected: String, _ cursor: JSONCursor) -> String {
        let found =
            switch cursor.byte {
            case UInt8(ascii: "{"): "an object"
            case UInt8(ascii: "["): "an array"
            case UInt8(ascii: "\""): "text"
            case UInt8(ascii: "t"), UInt8(ascii: "f"): "a flag"
            case UInt8(ascii: "n"): "null"
            default: "a number"
            }
        return "this is \(found), and the model has \(expected)"
    }

    private func array(
        _ inner: SwiftModel.Shape,
        _ shape: SwiftModel.Shape,
        _ cursor: inout JSONCursor,
        _ trail: inout Trail,
        _ depth: Int
    ) -> String? {
        guard cursor.byte == UInt8(ascii: "[") else { return other(shape, cursor) }
        return elements(&cursor, &trail) { index, cursor, trail in walk(inner, &cursor, &trail, depth + 1) }
    }

    /// Walks over an array at its bracket.
    private func elements(
        _ cursor: inout JSONCursor,
        _ trail: inout Trail,
        _ element: (Int, inout JSONCursor, inout Trail) -> String?
    ) -> String? {
        guard cursor.open() else { return notJSON(cursor) }
        if cursor.closesAtOnce(UInt8(ascii: "]")) { return nil }
        var index = 0
        while true {
            if let message = element(index, &cursor, &trail) {
                trail.append(String(index))
                return message
            }
            index += 1
            guard let more = cursor.next(inObject: false) else { return notJSON(cursor) }
            guard more else { return nil }
        }
    }

    /// Walks over an object at its brace; the members stop before their values.
    private func members(
        _ cursor: inout JSONCursor,
        _ trail: inout Trail,
        _ member: (Range<Int>, Bool, inout JSONCursor, inout Trail) -> String?
    ) -> String? {
        guard cursor.open() else { return notJSON(cursor) }
        if cursor.closesAtOnce(UInt8(ascii: "}")) { return nil }
        while true {
            guard let (range, isEscaped) = cursor.key() else { return notJSON(cursor) }
            if let message = member(range, isEscaped, &cursor, &trail) {
                let name = JSONString.name(cursor.base, range, isEscaped: isEscaped)
                trail.append(String(decoding: name, as: UTF8.self))
                return message
            }
            guard let more = cursor.next(inObject: true) else { return notJSON(cursor) }
            guard more else { return nil }
        }
    }

    private func dictionary(
        _ key: SwiftModel.Shape,
        _ value: SwiftModel.Shape,
        _ shape: SwiftModel.Shape,
        _ cursor: inout JSONCursor,
        _ trail: inout Trail,
        _ depth: Int
    ) -> String? {
        var words: Set<[UInt8]>?
        var numbers: Set<Int>?
        let isObject = isObjectKey(key)
        if isObject, case .type(let number) = key {
            switch forms[number] {
            case .words(let all): words = all
            case .numbers(_, let all): numbers = all
            default: break
            }
        }
        let isWhole = key == .integer(isSigned: true, bits: 0)
        if isObject {
            guard cursor.byte == UInt8(ascii: "{") else { return other(shape, cursor) }
            return members(&cursor, &trail) { range, isEscaped, cursor, trail in
                if isWhole || words != nil || numbers != nil {
                    let name = JSONString.name(cursor.base, range, isEscaped: isEscaped)
                    let number = Int(String(decoding: name, as: UTF8.self))
                    let isKnown =
                        words.map { $0.contains(name) } ?? numbers.map { all in number.map(all.contains) ?? false }
                        ?? (number != nil)
                    guard isKnown else { return "this key is no \(model.name(key))" }
                }
                return walk(value, &cursor, &trail, depth + 1)
            }
        }
        // Swift writes keys of other types as every other element of an array.
        guard cursor.byte == UInt8(ascii: "[") else {
            return other("\(model.name(shape)), which Swift writes as an array of keys and values in turn", cursor)
        }
        var count = 0
        let message = elements(&cursor, &trail) { index, cursor, trail in
            count += 1
            return walk(index % 2 == 0 ? key : value, &cursor, &trail, depth + 1)
        }
        if message == nil, count % 2 == 1 { return "the last key has no value" }
        return message
    }

    private func object(
        _ keys: [Key],
        _ name: String,
        _ cursor: inout JSONCursor,
        _ trail: inout Trail,
        _ depth: Int
    ) -> String? {
        guard cursor.byte == UInt8(ascii: "{") else { return other(name, cursor) }
        var found = [Bool](repeating: false, count: keys.count)
        let message = members(&cursor, &trail) { range, isEscaped, cursor, trail in
            let index = keys.firstIndex { JSONString.isName($0.bytes, cursor.base, range, isEscaped: isEscaped) }
            guard let index else { return step(over: &cursor) }
            found[index] = true
            return walk(keys[index].shape, &cursor, &trail, depth + 1)
        }
        if let message { return message }
        for index in keys.indices where !found[index] && !keys[index].isOptional {
            let key = String(decoding: keys[index].bytes, as: UTF8.self)
            trail.missing = key
            return "the key '\(key)' is missing, and in '\(name)' it is no optional"
        }
        return nil
    }

    private func one(
        of cases: [(key: [UInt8], fields: [Key])],
        _ name: String,
        _ cursor: inout JSONCursor,
        _ trail: inout Trail,
        _ depth: Int
    ) -> String? {
        guard cursor.byte == UInt8(ascii: "{") else { return other("\(name), whose cases are objects", cursor) }
        var known = 0
        let message = members(&cursor, &trail) { range, isEscaped, cursor, trail in
            let index = cases.firstIndex { JSONString.isName($0.key, cursor.base, range, isEscaped: isEscaped) }
            guard let index else { return step(over: &cursor) }
            known += 1
            let key = name + "." + String(decoding: cases[index].key, as: UTF8.self)
            return object(cases[index].fields, key, &cursor, &trail, depth + 1)
        }
        if let message { return message }
        return known == 1 ? nil : "this names \(known == 0 ? "no case" : "more than one case") of '\(name)'"
    }

    private func content(_ cursor: inout JSONCursor) -> [UInt8]? {
        let start = cursor.position + 1
        guard let isEscaped = cursor.string() else { return nil }
        return JSONString.name(cursor.base, start..<cursor.position - 1, isEscaped: isEscaped)
    }

    private func word(_ words: Set<[UInt8]>, _ name: String, _ cursor: inout JSONCursor) -> String? {
        guard cursor.byte == UInt8(ascii: "\"") else { return other("\(name), whose values are words", cursor) }
        guard let bytes = content(&cursor) else { return notJSON(cursor) }
        guard !words.contains(bytes) else { return nil }
        let word = String(decoding: bytes.prefix(DisplayText.longestValue), as: UTF8.self)
        let meant = NearestName.of(word, among: words.map { String(decoding: $0, as: UTF8.self) }.sorted())
        return "'\(name)' has no '\(word)'" + (meant.map { "; did you mean '\($0)'?" } ?? "")
    }

    private func raw(
        _ numbers: Set<Int>,
        _ shape: SwiftModel.Shape,
        _ name: String,
        _ cursor: inout JSONCursor
    ) -> String? {
        let start = cursor
        if let message = number(shape, &cursor) { return message }
        let text = String(decoding: start.cell(start.position..<cursor.position), as: UTF8.self)
        guard let value = ModelNumber.integer(text).flatMap({ Int(exactly: $0) }), numbers.contains(value) else {
            return "'\(name)' has no \(text)"
        }
        return nil
    }

    private func number(_ shape: SwiftModel.Shape, _ cursor: inout JSONCursor) -> String? {
        guard cursor.byte == UInt8(ascii: "-") || (48...57).contains(cursor.byte) else { return other(shape, cursor) }
        let start = cursor.position
        guard let isWhole = cursor.number() else { return notJSON(cursor) }
        let cell = cursor.cell(start..<cursor.position)
        // Short numbers are in the range of all but integers.
        if cell.count < 30, shape == .double || shape == .date || shape == .decimal, !ModelNumber.hasExponent(cell) {
            return nil
        }
        let text = String(decoding: cell.prefix(1_000), as: UTF8.self)
        switch shape {
        case .integer(let isSigned, let bits):
            guard let value = ModelNumber.integer(text) else {
                return isWhole
                    ? tooLarge(text, shape) : "\(text) is no whole number, and the model has \(model.name(shape))"
            }
            return ModelNumber.fits(value, isSigned: isSigned, bits: bits) ? nil : tooLarge(text, shape)
        case .decimal: return ModelNumber.isDecimal(text) ? nil : tooLarge(text, shape)
        case .float: return ModelNumber.isReal(text, Float(text)) ? nil : tooLarge(text, shape)
        default: return ModelNumber.isReal(text, Double(text)) ? nil : tooLarge(text, shape)
        }
    }

    private func tooLarge(_ text: String, _ shape: SwiftModel.Shape) -> String {
        "\(text.prefix(DisplayText.longestValue)) is out of the range of \(model.name(shape))"
    }

    private func text(_ shape: SwiftModel.Shape, _ cursor: inout JSONCursor) -> String? {
        guard cursor.byte == UInt8(ascii: "\"") else { return other(shape, cursor) }
        if shape == .text { return step(over: &cursor) }
        guard let bytes = content(&cursor) else { return notJSON(cursor) }
        let text = String(decoding: bytes, as: UTF8.self)
        let isRead =
            switch shape {
            case .url: URL(string: text) != nil
            case .uuid: bytes.count == 36 && UUID(uuidString: text) != nil
            case .data: Data(base64Encoded: text) != nil
            default: dates == nil ? ModelNumber.isDateOfList(bytes) : ModelNumber.isInstant(bytes)
            }
        if isRead { return nil }
        let shown = bytes.count > DisplayText.longestValue ? "this text" : "'\(text)'"
        switch shape {
        case .url: return "\(shown) is no URL"
        case .uuid: return "\(shown) is no UUID"
        case .data: return "\(shown) is not base64, as which Data is written"
        case _ where dates == nil: return "\(shown) is text, and the model has Date"
        default: return "\(shown) is no instant as JSONDecoder's iso8601 reads it, such as 2026-11-20T05:00:00Z"
        }
    }
}
