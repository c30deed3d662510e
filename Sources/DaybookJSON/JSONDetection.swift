import CScan

extension ImportJSON: FormatDetecting {
    public static func detect(_ file: SniffedFile) throws(DaybookError) -> FormatDetection? {
        guard let text = file.text else { return nil }
        defer { withExtendedLifetime(text.bytes) {} }
        var cursor = JSONCursor(text.bytes.base, to: text.bytes.count)
        cursor.skipSpace()
        guard cursor.byte == UInt8(ascii: "{") || cursor.byte == UInt8(ascii: "[") else { return nil }
        let source = SourceName(index: 0, path: file.name)
        let head = SourceHead(source: source, bytes: text.bytes, isWhole: text.isWhole)
        let start = cursor
        var layout = try JSONLayoutFinder(head: head).find(.auto, nil, nil).layout
        // Text in another encoding is decoded only at its beginning.
        let isCut = !text.isWhole && text.encoding == nil
        var whole: Bytes?
        if isCut, case .lines = layout, JSONFormat.lineFeed(text.bytes.base, start.position, text.bytes.count) == nil {
            // A first line that is longer than the head is a record, or the whole document.
            whole = try file.whole(limit: ImportJSON.mostBytes)
            if let whole {
                let head = SourceHead(source: source, bytes: whole, isWhole: true)
                layout = try JSONLayoutFinder(head: head).find(.auto, nil, nil).layout
            }
        }
        if case .array = layout, !ImportJSON.beginsWithElement(start) { return nil }
        let encoding = text.encoding.map { [$0] } ?? []
        var records = SuggestedImport(options: encoding)
        switch layout {
        case .lines: return FormatDetection(.certain, form: "JSON, one record a line", imports: [records])
        case .array:
            guard let keys = KeysFinder.pairs(in: text.bytes) else {
                return FormatDetection(.certain, form: "a JSON array of records", imports: [records])
            }
            records.options += keys.options(at: JSONPointer(tokens: []), declares: false)
            records.notes = ["these may be plain texts and values as well: then leave 'records' out"]
            return FormatDetection(.likely, form: "a JSON array of keys and records in turn", imports: [records])
        case .values: return FormatDetection(.certain, form: "JSON, one record behind another", imports: [records])
        case .value:
            if isCut, whole == nil { whole = try file.whole(limit: ImportJSON.mostBytes) }
            let holding = RecordsFinder.look(at: whole ?? text.bytes)
            guard !holding.large.isEmpty else {
                return FormatDetection(.likely, form: "one JSON object, which is the only record", imports: [records])
            }
            var imports = holding.imports(behind: encoding, declaresKeys: false)
            imports[0].notes += holding.notes
            if !text.isWhole, whole == nil {
                imports[0].notes.append("only the beginning was looked through for records, and more may follow")
            }
            return FormatDetection(.likely, form: "a JSON document that holds \(holding.displayText)", imports: imports)
        }
    }

    /// The limit of bytes that are searched for arrays.
    private static let mostBytes = 64 << 20

    /// Whether the text after the bracket can be JSON, so that `[draft],x` stays a line of cells.
    private static func beginsWithElement(_ bracket: JSONCursor) -> Bool {
        var cursor = bracket
        cursor.position += 1
        cursor.skipSpace()
        return cursor.position == cursor.end || "]{[\"-0123456789tfn".utf8.contains(cursor.byte)
    }
}

/// Detects the layout of the records of a file.
struct JSONLayoutFinder {
    typealias Found = (layout: JSONFormat.Layout, start: Int)

    let head: SourceHead
    private var end: Int { head.bytes.count }

    func find(_ layout: JSONReadLayout, _ records: RecordsPlace?, _ place: SourcePlace?) throws(DaybookError) -> Found {
        if let records { return try findArray(records, place) }
        if layout == .lines { return (.lines, 0) }
        var cursor = JSONCursor(head.bytes.base, to: end)
        cursor.skipSpace()
        // Nothing at all is JSON Lines without a line.
        guard cursor.position < end else { return (.lines, 0) }
        if cursor.byte == UInt8(ascii: "[") { return (.array(around: [], .elements), cursor.position + 1) }
        return layout == .document ? (.value, 0) : try linesOrValue(cursor)
    }

    /// Follows `records` to its array, or to the object of records with keys.
    private func findArray(_ records: RecordsPlace, _ place: SourcePlace?) throws(DaybookError) -> Found {
        let pointer = records.pointer
        var cursor = JSONCursor(head.bytes.base, to: end)
        cursor.skipSpace()
        var missing: String?
        if let around = cursor.enter(pointer, missing: &missing) {
            if let form = container(cursor, records.keys) { return (.array(around: around, form), cursor.position + 1) }
            if cursor.position < end { throw noRecords(cursor, records, place) }
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

    /// How records stand in the value at the cursor; nil if it is none that holds records.
    private func container(_ cursor: JSONCursor, _ keys: RecordKeys?) -> JSONFormat.Container? {
        guard let keys else { return cursor.byte == UInt8(ascii: "[") ? .elements : nil }
        if cursor.byte == UInt8(ascii: "{") { return keys.inPairs == true ? nil : .members }
        guard cursor.byte == UInt8(ascii: "["), keys.inPairs != false else { return nil }
        var inside = cursor
        inside.position += 1
        inside.skipSpace()
        return "{[".utf8.contains(inside.byte) ? nil : .pairs
    }

    private func noRecords(_ cursor: JSONCursor, _ records: RecordsPlace, _ place: SourcePlace?) -> DaybookError {
        let pointer = records.pointer.written
        let subject = pointer.isEmpty ? "the value in \(head.source.path)" : "'\(pointer)' in \(head.source.path)"
        let found = JSONValueName.of(cursor.byte)
        guard let keys = records.keys else {
            let at = pointer.isEmpty ? "" : "at: \(pointer.written), "
            let hint = "for records that stand under keys, write 'records: { \(at)each_key: key }'"
            let isObject = cursor.byte == UInt8(ascii: "{")
            let message = "\(subject) is \(found), not an array"
            return .data("records-not-an-array", message, at: place, hint: isObject ? hint : nil)
        }
        let expected =
            switch keys.inPairs {
            case true?: "an array of keys and records in turn"
            case false?: "an object"
            case nil: "an object, or an array of keys and records in turn"
            }
        let hint = cursor.byte == UInt8(ascii: "[") ? "leave 'each_key' out where records have no keys" : nil
        return .data("records-have-no-keys", "\(subject) is \(found), not \(expected)", at: place, hint: hint)
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
