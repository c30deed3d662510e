extension ImportJSON: FormatDetecting {
    public static func detect(_ file: SniffedFile) throws(DaybookError) -> FormatDetection? {
        guard let text = file.text else { return nil }
        defer { withExtendedLifetime(text.bytes) {} }
        var cursor = JSONCursor(text.bytes.base, to: text.bytes.count)
        cursor.skipSpace()
        guard cursor.byte == UInt8(ascii: "{") || cursor.byte == UInt8(ascii: "[") else { return nil }
        let head = SourceHead(source: SourceName(index: 0, path: file.name), bytes: text.bytes, isWhole: text.isWhole)
        let start = cursor
        let layout = try JSONLayoutFinder(head).find(.auto, nil, nil).layout
        if case .array = layout, !ImportJSON.beginsWithElement(start) { return nil }
        let encoding = text.encoding.map { [$0] } ?? []
        switch layout {
        case .lines:
            return FormatDetection(
                .certain,
                form: "JSON, one record a line",
                imports: [SuggestedImport(options: encoding)]
            )
        case .array:
            return FormatDetection(
                .certain,
                form: "a JSON array of records",
                imports: [SuggestedImport(options: encoding)]
            )
        case .value:
            let arrays = JSONArrayFinder.arrays(in: text.bytes)
            guard !arrays.isEmpty else {
                return FormatDetection(
                    .likely,
                    form: "one JSON object, which is the only record",
                    imports: [SuggestedImport(options: encoding)]
                )
            }
            return FormatDetection(
                .likely,
                form: arrays.count == 1
                    ? "a JSON document that holds an array of records"
                    : "a JSON document that holds \(arrays.count) arrays of records",
                imports: arrays.map { array in
                    SuggestedImport(
                        part: array.pointer.tokens.last,
                        options: encoding + [
                            SuggestedOption(
                                "records",
                                .text(array.pointer.written),
                                because: array.count == 1 ? "where the only record stands" : "where the records stand"
                            )
                        ]
                    )
                }
            )
        }
    }

    /// Whether what follows the bracket can be JSON, so that `[draft],x` stays a line of cells.
    private static func beginsWithElement(_ bracket: JSONCursor) -> Bool {
        var cursor = bracket
        cursor.position += 1
        cursor.skipSpace()
        return cursor.position == cursor.end || "]{[\"-0123456789tfn".utf8.contains(cursor.byte)
    }
}

/// Finds the arrays of records inside a JSON document.
struct JSONArrayFinder {
    struct Found {
        var pointer: JSONPointer
        var bytes: Int
        var count: Int
    }

    private static let deepest = 4
    private static let most = 20

    private var cursor: JSONCursor
    private var found: [Found] = []

    /// The arrays of objects that make up most of the document; none when it rather is one record that holds some.
    static func arrays(in bytes: Bytes) -> [Found] {
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
