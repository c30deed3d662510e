import DaybookContracts

extension Finding.Kind {
    static func tooManyWords(_ limit: Int) -> Finding.Kind {
        Finding.Kind("too-many-words", "the text has more than \(limit) words")
    }
}

/// Counts the words of a text column.
///
/// Words are what blanks, tabs and line breaks part, so `오늘은 바다에 갔다` has three. An empty text has none, and a
/// missing text has a missing count: nothing was written is not the same as nothing is known.
public struct CountWords: TransformStage {
    let text: ColumnName
    let words: ColumnName
    let limit: Int?

    public init(reading options: inout OptionReader) {
        text = options.read("text", default: ColumnName("note"), help: "Column of texts to count.")
        words = options.read("words", default: ColumnName("words"), help: "Column to write the counts to.")
        limit = options.optional("limit", help: "Reject texts of more words than this.")
        if let limit, limit < 0 { options.refuse("limit", "'limit' cannot be negative") }
    }

    public static let description = StageDescription(
        name: "count_words",
        summary: "Count the words of a text column.",
        examples: [
            StageExample(
                "an empty text has no words, and a missing one no count",
                input: """
                    note:text
                    오늘은 바다에 갔다

                    "two
                    lines  here "
                    ""
                    """,
                output: """
                    note:text,words:integer
                    오늘은 바다에 갔다,3
                    ,
                    "two
                    lines  here ",3
                    "",0
                    """
            ),
            StageExample(
                "a text of more words than the limit is rejected",
                options: "text: title\nwords: length\nlimit: 2",
                input: """
                    title:text
                    A day
                    A very long day
                    """,
                output: """
                    title:text,length:integer
                    A day,2
                    """,
                findings: ["2 title too-many-words"]
            ),
            StageExample(
                "a column that is there already stays as it is, and the stage asks for another name",
                options: "words: title",
                input: "note:text,title:text",
                refused: "there is a column named 'title' already"
            ),
            StageExample(
                "a column that holds no text is refused before a row is read",
                options: "text: date",
                input: "date:day",
                refused: "column 'date' holds day, not text"
            ),
        ]
    )

    public func schema(after input: Schema) throws(DaybookError) -> Schema {
        try input.requiring(text, .text).adding(words, .integer)
    }

    public func columns(neededFor wanted: ColumnSet) -> ColumnSet { wanted.making([words], from: [text]) }

    public func process(_ batch: Batch, reporting findings: inout Findings) -> Batch {
        let counts = batch.text(in: text).mapValues(filler: Int64(0)) { _, cell in CountWords.words(in: cell) }
        if let limit {
            let token = findings.token(.tooManyWords(limit), in: text)
            for row in 0..<batch.count where (counts[row] ?? 0) > limit { findings.reject(row, token) }
        }
        return batch.setting(words, to: .integers(counts))
    }

    /// Blanks are single bytes below 0x21, and in UTF-8 no other letter has such a byte in it.
    private static func words(in cell: Cell) -> Int64 {
        var words: Int64 = 0
        var isInside = false
        for byte in cell {
            let isBlank = byte == 0x20 || (0x09...0x0d).contains(byte)
            if !isBlank, !isInside { words += 1 }
            isInside = !isBlank
        }
        return words
    }
}
