import CScan

/// Learns the shape of records from the beginning of a file.
struct JSONInference {
    private(set) var shape = JSONShape()
    /// Whether NaN and Infinity are missing values, and no fault.
    var takesNotANumber = false

    /// Notes the value at the cursor as a record. Stops early where the text does; what came before still counts.
    @discardableResult
    mutating func observe(_ cursor: inout JSONCursor) -> Bool {
        cursor.skipSpace()
        if cursor.byte == UInt8(ascii: "{") {
            shape.hasObjects = true
            return object(&cursor, JSONShape.root)
        }
        guard cursor.position < cursor.end else { return false }
        shape.hasBareValues = true
        return value(&cursor, shape.child(JSONShape.bareKey, of: JSONShape.root))
    }

    private mutating func object(_ cursor: inout JSONCursor, _ node: Int) -> Bool {
        let start = cursor.position
        guard cursor.open() else { return false }
        if cursor.closesAtOnce(UInt8(ascii: "}")) {
            shape.note(.emptyObject, at: node, byte: start)
            return true
        }
        shape.note(.object, at: node, byte: start)
        var guess = 0
        while true {
            guard let key = cursor.key() else { return false }
            if node == JSONShape.root, key.bytes.count == JSONShape.bareKey.count {
                shape.hasBareKey = shape.hasBareKey || cursor.cell(key.bytes).elementsEqual(JSONShape.bareKey)
            }
            let child: Int?
            if key.isEscaped {
                let name = JSONString.name(cursor.base, key.bytes, isEscaped: true)
                // No column has a NUL in its name; the reader rejects the record.
                child = name.contains(0) ? nil : shape.child(name, of: node)
            } else {
                child = shape.child(cursor.cell(key.bytes), of: node, guess: guess)
            }
            guess += 1
            guard child.map({ value(&cursor, $0) }) ?? cursor.skipValue() else { return false }
            guard let more = cursor.next(inObject: true) else { return false }
            if !more { return true }
        }
    }

    private mutating func value(_ cursor: inout JSONCursor, _ node: Int) -> Bool {
        if takesNotANumber, let length = cursor.notANumber {
            cursor.position += length
            return true
        }
        switch cursor.byte {
        case UInt8(ascii: "{"): return object(&cursor, node)
        case UInt8(ascii: "["): shape.note(.array, at: node, byte: cursor.position)
        case UInt8(ascii: "\""): shape.note(.text, at: node, byte: cursor.position)
        case UInt8(ascii: "t"), UInt8(ascii: "f"): shape.note(.flag, at: node, byte: cursor.position)
        case UInt8(ascii: "-"), 48...57: return number(&cursor, node)
        default: break
        }
        return cursor.skipValue()
    }

    private mutating func number(_ cursor: inout JSONCursor, _ node: Int) -> Bool {
        let start = cursor.position
        guard let isWhole = cursor.number() else { return false }
        let text = cursor.cell(start..<cursor.position)
        if isWhole {
            let value = CellReading.integer(text)
            shape.note(
                value == nil ? .hugeNumber : value!.magnitude <= 1 << 53 ? .whole : .longWhole,
                at: node,
                byte: start
            )
        } else {
            let isKept = CellReading.decimal(text).map { JSONDigits.areKept(text, by: $0) } ?? false
            shape.note(isKept ? .decimal : .hugeNumber, at: node, byte: start)
        }
        return true
    }
}

/// The records in the head of a file, or in a later stretch of it.
struct JSONHeadRecords {
    private let bytes: Bytes
    private let start: Int
    private let end: Int
    private let isWhole: Bool
    /// Whether they were cut behind a whole record.
    private let isCut: Bool
    private let layout: JSONFormat.Layout
    private let takesNotANumber: Bool

    init(_ head: SourceHead, _ layout: JSONFormat.Layout, from start: Int, takesNotANumber: Bool) {
        self.takesNotANumber = takesNotANumber
        bytes = head.bytes
        end = head.bytes.count
        isWhole = head.isWhole
        isCut = false
        self.layout = layout
        self.start = start
    }

    /// The records of a morsel.
    init(_ morsel: Morsel, _ layout: JSONFormat.Layout, takesNotANumber: Bool) {
        self.takesNotANumber = takesNotANumber
        bytes = morsel.bytes
        end = morsel.length
        (isWhole, isCut, start) = (true, true, 0)
        self.layout = layout
    }

    /// The keys of all whole ones. A record that is not JSON says nothing about the others.
    var shape: JSONShape {
        // Almost always every record is JSON, so it is checked beforehand only once one was found that is not.
        shape(checking: false) ?? shape(checking: true) ?? JSONShape()
    }

    /// Their keys; nil when one of them is not JSON and nobody had checked.
    private func shape(checking: Bool) -> JSONShape? {
        var inference = JSONInference()
        inference.takesNotANumber = takesNotANumber
        var position = start
        while position < end {
            let (stop, next, isComplete) = record(at: position)
            // Where not even one record is complete, what there is of it has to do.
            if isComplete || position == start {
                var cursor = JSONCursor(bytes.base, from: position, to: stop)
                let isJSON = checking ? check(position, stop) : true
                if isJSON || !isComplete {
                    let isRead = inference.observe(&cursor) && cursor.finish()
                    if isComplete, !isRead, !isBlank(position, stop), !checking { return nil }
                }
            }
            position = next
        }
        return inference.shape
    }

    private func record(at position: Int) -> (stop: Int, next: Int, isComplete: Bool) {
        switch layout {
        case .value: return (end, end, isWhole)
        case .values:
            let stop = JSONValuesCutter.end(bytes.base, position, end)
            return (stop ?? end, stop ?? end, stop != nil || isWhole)
        case .lines:
            let feed = json_line_feed(bytes.base, position, end)
            return (feed, min(feed + 1, end), feed < end || isWhole)
        case .array:
            let stop = json_element_end(bytes.base, position, end)
            let isMore = stop < end && bytes[stop] == UInt8(ascii: ",")
            return (stop, isMore ? stop + 1 : end, stop < end || isCut)
        }
    }

    private func check(_ start: Int, _ stop: Int) -> Bool {
        var cursor = JSONCursor(bytes.base, from: start, to: stop)
        if takesNotANumber {
            var trial = JSONInference()
            trial.takesNotANumber = true
            return trial.observe(&cursor) && cursor.finish()
        }
        return cursor.skipValue() && cursor.finish()
    }

    private func isBlank(_ start: Int, _ stop: Int) -> Bool {
        (start..<stop).allSatisfy { bytes[$0].isSpace }
    }
}
