/// Finds the records inside a JSON document: arrays of objects, and objects that have records under keys.
package struct RecordsFinder {
    package struct Found {
        package var pointer: JSONPointer
        package var bytes: Int
        package var count: Int
        /// The keys of the records; nil for the elements of an array.
        package var keys: FoundKeys?
    }

    /// The values of a document beside its records.
    package struct Holding {
        /// The records that make up most of it, by their places; none when it rather is one record that holds some.
        package var large: [Found]
        /// Fewer records at other places.
        package var small: [Found]
        /// The places of the other values in the objects around them.
        package var others: [JSONPointer]

        /// One import for each place.
        package func imports(behind options: [SuggestedOption], declaresKeys: Bool) -> [SuggestedImport] {
            large.map { found in
                let reason = found.count == 1 ? "where the only record stands" : "where the records stand"
                let place =
                    found.keys?.options(at: found.pointer, declares: declaresKeys)
                    ?? [SuggestedOption("records", .text(found.pointer.written), because: reason)]
                return SuggestedImport(part: found.pointer.tokens.last, options: options + place)
            }
        }

        /// What is left out beside them.
        package var notes: [String] {
            var notes: [String] = []
            if !small.isEmpty {
                let all = small.map {
                    "'\($0.pointer.written)' (\($0.count == 1 ? "1 record" : "\($0.count) records"))"
                }
                let more = all.count > 20 ? " and \(all.count - 20) more" : ""
                notes.append(
                    "left out beside them: \(all.prefix(20).joined(separator: ", "))\(more); 'records' names one of them"
                )
            }
            return notes + SuggestedImport.note(others.map(\.written), "left out, for no array of records stands there")
        }

        package var displayText: String {
            guard large.count == 1 else { return "\(large.count) arrays of records" }
            return large[0].keys == nil ? "an array of records" : "records under keys"
        }
    }

    private static let deepest = 4
    private static let most = 20
    private static let mostOthers = 1000

    fileprivate var cursor: JSONCursor
    fileprivate var found: [Found] = []
    fileprivate var others: [[String]] = []

    /// - Parameter isState: whether the document is an app's whole state, which is no record however few its records are.
    package static func look(at bytes: Bytes, isState: Bool = false) -> Holding {
        defer { withExtendedLifetime(bytes) {} }
        let mark = bytes.filled.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        var finder = RecordsFinder(cursor: JSONCursor(bytes.base, from: mark, to: bytes.count))
        finder.cursor.skipSpace()
        _ = finder.object([])
        let size = isState ? finder.found.reduce(0) { $0 + $1.bytes } : bytes.count
        let large = finder.found.filter { $0.bytes * 10 >= size }
        let sum = large.reduce(0) { $0 + $1.bytes }
        guard sum * 2 >= size else { return Holding(large: [], small: finder.found, others: []) }
        return Holding(
            large: Array(large.prefix(most)),
            small: finder.found.filter { $0.bytes * 10 < size } + large.dropFirst(most),
            others: finder.others.map { JSONPointer(tokens: $0) }
        )
    }

    /// Walks through an object; false where the text ends or is no JSON.
    private mutating func object(_ path: [String]) -> Bool {
        let start = cursor
        let (known, values) = (found.count, others.count)
        let isRead = members(path)
        // An object that holds arrays of records is no table itself.
        guard found.count == known, let keys = KeysFinder.members(at: start) else { return isRead }
        others.removeLast(others.count - values)
        let size = cursor.position - start.position
        found.append(Found(pointer: JSONPointer(tokens: path), bytes: size, count: keys.count, keys: keys))
        return isRead
    }

    private mutating func members(_ path: [String]) -> Bool {
        guard cursor.byte == UInt8(ascii: "{"), cursor.open() else { return false }
        if cursor.closesAtOnce(UInt8(ascii: "}")) { return true }
        while true {
            guard let key = cursor.key() else { return false }
            let name = JSONString.name(cursor.base, key.bytes, isEscaped: key.isEscaped)
            let inner = path + [String(decoding: name, as: UTF8.self)]
            let (arrays, values) = (found.count, others.count)
            let isRead = value(inner)
            if found.count == arrays {
                // An object without records is one value.
                others.removeLast(others.count - values)
                if others.count < RecordsFinder.mostOthers { others.append(inner) }
            }
            guard isRead, let more = cursor.next(inObject: true) else { return false }
            if !more { return true }
        }
    }

    private mutating func value(_ path: [String]) -> Bool {
        switch cursor.byte {
        case UInt8(ascii: "{") where path.count < RecordsFinder.deepest: return object(path)
        case UInt8(ascii: "["): return array(path)
        default: return cursor.skipValue()
        }
    }

    private mutating func array(_ path: [String]) -> Bool {
        let start = cursor.position
        var count = 0
        defer {
            if count > 0 {
                found.append(Found(pointer: JSONPointer(tokens: path), bytes: cursor.position - start, count: count))
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
