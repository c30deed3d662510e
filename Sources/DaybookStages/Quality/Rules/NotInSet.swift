/// A text must not be one of a list. A missing value is no text, and so breaks nothing.
struct NotInSet: ValueRule {
    static let name = "not_in_set"
    static let summary = "No value of a text column is one of a list."

    let column: ColumnName
    let values: [String]
    private let lookup: TextLookup

    init(reading options: inout OptionReader) {
        column = options.read("column", help: "Column whose values are looked up.")
        values = options.read("values", help: "The values that are not allowed, byte by byte.")
        lookup = TextLookup(values)
        if values.isEmpty { options.refuse("values", "'values' forbids nothing") }
    }

    var finding: Finding.Kind { Finding.Kind("in-forbidden-set", "{value} is \(InSet.spoken(values))") }
    var columns: [ColumnName] { [column] }
    var complaint: String { "have a value in '\(column)' that is \(InSet.spoken(values))" }

    func check(_ input: Schema) throws(DaybookError) {
        try input.requiring(
            column,
            .text,
            hint: "'holds' compares columns of other kinds, as in holds: \"\(column) not in (1, 2)\""
        )
    }

    func broken(in batch: Batch) -> Mask { batch.text(in: column).rows { lookup.find($0) >= 0 } }

    static let examples: [StageExample] = [
        .passing(
            "words that stand for nothing are told; a missing value and a longer word are not among them",
            options: "rules: [{ not_in_set: { column: emotion, values: ['?', 테스트] } }]",
            rows: """
                emotion:text
                행복해
                ?

                테스트
                테스트2
                """,
            findings: ["2 emotion in-forbidden-set", "4 emotion in-forbidden-set"]
        )
    ]
}
