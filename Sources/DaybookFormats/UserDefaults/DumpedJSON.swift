/// A JSON object of keys and values, as tools dump preferences.
package struct DumpedJSON: Sendable {
    package struct Entry: Sendable {
        package var key: String
        /// Where the key stands.
        package var byte: Int
        package var value: Range<Int>
    }

    package let source: Bytes
    package let isWide: Bool
    package let entries: [Entry]
    /// The first byte of the file's value when that is no object.
    package let other: UInt8?

    package static func read(_ text: Bytes, isWide: Bool) throws(PropertyListFault) -> DumpedJSON {
        defer { withExtendedLifetime(text) {} }
        let start = WideText.markLength(of: text.filled)
        var cursor = JSONCursor(text.base, from: start, to: text.count)
        cursor.skipSpace()
        guard cursor.byte == UInt8(ascii: "{") else {
            let first = cursor.byte
            guard cursor.skipValue(), cursor.finish() else { throw fault(cursor) }
            return DumpedJSON(source: text, isWide: isWide, entries: [], other: first)
        }
        var entries: [Entry] = []
        _ = cursor.open()
        var more = !cursor.closesAtOnce(UInt8(ascii: "}"))
        while more {
            guard let key = cursor.key() else { throw fault(cursor) }
            let value = cursor.position
            guard cursor.skipValue() else { throw fault(cursor) }
            let name = JSONString.name(cursor.base, key.bytes, isEscaped: key.isEscaped)
            entries.append(
                Entry(
                    key: String(decoding: name, as: UTF8.self),
                    byte: key.bytes.lowerBound - 1,
                    value: value..<cursor.position
                )
            )
            guard entries.count <= PropertyList.mostValues else {
                throw .tooLarge("the dump has more than \(PropertyList.mostValues) keys", at: value)
            }
            guard let next = cursor.next(inObject: true) else { throw fault(cursor) }
            more = next
        }
        guard cursor.finish() else { throw fault(cursor) }
        return DumpedJSON(source: text, isWide: isWide, entries: entries, other: nil)
    }

    private static func fault(_ cursor: JSONCursor) -> PropertyListFault {
        let fault = cursor.fault ?? .noValue
        return PropertyListFault(code: fault.kind.code, message: fault.message, byte: min(cursor.faultAt, cursor.end))
    }
}
