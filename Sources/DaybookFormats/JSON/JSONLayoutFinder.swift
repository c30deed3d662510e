import CScan

/// Finds out how the records of a file are laid out.
package struct JSONLayoutFinder {
    package typealias Found = (layout: JSONFormat.Layout, start: Int)

    private let head: SourceHead
    private let end: Int

    package init(_ head: SourceHead) {
        self.head = head
        end = head.bytes.count
    }

    package func find(_ layout: JSONReadLayout, _ records: JSONPointer?, _ place: SourcePlace?) throws(DaybookError)
        -> Found
    {
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
                throw DaybookError(
                    "records-not-an-array",
                    "'\(pointer.written)' in \(head.source.path) is \(JSONValueName.of(cursor.byte)), not an array",
                    at: place,
                    blame: .data
                )
            }
        } else if let fault = cursor.fault, !isCutOff(cursor) {
            throw error(fault, at: cursor.faultAt)
        }
        if !head.isWhole, cursor.fault != nil || cursor.position == end {
            let query = pointer.tokens.map { "[\"\($0)\"]" }.joined()
            throw DaybookError(
                "records-not-found",
                "the first \(Spoken.count(end)) bytes of \(head.source.path), in which 'records' has to begin, do not hold '\(pointer.written)'",
                at: place,
                hint: "take the records out first: jq -c '.\(query)[]' FILE > records.ndjson",
                blame: .data
            )
        }
        throw DaybookError(
            "records-not-found",
            "\(head.source.path) has nothing at '\(pointer.written)'"
                + (missing.map { ": there is no '\($0)'" } ?? ""),
            at: place,
            blame: .data
        )
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

    /// Whether the text is only thought broken because no more of it was looked at: a string or an escape reaches its end.
    private func isCutOff(_ cursor: JSONCursor) -> Bool {
        guard !head.isWhole else { return false }
        switch cursor.fault {
        case .endsEarly, .openString: return true
        case .badEscape, .loneSurrogate: return cursor.faultAt + 12 > end
        default: return false
        }
    }

    /// Whether the next line that is not blank is a value by itself, so that the one before is a broken line among lines.
    private func holdsValue(after lineFeed: Int) -> Bool {
        var start = JSONCursor(head.bytes.base, from: lineFeed + 1, to: end)
        start.skipSpace()
        guard start.position < end else { return false }
        var line = JSONCursor(
            head.bytes.base,
            from: start.position,
            to: JSONFormat.lineFeed(head.bytes.base, start.position, end) ?? end
        )
        return line.skipValue() && line.finish()
    }

    private func error(_ fault: JSONFault, at byte: Int) -> DaybookError {
        var error = JSONPlace(head).error(fault, at: min(byte, end), of: head.bytes.filled)
        if PropertyListFile.isPrinted(head.bytes) {
            error.hint =
                "this is a property list as 'defaults read' prints it: import_user_defaults reads it where no data is left out; better "
                + PropertyListFault.printed
        }
        return error
    }
}

/// How messages call a value, by its first byte.
enum JSONValueName {
    static func of(_ byte: UInt8) -> String {
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
