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
            let name = JSONString.name(cursor.base, key.bytes, isEscaped: key.isEscaped)
            areDays = areDays && isDay(name)
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
            guard count < most, let more = cursor.next(inObject: true) else { break }
            guard !more else { continue }
            break
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
        var (count, keys, areDays) = (0, Set<String>(), true)
        repeat {
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
            guard !more else { continue }
            guard count % 2 == 0 else { return nil }
            break
        } while true
        return FoundKeys(column: areDays ? "day" : "key", areDays: areDays, count: count / 2)
    }

    /// The keys of the object at the cursor, which steps behind it; nil where it is broken.
    private static func keys(_ cursor: inout JSONCursor) -> Set<[UInt8]>? {
        guard cursor.open() else { return nil }
        if cursor.closesAtOnce(UInt8(ascii: "}")) { return [] }
        var keys: Set<[UInt8]> = []
        while let key = cursor.key() {
            if keys.count < most { keys.insert(JSONString.name(cursor.base, key.bytes, isEscaped: key.isEscaped)) }
            guard cursor.skipValue(), let more = cursor.next(inObject: true) else { return nil }
            if !more { return keys }
        }
        return nil
    }

    /// Whether a key is written like 2026-03-01.
    private static func isDay(_ key: [UInt8]) -> Bool {
        key.count == 10
            && key.indices.allSatisfy {
                [4, 7].contains($0) ? key[$0] == UInt8(ascii: "-") : (48...57).contains(key[$0])
            }
    }
}
