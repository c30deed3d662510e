import DaybookTestSupport
import Foundation

/// A file of an app with random records in it, and what tells whether another file holds the same.
struct AppFile: Sendable {
    enum Form: String, CaseIterable, Sendable {
        case array, wrapped, keyed, pairs, lines, one
        case listBinary = "list as binary"
        case listXML = "list as XML"
        case defaultsData = "JSON as data in defaults"
        case defaultsText = "JSON as text in defaults"
        case defaultsNative = "values in defaults"
        case defaultsList = "a list as data in defaults"
        case defaultsWrapped = "wrapped as data in defaults"
        case defaultsPairs = "pairs as data in defaults"
        case dumpText = "JSON as text in a dump"
        case dumpBase64 = "base64 in a dump"
        case dumpList = "a list as base64 in a dump"

        /// Whether the records are values of a property list.
        var isList: Bool { [.listBinary, .listXML, .defaultsNative, .defaultsList, .dumpList].contains(self) }
    }

    let form: Form
    let name: String
    let bytes: Data
    /// The key of the records, where others stand beside it.
    let key: String?
    /// Whether dates are texts in it.
    let writesText: Bool
    /// Whether records have numbers for keys, as those of `[Date: Record]` are, which no job reads.
    let hasDateKeys: Bool
    /// What an export of the records as JSON is to hold; nil for a copy of the file.
    private(set) var exported: Data?

    /// - Parameter isPlain: whether each record has the fields of ``RandomRecords/plain`` first.
    init(_ form: Form, seed: UInt64, isPlain: Bool = false) throws {
        var random = RandomRecords(seed: seed, hasNull: !form.isList, isPlain: isPlain)
        let json = JSONEncoder()
        writesText = !form.isList && random.number(0..<4) == 0
        json.dateEncodingStrategy =
            writesText
            ? .iso8601 : random.any(of: [.deferredToDate, .secondsSince1970, .millisecondsSince1970])
        if form != .lines {
            json.outputFormatting = random.any(of: [[], .sortedKeys, .prettyPrinted, .withoutEscapingSlashes])
        }
        random.hasWholeSeconds = form == .listXML
        let list = PropertyListEncoder()
        list.outputFormat = form == .listXML || form == .dumpList ? .xml : .binary
        let records = random.records(random.number(1..<6))
        let all = AppValue.list(records)
        func wrapped(_ value: AppValue) -> AppValue { .object([("version", .whole(2)), ("items", value)]) }
        func keyed(_ keys: [AppValue]) -> AppValue { .list(zip(keys, records).flatMap { [$0, $1] }) }
        func defaults(_ value: Any, _ format: PropertyListSerialization.PropertyListFormat) throws -> Data {
            let list: [String: Any] = [
                "todos": value, "volume": 0.5, "launches": 12, "seen": Date(timeIntervalSinceReferenceDate: 0.1),
                "flag": true, "NSWindow Frame": "1 2", "blob": Data([1, 0, 255]),
            ]
            return try PropertyListSerialization.data(fromPropertyList: list, format: format, options: 0)
        }
        func dump(_ text: String) throws -> Data {
            let quoted = String(decoding: try JSONEncoder().encode(text), as: UTF8.self)
            return Data("{ \"launches\" : 1.50,\n \"todos\": \(quoted), \"on\":true, \"late\": \"x\\u0041\"\n}\n".utf8)
        }
        var dictionaryKeys: [AppValue] = []
        if form == .pairs || form == .defaultsPairs { dictionaryKeys = random.dictionaryKeys(records.count) }
        if case .date? = dictionaryKeys.first { hasDateKeys = !writesText } else { hasDateKeys = false }
        self.form = form
        var (name, key): (String, String?) = ("app.plist", "todos")
        switch form {
        case .array: (name, key, bytes) = ("todos.json", nil, try json.encode(all))
        case .wrapped: (name, key, bytes) = ("todos.json", nil, try json.encode(wrapped(all)))
        case .one: (name, key, bytes) = ("settings.json", nil, try json.encode(records[0]))
        case .lines:
            (name, key) = ("log.ndjson", nil)
            bytes = Data(try records.map { try json.encode($0) + Data("\n".utf8) }.joined())
        case .keyed:
            (name, key) = ("keyed.json", nil)
            bytes = try json.encode(AppValue.object(records.enumerated().map { ("key \($0.offset)", $0.element) }))
        case .pairs:
            (name, key) = ("pairs.json", nil)
            bytes = try json.encode(keyed(dictionaryKeys))
        case .listBinary, .listXML: (key, bytes) = (nil, try list.encode(all))
        case .defaultsData: bytes = try defaults(try json.encode(all), .binary)
        case .defaultsText: bytes = try defaults(String(decoding: try json.encode(all), as: UTF8.self), .xml)
        case .defaultsNative:
            bytes = try defaults(
                try PropertyListSerialization.propertyList(from: try list.encode(all), format: nil),
                .binary
            )
        case .defaultsList: bytes = try defaults(try list.encode(all), .binary)
        case .defaultsWrapped: bytes = try defaults(try json.encode(wrapped(all)), .binary)
        case .defaultsPairs: bytes = try defaults(try json.encode(keyed(dictionaryKeys)), .xml)
        case .dumpText:
            name = "dump.json"
            bytes = try dump(String(decoding: try json.encode(all), as: UTF8.self))
        case .dumpBase64: (name, bytes) = ("dump.json", try dump(try json.encode(all).base64EncodedString()))
        case .dumpList: (name, bytes) = ("dump.json", try dump(try list.encode(all).base64EncodedString()))
        }
        (self.name, self.key) = (name, key)
        if form == .wrapped { exported = try json.encode(all) }
        // Dates are then seconds since 2001, as the job says.
        if form == .listBinary || form == .listXML { exported = try JSONEncoder().encode(all) }
    }

    /// How what was written differs; nil where it is the same.
    ///
    /// - Parameter isWhole: whether the whole file was taken for a record, as a wrapper of a few short records is.
    func difference(from written: Data, isWhole: Bool = false) -> String? {
        let wanted = isWhole ? bytes : exported ?? bytes
        if form == .dumpText || form == .dumpBase64 || form == .dumpList {
            // All but the records stays as it is, byte by byte.
            guard let (head, tail) = AppFile.frame(bytes), written.starts(with: head),
                written.reversed().starts(with: tail.reversed())
            else { return "what stands beside the records is changed" }
        }
        if form == .lines {
            let lines = { (data: Data) in data.split(separator: 0x0A).map { ValueTree($0) } }
            return lines(wanted) == lines(written) ? nil : "lines differ"
        }
        guard let there = ValueTree(wanted), let back = ValueTree(written) else {
            return "what was written cannot be read"
        }
        return there.difference(from: back, areNearly: exported != nil && form.isList)
    }

    private static func frame(_ bytes: Data) -> (head: Data, tail: Data)? {
        guard let start = bytes.range(of: Data("\"todos\": ".utf8)), let end = bytes.range(of: Data(", \"on\":".utf8))
        else {
            return nil
        }
        return (bytes[..<start.upperBound], bytes[end.lowerBound...])
    }
}
