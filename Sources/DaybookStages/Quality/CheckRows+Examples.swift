extension CheckRows {
    public static var description: StageDescription {
        StageDescription(
            name: "check_rows",
            summary: "Hold rows against rules, tell which break them and where, and fail the run where too many do.",
            details: """
                Each entry under 'rules' names one rule. Without limits it fails the run with the first row that breaks it; 'warn' \
                and 'fail' say how many are too many, as a count or a share of the rows that were asked about, and 'warn' alone never \
                fails. Every rule sees every row, also those that another rejects. Rows that break a rule go on unless it says \
                'then: reject'; such rejects count under the limits of the rule, not under what the job allows. A missing value breaks \
                no rule but not_missing, and a rule about all rows together is judged once, at their end.
                """,
            examples: [
                .passing(
                    "rules with limits of their own; a row is told for each rule that it breaks",
                    options: """
                        rules:
                          - not_missing: emotion
                            id: emotion-is-there
                          - between: { column: count, min: 0, max: 1000 }
                            where: "emotion is not missing"
                            warn: "> 0"
                            fail: "> 10%"
                            at_least: 10
                          - row_count: { min: 1 }
                        """,
                    rows: """
                        emotion:text,count:integer
                        행복해,3
                        ,2000
                        우울해,-1
                        """,
                    findings: ["2 emotion missing-value", "3 count out-of-range"]
                ),
                StageExample(
                    "a rule that nobody knows is refused",
                    options: "rules: [{ not_mising: emotion }]",
                    input: "emotion:text",
                    refused: "a rule has no option 'not_mising'"
                ),
                StageExample(
                    "all that is wrong with the rules is told at once",
                    options: "rules: [{ in_set: { column: emotion } }, { id: nothing }, { matches: colour }]",
                    input: "emotion:text",
                    refused:
                        "the option 'values' is missing; this entry asks nothing; expected a map of options, found 'colour'"
                ),
            ] + Rules.table.rules.flatMap { $0.examples }
        )
    }
}
