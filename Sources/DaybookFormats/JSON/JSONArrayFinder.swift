/// Finds the arrays of records inside a JSON document.
package struct JSONArrayFinder {
    package struct Found {
        package var pointer: JSONPointer
        package var bytes: Int
        package var count: Int
    }

    /// What a document holds beside its records.
    package struct Holding {
        /// The arrays of objects that make up most of it; none when it rather is one record that holds some.
        package var large: [Found]
        /// Other arrays of objects, which nobody may miss.
        package var small: [Found]
        /// Where the other values stand in the objects around the arrays.
        package var others: [JSONPointer]
    }

    private static let deepest = 4
    private static let most = 20
    private static let mostOthers = 1000

    private var cursor: JSONCursor
    private var found: [Found] = []
    private var others: [[String]] = []

    package static func look(at bytes: Bytes) -> Holding {
        defer { withExtendedLifetime(bytes) {} }
        let mark = bytes.filled.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        var finder = JSONArrayFinder(cursor: JSONCursor(bytes.base, from: mark, to: bytes.count))
        finder.cursor.skipSpace()
        _ = finder.object([])
        let large = finder.found.filter { $0.bytes * 10 >= bytes.count }
        let sum = large.reduce(0) { $0 + $1.bytes }
        guard sum * 2 >= bytes.count else { return Holding(large: [], small: finder.found, others: []) }
        return Holding(
            large: Array(large.prefix(most)),
            small: finder.found.filter { $0.bytes * 10 < bytes.count } + large.dropFirst(most),
            others: finder.others.map { JSONPointer(tokens: $0) }
        )
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
            let (arrays, values) = (found.count, others.count)
            let isRead = value(path + [name])
            if found.count == arrays {
                // An object without arrays is one value.
                others.removeLast(others.count - values)
                if others.count < JSONArrayFinder.mostOthers { others.append(path + [name]) }
            }
            guard isRead, let more = cursor.next(inObject: true) else { return false }
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

/// Arrays of keys and values in turn, which Swift's `JSONEncoder` makes of a dictionary whose keys are of an enum.
package enum JSONPairs {
    /// Whether a document is an array of texts, each before a value of one other kind or before one text that comes again.
    package static func are(in bytes: Bytes) -> Bool {
        defer { withExtendedLifetime(bytes) {} }
        var cursor = JSONCursor(bytes.base, to: bytes.count)
        cursor.skipSpace()
        guard cursor.byte == UInt8(ascii: "["), cursor.open() else { return false }
        var (count, keys) = (0, Set<String>())
        while true {
            cursor.skipSpace()
            let (start, isText) = (cursor.position, cursor.byte == UInt8(ascii: "\""))
            guard isText == (count % 2 == 0), cursor.skipValue() else { return false }
            if isText, !keys.insert(bytes.text(start..<cursor.position)).inserted { return false }
            count += 1
            guard let more = cursor.next(inObject: false) else { return false }
            if !more { return count % 2 == 0 }
            // So many tell it.
            if count == 2_000 { return true }
        }
    }
}
