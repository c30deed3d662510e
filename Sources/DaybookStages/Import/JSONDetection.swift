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
                imports: [
                    SuggestedImport(options: encoding, notes: JSONPairs.are(in: text.bytes) ? [ImportJSON.pairs] : [])
                ]
            )
        case .values:
            return FormatDetection(
                .certain,
                form: "JSON, one record behind another",
                imports: [SuggestedImport(options: encoding)]
            )
        case .value:
            // Text in another encoding is decoded as far as its beginning goes.
            let whole = text.isWhole || text.encoding != nil ? nil : try file.whole(limit: ImportJSON.mostBytes)
            let holding = JSONArrayFinder.look(at: whole ?? text.bytes)
            let arrays = holding.large
            guard !arrays.isEmpty else {
                return FormatDetection(
                    .likely,
                    form: "one JSON object, which is the only record",
                    imports: [SuggestedImport(options: encoding)]
                )
            }
            var detection = FormatDetection(
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
            detection.imports[0].notes += notes(on: holding, isWhole: text.isWhole || whole != nil)
            return detection
        }
    }

    /// More of a document is not gone through for its arrays.
    private static let mostBytes = 64 << 20

    /// What a person does about keys and values in turn.
    private static let pairs =
        "not sure: these may be keys and values in turn, as Swift writes a dictionary whose keys are of an enum: number the rows by 'window_rows', "
        + "take the key from the row before with 'lag', and keep every second row"

    /// What is left out beside the arrays that are imported.
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
        notes += SQLiteDetection.note(holding.others.map(\.written), "left out, for no array of records stands there")
        if !isWhole { notes.append("only the beginning was looked through for arrays, and more of them may follow") }
        return notes
    }

    /// Whether what follows the bracket can be JSON, so that `[draft],x` stays a line of cells.
    private static func beginsWithElement(_ bracket: JSONCursor) -> Bool {
        var cursor = bracket
        cursor.position += 1
        cursor.skipSpace()
        return cursor.position == cursor.end || "]{[\"-0123456789tfn".utf8.contains(cursor.byte)
    }
}
