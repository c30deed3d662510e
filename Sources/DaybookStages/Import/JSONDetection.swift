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
        case .values:
            return FormatDetection(
                .certain,
                form: "JSON, one record behind another",
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
