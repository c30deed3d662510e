/// User defaults dumped as one JSON object. What is kept of it is kept byte for byte.
struct DefaultsDump: Sendable {
    private let dump: DumpedJSON
    /// Behind the brace that opens the object.
    private let inside: Int

    init(_ dump: DumpedJSON, name: String) throws(DaybookError) {
        if dump.other != nil {
            throw DefaultsBase.error("not-a-dictionary", "'\(name)' has no keys: it is JSON, and no object")
        }
        if dump.isWide {
            throw DefaultsBase.error(
                "cannot-keep",
                "'\(name)' is UTF-16, and a JSON dump is written as UTF-8",
                hint: "save it as UTF-8 first"
            )
        }
        self.dump = dump
        defer { withExtendedLifetime(dump.source) {} }
        inside = (dump.source.filled.firstIndex(of: UInt8(ascii: "{")) ?? 0) + 1
    }

    /// What stands before and behind the value of a key. A new key goes behind the last, laid out as that one is.
    func surroundings(of key: String, name: String) throws(DaybookError) -> (before: Bytes, after: Bytes) {
        let bytes = dump.source
        let before = Bytes(capacity: bytes.count)
        let after = Bytes()
        defer { withExtendedLifetime(bytes) {} }
        func copy(_ range: Range<Int>, to target: Bytes) {
            target.append(bytes, range)
        }
        let entries = dump.entries
        let matches = entries.filter { $0.key.utf8.elementsEqual(key.utf8) }
        guard matches.count < 2 else {
            throw DefaultsBase.error(
                "duplicate-key",
                "the key '\(key)' stands \(matches.count) times in '\(name)'",
                hint: "take out those that the app does not read"
            )
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

    /// The value of a key as text, or how messages call it when it is something else; nil without such a key.
    func value(of key: String) -> (text: String?, spoken: String)? {
        guard let entry = dump.entries.first(where: { $0.key.utf8.elementsEqual(key.utf8) }) else { return nil }
        defer { withExtendedLifetime(dump.source) {} }
        let base = dump.source.base
        guard base[entry.value.lowerBound] == UInt8(ascii: "\"") else {
            return (nil, JSONValueName.of(base[entry.value.lowerBound]))
        }
        let inside = entry.value.lowerBound + 1..<entry.value.upperBound - 1
        return (String(decoding: JSONString.name(base, inside, isEscaped: true), as: UTF8.self), "text")
    }

    /// Behind the comma that follows an entry.
    private func comma(behind entry: DumpedJSON.Entry) -> Int {
        var cursor = JSONCursor(dump.source.base, from: entry.value.upperBound, to: dump.source.count)
        cursor.skipSpace()
        return cursor.position + 1
    }

    /// Behind the quote that closes the key of an entry: where its colon and the space around it begin.
    private func colon(of entry: DumpedJSON.Entry) -> Int {
        var place = entry.value.lowerBound - 1
        while place > entry.byte, dump.source.base[place] != UInt8(ascii: "\"") { place -= 1 }
        return place + 1
    }
}
