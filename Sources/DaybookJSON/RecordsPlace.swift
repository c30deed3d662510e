/// Where records stand in a value, and whether each has a key of its own.
///
/// Written as a JSON pointer such as `/items`, or as a map: `{ at: /items, each_key: day }`.
package struct RecordsPlace: Sendable {
    package var pointer = JSONPointer(tokens: [])
    /// The keys of records; nil for the elements of an array.
    package var keys: RecordKeys?

    /// The help of importers for it.
    package static let help =
        "Where the records stand: a JSON pointer to their array, or { at: /days, each_key: day } where each has a key of its own."

    package init() {}
}

/// The keys of records that are not the elements of an array: `{"2026-03-01": {…}}`, or `["work", {…}, "home", {…}]`.
package struct RecordKeys: Sendable {
    /// The column that holds them.
    package var column: ColumnName
    /// Whether keys and records take turns in an array, as Swift's `JSONEncoder` writes a dictionary whose keys are
    /// of an enum, of `UUID` or of `Date`. Nil for either, by what is there.
    package var inPairs: Bool?

    package init(column: ColumnName, inPairs: Bool? = nil) { (self.column, self.inPairs) = (column, inPairs) }

    /// The name of the column.
    var name: [UInt8] { Array(column.text.utf8) }
}

extension RecordsPlace: OptionObject {
    package static var title: String { "'records'" }
    package static var unknownHint: String? { "write it as { at: /items, each_key: day }" }
    package static var kind: OptionKind { .either([.text, .object(specs)]) }
    package static var placeholder: RecordsPlace { RecordsPlace() }
    package var written: String {
        guard let keys else { return pointer.written.written }
        let parts = [
            pointer.tokens.isEmpty ? nil : "at: \(pointer.written.written)", "each_key: \(keys.column.written)",
            keys.inPairs.map { "pairs: \($0)" },
        ]
        return "{ \(parts.compactMap(\.self).joined(separator: ", ")) }"
    }

    package init(reading node: OptionNode) throws(DaybookError) {
        if node.map != nil {
            try self.init(map: node)
        } else {
            self.init()
            pointer = try JSONPointer(reading: node)
        }
    }

    package init(reading fields: inout OptionFields) throws(DaybookError) {
        let column: ColumnName? = try fields.optional(
            "each_key",
            isRequired: true,
            help: "Column of the keys under which the records stand, in the place of an array of them."
        )
        pointer =
            try fields.optional("at", help: "Where they stand: a JSON pointer; else the value itself.") ?? pointer
        let inPairs: Bool? = try fields.optional("pairs", help: "Whether an array holds keys and records in turn.")
        guard let column else {
            throw fields.node.expected("the key 'each_key', or a JSON pointer alone", hint: Self.unknownHint)
        }
        guard !column.text.utf8.elementsEqual(JSONShape.bareKey) else {
            let message = "'each_key' is 'value', which is the column of records that are no objects"
            throw DaybookError(
                "bad-option",
                message,
                at: column.place ?? fields.node.place,
                hint: "name it key, for example"
            )
        }
        keys = RecordKeys(column: column, inPairs: inPairs)
    }
}

extension JSONPointer: OptionValue {
    package static var kind: OptionKind { .text }
    package static var placeholder: JSONPointer { JSONPointer(tokens: []) }

    package init(reading node: OptionNode) throws(DaybookError) {
        do throws(Mistake) {
            guard let text = node.text else { throw .noSlash }
            try self.init(written: text)
        } catch {
            switch error {
            case .noSlash:
                let message = "a JSON pointer such as /main/entries"
                throw node.expected(message, hint: node.text.map { "did you mean '/\($0)'?" })
            case .tilde: throw node.expected("a JSON pointer, in which '~' is written '~0'")
            }
        }
    }
}

extension JSONCursor {
    package typealias Key = (bytes: Range<Int>, isEscaped: Bool)

    /// What a key spells.
    package func name(_ key: Key) -> [UInt8] { JSONString.name(base, key.bytes, isEscaped: key.isEscaped) }

    /// The text of the string at the cursor, which steps behind it; nil where it is broken.
    package mutating func text() -> [UInt8]? {
        let start = position + 1
        return string().map { JSONString.name(base, start..<position - 1, isEscaped: $0) }
    }

    /// Steps over the object at whose brace the cursor is; false where the text is no JSON, or `member` says so.
    ///
    /// - Parameter member: steps over the value of a key.
    package mutating func members<Failure: Error>(
        _ member: (inout JSONCursor, Key) throws(Failure) -> Bool
    ) throws(Failure) -> Bool {
        guard open() else { return false }
        if closesAtOnce(UInt8(ascii: "}")) { return true }
        while let key = key(), try member(&self, key), let more = next(inObject: true) {
            if !more { return true }
        }
        return false
    }

    /// Steps over the array at whose bracket the cursor is; false where the text is no JSON, or `element` says so.
    ///
    /// - Parameter element: steps over an element, perhaps behind white space.
    package mutating func elements(_ element: (inout JSONCursor) -> Bool) -> Bool {
        guard open() else { return false }
        if closesAtOnce(UInt8(ascii: "]")) { return true }
        while element(&self), let more = next(inObject: false) {
            if !more { return true }
        }
        return false
    }

    /// Steps from behind a record's key to the record: behind a colon in an object, or a comma in an array.
    mutating func stepBehindKey() -> Bool {
        skipSpace()
        guard byte == UInt8(ascii: ":") || byte == UInt8(ascii: ",") else {
            return fail(position < end ? .noColon : .endsEarly)
        }
        position += 1
        skipSpace()
        return position < end || fail(.endsEarly)
    }
}

extension RecordsPlace {
    /// The option of an import that finds records where an export writes them; none for records at the top.
    package static func options(_ pointer: JSONPointer, _ keys: RecordKeys?) -> [OptionNode.Entry] {
        let at = OptionNode.Content.text(pointer.written, quoted: true)
        guard let keys else { return pointer.tokens.isEmpty ? [] : [OptionNode.Entry(written: "records", at)] }
        let place = [
            OptionNode.Entry(written: "at", at),
            OptionNode.Entry(written: "each_key", .text(keys.column.text, quoted: true)),
        ]
        return [OptionNode.Entry(written: "records", .map(place))]
    }
}
