extension BuildMonthCalendar {
    static let examples = [
        StageExample(
            "a month is whole weeks, today is marked, and entries of other months are counted",
            options: "layout: weeks\ntoday: 오늘",
            input: """
                date:day
                2026-11-21
                2026-11-01
                2026-11-21
                2026-10-31
                2026-12-01
                2027-01-01
                """,
            output: """
                month:text,week:integer,Sun:text,Mon:text,Tue:text,Wed:text,Thu:text,Fri:text,Sat:text,entries:integer,previous_month:day,next_month:day,earlier_entries:integer,later_entries:integer
                2026-11,1,1 (1),2,3,4,5,6,7,1,2026-10-21,2026-12-21,1,2
                2026-11,2,8,9,10,11,12,13,14,0,2026-10-21,2026-12-21,1,2
                2026-11,3,15,16,17,18,19,20,21 (2) 오늘,2,2026-10-21,2026-12-21,1,2
                2026-11,4,22,23,24,25,26,27,28,0,2026-10-21,2026-12-21,1,2
                2026-11,5,29,30,,,,,,0,2026-10-21,2026-12-21,1,2
                """
        ),
        StageExample(
            "from 31 January the next month is 28 February, not March, and a warning says so",
            options: """
                days: saved
                selected: 2026-01-31
                layout: weeks
                cells: entries
                first_weekday: monday
                """,
            input: "saved:day\n2026-01-31\n2026-03-03",
            output: """
                month:text,week:integer,Mon:integer,Tue:integer,Wed:integer,Thu:integer,Fri:integer,Sat:integer,Sun:integer,entries:integer,previous_month:day,next_month:day,earlier_entries:integer,later_entries:integer
                2026-01,1,,,,0,0,0,0,0,2025-12-31,2026-02-28,0,1
                2026-01,2,0,0,0,0,0,0,0,0,2025-12-31,2026-02-28,0,1
                2026-01,3,0,0,0,0,0,0,0,0,2025-12-31,2026-02-28,0,1
                2026-01,4,0,0,0,0,0,0,0,0,2025-12-31,2026-02-28,0,1
                2026-01,5,0,0,0,0,0,1,,1,2025-12-31,2026-02-28,0,1
                """,
            findings: ["1 next_month day-clamped"]
        ),
        StageExample(
            "a row for each cell, with the words of its day; a row without a day is rejected",
            options: """
                month: 2015-02
                labels: word
                most_labels: 2
                """,
            input: """
                date:day,word:text
                2015-02-03,사과
                2015-02-03,바다
                2015-02-03,산
                2015-02-28,
                ,강
                """,
            output: """
                month:text,week:integer,weekday:text,date:day,day:integer,entries:integer,today:flag,labels:text,previous_month:day,next_month:day,earlier_entries:integer,later_entries:integer
                2015-02,1,Sun,2015-02-01,1,0,false,,2015-01-21,2015-03-21,0,0
                2015-02,1,Mon,2015-02-02,2,0,false,,2015-01-21,2015-03-21,0,0
                2015-02,1,Tue,2015-02-03,3,3,false,"사과, 바다, +1",2015-01-21,2015-03-21,0,0
                2015-02,1,Wed,2015-02-04,4,0,false,,2015-01-21,2015-03-21,0,0
                2015-02,1,Thu,2015-02-05,5,0,false,,2015-01-21,2015-03-21,0,0
                2015-02,1,Fri,2015-02-06,6,0,false,,2015-01-21,2015-03-21,0,0
                2015-02,1,Sat,2015-02-07,7,0,false,,2015-01-21,2015-03-21,0,0
                2015-02,2,Sun,2015-02-08,8,0,false,,2015-01-21,2015-03-21,0,0
                2015-02,2,Mon,2015-02-09,9,0,false,,2015-01-21,2015-03-21,0,0
                2015-02,2,Tue,2015-02-10,10,0,false,,2015-01-21,2015-03-21,0,0
                2015-02,2,Wed,2015-02-11,11,0,false,,2015-01-21,2015-03-21,0,0
                2015-02,2,Thu,2015-02-12,12,0,false,,2015-01-21,2015-03-21,0,0
                2015-02,2,Fri,2015-02-13,13,0,false,,2015-01-21,2015-03-21,0,0
                2015-02,2,Sat,2015-02-14,14,0,false,,2015-01-21,2015-03-21,0,0
                2015-02,3,Sun,2015-02-15,15,0,false,,2015-01-21,2015-03-21,0,0
                2015-02,3,Mon,2015-02-16,16,0,false,,2015-01-21,2015-03-21,0,0
                2015-02,3,Tue,2015-02-17,17,0,false,,2015-01-21,2015-03-21,0,0
                2015-02,3,Wed,2015-02-18,18,0,false,,2015-01-21,2015-03-21,0,0
                2015-02,3,Thu,2015-02-19,19,0,false,,2015-01-21,2015-03-21,0,0
                2015-02,3,Fri,2015-02-20,20,0,false,,2015-01-21,2015-03-21,0,0
                2015-02,3,Sat,2015-02-21,21,0,false,,2015-01-21,2015-03-21,0,0
                2015-02,4,Sun,2015-02-22,22,0,false,,2015-01-21,2015-03-21,0,0
                2015-02,4,Mon,2015-02-23,23,0,false,,2015-01-21,2015-03-21,0,0
                2015-02,4,Tue,2015-02-24,24,0,false,,2015-01-21,2015-03-21,0,0
                2015-02,4,Wed,2015-02-25,25,0,false,,2015-01-21,2015-03-21,0,0
                2015-02,4,Thu,2015-02-26,26,0,false,,2015-01-21,2015-03-21,0,0
                2015-02,4,Fri,2015-02-27,27,0,false,,2015-01-21,2015-03-21,0,0
                2015-02,4,Sat,2015-02-28,28,1,false,,2015-01-21,2015-03-21,0,0
                """,
            findings: ["5 date missing-value"]
        ),
        StageExample(
            "all months that have entries, each counting what lies before and after it",
            options: "month: all\nlayout: weeks\ncells: day",
            input: "date:day\n2015-02-03\n2026-02-01\n2026-02-02",
            output: """
                month:text,week:integer,Sun:integer,Mon:integer,Tue:integer,Wed:integer,Thu:integer,Fri:integer,Sat:integer,entries:integer,previous_month:day,next_month:day,earlier_entries:integer,later_entries:integer
                2015-02,1,1,2,3,4,5,6,7,1,2015-01-21,2015-03-21,0,2
                2015-02,2,8,9,10,11,12,13,14,0,2015-01-21,2015-03-21,0,2
                2015-02,3,15,16,17,18,19,20,21,0,2015-01-21,2015-03-21,0,2
                2015-02,4,22,23,24,25,26,27,28,0,2015-01-21,2015-03-21,0,2
                2026-02,1,1,2,3,4,5,6,7,2,2026-01-21,2026-03-21,1,0
                2026-02,2,8,9,10,11,12,13,14,0,2026-01-21,2026-03-21,1,0
                2026-02,3,15,16,17,18,19,20,21,0,2026-01-21,2026-03-21,1,0
                2026-02,4,22,23,24,25,26,27,28,0,2026-01-21,2026-03-21,1,0
                """
        ),
        StageExample(
            "a month is written as 2026-11",
            options: "month: November",
            input: "date:day\n2026-11-21",
            refused: "'month': expected selected, all, or a month such as 2026-11, found 'November'"
        ),
    ]
}
