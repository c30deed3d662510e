import DaybookJSON
import Foundation

/// Whether the keys of a file are themselves the rows.
enum KeysAsRows: String, OptionChoice { case rows }

/// Keys of user defaults as rows with the columns `key`, `type` and `value`.
///
/// The value is JSON. Data is base64, a date the number of seconds since 2001, as Swift's `JSONEncoder` writes one, and
/// what JSON cannot hold inside an array or a dictionary makes all of it a binary property list in base64.
enum KeyRows {
    static let keys = RecordKeys(column: ColumnName("key"), inPairs: nil)
    static let schema = Schema([Field("key", .text), Field("type", .text), Field("value", .json)])

    /// The types of values; a dump of JSON has those of JSON.
    private enum ValueType: String, CaseIterable {
        case string, integer, real, boolean, date, data, array, dictionary
        /// An array or a dictionary with dates or data inside.
        case plist
        /// Only in a dump of JSON.
        case null
    }

    // MARK: Reading

    /// The keys as an object of JSON, each with its type and value.
    static func json(of file: DefaultsBase) throws(DaybookError) -> Bytes {
        let text = Bytes("{")
        var isFirst = true
        func append(_ key: String, _ type: ValueType, _ value: Bytes) {
            if !isFirst { text.append(",\n") }
            isFirst = false
            text.append(jsonString: key)
            text.append(":{\"type\":\"\(type.rawValue)\",\"value\":")
            text.append(value)
            text.append("}")
        }
        switch file {
        case .propertyList(let entries, _):
            for entry in entries {
                let (type, value) = try written(entry.value)
                append(entry.key, type, value)
            }
        case .dump(let dump):
            for key in dump.entries.map(\.key) {
                guard let value = dump.value(of: key) else { continue }
                append(key, type(ofJSON: value), value)
            }
        }
        text.append("}")
        return text
    }

    private static func type(ofJSON value: Bytes) -> ValueType {
        switch JSONPlace.kind(of: value) {
        case "text": .string
        case "true or false": .boolean
        case "null": .null
        case "an array": .array
        case "an object": .dictionary
        default: Int64(value.text(0..<value.count)) == nil ? .real : .integer
        }
    }

    private static func written(_ value: OriginalValue) throws(DaybookError) -> (ValueType, Bytes) {
        let json = Bytes()
        let isPlain = append(value, to: json)
        switch value {
        case .text: return (.string, json)
        case .integer, .large: return (.integer, json)
        case .real(let number):
            if !number.isFinite { json.append(jsonString: number.description) }
            return (.real, json)
        case .flag: return (.boolean, json)
        case .date(let seconds):
            json.append(seconds.description)
            return (.date, json)
        case .content(let data):
            json.append(jsonString: data.base64EncodedString())
            return (.data, json)
        case .list where isPlain: return (.array, json)
        case .map where isPlain: return (.dictionary, json)
        case .list, .map:
            let list = Bytes()
            list.append(jsonString: try value.data(.binary).base64EncodedString())
            return (.plist, list)
        }
    }

    /// Appends a value that JSON holds as it is; false for any other. Depth is bounded by the reader of property lists.
    private static func append(_ value: OriginalValue, to json: Bytes) -> Bool {
        switch value {
        case .text(let text): json.append(jsonString: text)
        case .integer(let number): json.append(number.description)
        case .large(let number): json.append(number.description)
        case .real(let number):
            guard number.isFinite else { return false }
            json.append(number.description)
        case .flag(let flag): json.append(flag ? "true" as StaticString : "false")
        case .date, .content: return false
        case .list(let items):
            json.append(UInt8(ascii: "["))
            for (index, item) in items.enumerated() {
                if index > 0 { json.append(UInt8(ascii: ",")) }
                guard append(item, to: json) else { return false }
            }
            json.append(UInt8(ascii: "]"))
        case .map(let entries):
            json.append(UInt8(ascii: "{"))
            for (index, entry) in entries.enumerated() {
                if index > 0 { json.append(UInt8(ascii: ",")) }
                json.append(jsonString: entry.key)
                json.append(UInt8(ascii: ":"))
                guard append(entry.value, to: json) else { return false }
            }
            json.append(UInt8(ascii: "}"))
        }
        return true
    }

    // MARK: Writing

    /// Refuses rows with other columns: they are keys, and nothing else.
    static func check(_ schema: Schema, at place: SourcePlace?) throws(DaybookError) {
        for name in KeyRows.schema.names { _ = try schema.requiring(ColumnName(name, at: place)) }
        guard let other = schema.names.first(where: { !KeyRows.schema.names.contains($0) }) else { return }
        let message = "'keys: rows' writes the columns key, type and value, and there is '\(other)' too"
        throw DaybookError("other-columns", message, at: place, hint: "select_columns leaves it out")
    }

    /// The file of an object of keys, each with its type and value.
    static func file(of json: Bytes, _ format: DefaultsFormat, name: String) throws(DaybookError) -> DefaultsBase {
        let dump = try DumpedJSON.made(json, for: name)
        if format == .json { return .dump(try dumped(dump, name)) }
        let entries = try dump.entries.map { entry throws(DaybookError) in
            let (type, value) = try parts(of: entry, dump)
            return StoredEntry(key: entry.key, value: try original(value, type, entry.key))
        }
        return .propertyList(entries, format)
    }

    private static func parts(of entry: DumpedJSON.Entry, _ dump: DumpedJSON) throws(DaybookError)
        -> (type: ValueType, value: Bytes)
    {
        let row = dump.source.copy(entry.value)
        let type = try part("type", of: row, entry.key)
        let word = JSONPlace.decodedText(type, 0..<type.count).map { $0.text(0..<$0.count) } ?? ""
        guard let known = ValueType(rawValue: word) else {
            let names = ValueType.allCases.map(\.rawValue)
            let hint = NearestName.hint(for: word, among: names) ?? "types are \(names.joined(separator: ", "))"
            throw DaybookError.data("unknown-type", "the key '\(entry.key)' has the type '\(word)'", hint: hint)
        }
        // A row has no value that is null.
        return (known, known == .null ? Bytes("null") : try part("value", of: row, entry.key))
    }

    private static func part(_ name: String, of row: Bytes, _ key: String) throws(DaybookError) -> Bytes {
        if let range = try? JSONPlace.range(of: name, in: row, 0) { return row.copy(range) }
        throw DaybookError.data("missing-value", "the key '\(key)' has no \(name)", hint: "fill it, or drop the row")
    }

    private static func original(_ json: Bytes, _ type: ValueType, _ key: String) throws(DaybookError) -> OriginalValue
    {
        let word = json.text(0..<json.count)
        let text = JSONPlace.decodedText(json, 0..<json.count).map { $0.text(0..<$0.count) }
        switch type {
        case .string: if let text { return .text(text) }
        case .boolean: if word == "true" || word == "false" { return .flag(word == "true") }
        case .integer:
            if let number = Int64(word) { return .integer(number) }
            if let number = UInt64(word) { return .large(number) }
        case .real:
            if let number = Double(word) { return .real(number) }
            if let odd = ["nan": Double.nan, "inf": .infinity, "-inf": -.infinity][text ?? ""] { return .real(odd) }
        case .date: if text == nil, let seconds = Double(word) { return .date(seconds) }
        case .data: if let data = text.flatMap({ Data(base64Encoded: $0) }) { return .content(data) }
        case .array, .dictionary:
            let kind = type == .array ? "an array" : "an object"
            if JSONPlace.kind(of: json) == kind {
                return try NativeWriting.value(of: json, NativeShape(), isStrict: false, "the key '\(key)'")
            }
        case .plist:
            if let data = text.flatMap({ Data(base64Encoded: $0) }) { return try list(in: data, key) }
        case .null:
            let message = "the key '\(key)' is null, which a property list cannot hold"
            throw DaybookError.data("cannot-keep", message, hint: "drop the row, or write 'format: json'")
        }
        let shown = word.count > 40 ? word.prefix(40) + "…" : word[...]
        throw DaybookError.data("wrong-kind", "the key '\(key)' has the type \(type.rawValue), and the value \(shown)")
    }

    private static func list(in data: Data, _ key: String) throws(DaybookError) -> OriginalValue {
        guard let list = try? StoredValueReader.list(Bytes(data)),
            let value = try? OriginalReading.read(list, limit: DefaultsBase.limit)
        else {
            let message = "the key '\(key)' has the type plist, and its value is none in base64"
            throw DaybookError.data("wrong-kind", message)
        }
        return value
    }

    private static func dumped(_ dump: DumpedJSON, _ name: String) throws(DaybookError) -> DumpedJSON {
        let text = Bytes("{")
        for (index, entry) in dump.entries.enumerated() {
            let (type, value) = try parts(of: entry, dump)
            if type == .date || type == .plist {
                let message = "the key '\(entry.key)' is a \(type.rawValue), which a JSON dump cannot hold"
                throw DaybookError.data("cannot-keep", message, hint: "write 'format: binary'")
            }
            text.append(index == 0 ? "\n  " : ",\n  ")
            text.append(jsonString: entry.key)
            text.append(": ")
            text.append(value)
        }
        text.append(dump.entries.isEmpty ? "}\n" : "\n}\n")
        return try .made(text, for: name)
    }
}
