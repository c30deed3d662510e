/// Every text is one of a list. Missing texts pass.
struct InSet: ValueRule, ColumnRule {
    static let name = "in_set"
    static let summary = "Every value of a text column is one of a list."

    let column: ColumnName
    let values: [String]
    private let lookup: TextLookup
    private let nearest: NearestNames

    init(reading options: inout OptionReader) {
        column = options.read("column", help: "Column whose values are looked up.")
        values = options.read("values", help: "The values that are allowed, byte by byte.")
        lookup = TextLookup(values)
        nearest = NearestNames(values)
        if values.isEmpty { options.refuse("values", "'values' allows nothing") }
    }

    var finding: Finding.Kind {
        Finding.Kind("not-in-set", "{value} is not \(InSet.displayText(values))", hint: nearest.hint)
    }
    var complaint: String { "have a value in '\(column)' that is not \(InSet.displayText(values))" }
    var expectation: String { "every value in '\(column)' is \(InSet.displayText(values))" }

    func check(_ input: Schema) throws(DaybookError) {
        let hint = "'holds' compares columns of other kinds, as in holds: \"\(column) in (1, 2)\""
        try input.requiring(column, .text, hint: hint)
    }

    func broken(in batch: Batch) -> Mask { batch.text(in: column).rows { lookup.find($0) < 0 } }

    /// `one of 행복해, 우울해`, truncated for many values.
    static func displayText(_ values: [String]) -> String {
        if values.count == 1 { return "'\(values[0])'" }
        return "one of \(DisplayText.first(8, of: values))"
    }

    static let examples: [StageExample] = [
        StageExample(
            "rows that break a rule can be rejected, and each rule sees them all",
            options: """
                rules:
                  - in_set: { column: emotion, values: [행복해, 우울해] }
                    then: reject
                  - between: { column: count, min: 0, max: 1000 }
                    warn: '> 0'
                    then: count
                """,
            input: """
                emotion:text,count:integer
                행복해,3
                슬퍼요,2000
                우울해,-1
                ,
                """,
            output: "emotion:text,count:integer\n행복해,3\n우울해,-1\n,",
            findings: ["2 emotion not-in-set"]
        ),
        .passing(
            "a word is compared as a whole, byte by byte",
            options: "rules: [{ in_set: { column: emotion, values: [행복해] } }]",
            rows: "emotion:text\n행복해\n행복\n행복해요",
            findings: ["2 emotion not-in-set", "3 emotion not-in-set"]
        ),
    ]
}

/// No text is one of a list. Missing texts pass.
struct NotInSet: ValueRule, ColumnRule {
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

    var finding: Finding.Kind {
        Finding.Kind(
            "in-forbidden-set",
            values.count == 1 ? "{value} is not allowed" : "{value} is \(InSet.displayText(values))"
        )
    }
    var complaint: String { "have a value in '\(column)' that is \(InSet.displayText(values))" }

    func check(_ input: Schema) throws(DaybookError) {
        let hint = "'holds' compares columns of other kinds, as in holds: \"\(column) not in (1, 2)\""
        try input.requiring(column, .text, hint: hint)
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
