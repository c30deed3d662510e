import DaybookBytes
import DaybookJSON

extension ImportUserDefaults: FormatDetecting {
    /// The most bytes of a file; keys of a larger file are imported only if the job names them.
    private static let mostBytes = 64 << 20
    /// The most keys with rows that one job needs.
    private static let mostKeys = 30

    public static func detect(_ file: SniffedFile) throws(DaybookError) -> FormatDetection? {
        guard let form = form(of: file) else { return nil }
        guard let bytes = try file.whole(limit: mostBytes) else {
            let note = "the file is too large to look at each key; name those that you want with 'key'"
            return FormatDetection(.likely, form: "a property list", imports: [SuggestedImport(notes: [note])])
        }
        let defaults: UserDefaultsFile
        do throws(DaybookError) {
            defaults = try UserDefaultsFile(bytes, SourceName(index: 0, path: file.name))
        } catch {
            if let whole = whole(bytes, file.name) { return whole }
            // Other files may begin like JSON or like a NeXT list too; the other formats begin unmistakably.
            if form == .list || error.hint == PrintedPropertyList.instead { throw error }
            return nil
        }
        return detection(defaults, form, size: bytes.count)
    }

    /// A property list that is no dictionary, such as an app's models encoded into a file.
    private static func whole(_ bytes: Bytes, _ name: String) -> FormatDetection? {
        guard let (_, words) = try? UserDefaultsFile.whole(bytes, SourceName(index: 0, path: name)),
            words.hasSuffix("array")
        else { return nil }
        let option = SuggestedOption("whole", .plain("true"), because: words)
        return FormatDetection(.certain, form: article(words), imports: [SuggestedImport(options: [option])])
    }

    private enum Form { case list, text }

    /// Whether the file begins as a property list, or as text that may be one; nil for anything else.
    private static func form(of file: SniffedFile) -> Form? {
        defer { withExtendedLifetime(file.head) {} }
        if BinaryPropertyListReader.isBinary(file.head.filled) { return .list }
        if Base64Document.isLikely(file.head.filled) { return .text }
        guard let text = file.text else { return nil }
        defer { withExtendedLifetime(text.bytes) {} }
        let start = text.bytes.text(0..<min(text.bytes.count, 1024))
        let first = start.unicodeScalars.first { $0.value > 0x20 }
        if first == "<" {
            let isMap = start.contains(/^\s*(<\?xml[^>]*\?>)?\s*<map\s*\/?>/)
            return start.contains("<plist") || start.contains("<!DOCTYPE plist") || isMap ? .list : nil
        }
        if first == "(", PrintedPropertyList.isLikely(text.bytes.filled) { return .text }
        return first == "{" || start.hasPrefix("//") || start.hasPrefix("/*") ? .text : nil
    }

    private static func detection(_ defaults: UserDefaultsFile, _ form: Form, size: Int) -> FormatDetection? {
        var imports: [SuggestedImport] = []
        var others: [String] = []
        var holdsTexts = false
        // A hostile file may share one large value among many keys.
        var left = 2 * size + (1 << 20)
        var seen: Set<String> = []
        for entry in defaults.entries where seen.insert(entry.key).inserted {
            guard !entry.key.isEmpty, !isOfTheSystem(entry.key), imports.count < mostKeys, left > 0,
                let stored = try? defaults.read(entry)
            else {
                others.append(entry.key)
                continue
            }
            if case .json(let text, _) = stored.form { left -= text.count } else { left -= size / 16 }
            holdsTexts = holdsTexts || stored.words.contains("holding")
            guard rows.contains(where: stored.words.hasSuffix) else {
                others.append(entry.key)
                continue
            }
            imports += rows(of: stored, under: entry.key)
        }
        // JSON in data comes first, since users mostly want it.
        imports = imports.filter(isHeld) + imports.filter { !isHeld($0) }
        // An object without encoded values is for import_json, unless only this stage can read its format.
        if case .json(let dump) = defaults.file, dump.coding != .base64, !holdsTexts, !defaults.isAsyncStorage {
            return nil
        }
        let words = article(defaults.recognised)
        let keysApart = AsyncStorage.keysApart(of: defaults)
        let apart = AsyncStorage.notes(of: keysApart)
        others.removeAll(where: Set(keysApart).contains)
        guard !imports.isEmpty else {
            let note = "no key holds rows, so the keys themselves are listed"
            let listing = SuggestedImport(notes: [note] + apart)
            return FormatDetection(form == .list ? .certain : .likely, form: words, imports: [listing])
        }
        imports[0].notes += apart
        if !others.isEmpty {
            let shown = DisplayText.first(40, of: others.map { "'\($0)'" })
            imports[0].notes.append("other keys: \(shown); without 'key' this stage lists them all")
        }
        return FormatDetection(.certain, form: words, imports: imports)
    }

    /// The records in the value of a key, by their places; the value itself where it holds none.
    private static func rows(of stored: StoredValue, under key: String) -> [SuggestedImport] {
        let option = SuggestedOption("key", .text(key), because: stored.words)
        let whole = SuggestedImport(part: key, options: [option])
        let json: Bytes
        switch stored.form {
        case .json(let text, _): json = text
        case .list(let list, let value):
            guard let written = try? PropertyListJSON.write(list, value) else { return [whole] }
            json = written.text
        }
        if let keys = KeysFinder.pairs(in: json) {
            let place = keys.options(at: JSONPointer(tokens: []), declares: true)
            return [SuggestedImport(part: key, options: [option] + place)]
        }
        // Also through text in JSON, as redux-persist keeps its state.
        let unfolded = JSONPlace.unfolded(json)
        let holding = RecordsFinder.look(at: unfolded, isState: unfolded.count < json.count)
        guard !holding.large.isEmpty else { return [whole] }
        var imports = holding.imports(behind: [option], declaresKeys: true)
        for index in imports.indices where imports.count == 1 || imports[index].part == nil {
            imports[index].part = key
        }
        imports[0].notes += holding.notes
        return imports
    }

    private static func isHeld(_ one: SuggestedImport) -> Bool {
        one.options.contains { $0.reason?.contains("holding") == true }
    }

    /// Endings of display texts for values that are rows, or one row.
    private static let rows = ["an array", "an object", "a dictionary"]

    /// System keys among an app's keys.
    private static func isOfTheSystem(_ key: String) -> Bool {
        ["Apple", "NS", "com.apple.", "AK", "PK", "WebKit"].contains { prefix in
            key.hasPrefix(prefix)
                && key.dropFirst(prefix.count).first.map { $0.isUppercase || prefix.hasSuffix(".") } == true
        }
    }

    private static func article(_ words: String) -> String {
        if words.hasPrefix("Shared") || words.hasPrefix("Async") { return words }
        return words.hasPrefix("XML") || words.hasPrefix("Open") ? "an \(words)" : "a \(words)"
    }
}

/// The `manifest.json` of React Native's AsyncStorage: texts under keys, or null for a long value, which is in a file
/// beside it that has the MD5 of the key for a name.
enum AsyncStorage {
    static let displayText = "AsyncStorage of a React Native app"

    /// Whether a dump is such a manifest, by its name and the kinds of its values.
    static func isManifest(_ dump: DumpedJSON, _ path: String) -> Bool {
        FilePath.name(of: path) == "manifest.json" && !dump.entries.isEmpty
            && dump.entries.allSatisfy {
                ["text", "null"].contains(JSONValueName.of(dump.source[$0.value.lowerBound]))
            }
    }

    /// The error for a key whose value is in a file of its own.
    static func keptApart(_ key: String, in path: String, _ place: SourcePlace?) -> DaybookError {
        let message = "the value of the key '\(key)' of \(path) is in a file of its own beside it"
        let hint = "read that with import_json; printf %s '\(key)' | md5sum prints its name"
        return DaybookError.data("key-not-found", message, at: place, hint: hint)
    }

    /// The keys whose values are in files of their own.
    static func keysApart(of defaults: UserDefaultsFile) -> [String] {
        guard defaults.isAsyncStorage, case .json(let dump) = defaults.file else { return [] }
        return dump.entries.filter { dump.source[$0.value.lowerBound] == UInt8(ascii: "n") }.map(\.key)
    }

    /// What a guess says of such keys.
    static func notes(of keys: [String]) -> [String] {
        guard !keys.isEmpty else { return [] }
        let shown = DisplayText.first(20, of: keys.map { "'\($0)'" })
        return [
            "in files of their own, which import_json reads: \(shown); printf %s KEY | md5sum prints the name of each"
        ]
    }
}

extension SketchedRecords {
    /// Reads the records of a key's value, or of the value that a property list is.
    ///
    /// - Parameter key: nil for the file as one value.
    package init(
        defaults bytes: Bytes,
        _ source: SourceName,
        key: String?,
        at place: RecordsPlace
    ) throws(DaybookError) {
        let stored: StoredValue
        if let key {
            let file = try UserDefaultsFile(bytes, source)
            let entry = try file.entry(key, nil)
            do throws(PropertyListFault) {
                stored = try file.read(entry).value(at: place.pointer, byte: 0)
            } catch { throw file.error(error) }
        } else {
            stored = try UserDefaultsFile.wholeValue(bytes, source, at: place.pointer)
        }
        switch stored.form {
        case .json(let text, _):
            var inside = RecordsPlace()
            inside.keys = place.keys
            try self.init(text, at: inside, of: source.path)
        case .list(let list, let value):
            self.init(ofList: true)
            add(list, value, areKeyed: place.keys != nil)
        }
    }

    private mutating func add(_ list: PropertyList, _ value: Int, areKeyed: Bool) {
        switch list[value] {
        case .dictionary where areKeyed:
            holder = .dictionary
            for pair in list.pairs(value) { add(list, pair.value) }
        case .array where areKeyed:
            let below = list.below(value).map { Int($0) }
            holder = .pairs(keys: stride(from: 0, to: below.count, by: 2).map { list.text(below[$0]) ?? "" })
            for index in stride(from: 1, to: below.count, by: 2) { add(list, below[index]) }
        case .array: for element in list.below(value) { add(list, Int(element)) }
        default:
            holder = .one
            add(list, value)
        }
        sketch.findDictionaries()
    }

    private mutating func add(_ list: PropertyList, _ value: Int) {
        sketch.noteRecord()
        sketch.add(list, value, at: 0)
    }
}

extension ModelSketch {
    /// Notes a value of a property list, whose dates, data, URLs and decimals are told from text.
    fileprivate mutating func add(_ list: PropertyList, _ value: Int, at place: Int) {
        if let plain = PropertyListCoder.plain(list, value) {
            // A Decimal that is no number is null.
            return plain.json.filled.elementsEqual("null".utf8)
                ? noteNull(at: place) : note(plain.isNumber ? .decimal : .url, at: place)
        }
        switch list[value] {
        case .null: noteNull(at: place)
        case .flag: note(.flag, at: place)
        case .integer(let number): note(number: number.description, at: place)
        case .real(let number): note(number: number.description, at: place)
        case .decimal: note(.decimal, at: place)
        case .date: note(.date, at: place)
        case .data: note(.data, at: place)
        case .text(let piece): list.withBytes(piece) { note(text: Array($0), at: place) }
        case .brokenText, .uid, .unread: note(.other, at: place)
        case .array:
            note(.array, at: place)
            for below in list.below(value) {
                if let element = element(of: place) { add(list, Int(below), at: element) }
            }
        case .dictionary:
            let object = noteObject(at: place)
            for pair in list.pairs(value) {
                guard let key = list.text(pair.key) else { continue }
                if let field = field(Array(key.utf8), of: place, in: object) { add(list, pair.value, at: field) }
            }
        }
    }
}
