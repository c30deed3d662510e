import Foundation

extension DefaultsBase {
    /// Refuses to put JSON in the place of something else, which an app would no longer find.
    func check(
        replacing key: String,
        _ replaced: DefaultsReplaced,
        with content: DefaultsContent,
        _ layout: DefaultsLayout,
        name: String
    ) throws(DaybookError) {
        let found: (content: DefaultsContent, bytes: Data)
        switch self {
        case .dump(let dump):
            // Dumps write null where there is nothing.
            guard let value = dump.value(of: key), value.spoken != "null" else { return }
            guard let text = value.text else { throw mismatch(key, value.spoken, name) }
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
            if replaced == .propertyList, content == .data { return }
            throw DefaultsBase.error(
                "cannot-replace",
                "'\(key)' in '\(name)' is data that \(writer) wrote, and what is to be written is JSON",
                hint:
                    "an app that reads the key with the decoder of \(writer) would lose it: name another key, or write "
                    + "'replaces: property_list' where the app reads JSON by now"
            )
        }
        guard first == UInt8(ascii: "[") || first == UInt8(ascii: "{") else {
            throw mismatch(key, "\(found.content.rawValue) that is no JSON", name)
        }
        if found.content != content {
            let hint = "write 'content: \(found.content.rawValue)'"
            throw mismatch(key, "JSON as \(found.content.rawValue)", name, hint: hint)
        }
        if (first == UInt8(ascii: "{")) != (layout == .object) {
            let isArray = layout == .object
            let hint = "write 'layout: \(isArray ? "array" : "object")'"
            throw mismatch(key, "JSON of an \(isArray ? "array" : "object")", name, hint: hint)
        }
    }

    /// Which encoder of Foundation wrote a property list into data; nil for data that is none.
    private static func propertyListWriter(of data: Data) -> String? {
        let bytes = Bytes(capacity: data.count)
        bytes.append(contentsOf: data)
        defer { withExtendedLifetime(bytes) {} }
        guard StoredValueReader.isList(bytes.filled) else { return nil }
        // One that is damaged was one all the same.
        guard let list = try? StoredValueReader.list(bytes), KeyedArchive.isArchive(list, list.root) else {
            return "PropertyListEncoder"
        }
        return "NSKeyedArchiver"
    }

    /// A dump does not tell data from text: what begins as JSON is text, and what is base64 then is data.
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
        DefaultsBase.error(
            "cannot-replace",
            "'\(key)' in '\(name)' is \(found), and what is to be written is not",
            hint: hint ?? "name the key under which the app keeps the rows as JSON, or take this one out of '\(name)'"
        )
    }
}
