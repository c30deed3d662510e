import CScan

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
        var records = SuggestedImport(options: encoding)
        switch layout {
        case .lines: return FormatDetection(.certain, form: "JSON, one record a line", imports: [records])
        case .array:
            if JSONPairs.are(in: text.bytes) { records.notes = [ImportJSON.pairs] }
            return FormatDetection(.certain, form: "a JSON array of records", imports: [records])
        case .values: return FormatDetection(.certain, form: "JSON, one record behind another", imports: [records])
        case .value:
            // Text in another encoding is decoded only at its beginning.
            let whole = text.isWhole || text.encoding != nil ? nil : try file.whole(limit: ImportJSON.mostBytes)
            let holding = JSONArrayFinder.look(at: whole ?? text.bytes)
            let arrays = holding.large
            guard !arrays.isEmpty else {
                return FormatDetection(.likely, form: "one JSON object, which is the only record", imports: [records])
            }
            var imports = arrays.map { array in
                let reason = array.count == 1 ? "where the only record stands" : "where the records stand"
                let option = SuggestedOption("records", .text(array.pointer.written), because: reason)
                return SuggestedImport(part: array.pointer.tokens.last, options: encoding + [option])
            }
            imports[0].notes += notes(on: holding, isWhole: text.isWhole || whole != nil)
            let number = arrays.count == 1 ? "an array" : "\(arrays.count) arrays"
            return FormatDetection(.likely, form: "a JSON document that holds \(number) of records", imports: imports)
        }
    }

    /// The limit of bytes that are searched for arrays.
    private static let mostBytes = 64 << 20

    /// The remark for alternating keys and values.
    private static let pairs =
        "not sure: these may be keys and values in turn, as Swift writes a dictionary whose keys are of an enum: number the rows by 'window_rows', "
        + "take the key from the row before with 'lag', and keep every second row"

    /// What is left out in addition to the imported arrays.
    private static func notes(on holding: JSONArrayFinder.Holding, isWhole: Bool) -> [String] {
        var notes: [String] = []
        if !holding.small.isEmpty {
            let all = holding.small.map {
                "'\($0.pointer.written)' (\($0.count == 1 ? "1 record" : "\($0.count) records"))"
            }
            let more = all.count > 20 ? " and \(all.count - 20) more" : ""
            notes.append(
                "left out beside them: \(all.prefix(20).joined(separator: ", "))\(more); 'records' names one of them"
            )
        }
        notes += SuggestedImport.note(holding.others.map(\.written), "left out, for no array of records stands there")
        if !isWhole { notes.append("only the beginning was looked through for arrays, and more of them may follow") }
        return notes
    }

    /// Whether the text after the bracket can be JSON, so that `[draft],x` stays a line of cells.
    private static func beginsWithElement(_ bracket: JSONCursor) -> Bool {
        var cursor = bracket
        cursor.position += 1
        cursor.skipSpace()
        return cursor.position == cursor.end || "]{[\"-0123456789tfn".utf8.contains(cursor.byte)
    }
}

/// Finds the arrays of records inside a JSON document.
package struct JSONArrayFinder {
    package struct Found {
        package var pointer: JSONPointer
        package var bytes: Int
        package var count: Int
    }

    /// The values of a document beside its records.
    package struct Holding {
        /// The arrays of objects that make up most of it; none when it rather is one record that holds some.
        package var large: [Found]
        /// Other, smaller arrays of objects.
        package var small: [Found]
        /// The places of the other values in the objects around the arrays.
        package var others: [JSONPointer]
    }

    private static let deepest = 4
    private static let most = 20
    private static let mostOthers = 1000

    fileprivate var cursor: JSONCursor
    fileprivate var found: [Found] = []
    fileprivate var others: [[String]] = []

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

    /// Walks through an object; false where the text ends or is no JSON.
    private mutating func object(_ path: [String]) -> Bool {
        guard cursor.byte == UInt8(ascii: "{"), cursor.open() else { return false }
        if cursor.closesAtOnce(UInt8(ascii: "}")) { return true }
        while true {
            guard let key = cursor.key() else { return false }
            let name = JSONString.name(cursor.base, key.bytes, isEscaped: key.isEscaped)
            let inner = path + [String(decoding: name, as: UTF8.self)]
            let (arrays, values) = (found.count, others.count)
            let isRead = value(inner)
            if found.count == arrays {
                // An object without arrays is one value.
                others.removeLast(others.count - values)
                if others.count < JSONArrayFinder.mostOthers { others.append(inner) }
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
            // So many are enough.
            if count == 2_000 { return true }
        }
    }
}

/// Detects the layout of the records of a file.
struct JSONLayoutFinder {
    typealias Found = (layout: JSONFormat.Layout, start: Int)

    private let head: SourceHead
    private var end: Int { head.bytes.count }

    init(_ head: SourceHead) { self.head = head }

    func find(_ layout: JSONReadLayout, _ records: JSONPointer?, _ place: SourcePlace?) throws(DaybookError) -> Found {
        if let records { return try findArray(records, place) }
        if layout == .lines { return (.lines, 0) }
        var cursor = JSONCursor(head.bytes.base, to: end)
        cursor.skipSpace()
        // Nothing at all is JSON Lines without a line.
        guard cursor.position < end else { return (.lines, 0) }
        if cursor.byte == UInt8(ascii: "[") { return (.array(around: []), cursor.position + 1) }
        return layout == .document ? (.value, 0) : try linesOrValue(cursor)
    }

    /// Follows `records` to its array.
    private func findArray(_ pointer: JSONPointer, _ place: SourcePlace?) throws(DaybookError) -> Found {
        var cursor = JSONCursor(head.bytes.base, to: end)
        cursor.skipSpace()
        var missing: String?
        if let around = cursor.enter(pointer, missing: &missing) {
            if cursor.byte == UInt8(ascii: "[") { return (.array(around: around), cursor.position + 1) }
            if cursor.position < end {
                let message =
                    "'\(pointer.written)' in \(head.source.path) is \(JSONValueName.of(cursor.byte)), not an array"
                throw DaybookError.data("records-not-an-array", message, at: place)
            }
        } else if let fault = cursor.fault, !isCutOff(cursor) {
            throw error(fault, at: cursor.faultAt)
        }
        if !head.isWhole, cursor.fault != nil || cursor.position == end {
            let query = pointer.tokens.map { "[\"\($0)\"]" }.joined()
            let message =
                "the first \(DisplayText.count(end)) bytes of \(head.source.path), in which 'records' has to begin, do not hold '\(pointer.written)'"
            let hint = "take the records out first: jq -c '.\(query)[]' FILE > records.ndjson"
            throw DaybookError.data("records-not-found", message, at: place, hint: hint)
        }
        let message =
            "\(head.source.path) has nothing at '\(pointer.written)'"
            + (missing.map { ": there is no '\($0)'" } ?? "")
        throw DaybookError.data("records-not-found", message, at: place)
    }

    /// A value on its first line with something behind it is JSON Lines; a value over several lines is a document.
    private func linesOrValue(_ start: JSONCursor) throws(DaybookError) -> Found {
        var cursor = start
        let isWhole = cursor.skipValue()
        let firstLine = JSONFormat.lineFeed(head.bytes.base, start.position, end)
        if isWhole {
            let valueEnd = cursor.position
            let isOneLine = firstLine.map { $0 >= valueEnd } ?? true
            cursor.skipSpace()
            if cursor.position == end { return (isOneLine && !head.isWhole ? .lines : .value, 0) }
            if isOneLine, let firstLine, firstLine < cursor.position || holdsValue(after: firstLine) {
                return (.lines, 0)
            }
            if cursor.byte == UInt8(ascii: "{") || cursor.byte == UInt8(ascii: "[") { return (.values, 0) }
            throw error(.secondValue, at: cursor.position)
        }
        guard let firstLine else {
            // A first line longer than the head may be either, and the cutter of lines takes both.
            if !head.isWhole { return (.lines, 0) }
            throw error(cursor.fault ?? .noValue, at: cursor.faultAt)
        }
        if isCutOff(cursor) { return (.value, 0) }
        if holdsValue(after: firstLine) { return (.lines, 0) }
        throw error(cursor.fault ?? .noValue, at: cursor.faultAt)
    }

    /// Whether the text only seems broken because the head ends in it: a string or an escape reaches its end.
    private func isCutOff(_ cursor: JSONCursor) -> Bool {
        guard !head.isWhole else { return false }
        switch cursor.fault {
        case .endsEarly, .openString: return true
        case .badEscape, .loneSurrogate: return cursor.faultAt + 12 > end
        default: return false
        }
    }

    /// Whether the next non-blank line is a value by itself, so that the line before is a broken line among lines.
    private func holdsValue(after lineFeed: Int) -> Bool {
        var start = JSONCursor(head.bytes.base, from: lineFeed + 1, to: end)
        start.skipSpace()
        guard start.position < end else { return false }
        let lineEnd = JSONFormat.lineFeed(head.bytes.base, start.position, end) ?? end
        var line = JSONCursor(head.bytes.base, from: start.position, to: lineEnd)
        return line.skipValue() && line.finish()
    }

    private func error(_ fault: JSONFault, at byte: Int) -> DaybookError {
        var error = JSONPlace(head).error(fault, at: min(byte, end), of: head.bytes.filled)
        if PrintedPropertyList.isLikely(head.bytes.filled) {
            error.hint =
                "this is a property list as 'defaults read' prints it: import_user_defaults reads it where no data is left out; better "
                + PrintedPropertyList.instead
        }
        return error
    }
}

/// The name of a value in messages, by its first byte.
package enum JSONValueName {
    package static func of(_ byte: UInt8) -> String {
        switch byte {
        case UInt8(ascii: "{"): "an object"
        case UInt8(ascii: "["): "an array"
        case UInt8(ascii: "\""): "text"
        case UInt8(ascii: "t"), UInt8(ascii: "f"): "true or false"
        case UInt8(ascii: "n"): "null"
        default: "a number"
        }
    }
}
