import DaybookCore

extension CheckRows {
    public static let description = StageDescription(
        name: "check_rows",
        summary: "Hold rows against rules, tell which break them and where, and fail the run where too many do.",
        details: """
            A rule without limits fails the run with the first row that breaks it; 'warn' and 'fail' say how many are too many, as \
            a count or a share of the rows that were asked about; 'warn' alone never fails. Rows that break a rule go on unless the \
            rule says 'then: reject'. Rejects of rules count under the limits of the rule, not under what the job allows.
            """,
        examples: [
            StageExample(
                "a value has to be there",
                options: "rules: [{ not_missing: emotion }]",
                input: """
                    id:text,emotion:text
                    1,행복해
                    2,
                    3,""
                    """,
                output: """
                    id:text,emotion:text
                    1,행복해
                    2,
                    3,""
                    """,
                findings: ["2 emotion missing-value"]
            ),
            StageExample(
                "a key that comes twice is told at each repeat, with the row that has it first",
                options: "rules: [{ unique: [date, id], id: one-a-day, fail: '> 1%', at_least: 10 }]",
                input: """
                    date:day,id:integer
                    2026-01-01,1
                    2026-01-02,1
                    2026-01-01,1
                    2026-01-01,
                    2026-01-01,
                    """,
                output: """
                    date:day,id:integer
                    2026-01-01,1
                    2026-01-02,1
                    2026-01-01,1
                    2026-01-01,
                    2026-01-01,
                    """,
                findings: ["3 date duplicate-key"]
            ),
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
                output: """
                    emotion:text,count:integer
                    행복해,3
                    우울해,-1
                    ,
                    """,
                findings: ["2 emotion not-in-set"]
            ),
            StageExample(
                "an empty table is found too",
                options: "rules: [{ row_count: { min: 1 } }]",
                input: "id:text",
                output: "id:text",
                findings: ["0 - wrong-row-count"]
            ),
            StageExample(
                "a rule that nobody knows is refused",
                options: "rules: [{ not_mising: emotion }]",
                input: "emotion:text",
                refused: "a rule has no option 'not_mising'"
            ),
        ]
    )
}
