/// The records of a file as a sketch, and how they are held together.
package struct SketchedRecords {
    package var sketch = ModelSketch()
    package var holder = GuessedModel.Holder.array
    /// Whether each record is a line or a document of its own.
    package var areApart = false
    /// Whether the records are values of a property list, which tells dates itself.
    package let isList: Bool

    /// More keys are no enumeration.
    private static let mostKeys = 1_000

    package init(ofList isList: Bool) { self.isList = isList }

    /// Reads the records of JSON text: the elements of an array, values under keys, or values one behind the other.
    ///
    /// - Parameter name: of the file, for messages.
    package init(_ text: Bytes, at place: RecordsPlace, of name: String) throws(DaybookError) {
        isList = false
        defer { withExtendedLifetime(text) {} }
        let mark = text.filled.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        var cursor = JSONCursor(text.base, from: mark, to: text.count)
        var missing: String?
        let isFound = cursor.enter(place.pointer, missing: &missing) != nil
        cursor.skipSpace()
        guard isFound, read(&cursor, place) else {
            let why = cursor.fault?.message ?? "nothing stands at '\(place.pointer.written)'"
            let before = text.filled[..<min(cursor.faultAt, text.count)].count { $0 == 0x0A } + 1
            throw DaybookError.data(
                "no-model",
                "\(name):\(before): \(why)",
                hint: "a model is guessed from a file whose records can all be read"
            )
        }
        sketch.findDictionaries()
    }

    private mutating func read(_ cursor: inout JSONCursor, _ place: RecordsPlace) -> Bool {
        let isArray = cursor.byte == UInt8(ascii: "[")
        if place.keys != nil { return isArray ? readPairs(&cursor) : readMembers(&cursor) }
        if isArray {
            return sketch.elements(&cursor) { sketch, cursor, _ in
                sketch.noteRecord()
                return sketch.add(&cursor, at: 0)
            }
        }
        holder = .one
        guard add(&cursor) else { return false }
        guard place.pointer.tokens.isEmpty else { return true }
        cursor.skipSpace()
        while cursor.position < cursor.end {
            (holder, areApart) = (.array, true)
            guard add(&cursor) else { return false }
            cursor.skipSpace()
        }
        return true
    }

    private mutating func add(_ cursor: inout JSONCursor) -> Bool {
        sketch.noteRecord()
        return sketch.add(&cursor, at: 0)
    }

    private mutating func readMembers(_ cursor: inout JSONCursor) -> Bool {
        holder = .dictionary
        guard cursor.open() else { return false }
        if cursor.closesAtOnce(UInt8(ascii: "}")) { return true }
        while cursor.key() != nil, add(&cursor), let more = cursor.next(inObject: true) {
            if !more { return true }
        }
        return false
    }

    private mutating func readPairs(_ cursor: inout JSONCursor) -> Bool {
        var keys: [String] = []
        let isRead = sketch.elements(&cursor) { sketch, cursor, index in
            cursor.skipSpace()
            guard index % 2 == 0 else {
                sketch.noteRecord()
                return sketch.add(&cursor, at: 0)
            }
            let start = cursor.position
            guard let isEscaped = cursor.string() else { return false }
            let key = JSONString.name(cursor.base, start + 1..<cursor.position - 1, isEscaped: isEscaped)
            if keys.count < SketchedRecords.mostKeys { keys.append(String(decoding: key, as: UTF8.self)) }
            return true
        }
        holder = .pairs(keys: keys)
        return isRead
    }
}

extension RecordsPlace {
    /// The place that an option of a guess names.
    package init(suggested option: SuggestedValue?) {
        self.init()
        switch option {
        case .text(let text): pointer = (try? JSONPointer(written: text)) ?? pointer
        case .map(let entries):
            for case (let key, .text(let text)) in entries.map({ ($0.key, $0.value) }) {
                if key == "at" { pointer = (try? JSONPointer(written: text)) ?? pointer }
                if key == "each_key" { keys = RecordKeys(column: ColumnName(text)) }
            }
        default: break
        }
    }
}
