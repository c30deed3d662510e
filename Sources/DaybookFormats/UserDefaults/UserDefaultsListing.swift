/// Lists the keys of a file, so that a user sees which of them hold rows.
package struct UserDefaultsListing {
    package static let schema = Schema([
        Field("key", .text, source: "key"),
        Field("kind", .text, source: "kind"),
        Field("size", .integer, source: "size"),
    ])

    private let file: UserDefaultsFile
    /// Bytes of values that may still be looked into. In a hostile file many keys share one large value.
    private var left: Int

    /// One record for each key: what its value is, and how many bytes, elements or pairs it has.
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
            text.append(",\"size\":")
            text.append(size.map { String($0) } ?? "null")
            text.append(UInt8(ascii: "}"))
        }
        text.append(UInt8(ascii: "]"))
        return ContainedText(text, in: TextHolder(pointer: ""))
    }

    private mutating func look(at entry: UserDefaultsFile.Entry) -> (kind: String, size: Int?) {
        let (plain, size) = plain(entry)
        left -= size ?? 0
        // An archive that stands in the list itself costs a look at all of the list.
        if case .list(let list) = file.file, KeyedArchive.isArchive(list, entry.value) {
            left -= list.values.count
        }
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
            return (list[entry.value].spoken, size)
        case .json(let dump): return dump.plain(dump.entries[entry.value].value)
        }
    }
}

extension DumpedJSON {
    /// What a value of the dump is, and how many bytes between its quotes, elements or pairs it has.
    package func plain(_ range: Range<Int>) -> (kind: String, size: Int?) {
        defer { withExtendedLifetime(source) {} }
        var cursor = JSONCursor(source.base, from: range.lowerBound, to: range.upperBound)
        let kind = JSONValueName.of(cursor.byte)
        switch cursor.byte {
        case UInt8(ascii: "\""): return (kind, range.count - 2)
        case UInt8(ascii: "["), UInt8(ascii: "{"):
            let isObject = cursor.byte == UInt8(ascii: "{")
            var count = 0
            _ = cursor.open()
            if cursor.closesAtOnce(isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) { return (kind, 0) }
            repeat {
                count += 1
                // The whole dump was checked before.
                if isObject, cursor.key() == nil { return (kind, nil) }
                guard cursor.skipValue() else { return (kind, nil) }
            } while cursor.next(inObject: isObject) == true
            return (kind, count)
        default: return (kind, nil)
        }
    }
}
