import DaybookJSON

/// Steps from a stored value to one inside it.
///
/// Encodings on the way are peeled off as that of a key is: JSON in data may have text that is JSON again.
extension StoredValue {
    /// The value at a pointer.
    ///
    /// - Parameter byte: of this value, for faults.
    func value(at pointer: JSONPointer, byte: Int) throws(PropertyListFault) -> StoredValue {
        var (value, byte) = (self, byte)
        for token in pointer.tokens {
            guard let next = try value.value(at: token, &byte) else {
                throw value.lacks(token, of: pointer, byte)
            }
            value = next
        }
        if !pointer.tokens.isEmpty { value.words = "\(words), at \(pointer.written) \(value.words)" }
        return value
    }

    private func value(at token: String, _ byte: inout Int) throws(PropertyListFault) -> StoredValue? {
        switch form {
        case .list(let list, let holder):
            guard let below = try list.value(at: token, in: holder) else { return nil }
            byte = list.values[below].byte
            return try StoredValueReader.read(list, below)
        case .json(let text, let start):
            guard let range = try JSONPlace.range(of: token, in: text, byte) else { return nil }
            return try StoredValueReader(valueByte: byte).read(json: text, range, byte: start)
        }
    }

    private func lacks(_ token: String, of pointer: JSONPointer, _ byte: Int) -> PropertyListFault {
        let (kind, keys) =
            switch form {
            case .list(let list, let holder):
                (
                    list[holder].displayText,
                    list.pairs(holder).prefix(JSONPlace.mostKeys).map { list.text($0.key) ?? "" }
                )
            case .json(let text, _): (JSONPlace.kind(of: text), JSONPlace.keys(of: text))
            }
        return PropertyListFault(
            code: "records-not-found",
            message: "nothing stands at '\(pointer.written)': there is no '\(token)' in \(kind)",
            byte: byte,
            hint: JSONPlace.hint(for: token, among: keys)
        )
    }
}

extension PropertyList {
    /// The value at a token of a pointer. A key that stands twice is refused: one of the values would be left out.
    fileprivate func value(at token: String, in holder: Int) throws(PropertyListFault) -> Int? {
        switch self[holder] {
        case .dictionary:
            // A key with the same bytes goes before one that is composed in another way.
            let alike = pairs(holder).filter { text($0.key) == token }
            let same = alike.filter { text($0.key)?.utf8.elementsEqual(token.utf8) == true }
            let found = same.isEmpty ? alike : same
            guard found.count < 2 else { throw JSONPlace.secondKey(token, byte: values[found[1].value].byte) }
            return found.first?.value
        case .array: return JSONPath.Step(token).number.flatMap { below(holder).dropFirst($0).first }.map(Int.init)
        default: return nil
        }
    }
}

extension StoredValueReader {
    /// Reads a value inside JSON; text may be JSON again, base64 or a property list in it.
    ///
    /// - Parameter byte: of the JSON in the file, if its bytes are those of the file.
    fileprivate func read(json text: Bytes, _ range: Range<Int>, byte: Int?) throws(PropertyListFault) -> StoredValue {
        if let inside = JSONPlace.decodedText(text, range), let stored = try read(text: inside, byte: nil, in: "") {
            return stored
        }
        let words = JSONValueName.of(text[range.lowerBound])
        return StoredValue(form: .json(text: text.copy(range), byte: byte.map { $0 + range.lowerBound }), words: words)
    }
}

/// Values inside JSON texts.
enum JSONPlace {
    /// How many keys an error compares.
    static let mostKeys = 1_000

    /// The range of the value at a token of a pointer; nil if there is none.
    static func range(of token: String, in text: Bytes, _ byte: Int) throws(PropertyListFault) -> Range<Int>? {
        defer { withExtendedLifetime(text) {} }
        var cursor = JSONCursor(text.base, to: text.count)
        var missing: String?
        let around = cursor.enter(JSONPointer(tokens: [token]), missing: &missing)
        let start = cursor.position
        if let around, cursor.skipValue() {
            let end = cursor.position
            if !cursor.finish(around), cursor.fault == .secondKey { throw secondKey(token, byte: byte) }
            return start..<end
        }
        if let fault = cursor.fault {
            throw PropertyListFault(code: fault.kind.code, message: fault.message, byte: byte)
        }
        return nil
    }

    /// - Parameter byte: of the second value, or of what holds it.
    static func secondKey(_ key: String, byte: Int) -> PropertyListFault {
        PropertyListFault(
            code: JSONFault.secondKey.kind.code,
            message: "the key '\(key)' stands twice in one object, and only one of its values would be read",
            byte: byte
        )
    }

    /// The text that a JSON string spells; nil for any other value.
    static func decodedText(_ text: Bytes, _ range: Range<Int>) -> Bytes? {
        defer { withExtendedLifetime(text) {} }
        guard text[range.lowerBound] == UInt8(ascii: "\"") else { return nil }
        let decoded = Bytes(capacity: range.count)
        JSONString.decode(text.base, range.lowerBound + 1..<range.upperBound - 1, into: decoded)
        return decoded
    }

    /// How many texts within texts `unfolded` looks into.
    private static let mostTexts = 4

    /// JSON in which texts that hold JSON, under keys of objects, are that JSON. A pointer leads to the same in both.
    static func unfolded(_ json: Bytes, _ levels: Int = mostTexts) -> Bytes {
        defer { withExtendedLifetime(json) {} }
        var cursor = JSONCursor(json.base, to: json.count)
        cursor.skipSpace()
        guard levels > 0, cursor.byte == UInt8(ascii: "{") else { return json }
        let new = Bytes(capacity: json.count)
        var copied = 0
        let isRead = cursor.members { cursor, _ in
            let start = cursor.position
            guard cursor.skipValue() else { return false }
            let value = start..<cursor.position
            let inside = decodedText(json, value).flatMap { StoredValueReader.isContainer($0) ? $0 : nil }
            if inside != nil || json[start] == UInt8(ascii: "{") {
                new.append(copied..<start, of: json)
                new.append(unfolded(inside ?? json.copy(value), levels - 1))
                copied = value.upperBound
            }
            return true
        }
        guard isRead else { return json }
        new.append(copied..., of: json)
        return new
    }

    static func kind(of text: Bytes) -> String {
        defer { withExtendedLifetime(text) {} }
        var cursor = JSONCursor(text.base, to: text.count)
        cursor.skipSpace()
        return JSONValueName.of(cursor.byte)
    }

    /// The first keys of an object; none of any other value.
    static func keys(of text: Bytes) -> [String] {
        defer { withExtendedLifetime(text) {} }
        var cursor = JSONCursor(text.base, to: text.count)
        cursor.skipSpace()
        guard cursor.byte == UInt8(ascii: "{") else { return [] }
        var keys: [String] = []
        _ = cursor.members { cursor, key in
            keys.append(String(decoding: cursor.name(key), as: UTF8.self))
            return keys.count < mostKeys && cursor.skipValue()
        }
        return keys
    }

    /// The nearest key, or what keys there are.
    static func hint(for token: String, among keys: [String]) -> String? {
        if let near = NearestName.of(token, among: keys.filter { $0.utf8.count <= 200 }) {
            return "did you mean '\(near)'?"
        }
        return keys.isEmpty ? nil : "its keys are \(DisplayText.first(10, of: keys))"
    }
}
