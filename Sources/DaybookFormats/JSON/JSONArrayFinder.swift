/// Finds the arrays of records inside a JSON document.
package struct JSONArrayFinder {
    package struct Found {
        package var pointer: JSONPointer
        package var bytes: Int
        package var count: Int
    }

    private static let deepest = 4
    private static let most = 20

    private var cursor: JSONCursor
    private var found: [Found] = []

    /// The arrays of objects that make up most of the document; none when it rather is one record that holds some.
    package static func arrays(in bytes: Bytes) -> [Found] {
        defer { withExtendedLifetime(bytes) {} }
        var finder = JSONArrayFinder(cursor: JSONCursor(bytes.base, to: bytes.count))
        finder.cursor.skipSpace()
        _ = finder.object([])
        let large = finder.found.filter { $0.bytes * 10 >= bytes.count }
        let sum = large.reduce(0) { $0 + $1.bytes }
        return sum * 2 >= bytes.count ? Array(large.prefix(most)) : []
    }

    private init(cursor: JSONCursor) { self.cursor = cursor }

    /// Walks through an object; false where the text ends or is no JSON.
    private mutating func object(_ path: [String]) -> Bool {
        guard cursor.byte == UInt8(ascii: "{"), cursor.open() else { return false }
        if cursor.closesAtOnce(UInt8(ascii: "}")) { return true }
        while true {
            guard let key = cursor.key() else { return false }
            let name = String(
                decoding: JSONString.name(cursor.base, key.bytes, isEscaped: key.isEscaped),
                as: UTF8.self
            )
            guard value(path + [name]) else { return false }
            guard let more = cursor.next(inObject: true) else { return false }
            if !more { return true }
        }
    }

    private mutating func value(_ path: [String]) -> Bool {
        switch cursor.byte {
        case UInt8(ascii: "{") where path.count < JSONArrayFinder.deepest: return object(path)
        case UInt8(ascii: "["): return array(path)
        default: return cursor.skipValue()
        }
    }

    private mutating func array(_ path: [String]) -> Bool {
        let start = cursor.position
        var count = 0
        defer {
            if count > 0 {
                found.append(
                    Found(pointer: JSONPointer(tokens: path), bytes: cursor.position - start, count: count)
                )
            }
        }
        guard cursor.open() else { return false }
        while true {
            cursor.skipSpace()
            // An array of numbers or of words is one value of its record.
            guard cursor.byte == UInt8(ascii: "{") else {
                let isEmpty = cursor.byte == UInt8(ascii: "]")
                count = 0
                cursor.position = start
                cursor.depth -= 1
                return isEmpty || cursor.byte != 0 ? cursor.skipValue() : false
            }
            guard cursor.skipValue() else { return false }
            count += 1
            guard let more = cursor.next(inObject: false) else { return false }
            if !more { return true }
        }
    }
}
