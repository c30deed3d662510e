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
                let all = small.map { "'\($0.pointer.written)' (\($0.count) record\($0.count == 1 ? "" : "s"))" }
                notes.append("left out beside them: \(DisplayText.first(20, of: all)); 'records' names one of them")
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
            let inner = path + [String(decoding: cursor.name(key), as: UTF8.self)]
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

/// Keys under which records stand in a document.
package struct FoundKeys: Sendable {
    /// The suggested name of their column.
    var column: String
    /// Whether each is a day such as 2026-03-01.
    var areDays: Bool
    package var count: Int

    /// The options of an import of the records.
    ///
    /// - Parameter declares: whether the kind of the keys is to be among them.
    package func options(at pointer: JSONPointer, declares: Bool) -> [SuggestedOption] {
        let at = pointer.tokens.isEmpty ? [] : [SuggestedOption("at", .text(pointer.written))]
        let place = SuggestedValue.map(at + [SuggestedOption("each_key", .text(column))])
        let records = SuggestedOption("records", place, because: "each of \(count) records has a key")
        guard areDays, declares else { return [records] }
        return [
            records, SuggestedOption("columns", .map([SuggestedOption(column, .plain("day"))]), because: "the keys"),
        ]
    }
}

/// Tells an object of records under keys from a record, and an array of keys and records in turn from one of records.
package enum KeysFinder {
    /// So many records are enough.
    private static let most = 2_000
    /// Objects with fewer members are rather records of their own.
    private static let fewest = 3
    private static let many = 50

    /// The keys of the object at the cursor; nil if it rather is a record.
    ///
    /// Its members are objects, most of whose keys the first has too, or any values under days. Of many members, the keys may be those of
    /// any before, since the first may be an odd one.
    static func members(at cursor: JSONCursor) -> FoundKeys? {
        var cursor = cursor
        guard cursor.byte == UInt8(ascii: "{"), cursor.open(), !cursor.closesAtOnce(UInt8(ascii: "}")) else {
            return nil
        }
        var (count, areDays, areObjects, shared, known) = (0, true, true, 0, 0)
        var (first, all): (Set<[UInt8]>, Set<[UInt8]>) = ([], [])
        while let key = cursor.key() {
            areDays = areDays && isDay(cursor.name(key))
            cursor.skipSpace()
            let isObject = cursor.byte == UInt8(ascii: "{")
            areObjects = areObjects && isObject
            guard areDays || areObjects else { return nil }
            if isObject {
                guard let keys = keys(&cursor) else { return nil }
                if count == 0 { first = keys }
                known += keys.intersection(all).count * 2 >= keys.count ? 1 : 0
                all.formUnion(keys)
                shared += keys.isSubset(of: first) || keys.intersection(first).count * 2 >= keys.count ? 1 : 0
            } else {
                guard cursor.skipValue() else { return nil }
            }
            count += 1
            guard count < most, cursor.next(inObject: true) == true else { break }
        }
        let areAlike =
            !first.isEmpty && shared * 10 >= count * 9
            || count >= many && known * 10 >= count * 9 && all.count * 2 <= count
        guard count >= (areDays ? 2 : fewest), areDays || areAlike else { return nil }
        let column = (areDays ? ["day", "record_day"] : ["key", "record_key"]).first { !all.contains(Array($0.utf8)) }
        return FoundKeys(column: column ?? "each_key", areDays: areDays, count: count)
    }

    /// The keys of an array in which each text stands before a value that is no text.
    package static func pairs(in bytes: Bytes) -> FoundKeys? {
        defer { withExtendedLifetime(bytes) {} }
        var cursor = JSONCursor(bytes.base, to: bytes.count)
        cursor.skipSpace()
        guard cursor.byte == UInt8(ascii: "["), cursor.open(), !cursor.closesAtOnce(UInt8(ascii: "]")) else {
            return nil
        }
        var (count, keys, areDays, isOpen) = (0, Set<String>(), true, true)
        while isOpen {
            cursor.skipSpace()
            let (start, isText) = (cursor.position, cursor.byte == UInt8(ascii: "\""))
            guard isText == (count % 2 == 0), cursor.skipValue() else { return nil }
            if isText {
                let key = bytes.text(start..<cursor.position)
                guard keys.insert(key).inserted else { return nil }
                areDays = areDays && isDay(Array(key.utf8.dropFirst().dropLast()))
            }
            count += 1
            guard count < most, let more = cursor.next(inObject: false) else { break }
            isOpen = more
        }
        guard isOpen || count % 2 == 0 else { return nil }
        return FoundKeys(column: areDays ? "day" : "key", areDays: areDays, count: count / 2)
    }

    /// The keys of the object at the cursor, which steps behind it; nil where it is broken.
    private static func keys(_ cursor: inout JSONCursor) -> Set<[UInt8]>? {
        var keys: Set<[UInt8]> = []
        let isRead = cursor.members { cursor, key in
            if keys.count < most { keys.insert(cursor.name(key)) }
            return cursor.skipValue()
        }
        return isRead ? keys : nil
    }

    /// Whether a key is written like 2026-03-01.
    private static func isDay(_ key: [UInt8]) -> Bool {
        key.count == 10
            && key.indices.allSatisfy {
                [4, 7].contains($0) ? key[$0] == UInt8(ascii: "-") : (48...57).contains(key[$0])
            }
    }
}
