import DaybookDates
import DaybookJSON
import Foundation

/// Puts JSON in a place inside a stored value, and each encoding on the way on again as it was found.
struct PlaceEditor: Sendable {
    /// The JSON for one place.
    struct Edit: Sendable {
        var pointer: JSONPointer
        var json: Bytes
        /// What may stand there now: records of that layout, or a single value if this is nil.
        var layout: DefaultsLayout?
        /// Whether records stand under keys, in an object or by turns with them.
        var areKeyed = false
        /// How many tokens of the pointer lead to the value at hand.
        var depth = 0

        /// The token that leads further in; nil at the place itself.
        var token: String? { pointer.tokens.dropFirst(depth).first }

        /// The same for the value behind the token.
        var inside: Edit {
            var inside = self
            inside.depth += 1
            return inside
        }

        /// What is to be written, in messages.
        var displayText: String {
            guard let layout else { return "a single value" }
            if areKeyed { return layout == .array ? "keys and records in turn" : "records under keys" }
            return layout == .array ? "an array of records" : "one record"
        }

        /// What to write in the job for a value of the other layout.
        func hint(for found: DefaultsLayout) -> String {
            guard areKeyed else { return "write 'layout: \(found.rawValue)'" }
            return found == .array
                ? "for keys and values in turn, write 'pairs: true' beside 'each_key'; records in an array have no keys"
                : "leave 'pairs' out"
        }
    }

    let stage: ExportUserDefaults
    /// The file of the old value, in messages.
    let name: String
    /// Whether a key that is not there is added.
    var adds: Bool
    /// Where the job names no content, what is found stays.
    let content: DefaultsContent?
    /// The kinds that the columns of the rows give.
    let shape: NativeShape
    /// Where values that a stage has renamed stood, and where they stand now.
    let renamed: [(from: [String?], to: [String?])]
    /// Whether rows may be values and no dictionaries, as the elements of `["x", "y"]` are.
    let areBare: Bool
    /// The app's type that has to read the rows; nil while there are none yet.
    var model: CodableModel?

    private var key: String { stage.key }
    /// Whether an old value that is no JSON gives way to JSON.
    private var givesWay: Bool { stage.replaced == .propertyList && (content == nil || content == .data) }

    /// The old value of a key.
    enum Old: Sendable {
        case original(OriginalValue)
        /// A value of a JSON dump.
        case dumped(Bytes)
    }

    func edited(_ old: Old, _ edit: Edit) throws(DaybookError) -> Old {
        if let content, let found = found(old), found.content != content {
            guard found.encoder != nil, givesWay else { throw otherContent(edit, found.content, found.encoder) }
        }
        switch old {
        case .original(let value): return .original(try edited(value, edit))
        case .dumped(let text):
            // Records of a dump's own may have been anything in the property list, unless the job says what they are.
            let kind = JSONPlace.kind(of: text)
            if kind != "text", edit.token == nil, content != .native { throw mismatch(edit, kind) }
            return .dumped(try edited(text, edit, isDumped: true))
        }
    }

    /// The encoder of Foundation that wrote a value.
    private enum Encoder {
        case propertyList
        /// With the words for the objects of an app's own classes, if it holds such.
        case archiver(holding: String?)
    }

    /// How a value is encoded, and by which encoder of Foundation; nil for one that is none of an app's records.
    private func found(_ old: Old) -> (content: DefaultsContent, encoder: Encoder?)? {
        let text: Bytes
        switch old {
        case .original(.list), .original(.map): return (.native, nil)
        case .original(.content(let data)): return PlaceEditor.found(Bytes(data))
        case .original(.text(let value)): text = Bytes(value)
        case .original: return nil
        case .dumped(let value):
            guard let inside = JSONPlace.decodedText(value, 0..<value.count) else { return nil }
            text = inside
        }
        if StoredValueReader.container(text.filled) != nil { return (.text, nil) }
        return PlaceEditor.data(ofBase64: text).flatMap(PlaceEditor.found)
    }

    private static func found(_ data: Bytes) -> (content: DefaultsContent, encoder: Encoder?)? {
        if let encoder = encoder(of: data) { return (.listData, encoder) }
        return StoredValueReader.container(data.filled) != nil ? (.data, nil) : nil
    }

    /// The Foundation encoder that wrote a property list into data; nil for other data. A damaged one still counts.
    private static func encoder(of data: Bytes) -> Encoder? {
        guard StoredValueReader.isList(data.filled) else { return nil }
        guard let list = try? StoredValueReader.list(data), KeyedArchive.isArchive(list, list.root) else {
            return .propertyList
        }
        return .archiver(holding: KeyedArchive.objectWords(list, list.root))
    }

    // MARK: Values that are new

    /// JSON in which nothing stands but what the edits put there.
    func fresh(_ edits: [Edit]) throws(DaybookError) -> Bytes {
        var adding = self
        adding.adds = true
        var text = Bytes("{}")
        for edit in edits { text = edit.token == nil ? edit.json : try adding.edited(text, edit) }
        return text
    }

    func original(_ json: Bytes) throws(DaybookError) -> OriginalValue {
        switch content {
        case .text: return .text(json.text(0..<json.count))
        case .native: return try native(json)
        case .listData: return .content(try native(json).data(.binary))
        case .data, nil: return .content(json.content)
        }
    }

    /// JSON as a value of a dump, where data is base64.
    func dumped(_ json: Bytes) throws(DaybookError) -> Bytes {
        switch content {
        case .text: return PlaceEditor.string(json)
        case .native: return json
        case .listData: return PlaceEditor.string(base64: try native(json).data(.binary))
        case .data, nil: return PlaceEditor.string(base64: json.content)
        }
    }

    /// The whole of a new value, in which the records stand at their place.
    private func native(_ json: Bytes) throws(DaybookError) -> OriginalValue {
        let value = try native(json, shape.below(stage.records.tokens), isStrict: false, "'\(key)'")
        var records = value
        for token in stage.records.tokens {
            guard case .map(let entries) = records, let entry = entries.first(where: { $0.key == token }) else { break }
            records = entry.value
        }
        try check(records, "'\(key)'")
        return value
    }

    private func native(
        _ json: Bytes,
        _ shape: NativeShape,
        isStrict: Bool,
        _ subject: String
    ) throws(DaybookError) -> OriginalValue {
        guard stage.encoding.dates == .appleSeconds else {
            let message =
                "'dates' says how JSON writes dates, and \(subject) is a property list, which has dates of its own"
            throw DaybookError("bad-option", message, hint: "leave 'dates' out")
        }
        return try NativeWriting.value(of: json, shape, isStrict: isStrict, subject)
    }

    // MARK: Values of property lists

    private func edited(_ old: OriginalValue, _ edit: Edit) throws(DaybookError) -> OriginalValue {
        if edit.token == nil, edit.layout == nil { return try single(old, edit) }
        switch old {
        case .content(let data): return .content(try edited(data: Bytes(data), edit).content)
        case .text(let text):
            let new = try edited(text: Bytes(text), edit)
            return .text(new.text(0..<new.count))
        case .map(let entries) where entries.contains(where: { $0.key == "$archiver" }):
            throw mismatch(edit, "a keyed archive", hint: "archives are not written: name another key")
        case .map(var entries):
            guard let token = edit.token else { return try native(edit, in: old) }
            if let index = entries.firstIndex(where: { $0.key == token }) {
                entries[index].value = try edited(entries[index].value, edit.inside)
            } else if adds, edit.inside.token == nil, edit.layout == nil {
                entries.append(StoredEntry(key: token, value: try single(.flag(false), edit)))
            } else {
                throw lacks(token, edit, "a dictionary", entries.map(\.key))
            }
            return .map(entries)
        case .list(var items):
            guard let token = edit.token else { return try native(edit, in: old) }
            guard let index = JSONPath.Step(token).number, items.indices.contains(index) else {
                throw lacks(token, edit, "an array", [])
            }
            items[index] = try edited(items[index], edit.inside)
            return .list(items)
        case .flag: throw mismatch(edit, "true or false")
        case .date: throw mismatch(edit, "a date")
        case .integer, .large, .real: throw mismatch(edit, "a number")
        }
    }

    /// Records in the place of records, with the kinds that these had.
    private func native(_ edit: Edit, in old: OriginalValue) throws(DaybookError) -> OriginalValue {
        switch old {
        case .list(let items):
            guard areBare || edit.areKeyed || items.allSatisfy({ if case .map = $0 { true } else { false } }) else {
                let hint =
                    "name a place of records, or write rows with the column 'value', as an import of '\(key)' has them"
                throw mismatch(edit, "an array of values without keys", hint: hint)
            }
            guard edit.layout == .array else { throw mismatch(edit, "an array", hint: edit.hint(for: .array)) }
        default:
            guard edit.layout == .object else {
                throw mismatch(edit, "a dictionary", hint: edit.hint(for: .object))
            }
        }
        var shape = NativeShape(areKeyed: edit.areKeyed)
        shape.note(old)
        for way in renamed { shape.add(from: way.from, at: way.to) }
        shape.add(self.shape)
        let new = try native(edit.json, shape, isStrict: stage.encoding.fields == nil, subject(edit))
        try check(new, subject(edit))
        return new
    }

    /// Refuses records that the app's decoder of property lists refuses: JSON has not all kinds of their values.
    private func check(_ records: OriginalValue, _ subject: String) throws(DaybookError) {
        guard let model, let list = try? StoredValueReader.list(Bytes(try records.data(.binary))),
            let written = try? PropertyListJSON.write(list, list.root)
        else { return }
        defer { withExtendedLifetime(written.text) {} }
        var facts = ContainerFacts()
        (facts.isPropertyList, facts.kinds) = (true, written.kinds)
        guard let fault = model.reading(facts).fault(inAll: written.text.filled, isOne: stage.isOneRow) else { return }
        let message = "\(subject) would not be as the app's model has it: \(fault.displayText)"
        let hint = "values keep the kinds that stood there: mend the type of 'model', or leave 'model' out"
        throw DaybookError.data("not-decodable", message, hint: hint)
    }

    /// A single value in the place of another.
    private func single(_ old: OriginalValue, _ edit: Edit) throws(DaybookError) -> OriginalValue {
        switch old {
        case .list: try check("an array", edit)
        case .map: try check("an object", edit)
        case .content: throw mismatch(edit, "data")
        default: break
        }
        let json = edit.json.text(0..<edit.json.count)
        switch JSONPlace.kind(of: edit.json) {
        case "true or false": return .flag(json == "true")
        case "text":
            return .text(JSONPlace.decodedText(edit.json, 0..<edit.json.count).map { $0.text(0..<$0.count) } ?? "")
        case "a number": return Int64(json).map(OriginalValue.integer) ?? .real(Double(json) ?? 0)
        default: throw mismatch(edit, "a value of a property list, which has no null", new: "null")
        }
    }

    /// Data holds JSON, or what an encoder of Foundation wrote.
    private func edited(data: Bytes, _ edit: Edit) throws(DaybookError) -> Bytes {
        if edit.token == nil, data.isBlank { return edit.json }
        if StoredValueReader.isList(data.filled) {
            return givesWay && edit.token == nil ? edit.json : try edited(list: data, edit)
        }
        guard StoredValueReader.container(data.filled) != nil else { throw mismatch(edit, "data that is no JSON") }
        return try edited(data, edit)
    }

    /// What PropertyListEncoder wrote, in its own form. Archives are not written.
    private func edited(list data: Bytes, _ edit: Edit) throws(DaybookError) -> Bytes {
        let list: PropertyList
        do throws(PropertyListFault) { list = try StoredValueReader.list(data) } catch {
            throw DaybookError.data("cannot-keep", "\(subject(edit)) is a property list with a fault: \(error.message)")
        }
        guard !KeyedArchive.isArchive(list, list.root) else {
            let objects = KeyedArchive.objectWords(list, list.root)
            throw otherContent(edit, .listData, .archiver(holding: objects))
        }
        let old: OriginalValue
        do throws(UnkeepableValue) { old = try OriginalReading.read(list, limit: DefaultsBase.limit) } catch {
            throw DaybookError.data("cannot-keep", "\(subject(edit)) holds \(error.reason), and so cannot be kept")
        }
        let value = try edited(old, edit)
        // Decoders read both, and XML has no fractions of a second and no control characters.
        let isBinary = list.format == .binary || value.unfitForXML(at: "") != nil
        return Bytes(try value.data(isBinary ? .binary : .xml))
    }

    /// Text holds JSON, or base64 of it.
    private func edited(text: Bytes, _ edit: Edit) throws(DaybookError) -> Bytes {
        if edit.token == nil, text.isBlank { return edit.json }
        if StoredValueReader.container(text.filled) != nil { return try edited(text, edit) }
        guard let data = PlaceEditor.data(ofBase64: text) else { throw mismatch(edit, "text that is no JSON") }
        return Bytes(try edited(data: data, edit).content.base64EncodedData())
    }

    // MARK: JSON

    /// - Parameter isDumped: whether the text is the value of a dump, in which base64 is data.
    private func edited(_ text: Bytes, _ edit: Edit, isDumped: Bool = false) throws(DaybookError) -> Bytes {
        let kind = JSONPlace.kind(of: text)
        if kind == "text" { return try edited(string: text, edit, isDumped) }
        guard let token = edit.token else {
            try check(kind, edit)
            return edit.json
        }
        let range: Range<Int>?
        do throws(PropertyListFault) {
            range = try JSONPlace.range(of: token, in: text, 0)
        } catch {
            throw DaybookError.data("cannot-replace", "\(subject(edit)) is JSON with a fault: \(error.message)")
        }
        let new = Bytes(capacity: text.count + edit.json.count)
        defer { withExtendedLifetime(text) {} }
        if let range {
            let inner = try edited(text.copy(range), edit.inside)
            new.append(..<range.lowerBound, of: text)
            new.append(inner)
            new.append(range.upperBound..., of: text)
            return new
        }
        guard adds, kind == "an object", let end = text.filled.lastIndex(of: UInt8(ascii: "}")) else {
            throw lacks(token, edit, kind, JSONPlace.keys(of: text))
        }
        new.append(..<end, of: text)
        if !JSONPlace.keys(of: text).isEmpty { new.append(UInt8(ascii: ",")) }
        new.append(jsonString: token)
        new.append(UInt8(ascii: ":"))
        new.append(edit.inside.token == nil ? edit.json : try edited(Bytes("{}"), edit.inside))
        new.append(end..., of: text)
        return new
    }

    private func edited(string: Bytes, _ edit: Edit, _ isDumped: Bool) throws(DaybookError) -> Bytes {
        var cursor = JSONCursor(string.base, to: string.count)
        cursor.skipSpace()
        let start = cursor.position
        _ = cursor.skipValue()
        guard let text = JSONPlace.decodedText(string, start..<cursor.position) else { return edit.json }
        if edit.token == nil, edit.layout == nil, !isDumped { return edit.json }
        if isDumped, text.isBlank, edit.token == nil { return try dumped(edit.json) }
        return PlaceEditor.string(try edited(text: text, edit))
    }

    private func check(_ kind: String, _ edit: Edit) throws(DaybookError) {
        let found: DefaultsLayout? = ["an array": .array, "an object": .object][kind]
        switch (edit.layout, found) {
        case (nil, nil): break
        case (nil, _):
            let message = "\(subject(edit)) is \(kind), and 'set' puts single values in the place of such"
            throw DaybookError.data("cannot-replace", message)
        case (_, nil): if kind != "null" { throw mismatch(edit, kind) }
        case (let layout?, let found?):
            guard layout != found else { break }
            throw mismatch(edit, "JSON of \(kind)", hint: edit.hint(for: found))
        }
    }

    // MARK: Encodings

    private static func string(_ text: Bytes) -> Bytes {
        let string = Bytes(capacity: text.count + 2)
        string.append(jsonString: text.filled)
        withExtendedLifetime(text) {}
        return string
    }

    private static func string(base64 data: Data) -> Bytes {
        let string = Bytes(capacity: data.count * 4 / 3 + 8)
        string.append(UInt8(ascii: "\""))
        string.append(contentsOf: data.base64EncodedData())
        string.append(UInt8(ascii: "\""))
        return string
    }

    private static func data(ofBase64 text: Bytes) -> Bytes? {
        defer { withExtendedLifetime(text) {} }
        let decoded = Data(base64Encoded: Data(text.array), options: .ignoreUnknownCharacters)
        return decoded.flatMap { $0.isEmpty ? nil : Bytes($0) }
    }

    // MARK: Messages

    private func subject(_ edit: Edit) -> String {
        edit.pointer.tokens.isEmpty ? "'\(key)' in '\(name)'" : "'\(edit.pointer.written)' under '\(key)' in '\(name)'"
    }

    private func mismatch(_ edit: Edit, _ found: String, new: String? = nil, hint: String? = nil) -> DaybookError {
        let message = "\(subject(edit)) is \(found), and what is to be written is \(new ?? edit.displayText)"
        let hint =
            hint ?? "name the place that the app reads so by 'key' and 'records', or take this one out of '\(name)'"
        return DaybookError.data("cannot-replace", message, hint: hint)
    }

    private func otherContent(_ edit: Edit, _ found: DefaultsContent, _ encoder: Encoder?) -> DaybookError {
        let (name, reason, instead): (String, String, String)
        switch encoder {
        case nil:
            let hint = "write 'as: \(found.rawValue)', or leave 'as' out"
            return mismatch(edit, found.displayText, new: content?.displayText, hint: hint)
        case .propertyList:
            (name, reason) = ("PropertyListEncoder", ", and what is to be written is JSON")
            instead = "write 'as: plist_data'"
        case .archiver(let objects):
            name = "NSKeyedArchiver"
            reason = (objects.map { " with \($0)" } ?? "") + ", and archives are not written"
            instead = "name another key"
        }
        let message = "\(subject(edit)) is data that \(name) wrote\(reason)"
        let hint =
            "an app that reads the key with the decoder of \(name) would lose it: \(instead)"
            + ", or 'replaces: property_list' where the app reads JSON by now"
        return DaybookError.data("cannot-replace", message, hint: hint)
    }

    private func lacks(_ token: String, _ edit: Edit, _ kind: String, _ keys: [String]) -> DaybookError {
        let message =
            "'\(key)' in '\(name)' has nothing at '\(edit.pointer.written)': there is no '\(token)' in \(kind)"
        let near = JSONPlace.hint(for: token, among: keys)
        let hint = "\(near.map { "\($0); " } ?? "")'new_key: true' adds what is not there"
        return DaybookError.data("unknown-key", message, hint: hint)
    }
}

extension Bytes {
    fileprivate var isBlank: Bool { filled.allSatisfy { [0x20, 0x09, 0x0A, 0x0D].contains($0) } }
}
