import DaybookTables

/// The number of different values of a column lies between bounds. Counted exactly; beyond the memory limit on disk.
struct Distinct: MeasuringRule, ColumnRule {
    static let name = "distinct"
    static let summary = "A column holds at least and at most so many different values, as a count or a share of all."
    static let isAboutTable = true

    let column: ColumnName
    let min: CountOrShare?
    let max: CountOrShare?
    let against: PastLimits
    let measure = ObservedValue.Measure.distinct

    init(reading options: inout OptionReader) {
        column = options.read("column", help: "Column whose values are counted.")
        min = options.optional(
            "min",
            help: "The fewest different values: a count, or a share of the values that are there, such as 90%."
        )
        max = options.optional("max", help: "The most different values, as a count or a share.")
        against = PastLimits(reading: &options)
        RuleBound.check(min, max, against, of: Self.name, &options, isMore: CountOrShare.isMore)
    }

    var finding: Finding.Kind { Finding.Kind("wrong-distinct", "there are too few or too many different values") }
    var figureName: String { "the number of different values in '\(column)'" }
    var complaint: String { "have too few or too many different values in '\(column)'" }
    var bounded: String? { min == nil && max == nil ? nil : "\(figureName) is \(RuleBound.displayText(min, max))" }
    func check(_ input: Schema) throws(DaybookError) { try input.requiringComparable(column) }

    /// Groups by value, without aggregates.
    private struct Values: Grouping {
        let by: [ColumnName]
        func values(of schema: Schema) -> [(values: any GroupValues, column: ColumnName?)] { [] }
    }

    func partial(of rows: CheckedRows, reporting breaches: inout [Breach]) -> GroupSummary {
        GroupSummary(rows.having([column]), Values(by: [column]))
    }

    func conclude(_ memory: GroupSummary?, _ conclusion: inout RuleConclusion) throws(DaybookError) {
        let (found, all) = (try memory?.groupCount(conclusion.scratch) ?? 0, memory?.foldedRows ?? 0)
        conclusion.observe(ObservedValue(measure, Double(found)))
        let isEnough = min?.isReached(by: found, of: all) ?? true
        guard !isEnough || max?.permits(found, of: all) == false else { return }
        conclusion.judge(
            "'\(column)' holds \(found.displayText) different \(found == 1 ? "value" : "values") among \(all.displayText), "
                + "not \(RuleBound.displayText(min, max))"
        )
    }

    static let examples: [StageExample] = [
        .passing(
            "three different stations among five, of which one is missing in a row",
            options: """
                rules:
                  - distinct: { column: station, min: 3, max: 3 }
                  - distinct: { column: station, min: 4 }
                  - distinct: { column: station, max: 50% }
                  - distinct: { column: station, change: { max: 0%, from: last }, anomaly: { of: 28 runs } }
                """,
            rows: """
                station:text
                서울
                부산

                서울
                제주
                서울
                """,
            findings: ["0 station wrong-distinct", "0 station wrong-distinct"]
        ),
        .passing(
            "with 'where', the values of some rows are counted; none are none",
            options: """
                rules:
                  - distinct: { column: id, min: 100% }
                    where: id > 1
                  - distinct: { column: id, min: 1 }
                    where: id > 9
                """,
            rows: "id:integer\n1\n1\n2\n3",
            findings: ["0 id wrong-distinct"]
        ),
        .passing(
            "with 'by', a post code belongs to one town only",
            options: "rules: [{ distinct: { column: town, max: 1, by: code } }]",
            rows: "code:text,town:text\n1,서울\n2,부산\n1,서울\n2,제주\n2,",
            findings: ["0 town wrong-distinct"]
        ),
        StageExample(
            "a share has a percent sign, since 0.9 might be meant as either",
            options: "rules: [{ distinct: { column: id, min: 0.9 } }]",
            input: "id:integer",
            refused: "'min': expected a count such as 25, or a percentage such as 90%, found '0.9'"
        ),
    ]
}
