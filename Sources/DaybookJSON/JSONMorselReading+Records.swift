import CScan

/// The places of one record's values, to make a template of it.
struct JSONTrace {
    package struct Value: BitwiseCopyable {
        var start: Int
        var end: Int
        var column: Int
    }

    var values: [Value] = []
    /// False for a record that should not be a pattern for others.
    var isPattern = false
}

/// The fallback: one record at a time, key by key.
extension JSONMorselReading {
    /// Why a valid JSON record is still rejected. The first reason counts.
    struct Misfit {
        var kind: Finding.Kind
        var column: Int?
        var at: Int
        var message: String?
    }

    mutating func readLine(_ findings: inout Findings) {
        guard position < end else {
            isDone = true
            return
        }
        let feed = JSONFormat.lineFeed(base, position, end)
        let next = feed.map { $0 + 1 } ?? end
        var cursor = JSONCursor(base, from: position, to: feed ?? end)
        cursor.skipSpace()
        if cursor.position == cursor.end {
            blank += 1
        } else {
            readRecord(&cursor, RecordSpan(start: position, end: next), next: next, &findings)
        }
        position = next
    }

    mutating func readElement(_ findings: inout Findings) {
        var cursor = JSONCursor(base, from: position, to: end)
        cursor.skipSpace()
        let start = cursor.position
        let isFirst = record == 0 && morsel.firstRecord == 0
        guard start < end, !isFirst || base[start] != layout.container?.closing else {
            isDone = true
            return
        }
        if case .values = layout {
            let stop = JSONValuesCutter.end(base, start, end) ?? end
            cursor.end = stop
            var next = JSONCursor(base, from: stop, to: end)
            next.skipSpace()
            isDone = next.position == end
            readRecord(&cursor, RecordSpan(start: start, end: stop), next: isDone ? 0 : next.position, &findings)
            position = next.position
            return
        }
        guard let form = layout.container else {
            readRecord(&cursor, RecordSpan(start: position, end: end), next: 0, &findings)
            isDone = true
            return
        }
        var stop = form.end(base, start, end)
        let comma = stop
        while stop > start, base[stop - 1].isSpace { stop -= 1 }
        cursor.end = stop
        var next = JSONCursor(base, from: min(comma + 1, end), to: end)
        next.skipSpace()
        let isLast = comma >= end || base[comma] != UInt8(ascii: ",")
        readRecord(&cursor, RecordSpan(start: start, end: stop), next: isLast ? 0 : next.position, &findings)
        position = next.position
        isDone = isLast
    }

    /// Reads the record at the cursor, which becomes a row or is rejected. `next` is where a template of it ends, or 0 for none.
    mutating func readRecord(_ cursor: inout JSONCursor, _ span: RecordSpan, next: Int, _ findings: inout Findings) {
        defer { record += 1 }
        if !isText, let invalid = firstInvalid(span) {
            findings.reject(record: record, span, at: invalid.at, findings.token(.notText), saying: invalid.message)
            return
        }
        for column in wanted { _ = cells.markMissing(slots + column, row) }
        trace.values.removeAll(keepingCapacity: true)
        trace.isPattern = isText && templates.count < JSONTemplate.most
        var misfit: Misfit?
        let start = cursor.position
        let isJSON =
            readKey(&cursor, &misfit)
            && (cursor.byte == UInt8(ascii: "{") && !takesWhole
                ? readObject(&cursor, JSONShape.root, span, &misfit, &findings) : readBareValue(&cursor, &misfit))
        if !isJSON || !cursor.finish(), let fault = cursor.fault {
            clearRow()
            if ByteOrderMark.begins(Cell(start: base + start, count: cursor.end - start)) {
                findings.reject(record: record, span, at: start, findings.token(.byteOrderMark))
                return
            }
            let at = max(Int(span.start), min(cursor.faultAt, Int(span.end)))
            // In an array, nothing between two commas is a missing element.
            let reason: JSONFault = start >= cursor.end && !isLines ? .trailingComma : fault
            findings.reject(record: record, span, at: at, findings.token(reason.kind))
            return
        }
        if let misfit {
            clearRow()
            let column = misfit.column.map { ColumnName(plan.leaves[$0].field.name) }
            let token = findings.token(misfit.kind, in: column)
            findings.reject(record: record, span, at: misfit.at, token, saying: misfit.message)
            return
        }
        spans[row] = span
        records[row] = UInt32(truncatingIfNeeded: record)
        row += 1
        if trace.isPattern, next > Int(span.start) { learn(span, next: next) }
    }

    func clearRow() {
        for column in wanted { cells.clearMissing(slots + column, row) }
    }

    private func firstInvalid(_ span: RecordSpan) -> (at: Int, message: String)? {
        if let fault = morsel.faults.first(where: { $0.at >= span.start && $0.at < span.end }) {
            return (Int(fault.at), "byte \(fault.rawOffset) of the file does not belong to a character")
        }
        let start = Int(span.start)
        let length = Int(span.end) - start
        let valid = scan_utf8_valid(base + start, length)
        return valid < length
            ? (start + valid, "byte \(morsel.offset + start + valid) of the file is not UTF-8") : nil
    }

    /// Reads the key before a record that has one.
    @inline(__always)
    private mutating func readKey(_ cursor: inout JSONCursor, _ misfit: inout Misfit?) -> Bool {
        guard keyNode >= 0 else { return true }
        if layout.container == .members, cursor.byte != UInt8(ascii: "\"") { return cursor.fail(.noKey) }
        met[keyNode] = UInt32(truncatingIfNeeded: record)
        return readValue(&cursor, keyNode, &misfit) && cursor.stepBehindKey()
    }

    private mutating func readBareValue(_ cursor: inout JSONCursor, _ misfit: inout Misfit?) -> Bool {
        let node = plan.bareValue
        guard node >= 0 else {
            trace.isPattern = false
            let at = cursor.position
            let noun = arrays == nil ? "records" : "elements"
            let message = "\(JSONValueName.of(cursor.byte)) where the \(noun) are objects"
            misfit = Misfit(kind: unlearnt, at: at, message: message)
            return cursor.skipValue()
        }
        // Where a column may hold any value, a template of one would take the objects after it as such values.
        if !plan.isBare { trace.isPattern = false }
        return readValue(&cursor, node, &misfit)
    }

    private mutating func readObject(
        _ cursor: inout JSONCursor,
        _ parent: Int,
        _ span: RecordSpan,
        _ misfit: inout Misfit?,
        _ findings: inout Findings
    ) -> Bool {
        let start = cursor.position
        guard cursor.open() else { return false }
        if cursor.closesAtOnce(UInt8(ascii: "}")) {
            if parent != JSONShape.root { noteEmpty(parent, start..<cursor.position, span, &findings) }
            return true
        }
        var guess = keys.nodes[parent].first
        while true {
            guard let key = cursor.key() else { return false }
            let node = find(key.bytes, isEscaped: key.isEscaped, of: parent, guess: guess)
            if node < 0 {
                if misfit == nil, arrays == nil { misfit = unexpected(key.bytes) }
                let start = cursor.position
                guard cursor.skipValue() else { return false }
                trace.values.append(JSONTrace.Value(start: start, end: cursor.position, column: slotCount))
            } else {
                guess = keys.nodes[node].next
                if node == keyNode {
                    let kind = Finding.Kind.keyTaken(plan.leaves[keys.nodes[node].column].field.name)
                    misfit = misfit ?? Misfit(kind: kind, column: nil, at: key.bytes.lowerBound - 1)
                } else if met[node] == UInt32(truncatingIfNeeded: record) {
                    findings.warn(record: record, span, at: key.bytes.lowerBound - 1, findings.token(.duplicateKey))
                    forget(node)
                }
                met[node] = UInt32(truncatingIfNeeded: record)
                if keys.nodes[node].column >= 0 {
                    guard readValue(&cursor, node, &misfit) else { return false }
                } else if cursor.byte == UInt8(ascii: "{") {
                    guard readObject(&cursor, node, span, &misfit, &findings) else { return false }
                } else {
                    if cursor.byte != UInt8(ascii: "n"), misfit == nil {
                        let name = String(decoding: plan.nodes[node].key, as: UTF8.self)
                        let message = "'\(name)' is \(JSONValueName.of(cursor.byte)), expected an object"
                        misfit = Misfit(kind: unlearnt, at: cursor.position, message: message)
                    }
                    guard cursor.skipValue() else { return false }
                }
            }
            guard let more = cursor.next(inObject: true) else { return false }
            if !more { return true }
        }
    }

    /// An object without keys, where its keys have columns.
    private mutating func noteEmpty(_ node: Int, _ range: Range<Int>, _ span: RecordSpan, _ findings: inout Findings) {
        let column = keys.nodes[node].empty
        guard column < 0 else {
            let slot = slots + column
            cells.clearMissing(slot, row)
            slot.put(TextView(offset: range.lowerBound, length: range.count), at: row & slot.pointee.rowMask)
            trace.values.append(JSONTrace.Value(start: range.lowerBound, end: range.upperBound, column: column))
            return
        }
        // The head of the file had none, so no column distinguishes it from a missing object.
        guard plan.nodes[node].columns.contains(where: { slots[$0].rowMask != 0 }) else { return }
        trace.isPattern = false
        let token = findings.token(.emptyObject(plan.name(of: node)))
        findings.warn(record: record, span, at: range.lowerBound, token)
    }

    /// A repeated key: the value of the first does not count, and the record is no template.
    private mutating func forget(_ node: Int) {
        trace.isPattern = false
        for column in plan.nodes[node].columns where slots[column].rowMask != 0 {
            _ = cells.markMissing(slots + column, row)
        }
        for child in plan.nodes[node].below {
            met[child] = .max
            forget(child)
        }
    }

    private func find(_ key: Range<Int>, isEscaped: Bool, of parent: Int, guess: Int) -> Int {
        guard isEscaped else {
            let bytes = Cell(start: base + key.lowerBound, count: key.count)
            return keys.find(bytes, of: parent, guess: guess)
        }
        let name = JSONString.name(base, key, isEscaped: true)
        return name.withUnsafeBufferPointer { keys.find($0, of: parent, guess: guess) }
    }

    private func unexpected(_ key: Range<Int>) -> Misfit {
        if let nul = JSONString.nul(base, key) { return Misfit(kind: .nulCharacter, at: nul) }
        let name = String(decoding: Cell(start: base + key.lowerBound, count: key.count), as: UTF8.self)
        let message = "the key '\(name)' is not among the columns; declare it with 'columns'"
        return Misfit(kind: .unexpectedKey, at: key.lowerBound - 1, message: message)
    }

    /// Reads the value of a column whose bit for a missing value is set.
    private mutating func readValue(_ cursor: inout JSONCursor, _ node: Int, _ misfit: inout Misfit?) -> Bool {
        let column = keys.nodes[node].column
        let start = cursor.position
        guard start < cursor.end else { return cursor.fail(.endsEarly) }
        let slot = slots + column
        cells.clearMissing(slot, row)
        // The cursor counts the depth, so it examines an array or object first.
        let isNested = cursor.byte == UInt8(ascii: "[") || cursor.byte == UInt8(ascii: "{")
        if isNested { guard cursor.skipValue() else { return false } }
        if isNested, slot.pointee.kind == .json {
            slot.put(TextView(offset: start, length: cursor.position - start), at: row & slot.pointee.rowMask)
            trace.values.append(JSONTrace.Value(start: start, end: cursor.position, column: column))
            return true
        }
        let limit = base + cursor.end
        if !isNested, let next = cells.value(at: base + start, into: slot, row: row, limit: limit), next <= limit,
            next == limit || JSONMorselReading.mayFollow(next.pointee)
        {
            cursor.position = next - base
            trace.values.append(JSONTrace.Value(start: start, end: cursor.position, column: column))
            return true
        }
        if !isNested { guard cursor.skipValue() else { return false } }
        let text = Cell(start: base + start, count: cursor.position - start)
        // Digits at the very end of the morsel may continue into the memory behind it.
        if slot.pointee.kind == .integer, cursor.position == cursor.end, let number = CellReading.integer(text) {
            slot.put(number, at: row & slot.pointee.rowMask)
            trace.isPattern = false
        } else if misfit == nil {
            misfit = wrongKind(column, base[start], start..<cursor.position)
        }
        return true
    }

    private static func mayFollow(_ byte: UInt8) -> Bool {
        // A colon follows the key of a record.
        byte == UInt8(ascii: ",") || byte == UInt8(ascii: ":") || byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]")
            || byte.isSpace
    }
}

/// Why a valid JSON value does not belong in its column.
extension JSONMorselReading {
    /// The finding for a value of a kind unknown to the beginning of the text. Elements of arrays are not inferred.
    var unlearnt: Finding.Kind { arrays == nil ? .unlearnt : .unexpectedValue }

    /// The misfit of a number or text in a column of instants: out of range, or in another encoding.
    private func notAnInstant(_ leaf: JSONPlan.Leaf, _ column: Int, _ byte: UInt8, _ range: Range<Int>) -> Misfit? {
        let isText = byte == UInt8(ascii: "\"")
        let isNumber = JSONValueName.of(byte) == "a number"
        guard isText || isNumber else { return nil }
        if isText == (leaf.encoding == .iso) {
            return Misfit(kind: .instantOutOfRange, column: column, at: range.lowerBound)
        }
        let message =
            "\(isText ? "text" : "a number") in a column of instants written as \(leaf.encoding.rawValue)"
            + "; 'dates' says how they are written"
        let kind = leaf.isDeclared ? .unexpectedValue : unlearnt
        return Misfit(kind: kind, column: column, at: range.lowerBound, message: message)
    }

    func wrongKind(_ column: Int, _ byte: UInt8, _ range: Range<Int>) -> Misfit {
        let leaf = plan.leaves[column]
        let field = leaf.field
        let kind = leaf.isDeclared ? .unexpectedValue : unlearnt
        if field.kind == .day, byte == UInt8(ascii: "\"") {
            return Misfit(kind: .notADay, column: column, at: range.lowerBound)
        }
        if field.kind == .json || (field.kind == .text && byte == UInt8(ascii: "\"")),
            let nul = JSONString.nul(base, range)
        {
            return Misfit(kind: .nulCharacter, column: column, at: nul)
        }
        if field.kind == .instant, let wrong = notAnInstant(leaf, column, byte, range) { return wrong }
        var found = JSONValueName.of(byte)
        var isTooLarge = false
        if found == "a number" {
            let number = Cell(start: base + range.lowerBound, count: range.count)
            isTooLarge = field.kind == .integer && CellReading.isTooLargeInteger(number)
            found = "the number \(String(decoding: number.prefix(40), as: UTF8.self))"
            // A number that a decimal holds would have been read.
            if field.kind == .decimal {
                let isTooLarge = CellReading.isTooLargeDecimal(number)
                let message =
                    "\(found) is \(isTooLarge ? "too large for a decimal" : "not what a decimal would write")"
                    + "; a column of kind json keeps it as it is written"
                return Misfit(kind: kind, column: column, at: range.lowerBound, message: message)
            }
        }
        let message =
            "\(found)\(isTooLarge ? " is too large for" : " in") a column of kind \(field.kind.rawValue)"
            + (leaf.isDeclared ? "" : "; declare the column with 'columns' if its values vary")
        return Misfit(kind: kind, column: column, at: range.lowerBound, message: message)
    }
}
