/// The number of rows has to lie between two bounds, or match the rows of another stage.
struct RowCount: MemoryRule, ReferringRule, MeasuringRule {
    static let isAboutTable = true
    static let name = "row_count"
    static let summary = "There are at least and at most so many rows, also as a share of the rows of another stage."

    let min: CountOrShare?
    let max: CountOrShare?
    let against: PastLimits
    let measure = ObservedValue.Measure.rows
    let figureName = "the number of rows"
    private let reference: StageReference?
    /// Whether both stages have to have the same number of rows.
    private let isSame: Bool

    init(reading options: inout OptionReader) {
        let min: CountOrShare? = options.optional(
            "min",
            help: "The fewest rows that there may be; with 'of' also a share, such as 90%."
        )
        let max: CountOrShare? = options.optional(
            "max",
            help: "The most rows that there may be; with 'of' also a share, such as 110%."
        )
        let whole: StageReference? = options.optional(
            "of",
            help: "The stage whose rows shares are shares of. It is read to its end before any row comes."
        )
        let same: StageReference? = options.optional(
            "same_as",
            help: "The stage that has to have as many rows, in the place of 'of' with 100%."
        )
        against = PastLimits(reading: &options)
        (self.min, self.max) = same == nil ? (min, max) : (.all, .all)
        reference = same ?? whole
        isSame = same != nil
        if same != nil {
            for key in ["min", "max", "of"] where options.isWritten(key) {
                let hint = "write 'of' with 'min' and 'max'"
                options.refuse(key, "'same_as' and '\(key)' contradict each other", hint: hint)
            }
        } else {
            RuleBound.check(min, max, against, of: Self.name, &options, isMore: CountOrShare.isMore)
            for (key, bound) in [("min", min), ("max", max)] where bound?.isShare == true && whole == nil {
                options.refuse(key, "'\(key)' is a share, and 'of' names no stage whose rows it is a share of")
            }
            if whole != nil, min?.isShare != true, max?.isShare != true {
                let hint = "write a percentage, such as min: 90%"
                options.refuse("of", "'of' has no meaning without a share", hint: hint)
            }
        }
    }

    var finding: Finding.Kind { Finding.Kind("wrong-row-count", "there are too few or too many rows") }
    var columns: [ColumnName] { [] }
    var complaint: String { "are too few or too many" }
    var bounded: String? {
        if isSame { return "as many rows as '\(reference?.written ?? "")'" }
        guard min != nil || max != nil else { return nil }
        return
            "\(figureName) is \(RuleBound.displayText(min, max))\(reference.map { ", shares of those of '\($0.written)'" } ?? "")"
    }

    var side: BuildSideReference? { reference?.side }
    var sideColumns: [ColumnName] { [] }
    func check(_ input: Schema?, against side: Schema) {}
    func known(of side: BuildSide) -> Int { side.rows.rowCount }

    struct Memory: PartialResult {
        var rows: Int
        /// The row count of the other stage; a merge of shards does not read it.
        var others: Int?
    }

    func partial(of rows: CheckedRows, reporting breaches: inout [Breach]) -> Memory {
        Memory(rows: rows.count, others: rows.known as? Int)
    }

    func merge(_ later: Memory, into earlier: inout Memory, scratch: any Scratch) {
        earlier.rows += later.rows
        earlier.others = earlier.others ?? later.others
    }

    func figure(of memory: Memory?) -> ObservedValue? { ObservedValue(measure, Double(memory?.rows ?? 0)) }

    func conclude(_ memory: Memory?, _ conclusion: inout RuleConclusion) {
        conclusion.observe(figure(of: memory))
        guard let others = memory?.others ?? conclusion.known as? Int ?? (reference == nil ? 0 : nil) else {
            // A merge of shards without a row has not read the other stage.
            return conclusion.judge("there are no rows, and those of '\(reference?.written ?? "")' are not known here")
        }
        if let judgement = judgement(of: memory?.rows ?? 0, others) { conclusion.judge(judgement) }
    }

    private func judgement(of rows: Int, _ others: Int) -> String? {
        let found = "there \(rows == 1 ? "is 1 row" : "are \(rows.displayText) rows")"
        if isSame {
            return rows == others ? nil : "\(found), and '\(reference?.written ?? "")' has \(others.displayText)"
        }
        if let max, !max.permits(rows, of: others) {
            return "\(found), and at most \(bound(max, others)) should be there"
        }
        if let min, !min.isReached(by: rows, of: others) {
            return "\(found), and at least \(bound(min, others)) should be there"
        }
        return nil
    }

    /// `90% of the 4,183 of 'orders'`.
    private func bound(_ bound: CountOrShare, _ others: Int) -> String {
        guard bound.isShare, let reference else { return Int(bound.written)?.displayText ?? bound.written }
        return "\(bound.written) of the \(others.displayText) of '\(reference.written)'"
    }

    static let examples: [StageExample] = [
        .passing(
            "an empty table is found too",
            options: "rules: [{ row_count: { min: 1 } }]",
            rows: "id:text",
            findings: ["0 - wrong-row-count"]
        ),
        .passing(
            "with 'where', only some rows count",
            options: """
                rules:
                  - row_count: { min: 1, max: 2 }
                    where: "emotion = '행복해'"
                """,
            rows: """
                emotion:text
                행복해
                우울해
                행복해
                행복해
                """,
            findings: ["0 - wrong-row-count"]
        ),
        .passing(
            "a number of rows is held against earlier runs; the first one holds",
            options: """
                rules:
                  - row_count: { change: { max: 20%, from: same weekday } }
                  - row_count: { min: 2, anomaly: { of: 28 runs, deviations: 4 } }
                """,
            rows: "id:text\na",
            findings: ["0 - wrong-row-count"]
        ),
        .passing(
            "with 'by', each group has so many rows",
            options: "rules: [{ row_count: { max: 2, by: [shop, day] } }, { row_count: { min: 2, by: day } }]",
            rows: """
                shop:text,day:integer
                서울,1
                부산,1
                서울,2
                서울,1
                서울,1
                ,3
                """,
            findings: ["0 - wrong-row-count", "0 - wrong-row-count"]
        ),
        .passing(
            "each shop is held against its own earlier runs; the first one holds",
            options: "rules: [{ row_count: { change: { max: 20%, from: last }, by: shop } }]",
            rows: "shop:text\n서울\n부산",
            findings: []
        ),
        StageExample(
            "what it is compared with is one of three",
            options: "rules: [{ row_count: { change: { max: 20%, from: yesterday } } }]",
            input: "id:text",
            refused:
                "'change': expected 'last', 'same weekday', or a median of 2 to 366 runs such as 'median of 7', found 'yesterday'"
        ),
        .passing(
            "as many rows as another stage has, or a share of them",
            options: """
                rules:
                  - row_count: { same_as: vocabulary }
                  - row_count: { of: vocabulary, min: 60%, max: 110% }
                """,
            rows: "id:text\na\nb",
            beside: "name:text\nx\ny\nz",
            findings: ["0 - wrong-row-count"]
        ),
        StageExample(
            "a share is that of another stage",
            options: "rules: [{ row_count: { min: 90% } }]",
            input: "id:text",
            refused: "'min' is a share, and 'of' names no stage whose rows it is a share of"
        ),
    ]
}
