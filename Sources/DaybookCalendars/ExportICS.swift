import DaybookDates
import DaybookExpressions

/// Writes days as a calendar that a phone can subscribe to: RFC 5545, with the name and refresh time of RFC 7986.
///
/// Every row is an all-day event. The UID is the job's key, or made from the day and the summary, so that it is the
/// same on every run and a phone replaces its copy; the second event of one UID gets the suffix `-2`. All times come
/// from `as_of`, so the same rows give the same bytes.
public struct ExportICS: SinkStage, SinkOperator {
    public let output: PathText
    let date: ColumnName
    let summary: CompiledTemplate
    let eventDescription: CompiledTemplate?
    let uid: CompiledTemplate?
    private let language: TemplateLanguage
    let name: String
    let yearly: YearlyEvents
    let leapDay: YearlyDay.LeapDay
    let refreshHours: Int
    /// `DTSTAMP:…`, and one `TRIGGER:…` for each alarm, as lines with their ends.
    let stamp: Bytes
    let triggers: [Bytes]

    public init(reading options: inout OptionReader) {
        output = options.read("path", help: "File to write, or - for standard output.")
        date = options.read("date", default: ColumnName("date"), help: "Column of the days of the events.")
        let summary: EventText = options.read(
            "summary",
            help: "Title of an event: a column, or a template as in format_text such as \"{title} ({date:yyyy})\"."
        )
        let description: EventText? = options.optional(
            "description",
            help: "Text below the title: a column, or a template."
        )
        let uid: EventText? = options.optional(
            "uid",
            help: "Key that stays with an event when its day or title changes: a column, or a template."
        )
        let language = TemplateLanguage(reading: &options)
        self.language = language
        self.summary = language.compile(summary.template)
        eventDescription = description.map { language.compile($0.template) }
        self.uid = uid.map { language.compile($0.template) }
        let name: String? = options.optional("name", help: "Name of the calendar; that of the file by default.")
        yearly = options.read(
            "yearly",
            default: .none,
            help: "Whether events come back every year on the same date: true, false, or a column of flags."
        )
        leapDay = options.read(
            "leap_day",
            default: .feb28,
            help: "Where 29 February falls in other years when it comes back."
        )
        let alarms: [AlarmTime] = options.read(
            "alarms",
            default: [],
            help: "When to remind: days before, and time of day."
        )
        refreshHours = options.read("refresh_hours", default: 24, help: "After how many hours a phone looks again.")
        self.name = name ?? ExportICS.stem(of: output)
        stamp = ExportICS.line("DTSTAMP:", options.context.asOf.number, "T000000Z")
        triggers = alarms.map { Bytes("TRIGGER:\($0.trigger)\r\n") }
        if !(1...8_760).contains(refreshHours) {
            options.refuse("refresh_hours", "'refresh_hours' has to be from 1 to 8760")
        }
        if case .none = yearly { options.refuse("leap_day", without: "yearly", hint: "add 'yearly: true'") }
        if alarms.count > 10 { options.refuse("alarms", "an event takes 10 alarms at most") }
    }

    private static func line(_ name: String, _ day: Int32, _ rest: String) -> Bytes {
        let bytes = Bytes(name)
        ContentLine.append(day: day, to: bytes)
        bytes.append("\(rest)\r\n")
        return bytes
    }

    /// `anniversaries` of `out/anniversaries.ics`.
    private static func stem(of path: PathText) -> String {
        guard !path.isStandardStream, let file = path.text.split(separator: "/").last else { return "Daybook" }
        let end = file.dropFirst().lastIndex(of: ".") ?? file.endIndex
        return String(file[..<end])
    }

    public static let description = StageDescription(
        name: "export_ics",
        summary: "Write days as a calendar of whole-day events that phones can subscribe to.",
        details: """
            Each row becomes an event of one whole day. Its UID is the key of 'uid', or made from day and summary, and so the same on \
            every run; the second event of a UID gets -2 behind it. With 'yearly' an event comes back on its date each year by a \
            rule, 29 February on the day that 'leap_day' says. Days kept by the lunar calendar follow no such rule: list them with \
            list_anniversaries and leave 'yearly' out. A row without a day, summary or key is rejected.
            """,
        examples: ExportICS.examples
    )

    public var target: SinkTarget { SinkTarget(output) }

    public func bind(_ inputs: StageInputs) throws(DaybookError) -> Binding {
        let input = inputs.schema
        try input.requiring(date, .day, hint: "put normalise_dates before this stage")
        for text in [summary, eventDescription, uid].compactMap({ $0 }) { try language.check(text, in: input) }
        if case .column(let column) = yearly {
            try input.requiring(column, .flag, hint: "write true or false, or name a column of flags")
        }
        return Binding(inputs.schema, .sink(self))
    }

    public func writer(in context: SinkContext) -> ICSWriter {
        let head = Bytes()
        let line = ContentLine(to: head)
        line.plain("BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Daybook//Daybook//EN\r\nCALSCALE:GREGORIAN")
        // The name and time of RFC 7986, and their equivalents for older phones.
        line.text("NAME", name)
        line.text("X-WR-CALNAME", name)
        head.append("REFRESH-INTERVAL;VALUE=DURATION:PT\(refreshHours)H\r\nX-PUBLISHED-TTL:PT\(refreshHours)H\r\n")
        return ICSWriter(head: head)
    }
}

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

/// Which events recur yearly: all, none, or the events flagged in a column.
enum YearlyEvents: OptionValue {
    case none, all
    case column(ColumnName)

    static var kind: OptionKind { .either([.flag, .column]) }
    static var placeholder: YearlyEvents { .none }

    init(reading node: OptionNode) throws(DaybookError) {
        guard let text = node.text, !text.isEmpty else { throw node.expected("true, false or a column of flags") }
        switch node.plainText {
        case "true": self = .all
        case "false": self = .none
        default: self = .column(ColumnName(text, at: node.place))
        }
    }

    var written: String {
        switch self {
        case .none: "false"
        case .all: "true"
        case .column(let name): name.written
        }
    }
}

/// The time of an alarm: a time of day, some days before the event.
struct AlarmTime: OptionObject {
    private(set) var daysBefore = 0
    /// Minutes since midnight.
    private(set) var minutes = 540

    private static let mostDays = 366

    static let title = "an alarm"
    static let shape = "an alarm"
    static let example: String? = "write { days_before: 1, at: 09:00 }"
    static var placeholder: AlarmTime { AlarmTime() }

    private init() {}

    init(reading fields: inout OptionFields) throws(DaybookError) {
        let help = "Days before the event, from 0 to 366."
        if let node = fields.written("days_before", .integer, default: "0", help: help) {
            guard let value = node.plainText.flatMap({ Int($0) }), (0...AlarmTime.mostDays).contains(value) else {
                throw node.expected("a number of days from 0 to \(AlarmTime.mostDays)")
            }
            daysBefore = value
        }
        if let node = fields.written("at", .text, default: "09:00", help: "Time of day as 09:00.") {
            guard let value = node.text.flatMap(AlarmTime.minutes) else {
                throw node.expected("a time of day such as 09:00")
            }
            minutes = value
        }
    }

    /// `HH:mm`, with exactly these digits.
    private static func minutes(_ text: String) -> Int? {
        let digits = Array(text.utf8)
        guard digits.count == 5, digits[2] == UInt8(ascii: ":") else { return nil }
        guard let hours = Int(text.prefix(2)), let minutes = Int(text.suffix(2)) else { return nil }
        guard (0..<24).contains(hours), (0..<60).contains(minutes), digits[0] >= 48, digits[3] >= 48 else { return nil }
        return hours * 60 + minutes
    }

    var written: String {
        let (hours, rest) = minutes.quotientAndRemainder(dividingBy: 60)
        return "{ days_before: \(daysBefore), at: \(hours.padded(to: 2)):\(rest.padded(to: 2)) }"
    }

    /// The offset from the event's midnight as an RFC 5545 duration: `PT9H`, `-PT15H`, `-P6DT15H`.
    var trigger: String {
        let offset = minutes - daysBefore * 1_440
        guard offset != 0 else { return "PT0S" }
        let (days, rest) = abs(offset).quotientAndRemainder(dividingBy: 1_440)
        let (hours, minutes) = rest.quotientAndRemainder(dividingBy: 60)
        var text = offset < 0 ? "-P" : "P"
        if days > 0 { text += "\(days)D" }
        if rest > 0 { text += "T" }
        // An hour of 0 may be left out between days and minutes, no other part.
        if hours > 0 { text += "\(hours)H" }
        if minutes > 0 { text += "\(minutes)M" }
        return text
    }
}

/// A text of an event: the name of a column, or with braces a template such as `{title} ({day:yyyy})`.
struct EventText: OptionValue {
    let template: TextTemplate

    static var kind: OptionKind { .either([.column, .text]) }
    static var placeholder: EventText { EventText(template: TextTemplate(of: .placeholder)) }
    var written: String { template.written }

    private init(template: TextTemplate) { self.template = template }

    init(reading node: OptionNode) throws(DaybookError) {
        guard let text = node.text, !text.isEmpty else {
            throw node.expected("a column name, or text with columns in braces such as \"{title}!\"")
        }
        let hasBraces = text.unicodeScalars.contains { $0 == "{" || $0 == "}" }
        template = hasBraces ? try TextTemplate(reading: node) : TextTemplate(of: ColumnName(text, at: node.place))
    }
}
