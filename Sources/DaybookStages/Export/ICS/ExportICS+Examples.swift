extension ExportICS {
    static let examples = [
        StageExample(
            "an event of a whole day ends on the next, with its key as UID and its texts escaped",
            options: """
                path: out/dday.ics
                date: day
                summary: title
                description: note
                uid: id
                name: 우리의 기념일
                refresh_hours: 12
                """,
            input: """
                id:integer,day:day,title:text,note:text
                7,2026-12-31,처음 만난 날,"Rain, umbrella; \\o/
                and tea"
                """,
            output: """
                BEGIN:VCALENDAR\r
                VERSION:2.0\r
                PRODID:-//Daybook//Daybook//EN\r
                CALSCALE:GREGORIAN\r
                NAME:우리의 기념일\r
                X-WR-CALNAME:우리의 기념일\r
                REFRESH-INTERVAL;VALUE=DURATION:PT12H\r
                X-PUBLISHED-TTL:PT12H\r
                BEGIN:VEVENT\r
                UID:7\r
                DTSTAMP:20261121T000000Z\r
                DTSTART;VALUE=DATE:20261231\r
                DTEND;VALUE=DATE:20270101\r
                SUMMARY:처음 만난 날\r
                DESCRIPTION:Rain\\, umbrella\\; \\\\o/\\nand tea\r
                TRANSP:TRANSPARENT\r
                END:VEVENT\r
                END:VCALENDAR\r

                """
        ),
        StageExample(
            "yearly events come back by a rule, 29 February by one that has a day in every year; phones remind in time",
            options: """
                path: birthdays.ics
                summary: "{name}의 생일"
                yearly: comes_back
                leap_day: mar1
                alarms: [{ days_before: 1, at: 09:00 }, { at: 08:30 }]
                """,
            input: """
                date:day,name:text,comes_back:flag
                2000-02-29,민아,true
                1998-03-02,준호,true
                2026-03-02,one day only,
                """,
            excerpts: [
                "NAME:birthdays",
                "DTSTART;VALUE=DATE:20000229", "RRULE:FREQ=YEARLY;BYYEARDAY=60", "SUMMARY:민아의 생일",
                "DESCRIPTION:민아의 생일", "TRIGGER:-PT15H", "TRIGGER:PT8H30M",
                "DTSTART;VALUE=DATE:19980302", "RRULE:FREQ=YEARLY\r\nSUMMARY:준호의 생일",
                "DTEND;VALUE=DATE:20260303\r\nSUMMARY:one day only의 생일",
            ]
        ),
        StageExample(
            "a UID stands once: the second event of one gets -2; rows without a day or a title are rejected",
            options: "path: \"-\"\nsummary: title\nuid: \"{title}@example\"",
            input: """
                date:day,title:text
                2026-11-21,a
                2026-11-22,a
                ,a
                2026-11-23,
                """,
            excerpts: ["NAME:Daybook", "UID:a@example\r\n", "UID:a@example-2\r\n"],
            findings: ["3 date missing-value", "4 title missing-value"]
        ),
        StageExample(
            "texts are templates as in format_text, with names of months in a language",
            options: """
                path: out.ics
                summary: "{title}, {share:.0%}"
                description: "{{{date:M월 d일 EEEE}}}"
                locale: ko_KR
                """,
            input: "date:day,title:text,share:decimal\n2026-11-21,a,0.25",
            excerpts: ["SUMMARY:a\\, 25%\r\n", "DESCRIPTION:{11월 21일 토요일}\r\n"]
        ),
        StageExample(
            "a format has to be one of its column",
            options: "path: out.ics\nsummary: \"{title:.1f}\"",
            input: "date:day,title:text\n2026-11-21,a",
            refused: "the format is one of numbers, and column 'title' holds text"
        ),
        StageExample(
            "a day is no text",
            options: "path: out.ics\nsummary: title",
            input: "date:text,title:text\n2026-11-21,a",
            refused: "column 'date' holds text, not day"
        ),
    ]
}
