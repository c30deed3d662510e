import DaybookJSON
import Foundation

/// The base file of an output, whose other keys are kept.
enum DefaultsBase: Sendable {
    /// A property list, and the format of the output.
    case propertyList([StoredEntry], DefaultsFormat)
    case dump(DefaultsDump)

    /// The most bytes of a file, of the rows under a key, or of shared values once unfolded.
    static let limit = 1 << 27

    /// The format of the output if the job names none.
    var format: DefaultsFormat {
        switch self {
        case .propertyList(_, let format): format
        case .dump: .json
        }
    }

    private var keys: [String] {
        switch self {
        case .propertyList(let entries, _): entries.map(\.key)
        case .dump(let dump): dump.keys
        }
    }

    /// Refuses a new key that looks like a misspelling of an existing one: the app would read the old rows for ever.
    func check(adding key: String, name: String) throws(DaybookError) {
        let keys = keys
        guard !keys.contains(where: { $0.utf8.elementsEqual(key.utf8) }),
            // A hostile file may have many long keys.
            let near = NearestName.slip(key, among: keys.prefix(1_000).filter { $0.utf8.count <= 200 })
        else { return }
        let hint = "did you mean '\(near)'? If not, say so: 'new_key: true'"
        throw DaybookError.data("unknown-key", "'\(name)' has no key '\(key)'", hint: hint)
    }

    /// Reads a whole file and detects its format by its content.
    ///
    /// - Parameter name: the name of the file in messages.
    init(_ bytes: Bytes, name: String) throws(DaybookError) {
        guard bytes.count <= DefaultsBase.limit else {
            let message =
                "'\(name)' is larger than \(DefaultsBase.limit >> 20) MiB, which is more than user defaults can be"
            throw DaybookError.data("too-large", message)
        }
        switch try PropertyListFile.read(bytes, SourceName(index: 0, path: name)) {
        case .json(let dump): self = .dump(try DefaultsDump(dump, name: name))
        case .list(let list):
            guard case .dictionary = list[list.root] else {
                let message =
                    "'\(name)' has no keys: it is a property list with \(list[list.root].displayText) at its top"
                throw DaybookError.data("not-a-dictionary", message)
            }
            // The old text format is no longer written, and XML can represent all of it.
            self = .propertyList(
                try DefaultsBase.entries(list, name, limit: DefaultsBase.limit),
                list.format == .binary ? .binary : .xml
            )
        }
    }

    /// The keys and values of a property list just written.
    static func entries(ofWritten bytes: Bytes) throws(DaybookError) -> [StoredEntry] {
        let file = try PropertyListFile.read(bytes, SourceName(index: 0, path: "the output"))
        guard case .list(let list) = file else { return [] }
        return try entries(list, "the output", limit: .max)
    }

    private static func entries(_ list: PropertyList, _ name: String, limit: Int) throws(DaybookError) -> [StoredEntry]
    {
        do {
            guard case .map(let entries) = try OriginalReading.read(list, limit: limit) else { return [] }
            return entries
        } catch {
            let subject = error.path.isEmpty ? "'\(name)'" : "'\(error.path.joined(separator: "/"))' in '\(name)'"
            throw DaybookError.data("cannot-keep", "\(subject) is \(error.reason), and so cannot be kept")
        }
    }
}

extension Bytes {
    /// The bytes for Foundation, without a copy; the buffer is no longer written to.
    package var content: Data {
        Data(
            bytesNoCopy: mutableBase,
            count: count,
            deallocator: .custom { [self] _, _ in withExtendedLifetime(self) {} }
        )
    }
}

extension DefaultsBase {
    /// Refuses to put JSON in the place of something else, which an app would no longer find.
    func check(replacing stage: ExportUserDefaults, name: String) throws(DaybookError) {
        let (key, content) = (stage.key, stage.content)
        let found: (content: DefaultsContent, bytes: Data)
        switch self {
        case .dump(let dump):
            // Dumps write null for missing values.
            guard let value = dump.value(of: key), value.displayText != "null" else { return }
            guard let text = value.text else { throw mismatch(key, value.displayText, name) }
            found = DefaultsBase.content(ofDumped: text)
        case .propertyList(let entries, _):
            switch entries.first(where: { $0.key.utf8.elementsEqual(key.utf8) })?.value {
            case nil: return
            case .content(let bytes): found = (.data, bytes)
            case .text(let text): found = (.text, Data(text.utf8))
            case .list: throw mismatch(key, "an array", name)
            case .map: throw mismatch(key, "a dictionary", name)
            case .flag: throw mismatch(key, "true or false", name)
            case .date: throw mismatch(key, "a date", name)
            case .integer, .large, .real: throw mismatch(key, "a number", name)
            }
        }
        guard let first = found.bytes.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) else { return }
        if found.content == .data, let writer = DefaultsBase.propertyListWriter(of: found.bytes) {
            if stage.replaced == .propertyList, content == .data { return }
            let message = "'\(key)' in '\(name)' is data that \(writer) wrote, and what is to be written is JSON"
            let hint =
                "an app that reads the key with the decoder of \(writer) would lose it: name another key, or write "
                + "'replaces: property_list' where the app reads JSON by now"
            throw DaybookError.data("cannot-replace", message, hint: hint)
        }
        guard first == UInt8(ascii: "[") || first == UInt8(ascii: "{") else {
            throw mismatch(key, "\(found.content.rawValue) that is no JSON", name)
        }
        if found.content != content {
            let hint = "write 'content: \(found.content.rawValue)'"
            throw mismatch(key, "JSON as \(found.content.rawValue)", name, hint: hint)
        }
        if (first == UInt8(ascii: "{")) != (stage.layout == .object) {
            let isArray = stage.layout == .object
            let hint = "write 'layout: \(isArray ? "array" : "object")'"
            throw mismatch(key, "JSON of an \(isArray ? "array" : "object")", name, hint: hint)
        }
    }

    /// The Foundation encoder that wrote a property list into data; nil for other data.
    private static func propertyListWriter(of data: Data) -> String? {
        let bytes = Bytes(capacity: data.count)
        bytes.append(contentsOf: data)
        defer { withExtendedLifetime(bytes) {} }
        guard StoredValueReader.isList(bytes.filled) else { return nil }
        // A damaged property list still counts as one.
        guard let list = try? StoredValueReader.list(bytes), KeyedArchive.isArchive(list, list.root) else {
            return "PropertyListEncoder"
        }
        return "NSKeyedArchiver"
    }

    /// A dump does not distinguish data from text: a value that begins as JSON is text; otherwise base64 is data.
    private static func content(ofDumped text: String) -> (DefaultsContent, Data) {
        let bytes = Data(text.utf8)
        if let decoded = Data(base64Encoded: bytes, options: .ignoreUnknownCharacters), !decoded.isEmpty,
            text.utf8.first != UInt8(ascii: "["), text.utf8.first != UInt8(ascii: "{")
        {
            return (.data, decoded)
        }
        return (.text, bytes)
    }

    private func mismatch(_ key: String, _ found: String, _ name: String, hint: String? = nil) -> DaybookError {
        let message = "'\(key)' in '\(name)' is \(found), and what is to be written is not"
        let hint = hint ?? "name the key under which the app keeps the rows as JSON, or take this one out of '\(name)'"
        return DaybookError.data("cannot-replace", message, hint: hint)
    }
}

/// User defaults dumped as one JSON object. Kept entries are copied byte for byte.
struct DefaultsDump: Sendable {
    private let dump: DumpedJSON
    /// The offset behind the object's opening brace.
    private let inside: Int

    init(_ dump: DumpedJSON, name: String) throws(DaybookError) {
        if dump.other != nil {
            throw DaybookError.data("not-a-dictionary", "'\(name)' has no keys: it is JSON, and no object")
        }
        if dump.isWide {
            let message = "'\(name)' is UTF-16, and a JSON dump is written as UTF-8"
            throw DaybookError.data("cannot-keep", message, hint: "save it as UTF-8 first")
        }
        self.dump = dump
        defer { withExtendedLifetime(dump.source) {} }
        inside = (dump.source.filled.firstIndex(of: UInt8(ascii: "{")) ?? 0) + 1
    }

    /// The bytes before and behind the value of a key. A new key follows the last one, with the same layout.
    func surroundings(of key: String, name: String) throws(DaybookError) -> (before: Bytes, after: Bytes) {
        let bytes = dump.source
        let before = Bytes(capacity: bytes.count)
        let after = Bytes()
        defer { withExtendedLifetime(bytes) {} }
        func copy(_ range: Range<Int>, to target: Bytes) { target.append(bytes, range) }
        let entries = dump.entries
        let matches = entries.filter { $0.key.utf8.elementsEqual(key.utf8) }
        guard matches.count < 2 else {
            let message = "the key '\(key)' stands \(matches.count) times in '\(name)'"
            throw DaybookError.data("duplicate-key", message, hint: "take out those that the app does not read")
        }
        if let entry = matches.first {
            copy(0..<entry.value.lowerBound, to: before)
            copy(entry.value.upperBound..<bytes.count, to: after)
        } else if let last = entries.last {
            copy(0..<last.value.upperBound, to: before)
            before.append(UInt8(ascii: ","))
            copy((entries.count > 1 ? comma(behind: entries[entries.count - 2]) : inside)..<last.byte, to: before)
            before.append(jsonString: key)
            copy(colon(of: last)..<last.value.lowerBound, to: before)
            copy(last.value.upperBound..<bytes.count, to: after)
        } else {
            copy(0..<inside, to: before)
            before.append(jsonString: key)
            before.append(UInt8(ascii: ":"))
            copy(inside..<bytes.count, to: after)
        }
        return (before, after)
    }

    var keys: [String] { dump.entries.map(\.key) }

    /// The value of a key as text, or its display text if it is something else; nil if there is no such key.
    func value(of key: String) -> (text: String?, displayText: String)? {
        guard let entry = dump.entries.first(where: { $0.key.utf8.elementsEqual(key.utf8) }) else { return nil }
        defer { withExtendedLifetime(dump.source) {} }
        let base = dump.source.base
        guard base[entry.value.lowerBound] == UInt8(ascii: "\"") else {
            return (nil, JSONValueName.of(base[entry.value.lowerBound]))
        }
        let inside = entry.value.lowerBound + 1..<entry.value.upperBound - 1
        return (String(decoding: JSONString.name(base, inside, isEscaped: true), as: UTF8.self), "text")
    }

    /// The offset behind the comma that follows an entry.
    private func comma(behind entry: DumpedJSON.Entry) -> Int {
        var cursor = JSONCursor(dump.source.base, from: entry.value.upperBound, to: dump.source.count)
        cursor.skipSpace()
        return cursor.position + 1
    }

    /// The offset behind the closing quote of an entry's key, where its colon and the space around it begin.
    private func colon(of entry: DumpedJSON.Entry) -> Int {
        var place = entry.value.lowerBound - 1
        while place > entry.byte, dump.source.base[place] != UInt8(ascii: "\"") { place -= 1 }
        return place + 1
    }
}
