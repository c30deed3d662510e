import DaybookJSON
import Foundation

/// The base file of an output, whose other keys are kept.
enum DefaultsBase: Sendable {
    /// A property list, and the format of the output.
    case propertyList([StoredEntry], DefaultsFormat)
    case dump(DumpedJSON)

    /// The most bytes of a file, of the rows under a key, or of shared values once unfolded.
    static let limit = 1 << 27

    /// The format of the output if the job names none.
    var format: DefaultsFormat {
        switch self {
        case .propertyList(_, let format): format
        case .dump: .json
        }
    }

    /// Refuses a new key that looks like a misspelling of an existing one: the app would read the old rows for ever.
    func check(adding key: String, name: String) throws(DaybookError) {
        let keys =
            switch self {
            case .propertyList(let entries, _): entries.map(\.key)
            case .dump(let dump): dump.entries.map(\.key)
            }
        guard !keys.contains(where: { $0.utf8.elementsEqual(key.utf8) }),
            // A hostile file may have many long keys.
            let near = NearestName.slip(key, among: keys.prefix(1_000).filter { $0.utf8.count <= 200 })
        else { return }
        let hint = "did you mean '\(near)'? If not, say so: 'new_key: true'"
        throw DaybookError.data("unknown-key", "'\(name)' has no key '\(key)'", hint: hint)
    }

    /// Reads a whole file and detects its format by its content.
    ///
    /// - Parameters:
    ///   - name: the name of the file in messages.
    ///   - isWritten: whether an output is made of it, so that files of forms are refused that are only read.
    init(_ bytes: Bytes, name: String, isWritten: Bool = false) throws(DaybookError) {
        guard bytes.count <= DefaultsBase.limit else {
            let message =
                "'\(name)' is larger than \(DefaultsBase.limit >> 20) MiB, which is more than user defaults can be"
            throw DaybookError.data("too-large", message)
        }
        switch try PropertyListFile.read(bytes, SourceName(index: 0, path: name)) {
        case .json(let dump):
            try dump.checkKept(name)
            self = .dump(dump)
        case .list(let list):
            if isWritten { try DefaultsBase.checkWritten(list, name) }
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

    private static func checkWritten(_ list: PropertyList, _ name: String) throws(DaybookError) {
        if list.format == .preferences {
            let message = "'\(name)' is \(list.format.displayText), which are not written"
            let hint = "write JSON with export_json, and let a version of the app put it in its preferences"
            throw DaybookError.data("cannot-keep", message, hint: hint)
        }
        guard KeyedArchive.isArchive(list, list.root) else { return }
        let objects = KeyedArchive.objectWords(list, list.root).map { " with \($0)" } ?? ""
        let message = "'\(name)' is a keyed archive\(objects), and archives are not written"
        let hint = "write JSON that a version of the app reads, and let the app archive it again"
        throw DaybookError.data("cannot-keep", message, hint: hint)
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
    /// Whether a file of that name is the manifest of AsyncStorage.
    func isAsyncStorage(_ name: String) -> Bool {
        if case .dump(let dump) = self { AsyncStorage.isManifest(dump, name) } else { false }
    }

    /// The value of a key; nil if there is none, or null, as dumps write it.
    func value(of key: String) -> PlaceEditor.Old? {
        switch self {
        case .propertyList(let entries, _):
            return entries.first { $0.key.utf8.elementsEqual(key.utf8) }.map { .original($0.value) }
        case .dump(let dump):
            guard let text = dump.value(of: key), JSONPlace.kind(of: text) != "null" else { return nil }
            return .dumped(text)
        }
    }
}

/// Dumps of which an output is made. Kept entries are copied byte for byte.
extension DumpedJSON {
    fileprivate func checkKept(_ name: String) throws(DaybookError) {
        if other != nil {
            throw DaybookError.data("not-a-dictionary", "'\(name)' has no keys: it is JSON, and no object")
        }
        if coding == .utf16 {
            let message = "'\(name)' is UTF-16, and a JSON dump is written as UTF-8"
            throw DaybookError.data("cannot-keep", message, hint: "save it as UTF-8 first")
        }
    }

    /// Reads JSON that was made for an output.
    static func made(_ text: Bytes, _ coding: Coding = .utf8, for name: String) throws(DaybookError) -> DumpedJSON {
        do throws(PropertyListFault) { return try read(text, coding) } catch {
            throw error.error(in: name, of: text, isText: true)
        }
    }

    /// The file: JSON, or base64 of it where that was found.
    var written: Bytes {
        guard coding == .base64 else { return source }
        let text = Bytes(capacity: source.count / 3 * 4 + 4)
        Base64.append(source.filled, to: text)
        return text
    }

    /// The dump with another value of a key. A new key follows the last one, with the same layout.
    func setting(_ value: Bytes, under key: String, name: String) throws(DaybookError) -> DumpedJSON {
        let new = Bytes(capacity: source.count + value.count)
        defer { withExtendedLifetime(source) {} }
        func copy(_ range: Range<Int>) { new.append(range, of: source) }
        let matches = entries.filter { $0.key.utf8.elementsEqual(key.utf8) }
        guard matches.count < 2 else {
            let message = "the key '\(key)' stands \(matches.count) times in '\(name)'"
            throw DaybookError.data("duplicate-key", message, hint: "take out those that the app does not read")
        }
        if let entry = matches.first {
            copy(0..<entry.value.lowerBound)
            new.append(value)
            copy(entry.value.upperBound..<source.count)
        } else if let last = entries.last {
            copy(0..<last.value.upperBound)
            new.append(UInt8(ascii: ","))
            copy((entries.count > 1 ? comma(behind: entries[entries.count - 2]) : inside)..<last.byte)
            new.append(jsonString: key)
            copy(colon(of: last)..<last.value.lowerBound)
            new.append(value)
            copy(last.value.upperBound..<source.count)
        } else {
            copy(0..<inside)
            new.append(jsonString: key)
            new.append(UInt8(ascii: ":"))
            new.append(value)
            copy(inside..<source.count)
        }
        return try .made(new, coding, for: name)
    }

    /// The value of a key as JSON; nil if there is no such key.
    func value(of key: String) -> Bytes? {
        entries.first { $0.key.utf8.elementsEqual(key.utf8) }.map { source.copy($0.value) }
    }

    /// The offset behind the object's opening brace.
    private var inside: Int {
        defer { withExtendedLifetime(source) {} }
        return (source.filled.firstIndex(of: UInt8(ascii: "{")) ?? 0) + 1
    }

    /// The offset behind the comma that follows an entry.
    private func comma(behind entry: Entry) -> Int {
        var cursor = JSONCursor(source.base, from: entry.value.upperBound, to: source.count)
        cursor.skipSpace()
        return cursor.position + 1
    }

    /// The offset behind the closing quote of an entry's key, where its colon and the space around it begin.
    private func colon(of entry: Entry) -> Int {
        var place = entry.value.lowerBound - 1
        while place > entry.byte, source.base[place] != UInt8(ascii: "\"") { place -= 1 }
        return place + 1
    }
}
