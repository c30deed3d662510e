extension WindowRows {
    static let examples: [StageExample] = [
        StageExample(
            "what came before in each region, by day, while the rows stay where they are",
            options: """
                by: region
                order: date
                columns:
                  day: row_number
                  previous: lag(revenue)
                  so_far: sum(revenue)
                  best: max(revenue)
                """,
            input: """
                region:text,date:day,revenue:integer
                Seoul,2026-03-02,20
                Busan,2026-03-01,5
                Seoul,2026-03-01,10
                Seoul,2026-03-03,
                Busan,2026-03-02,7
                Seoul,2026-03-04,15
                """,
            output: """
                region:text,date:day,revenue:integer,day:integer,previous:integer,so_far:integer,best:integer
                Seoul,2026-03-02,20,2,10,30,20
                Busan,2026-03-01,5,1,,5,5
                Seoul,2026-03-01,10,1,,10,10
                Seoul,2026-03-03,,3,20,30,20
                Busan,2026-03-02,7,2,5,12,7
                Seoul,2026-03-04,15,4,,45,20
                """
        ),
        StageExample(
            "ranks have gaps behind rows that are alike, dense ranks have none",
            options: """
                order: [{ column: points, order: descending }]
                columns: { place: rank, step: dense_rank, line: row_number }
                memory_mebibytes: 64
                """,
            input: """
                name:text,points:integer
                민아,7
                준호,9
                서연,7
                지우,
                하은,3
                """,
            output: """
                name:text,points:integer,place:integer,step:integer,line:integer
                민아,7,2,2,2
                준호,9,1,1,1
                서연,7,2,2,3
                지우,,5,4,5
                하은,3,4,3,4
                """
        ),
        StageExample(
            "a moving frame of rows and one of days, in which days without a row leave a gap",
            options: """
                order: date
                columns:
                  three_rows: mean(felt, 3 rows)
                  three_days: mean(felt, 3 days)
                  low: min(felt, 2 rows)
                  rows: count(3 days)
                  values: count(felt, 3 days)
                """,
            input: """
                date:day,felt:decimal
                2026-03-01,0.1
                2026-03-02,0.2
                2026-03-03,0.6
                2026-03-05,
                2026-03-06,0.4
                ,1
                """,
            output: """
                date:day,felt:decimal,three_rows:decimal,three_days:decimal,low:decimal,rows:integer,values:integer
                2026-03-01,0.1,0.1,0.1,0.1,1,1
                2026-03-02,0.2,0.15000000000000002,0.15000000000000002,0.1,2,2
                2026-03-03,0.6,0.3,0.3,0.2,3,3
                2026-03-05,,0.4,0.6,0.6,2,1
                2026-03-06,0.4,0.5,0.4,0.4,2,1
                ,1,0.7,,0.4,,
                """
        ),
        StageExample(
            "without an order the rows of a group are in that of the input; a missing value takes the last one before it",
            options: """
                by: [app]
                columns: { version: fill_forward(seen), next: lead(seen), second: "lag(seen, 2)", first: min(seen) }
                """,
            input: """
                app:text,seen:text
                Diary,1.0
                Todo,
                Diary,
                Todo,2.0
                Diary,1.1
                """,
            output: """
                app:text,seen:text,version:text,next:text,second:text,first:text
                Diary,1.0,1.0,,,1.0
                Todo,,,2.0,,
                Diary,,1.0,1.1,,1.0
                Todo,2.0,2.0,,,2.0
                Diary,1.1,1.1,,1.0,1.0
                """
        ),
        StageExample(
            "what is not a number stands in no window, and a sum beyond 64 bits is not cut off",
            options: "columns: { taps_so_far: sum(taps), share_so_far: sum(share) }",
            input: """
                taps:integer,share:decimal
                9223372036854775807,0.5
                1,0.25
                1,nan
                -2,1
                """,
            output: """
                taps:integer,share:decimal,taps_so_far:integer,share_so_far:decimal
                9223372036854775807,0.5,9223372036854775807,0.5
                -2,1,9223372036854775806,1.75
                """,
            findings: ["3 share not-a-number", "2 taps sum-too-large"]
        ),
        StageExample(
            "days need a column that says when a row was",
            options: "order: week\ncolumns: { total: 'sum(count, 7 days)' }",
            input: "week:integer,count:integer",
            refused: "column 'week' holds integer, not day or instant"
        ),
        StageExample(
            "a function that is not there is refused",
            options: "columns: { before: shift(count) }",
            input: "count:integer",
            refused: "'columns': there is no function 'shift'"
        ),
    ]
}
