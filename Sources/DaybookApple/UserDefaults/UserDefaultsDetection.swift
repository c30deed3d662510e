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
            let isHeld = stored.words.contains("holding")
            holdsTexts = holdsTexts || isHeld
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
        let apart = AsyncStorage.note(of: keysApart).map { [$0] } ?? []
        others.removeAll(where: Set(keysApart).contains)
        guard !imports.isEmpty else {
            let note = "no key holds rows, so the keys themselves are listed"
            return FormatDetection(
                form == .list ? .certain : .likely,
                form: words,
                imports: [SuggestedImport(notes: [note] + apart)]
            )
        }
        imports[0].notes += apart
        if !others.isEmpty {
            let shown = others.prefix(40).map { "'\($0)'" }.joined(separator: ", ")
            let more = others.count > 40 ? " and \(others.count - 40) more" : ""
            imports[0].notes.append("other keys: \(shown)\(more); without 'key' this stage lists them all")
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
