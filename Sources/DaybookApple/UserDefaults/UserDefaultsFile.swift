import DaybookJSON

/// The keys and values of a preferences file.
package struct UserDefaultsFile {
    package struct Entry {
        package var key: String
        /// The offset of the key.
        package var byte: Int
        /// The index of its value in a list, or of the entry in a dump.
        package var value: Int
    }

    package let path: String
    package let file: PropertyListFile
    package let entries: [Entry]
    /// The format of the file, in words.
    package let recognised: String
    /// Whether it is the manifest of AsyncStorage, in which null stands for a value in a file of its own.
    let isAsyncStorage: Bool

    package init(_ bytes: Bytes, _ source: SourceName) throws(DaybookError) {
        path = source.path
        let read = try PropertyListFile.read(bytes, source)
        switch read {
        case .json(let dump):
            let keptApart = AsyncStorage.isManifest(dump, source.path)
            recognised =
                keptApart ? AsyncStorage.displayText : dump.coding == .base64 ? "JSON dump in base64" : "JSON dump"
            isAsyncStorage = keptApart
            file = read
            entries = dump.entries.enumerated().map { Entry(key: $1.key, byte: $1.byte, value: $0) }
            if let other = dump.other {
                throw UserDefaultsFile.noDictionary(JSONValueName.of(other), source, isJSON: true)
            }
        case .list(var list):
            isAsyncStorage = false
            var words = list.format.displayText
            if KeyedArchive.isArchive(list, list.root) {
                do throws(PropertyListFault) { list = try KeyedArchive.unarchive(list, list.root, byName: true) } catch
                {
                    throw error.error(in: source.path, of: list)
                }
                words += ", \(list.archiveWords)"
            }
            recognised = words
            file = .list(list)
            guard case .dictionary = list[list.root] else {
                throw UserDefaultsFile.noDictionary(list[list.root].displayText, source, isJSON: false)
            }
            entries = list.pairs(list.root).map { key, value in
                Entry(key: list.text(key) ?? "", byte: list.values[key].byte, value: value)
            }
        }
    }

    /// The file's value, for a file that is one value rather than keys with values, as JSON text.
    ///
    /// - Parameter records: their place in the value.
    package static func whole(
        _ bytes: Bytes,
        _ source: SourceName,
        at records: RecordsPlace = RecordsPlace()
    ) throws(DaybookError) -> (text: ContainedText, words: String) {
        let stored = try wholeValue(bytes, source, at: records.pointer)
        let holder = TextHolder(pointer: records.pointer.written)
        switch stored.form {
        case .json(let text, _): return (ContainedText(text, in: holder), stored.words)
        case .list(let list, let value):
            do throws(PropertyListFault) {
                let written = try text(of: list, value, in: holder, ContainerFacts(), areKeyed: records.keys != nil)
                return (written, stored.words)
            } catch { throw error.error(in: source.path, of: list) }
        }
    }

    /// The file's value, or the one at a pointer in it.
    static func wholeValue(
        _ bytes: Bytes,
        _ source: SourceName,
        at pointer: JSONPointer
    ) throws(DaybookError) -> StoredValue {
        guard case .list(let list) = try PropertyListFile.read(bytes, source) else {
            let message = "\(source.path) is JSON, and 'whole' reads property lists"
            throw DaybookError.data("not-a-property-list", message, hint: "import_json reads such a file")
        }
        do throws(PropertyListFault) {
            var (plain, words) = (list, list.format.displayText)
            if KeyedArchive.isArchive(list, list.root) {
                plain = try KeyedArchive.unarchive(list, list.root)
                words += ", \(plain.archiveWords)"
            }
            words += ", \(plain[plain.root].displayText)"
            return try StoredValue(form: .list(plain, plain.root), words: words).value(at: pointer, byte: 0)
        } catch {
            throw error.error(in: source.path, of: list)
        }
    }

    private static func noDictionary(_ found: String, _ source: SourceName, isJSON: Bool) -> DaybookError {
        let hint =
            isJSON
            ? "import_json reads such a file"
            : "write 'whole: true' to read what an app encoded into a file of its own"
        return DaybookError.data("no-keys", "\(source.path) holds \(found), and not keys with values", hint: hint)
    }

    /// The entry of that name, or an error with the nearest name.
    package func entry(_ key: String, _ place: SourcePlace?) throws(DaybookError) -> Entry {
        let found = entries.filter { $0.key == key }
        guard let entry = found.first else {
            var hint = nearest(to: key).map { "did you mean '\($0)'?" }
            if hint == nil, !entries.isEmpty {
                hint = "its keys are \(DisplayText.first(10, of: entries.map(\.key)))"
            }
            let message = "\(path) has no key '\(key)'"
            throw DaybookError.data("key-not-found", message, at: place, hint: hint ?? "it has no keys at all")
        }
        if let second = found.dropFirst().first {
            throw error(.malformed("the key '\(key)' stands twice", at: second.byte))
        }
        if lacks(key) {
            if isAsyncStorage { throw AsyncStorage.keptApart(key, in: path, place) }
            let message = "nothing stands under the key '\(key)' of \(path): it is null"
            let hint = "where an app that has saved nothing is no mistake, write 'absent: empty'"
            throw DaybookError.data("key-not-found", message, at: place, hint: hint)
        }
        return entry
    }

    /// The nearest key. A hostile file may have many long keys.
    package func nearest(to key: String) -> String? {
        NearestName.of(key, among: entries.prefix(1_000).map(\.key).filter { $0.utf8.count <= 200 && $0 != key })
    }

    /// Whether the key has no value, neither here nor in a file of its own.
    func isAbsent(_ key: String) -> Bool {
        lacks(key) && !(isAsyncStorage && entries.contains { $0.key == key })
    }

    /// Whether the key has no value: it is absent, or null, as dumps write it.
    package func lacks(_ key: String) -> Bool {
        entries.allSatisfy { entry in
            guard entry.key == key else { return true }
            guard case .json(let dump) = file else { return false }
            defer { withExtendedLifetime(dump) {} }
            return dump.source.filled[byte(of: entry)] == UInt8(ascii: "n")
        }
    }

    /// An error at a byte of the file.
    package func error(_ fault: PropertyListFault) -> DaybookError {
        switch file {
        case .list(let list): fault.error(in: path, of: list)
        case .json(let dump):
            fault.error(in: path, of: dump.source, isText: dump.coding != .base64, isWide: dump.coding == .utf16)
        }
    }

    package func read(_ entry: Entry) throws(PropertyListFault) -> StoredValue {
        switch file {
        case .list(let list): try StoredValueReader.read(list, entry.value)
        case .json(let dump): try dump.read(dump.entries[entry.value].value)
        }
    }

    /// The value of an entry as JSON text.
    ///
    /// - Parameter records: their place in the value.
    package func text(
        _ entry: Entry,
        at records: RecordsPlace = RecordsPlace()
    ) throws(DaybookError) -> (text: ContainedText, words: String) {
        do throws(PropertyListFault) {
            let stored = try read(entry).value(at: records.pointer, byte: byte(of: entry))
            var holder = TextHolder(pointer: "/" + JSONPointer.escaped(entry.key) + records.pointer.written)
            (holder.line, holder.column) = place(of: entry)
            var facts = ContainerFacts()
            facts.otherKeys = Set(entries.map(\.key)).subtracting([entry.key]).count
            switch stored.form {
            case .json(let text, let byte):
                holder.byte = byte
                return (ContainedText(text, in: holder, facts: facts), stored.words)
            case .list(let list, let value):
                do throws(PropertyListFault) {
                    let areKeyed = records.keys != nil
                    return (
                        try UserDefaultsFile.text(of: list, value, in: holder, facts, areKeyed: areKeyed), stored.words
                    )
                } catch {
                    // Offsets in a list within data are not offsets in the file.
                    throw list.source === source ? error : error.inside(byte(of: entry))
                }
            }
        } catch {
            var named = error
            named.message = "under the key '\(entry.key)': \(error.message)"
            throw self.error(named)
        }
    }

    /// A value of a list as JSON text, with the facts about its dates.
    private static func text(
        of list: PropertyList,
        _ value: Int,
        in holder: TextHolder,
        _ facts: ContainerFacts,
        areKeyed: Bool
    ) throws(PropertyListFault) -> ContainedText {
        var facts = facts
        let written = try PropertyListJSON.write(list, value, areKeyed: areKeyed)
        (facts.instants, facts.dates, facts.isPropertyList) = (written.instants, written.dates, true)
        if !list.isArchived, list.format != .preferences { facts.kinds = written.kinds }
        return ContainedText(written.text, in: holder, facts: facts)
    }

    private var source: Bytes {
        switch file {
        case .list(let list): list.source
        case .json(let dump): dump.source
        }
    }

    /// The offset of an entry's value in `source`.
    private func byte(of entry: Entry) -> Int {
        switch file {
        case .list(let list): list.values[entry.value].byte
        case .json(let dump): dump.entries[entry.value].value.lowerBound
        }
    }

    /// Line and column of a value, for text files.
    private func place(of entry: Entry) -> (Int?, Int?) {
        switch file {
        case .list(let list) where list.format == .binary: return (nil, nil)
        case .json(let dump) where dump.coding == .base64: return (nil, nil)
        default: break
        }
        let (line, column) = PropertyListFault.place(of: byte(of: entry), in: source)
        return (line, column)
    }
}

extension DumpedJSON {
    /// Whether places in `source` are those in the file.
    private var isInFile: Bool { coding == .utf8 }

    /// Reads a value of the dump.
    package func read(_ range: Range<Int>) throws(PropertyListFault) -> StoredValue {
        defer { withExtendedLifetime(source) {} }
        let kind = JSONValueName.of(source.base[range.lowerBound])
        guard source.base[range.lowerBound] == UInt8(ascii: "\"") else {
            let byte = isInFile ? range.lowerBound : nil
            return StoredValue(form: .json(text: source.copy(range), byte: byte), words: kind)
        }
        let inside = range.lowerBound + 1..<range.upperBound - 1
        let isEscaped = source.filled[inside].contains(UInt8(ascii: "\\"))
        let text = Bytes(capacity: inside.count)
        if isEscaped {
            JSONString.decode(source.base, inside, into: text)
        } else {
            text.append(Cell(rebasing: source.filled[inside]))
        }
        let byte = isEscaped || !isInFile ? nil : inside.lowerBound
        let reader = StoredValueReader(valueByte: range.lowerBound)
        if let stored = try reader.read(text: text, byte: byte, in: "") { return stored }
        return StoredValue(form: .json(text: source.copy(range), byte: isInFile ? range.lowerBound : nil), words: kind)
    }
}

/// A JSON object of keys and values, as tools dump preferences.
package struct DumpedJSON: Sendable {
    package struct Entry: Sendable {
        package var key: String
        /// The offset of the key.
        package var byte: Int
        package var value: Range<Int>
    }

    /// How the file holds the text.
    package enum Coding: Sendable { case utf8, utf16, base64 }

    /// The text in UTF-8.
    package let source: Bytes
    package var coding: Coding
    package let entries: [Entry]
    /// The first byte of the file's value, if it is no object.
    package let other: UInt8?

    package static func read(_ text: Bytes, _ coding: Coding = .utf8) throws(PropertyListFault) -> DumpedJSON {
        defer { withExtendedLifetime(text) {} }
        let start = WideText.markLength(of: text.filled)
        var cursor = JSONCursor(text.base, from: start, to: text.count)
        cursor.skipSpace()
        guard cursor.byte == UInt8(ascii: "{") else {
            let first = cursor.byte
            guard cursor.skipValue(), cursor.finish() else { throw fault(cursor) }
            return DumpedJSON(source: text, coding: coding, entries: [], other: first)
        }
        var entries: [Entry] = []
        let isRead = try cursor.members { (cursor, key) throws(PropertyListFault) in
            let value = cursor.position
            guard cursor.skipValue() else { return false }
            let name = String(decoding: cursor.name(key), as: UTF8.self)
            entries.append(Entry(key: name, byte: key.bytes.lowerBound - 1, value: value..<cursor.position))
            guard entries.count <= PropertyList.mostValues else {
                throw .tooLarge("the dump has more than \(PropertyList.mostValues) keys", at: value)
            }
            return true
        }
        guard isRead, cursor.finish() else { throw fault(cursor) }
        return DumpedJSON(source: text, coding: coding, entries: entries, other: nil)
    }

    private static func fault(_ cursor: JSONCursor) -> PropertyListFault {
        let fault = cursor.fault ?? .noValue
        return PropertyListFault(code: fault.kind.code, message: fault.message, byte: min(cursor.faultAt, cursor.end))
    }
}

/// Lists the keys of a file, so that a user sees which of them hold rows.
package struct UserDefaultsListing {
    package static let schema =
        Schema(["key", "kind"].map { Field($0, .text, source: $0) } + [Field("size", .integer, source: "size")])

    private let file: UserDefaultsFile
    /// The remaining bytes of values to examine. A hostile file may share one large value among many keys.
    private var left: Int

    /// One record for each key: the kind of its value, and its size in bytes, elements or pairs.
    package static func text(_ file: UserDefaultsFile, size: Int) -> ContainedText {
        var listing = UserDefaultsListing(file: file, left: 2 * size + (1 << 20))
        let text = Bytes()
        text.append(UInt8(ascii: "["))
        for (index, entry) in file.entries.enumerated() {
            if index > 0 { text.append(",\n") }
            let (kind, size) = listing.look(at: entry)
            text.append("{\"key\":")
            text.append(jsonString: entry.key)
            text.append(",\"kind\":")
            text.append(jsonString: kind)
            text.append(",\"size\":\(size.map { String($0) } ?? "null")}")
        }
        text.append(UInt8(ascii: "]"))
        return ContainedText(text, in: TextHolder(pointer: ""))
    }

    private mutating func look(at entry: UserDefaultsFile.Entry) -> (kind: String, size: Int?) {
        let (plain, size) = plain(entry)
        left -= size ?? 0
        // An archive that stands in the list itself costs a look at all of the list.
        if case .list(let list) = file.file, KeyedArchive.isArchive(list, entry.value) { left -= list.values.count }
        // Text that only begins like JSON is text here; data that is neither is data.
        guard left >= 0, let stored = try? file.read(entry) else { return (plain, size) }
        if case .json(let text, _) = stored.form, stored.words.contains("JSON") {
            defer { withExtendedLifetime(text) {} }
            guard StoredValueReader.scalar(text.filled) != nil else { return (plain, size) }
        }
        return (stored.words, size)
    }

    private func plain(_ entry: UserDefaultsFile.Entry) -> (kind: String, size: Int?) {
        switch file.file {
        case .list(let list):
            let size: Int? =
                switch list[entry.value] {
                case .data(let piece), .text(let piece): piece.length
                case .array(let below), .dictionary(let below): below.count
                default: nil
                }
            return (list[entry.value].displayText, size)
        case .json(let dump): return dump.plain(dump.entries[entry.value].value)
        }
    }
}

extension DumpedJSON {
    /// The kind of a dump's value, and its size: bytes between its quotes, elements or pairs.
    package func plain(_ range: Range<Int>) -> (kind: String, size: Int?) {
        defer { withExtendedLifetime(source) {} }
        var cursor = JSONCursor(source.base, from: range.lowerBound, to: range.upperBound)
        let kind = JSONValueName.of(cursor.byte)
        var count = 0
        func step(_ cursor: inout JSONCursor) -> Bool {
            count += 1
            return cursor.skipValue()
        }
        // The whole dump was checked before.
        switch cursor.byte {
        case UInt8(ascii: "\""): return (kind, range.count - 2)
        case UInt8(ascii: "["): return (kind, cursor.elements(step) ? count : nil)
        case UInt8(ascii: "{"): return (kind, cursor.members { cursor, _ in step(&cursor) } ? count : nil)
        default: return (kind, nil)
        }
    }
}
