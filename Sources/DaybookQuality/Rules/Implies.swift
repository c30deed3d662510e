import DaybookExpressions

/// If one expression is true, another has to be true. A missing result of the second passes.
struct Implies: RowRule {
    static let name = "implies"
    static let summary =
        "Where the expression 'if' is true, 'then' is not false; every row counts for limits in percent."

    private let premise: RowFilter
    private let conclusion: RowFilter

    init(reading options: inout OptionReader) {
        let premise: ExpressionText = options.read("if", help: "The expression that says which rows are meant.")
        let conclusion: ExpressionText = options.read("then", help: "The expression that has to be true of them.")
        self.premise = RowFilter(premise, reading: &options)
        self.conclusion = RowFilter(conclusion, reading: &options)
    }

    private var written: String {
        let (premise, conclusion) = (premise.condition.text.onOneLine, conclusion.condition.text.onOneLine)
        return "if \(premise.shortened), then \(conclusion.shortened)"
    }

    var finding: Finding.Kind {
        Finding.Kind("does-not-hold", "'\(written)' does not hold", showing: columns.map(\.text))
    }
    var columns: [ColumnName] {
        var columns = conclusion.condition.columnNames
        columns += premise.condition.columnNames.filter { !columns.contains($0) }
        return columns
    }
    // 'then' holds the requirement, so findings point to its column if it has only one.
    var target: ColumnName? {
        let asked = conclusion.condition.columnNames
        return asked.count == 1 ? asked[0] : nil
    }
    var complaint: String { "do not hold: \(written)" }
    var expectation: String { "in every row: \(written)" }

    func check(_ input: Schema) throws(DaybookError) {
        try premise.check(input)
        try conclusion.check(input)
    }

    func breaches(in batch: Batch) -> [Breach] {
        let isMeant = premise.truth(in: batch)
        var breaches = Breach.unless(conclusion.truth(in: batch), finding, in: target)
        for index in breaches.indices { breaches[index].rows.formIntersection(isMeant.trueRows) }
        if let uncomputable = isMeant.uncomputableRows {
            breaches.append(Breach(.notComputable("the expression"), in: nil, uncomputable))
        }
        return breaches
    }

    static let examples: [StageExample] = [
        .passing(
            "a sad day needs a note",
            options: """
                rules:
                  - implies: { if: "emotion = '우울해' and count > 3", then: "note is not missing" }
                """,
            rows: """
                emotion:text,count:integer,note:text
                우울해,5,비
                우울해,5,
                우울해,2,
                행복해,9,
                """,
            findings: ["2 note does-not-hold"]
        )
    ]
}
