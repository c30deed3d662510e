import DaybookDates
import Foundation

/// Walks over JSON as a decoder of a model would, and tells the first place at which the decoder fails.
package struct ModelWalk: Sendable {
    package typealias Shape = SwiftModel.Shape
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
        package var displayText: String {
            "the app's decoder refuses \(pointer.isEmpty ? "the record" : "'\(pointer)'"): \(message)"
        }

        /// The field of a record in which the fault is, by the paths of fields.
        func field<Path: Sequence<String>>(among paths: [Path]) -> Int? {
            let place = steps + (missing.map { [$0] } ?? [])
            let holding = paths.indices.filter { place.starts(with: paths[$0]) }
            return holding.max { Array(paths[$0]).count < Array(paths[$1]).count }
        }
    }

    /// Where the walk is, and where the fault is that it has met.
    private struct Walk {
        var cursor: JSONCursor
        /// Where in the text of a container the JSON begins.
        var offset: Int
        /// The steps to the fault, innermost first.
        var steps: [String] = []
        var missing: String?

        var byte: UInt8 { cursor.byte }
        var notJSON: String { cursor.fault?.message ?? "this is not JSON" }

        mutating func stepOver() -> String? { cursor.skipValue() ? nil : notJSON }

        /// Whether it is the text as which `PropertyListEncoder` writes nil.
        var isNilOfList: Bool {
            cursor.cell(cursor.position..<min(cursor.position + 7, cursor.end)).elementsEqual("\"$null\"".utf8)
        }

        func isName(_ name: [UInt8], _ key: JSONCursor.Key) -> Bool {
            JSONString.isName(name, cursor.base, key.bytes, isEscaped: key.isEscaped)
        }
    }

    /// Deeper values cost more stack than a thread has to give.
    private static let deepest = 200

    /// A field of an object as the walk looks for it.
    private struct Key: Sendable {
        var bytes: [UInt8]
        var shape: Shape
        var isOptional: Bool
    }

    private enum Form: Sendable {
        case record([Key])
        case words(Set<[UInt8]>)
        case numbers(Shape, Set<Int>)
        case cases([(key: [UInt8], fields: [Key])])
    }

    private let model: SwiftModel
    /// How dates are written; nil in a property list, whose dates, addresses and decimal numbers have forms of their own.
    private let dates: CodableDates?
    /// The kinds of a property list's values that JSON lacks; nil where they are not known.
    private let kinds: ListKinds?
    private let takesListNil: Bool
    private let forms: [Form]

    package init(_ model: SwiftModel, dates: CodableDates?, kinds: ListKinds? = nil, takesListNil: Bool = false) {
        (self.model, self.dates, self.kinds, self.takesListNil) = (model, dates, kinds, takesListNil || kinds != nil)
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
    ///
    /// - Parameter offset: where in the text of a container the JSON begins.
    package func fault(in json: Cell, as shape: Shape, at offset: Int = 0) -> Fault? {
        guard let base = json.baseAddress else { return Fault(message: "there is no JSON") }
        var walk = Walk(cursor: JSONCursor(base, to: json.count), offset: offset)
        guard let message = value(shape, &walk, 0) else {
            return walk.cursor.finish() ? nil : Fault(message: walk.notJSON)
        }
        return Fault(steps: walk.steps.reversed(), message: message, missing: walk.missing)
    }

    /// The first fault of one entry of a dictionary: a key, a colon or a comma, and its value.
    ///
    /// - Parameter shape: of the dictionary.
    func fault(inEntry json: Cell, of shape: Shape, _ brackets: RowBrackets, at offset: Int = 0) -> Fault? {
        let whole = Bytes(capacity: json.count + 2)
        whole.append(brackets.opening)
        whole.append(json)
        whole.append(brackets.closing)
        defer { withExtendedLifetime(whole) {} }
        guard var fault = fault(in: whole.filled, as: shape, at: offset - 1) else { return nil }
        // The first step leads to the entry: its key in an object, 0 for the key of a pair.
        let first = fault.steps.isEmpty ? nil : fault.steps.removeFirst()
        fault.isKey = first == nil || (brackets.isArray && first == "0")
        return fault
    }

    /// Whether Swift writes a dictionary with such keys as an object.
    func isObjectKey(_ key: Shape) -> Bool {
        if case .type(let number) = key { return model.types[number].isKey }
        return key == .text || key == .integer(isSigned: true, bits: 0)
    }

    /// Walks over a value; returns what is wrong and has then added the steps to it, innermost first.
    private func value(_ shape: Shape, _ walk: inout Walk, _ depth: Int) -> String? {
        guard depth < ModelWalk.deepest else { return "this is nested too deeply to be held against the model" }
        walk.cursor.skipSpace()
        if let kinds, let read = ofList(shape, kinds[walk.offset + walk.cursor.position], &walk, depth) { return read }
        switch shape {
        case .optional(let inner):
            if walk.byte == UInt8(ascii: "n") || (takesListNil && walk.isNilOfList) { return walk.stepOver() }
            return value(inner, &walk, depth + 1)
        case .array(let inner):
            guard walk.byte == UInt8(ascii: "[") else { return other(shape, walk) }
            return elements(&walk) { _, walk in value(inner, &walk, depth + 1) }
        case .dictionary(let key, let inner): return dictionary(key, inner, shape, &walk, depth)
        case .type(let number):
            let name = model.types[number].name
            switch forms[number] {
            case .record(let keys): return object(keys, name, &walk, depth)
            case .words(let words): return word(words, name, &walk)
            case .numbers(let shape, let numbers): return raw(numbers, shape, name, &walk)
            case .cases(let cases): return one(of: cases, name, &walk, depth)
            }
        case .flag:
            let isFlag = walk.byte == UInt8(ascii: "t") || walk.byte == UInt8(ascii: "f")
            return isFlag ? walk.stepOver() : other(shape, walk)
        case .date where dates != nil && dates != .iso: return number(shape, &walk)
        case .url where dates == nil && walk.byte == UInt8(ascii: "{"),
            .decimal where dates == nil && walk.byte == UInt8(ascii: "{"):
            return walk.stepOver()
        case .double, .float, .decimal, .integer: return number(shape, &walk)
        case .text, .date, .url, .uuid, .data: return text(shape, &walk)
        }
    }

    /// What is wrong with a value whose kind JSON lacks, or that has to be of such a kind; nil where it is read as one of JSON.
    private func ofList(_ shape: Shape, _ kind: ListKinds.Kind?, _ walk: inout Walk, _ depth: Int) -> String?? {
        guard let kind else {
            let isText = walk.byte == UInt8(ascii: "\"")
            switch shape {
            case .optional: return nil
            case .data where isText, .date where isText, .url where isText: return other(shape, walk)
            case .decimal where walk.byte.isJSONNumber: return other(shape, walk)
            case .url where walk.byte == UInt8(ascii: "{"):
                let relative = Key(bytes: Array("relative".utf8), shape: .text, isOptional: false)
                return object([relative], model.name(shape), &walk, depth)
            case _ where isText && walk.isNilOfList: return other(model.name(shape), "nil")
            default: return nil
            }
        }
        switch (kind, shape) {
        case (_, .optional): return nil
        case (.date, .date), (.data, .data), (.url, .url), (.decimal, .decimal), (.real, .double), (.real, .float),
            (.url, .dictionary(.text, .text)):
            return walk.stepOver()
        case (.url, .type(let number)):
            // A record of an app that has the only key.
            guard case .record(let keys) = forms[number],
                keys.allSatisfy({ $0.isOptional || $0.bytes.elementsEqual("relative".utf8) })
            else { return other(model.name(shape), "an object") }
            return walk.stepOver()
        case (.date, _): return other(model.name(shape), "a date")
        case (.data, _): return other(model.name(shape), "data")
        case (.url, _), (.decimal, _): return other(model.name(shape), "an object")
        case (.real, _): return other(model.name(shape), "a number that is infinite or none")
        }
    }

    private func other(_ expected: String, _ found: String) -> String {
        "this is \(found), and the model has \(expected)"
    }

    /// Says that a value is of another kind.
    private func other(_ shape: Shape, _ walk: Walk) -> String {
        guard shape == .date, let dates else { return other(model.name(shape), walk) }
        let form = dates == .iso ? "text" : "a number"
        return other("Date, which 'dates: \(dates.rawValue)' writes as \(form)", walk)
    }

    private func other(_ expected: String, _ walk: Walk) -> String {
        let name = JSONValueName.of(walk.byte)
        return other(expected, name == "true or false" ? "a flag" : name)
    }

    /// Walks over an array at its bracket.
    private func elements(_ walk: inout Walk, _ element: (Int, inout Walk) -> String?) -> String? {
        guard walk.cursor.open() else { return walk.notJSON }
        if walk.cursor.closesAtOnce(UInt8(ascii: "]")) { return nil }
        var index = 0
        while true {
            if let message = element(index, &walk) {
                walk.steps.append(String(index))
                return message
            }
            index += 1
            guard let more = walk.cursor.next(inObject: false) else { return walk.notJSON }
            guard more else { return nil }
        }
    }

    /// Walks over an object at its brace; the members stop before their values.
    private func members(_ walk: inout Walk, _ member: (JSONCursor.Key, inout Walk) -> String?) -> String? {
        guard walk.cursor.open() else { return walk.notJSON }
        if walk.cursor.closesAtOnce(UInt8(ascii: "}")) { return nil }
        while true {
            guard let key = walk.cursor.key() else { return walk.notJSON }
            if let message = member(key, &walk) {
                walk.steps.append(String(decoding: walk.cursor.name(key), as: UTF8.self))
                return message
            }
            guard let more = walk.cursor.next(inObject: true) else { return walk.notJSON }
            guard more else { return nil }
        }
    }

    private func dictionary(_ key: Shape, _ inner: Shape, _ shape: Shape, _ walk: inout Walk, _ depth: Int) -> String? {
        if isObjectKey(key) {
            guard walk.byte == UInt8(ascii: "{") else { return other(shape, walk) }
            return members(&walk) { name, walk in
                let isKnown = key == .text || isKey(walk.cursor.name(name), key)
                return isKnown ? value(inner, &walk, depth + 1) : "this key is no \(model.name(key))"
            }
        }
        // Swift writes keys of other types as every other element of an array.
        guard walk.byte == UInt8(ascii: "[") else {
            return other("\(model.name(shape)), which Swift writes as an array of keys and values in turn", walk)
        }
        var count = 0
        let message = elements(&walk) { index, walk in
            count += 1
            return value(index % 2 == 0 ? key : inner, &walk, depth + 1)
        }
        return message == nil && count % 2 == 1 ? "the last key has no value" : message
    }

    /// Whether a text is a key of that shape.
    private func isKey(_ name: [UInt8], _ shape: Shape) -> Bool {
        let number = Int(String(decoding: name, as: UTF8.self))
        guard case .type(let type) = shape else { return number != nil }
        return switch forms[type] {
        case .words(let words): words.contains(name)
        case .numbers(_, let numbers): number.map(numbers.contains) ?? false
        case .record, .cases: true
        }
    }

    private func object(_ keys: [Key], _ name: String, _ walk: inout Walk, _ depth: Int) -> String? {
        guard walk.byte == UInt8(ascii: "{") else { return other(name, walk) }
        var found = [Bool](repeating: false, count: keys.count)
        let message = members(&walk) { key, walk in
            let index = keys.firstIndex { walk.isName($0.bytes, key) }
            guard let index else { return walk.stepOver() }
            found[index] = true
            return value(keys[index].shape, &walk, depth + 1)
        }
        if let message { return message }
        for index in keys.indices where !found[index] && !keys[index].isOptional {
            let key = String(decoding: keys[index].bytes, as: UTF8.self)
            walk.missing = key
            return "the key '\(key)' is missing, and in '\(name)' it is no optional"
        }
        return nil
    }

    private func one(
        of cases: [(key: [UInt8], fields: [Key])],
        _ name: String,
        _ walk: inout Walk,
        _ depth: Int
    ) -> String? {
        guard walk.byte == UInt8(ascii: "{") else { return other("\(name), whose cases are objects", walk) }
        var known = 0
        let message = members(&walk) { key, walk in
            guard let found = cases.first(where: { walk.isName($0.key, key) }) else { return walk.stepOver() }
            known += 1
            return object(found.fields, name + "." + String(decoding: found.key, as: UTF8.self), &walk, depth + 1)
        }
        if let message { return message }
        return known == 1 ? nil : "this names \(known == 0 ? "no case" : "more than one case") of '\(name)'"
    }

    private func word(_ words: Set<[UInt8]>, _ name: String, _ walk: inout Walk) -> String? {
        guard walk.byte == UInt8(ascii: "\"") else { return other("\(name), whose values are words", walk) }
        guard let bytes = walk.cursor.text() else { return walk.notJSON }
        guard !words.contains(bytes) else { return nil }
        let word = String(decoding: bytes.prefix(DisplayText.longestValue), as: UTF8.self)
        let meant = NearestName.of(word, among: words.map { String(decoding: $0, as: UTF8.self) }.sorted())
        return "'\(name)' has no '\(word)'" + (meant.map { "; did you mean '\($0)'?" } ?? "")
    }

    private func raw(_ numbers: Set<Int>, _ shape: Shape, _ name: String, _ walk: inout Walk) -> String? {
        let start = walk.cursor.position
        if let message = number(shape, &walk) { return message }
        let text = String(decoding: walk.cursor.cell(start..<walk.cursor.position), as: UTF8.self)
        let value = ModelNumber.integer(text).flatMap { Int(exactly: $0) }
        return value.map(numbers.contains) == true ? nil : "'\(name)' has no \(text)"
    }

    private func number(_ shape: Shape, _ walk: inout Walk) -> String? {
        guard walk.byte.isJSONNumber else { return other(shape, walk) }
        let start = walk.cursor.position
        guard let isWhole = walk.cursor.number() else { return walk.notJSON }
        let cell = walk.cursor.cell(start..<walk.cursor.position)
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

    private func tooLarge(_ text: String, _ shape: Shape) -> String {
        "\(text.prefix(DisplayText.longestValue)) is out of the range of \(model.name(shape))"
    }

    private func text(_ shape: Shape, _ walk: inout Walk) -> String? {
        guard walk.byte == UInt8(ascii: "\"") else { return other(shape, walk) }
        if shape == .text { return walk.stepOver() }
        guard let bytes = walk.cursor.text() else { return walk.notJSON }
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
