/// Mends faults of texts that readers do not see: stray blanks, unseen characters, UTF-8 read as Windows-1252.
///
/// Rows stay, and clean texts are as they were. The ledger counts every mended text by column. Cleaning twice equals once.
public struct CleanText: TransformStage {
    /// The columns to clean; nil for all of text.
    private let columns: [ColumnName]?
    private let hygiene: TextHygiene

    public init(reading options: inout OptionReader) {
        let named: [ColumnName]? = options.optional(
            "columns",
            help: "Columns of text to clean; all of them when left out, or with '*'."
        )
        columns = named.map { $0.map(\.text) } == ["*"] ? nil : named
        let faults = options.read(
            "fix",
            default: [TextFault.edges, .doubleBlanks, .mojibake, .unseen],
            help: "Faults to mend, by the names that text_hygiene of check_rows has for them; mixed_scripts writes "
                + "look-alikes in words that are Latin without doubt as Latin letters."
        )
        hygiene = TextHygiene(faults)
        if faults.isEmpty { options.refuse("fix", "'fix' names no fault") }
        if columns?.isEmpty == true { options.refuse("columns", "'columns' names no column") }
        options.refuseRepeats(of: columns ?? [], in: "columns")
    }

    public func schema(after input: Schema) throws(DaybookError) -> Schema {
        for column in columns ?? [] { try input.requiring(column, .text) }
        return input
    }

    public func columns(neededFor wanted: ColumnSet) -> ColumnSet { wanted.making([], from: columns ?? []) }

    public func process(_ batch: Batch, reporting findings: inout Findings) -> Batch {
        let all = batch.schema.fields.filter { $0.kind == .text }.map { ColumnName($0.name) }
        var made: [Batch.NewColumn] = []
        for column in columns ?? all {
            let old = batch.text(in: column)
            var mended: [Int: String] = [:]
            old.forEachValue { row, cell in if let text = hygiene.mended(cell) { mended[row] = text } }
            guard !mended.isEmpty else { continue }
            findings.mend(mended.count, in: column)
            let new = TextColumn(rows: old.count, missing: old.missing, capacity: old.count * 16) { row, bytes in
                if let text = mended[row] { bytes.append(text) } else { old.withCell(row) { bytes.append($0) } }
            }
            made.append(Batch.NewColumn(column, .text(new), from: column))
        }
        guard !made.isEmpty else { return batch }
        var result = batch
        result.set(made)
        return result
    }

    public static let description = StageDescription(
        name: "clean_text",
        summary:
            "Take stray blanks and unseen characters out of texts, and mend letters that were read in another encoding.",
        details: """
            Blanks at the ends go, of several in a row one stays, and UTF-8 that was read as Windows-1252 or Latin-1 is what it was before. \
            Unseen characters go where they do nothing: soft hyphens, zero-width and control characters, marks of direction; \
            joiners in Persian, Hindi and emoji stay, as do tabs, line breaks and what begins a line. A text of blanks becomes an empty one. What cannot be mended, such as U+FFFD, stays; text_hygiene of check_rows tells it. \
            The ledger counts the mended texts of each column.
            """,
        examples: [
            StageExample(
                "blanks, unseen characters and letters read in another encoding are mended in all columns of text",
                input: """
                    id:integer,city:text,note:text
                    1," Seoul\u{A0}",two  blanks
                    2,CafÃ©,donâ€™t
                    3,Se\u{200B}oul,می\u{200C}خواهم
                    4,,"  "
                    """,
                output: """
                    id:integer,city:text,note:text
                    1,Seoul,two blanks
                    2,Café,don’t
                    3,Seoul,می\u{200C}خواهم
                    4,,""
                    """
            ),
            StageExample(
                "look-alikes of another script become Latin where the rest of the word is",
                options: "columns: [city]\nfix: [mixed_scripts]",
                input: "city:text,note:text\nPаris, a\nМoсква,b\n 12 μm,c",
                output: "city:text,note:text\nParis, a\nМoсква,b\n 12 μm,c"
            ),
            StageExample(
                "a column of another kind is refused",
                options: "columns: [id]",
                input: "id:integer",
                refused: "column 'id' holds integer, not text"
            ),
        ]
    )
}
