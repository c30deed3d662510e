/// Writes days as a calendar that a phone can subscribe to: RFC 5545, with the name and refresh time of RFC 7986.
///
/// Every row is an event of a whole day. A UID is the key that the job names, or made from the day and the summary, so that
/// it is the same on every run and a phone replaces what it has; the second event of one UID gets `-2` behind it. All times
/// come from `as_of`, so the same rows give the same bytes.
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
        for text in [summary, eventDescription, uid].compactMap({ $0 }) {
            try language.check(text, in: input)
        }
        if case .column(let column) = yearly {
            try input.requiring(column, .flag, hint: "write true or false, or name a column of flags")
        }
        return Binding(inputs.schema, .sink(self))
    }

    public func piece(of batch: Batch, from _: Int, reporting findings: inout Findings) -> ICSPiece {
        EventWriter(stage: self).write(batch, reporting: &findings)
    }

    public func writer(in context: SinkContext) -> ICSWriter {
        let head = Bytes()
        let line = ContentLine(to: head)
        line.plain("BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Daybook//Daybook//EN\r\nCALSCALE:GREGORIAN")
        // The name and the time of RFC 7986, and what phones read that are older than it.
        line.text("NAME", name)
        line.text("X-WR-CALNAME", name)
        head.append("REFRESH-INTERVAL;VALUE=DURATION:PT\(refreshHours)H\r\nX-PUBLISHED-TTL:PT\(refreshHours)H\r\n")
        return ICSWriter(head: head)
    }
}
