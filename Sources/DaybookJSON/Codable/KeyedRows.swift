/// The brackets around rows, and what stands between a row's key and the row.
package struct RowBrackets: Sendable {
    package let opening: StaticString
    package let closing: StaticString
    package let isArray: Bool

    /// - Parameter keys: of the rows; nil for the elements of an array.
    package init(_ keys: RecordKeys?) {
        isArray = keys.map { $0.inPairs == true } ?? true
        (opening, closing) = isArray ? ("[", "]") : ("{", "}")
    }
}

/// The keys of rows written so far: an object holds one value under each.
package struct DistinctKeys {
    private var known: Set<[UInt8]> = []
    private let column: ColumnName

    package init(_ keys: RecordKeys) { column = keys.column }

    /// Adds the keys of some rows. Throws if one was there before.
    package mutating func add(_ piece: TextPiece) throws(DaybookError) {
        defer { withExtendedLifetime(piece.bytes) {} }
        var cursor = JSONCursor(piece.bytes.base, to: piece.bytes.count)
        for _ in 0..<piece.rows {
            cursor.skipSpace()
            let start = cursor.position
            guard cursor.skipValue() else { return }
            let key = Array(cursor.cell(start..<cursor.position))
            guard known.insert(key).inserted else {
                let shown = String(decoding: key.prefix(DisplayText.longestValue), as: UTF8.self)
                throw DaybookError.data(
                    "key-twice",
                    "two rows have the key \(shown) in '\(column)', and one value stands under each key",
                    at: column.place,
                    hint: "a 'unique' check of '\(column)' names the rows; 'drop_duplicates' keeps one of them"
                )
            }
            guard cursor.stepBehindKey(), cursor.skipValue() else { return }
            cursor.skipSpace()
            // The comma before the next row.
            cursor.position += cursor.byte == UInt8(ascii: ",") ? 1 : 0
        }
    }
}

/// The key of a row as it is written before the row.
struct RowKey {
    let property: CodableProperty
    private let inPairs: Bool
    private let separator: StaticString
    private let indentation: Int

    /// Nil where rows have no keys.
    init?(_ encoding: CodableEncoding, _ schema: Schema, prettyDepth: Int?) {
        guard let keys = encoding.keys, let column = schema.index(of: keys.column) else { return nil }
        inPairs = keys.inPairs == true
        // A key of an object is text, which no number of seconds is.
        let dates = inPairs ? encoding.dates : .iso
        property = CodableProperty(column, of: schema, nests: false, dates, .rejected)
        let isPretty = prettyDepth != nil
        separator = inPairs ? (isPretty ? ", " : ",") : isPretty ? ": " : ":"
        indentation = (prettyDepth ?? 0) * 2
    }

    /// Writes the key of a row, or returns why it cannot be written.
    func put(
        _ column: CellPointers,
        _ row: Int,
        _ values: inout CodableValues,
        _ out: inout ByteCursor
    ) -> CodableFault? {
        guard !column.isMissing(row) else { return .noKey }
        for _ in 0..<indentation { out.put(UInt8(ascii: " ")) }
        let isQuoted = !inPairs && !property.isText
        if isQuoted { out.put(UInt8(ascii: "\"")) }
        if let fault = values.put(column, row, property.conversion, &out) { return fault }
        out.reserve(ByteCursor.jsonLimit)
        if isQuoted { out.put(UInt8(ascii: "\"")) }
        out.put(word: separator)
        return nil
    }
}
