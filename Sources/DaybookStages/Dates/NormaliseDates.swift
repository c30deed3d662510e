import DaybookDates

extension ClockChoice: OptionChoice {}

/// Reads dates in the forms that people and programs write, and gives days or instants.
///
/// Nothing is guessed and nothing is rolled over. Each of these is a finding of its own: a text that two of the formats
/// read as different dates, a day that does not exist, a weekday that contradicts its date, and a local time that
/// clocks skipped or showed twice. Missing values stay missing. A column of days or instants passes unchanged, so
/// normalising twice equals once.
///
/// A text with a time gives its day as written. A text with an offset from UTC, or a number of seconds, names an
/// instant; its day is the calendar day in the time zone. A day converted to an instant is its first moment in the time
/// zone. Digits beyond microseconds are cut off, never rounded, so that no moment moves into the next day; conversion
/// to an instant then warns.
public struct NormaliseDates: TransformStage {
    enum Impossible: String, OptionChoice { case reject, clamp }
    enum FarYears: String, OptionChoice { case warn, keep, reject }

    let columns: [ColumnName]
    let target: DateTarget
    let into: ColumnName?
    let readsNumbers: Bool
    let farYears: FarYears
    /// Nil only if an option is wrong or during introspection of the options.
    let reader: DateColumnReader?
    let writer: DateTextWriter?

    public init(reading options: inout OptionReader) {
        columns = options.read("column", help: "The column to read, or several.")
        var dates = DateOptions()
        dates.formats = options.read(
            "formats",
            default: [.iso],
            help: "How dates are written: iso, epoch_seconds, epoch_millis, apple_seconds, or patterns."
        )
        target = options.read("to", default: .day, help: "Whether to make days or instants.")
        dates.form = options.optional("as", help: "Write text again, as iso or in a pattern.")
        into = options.optional("into", help: "The column to write to, when not the one that was read.")
        dates.timezone = options.optional("timezone", help: "The time zone, where it is not that of the job.")
        dates.locales = options.optional("locale", help: "Whose names are read and written; else ko_KR and en_US.")
        dates.pivotYear = options.optional(
            "pivot_year",
            help: "The first of the hundred years that two-digit years stand for."
        )
        let impossible: Impossible = options.read(
            "impossible",
            default: .reject,
            help: "What becomes of 31 February: reject it, or clamp it to the last day of the month."
        )
        farYears = options.read(
            "far_years",
            default: .warn,
            help:
                "What becomes of dates before 1900 or after 2100, as years of another calendar are: warn of them, keep or reject them."
        )
        dates.doubled = options.read(
            "doubled",
            default: .reject,
            help:
                "What becomes of a time that clocks showed twice: reject it, or take the earlier or the later instant."
        )
        dates.skipped = options.read(
            "skipped",
            default: .reject,
            help: "The same for a time that clocks skipped: an hour before they jumped, or behind it."
        )
        for key in ["doubled", "skipped"] where target == .day && options.isWritten(key) {
            options.refuse(key, "'\(key)' is about instants, and a day has no time", hint: "add 'to: instant'")
        }
        (dates.target, dates.clampsDays) = (target, impossible == .clamp)
        (reader, writer) = dates.compile(&options)
        dates.warnOfQuotedZones(&options)
        readsNumbers = dates.formats.contains(where: \.readsNumbers)
        if into != nil, columns.count > 1 {
            options.refuse("into", "'into' takes one column, and 'column' names \(columns.count)")
        }
        if options.isWritten("column"), columns.isEmpty, options.problems.isEmpty {
            options.refuse("column", "'column' names no column")
        }
    }

    public func schema(after input: Schema) throws(DaybookError) -> Schema {
        var result = input
        for column in columns {
            try input.requiring(column, .text, .json, .integer, .decimal, .day, .instant)
            if let kind = input[column]?.kind { try check(column, kind) }
            let made: ColumnKind = writer != nil ? .text : (target == .day ? .day : .instant)
            let place = input[column]?.source
            if let into, into != column {
                result = try result.adding(into, made, source: place)
            } else {
                result = result.addingOrReplacing(column, made, source: place)
            }
        }
        return result
    }

    private func check(_ column: ColumnName, _ kind: ColumnKind) throws(DaybookError) {
        if kind == .integer || kind == .decimal, !readsNumbers {
            let message = "column '\(column)' holds numbers, and none of the formats reads numbers"
            let hint = "add yyyyMMdd, epoch_seconds, epoch_millis or apple_seconds to 'formats', whichever they are"
            throw DaybookError("wrong-kind", message, at: column.place, hint: hint)
        }
        if kind == .instant, target == .day, reader?.zone == nil {
            throw .missingTimezone(forInstantsIn: column)
        }
    }

    public func columns(neededFor wanted: ColumnSet) -> ColumnSet {
        wanted.making(into.map { [$0] } ?? columns, from: columns)
    }

    public func process(_ batch: Batch, reporting findings: inout Findings) -> Batch {
        guard let reader else { preconditionFailure("a stage whose options were refused is never run") }
        let made = columns.map { column in
            var failures = DateFailures(column, of: batch[column], read: reader)
            let dates = reader.read(
                batch[column],
                failing: { row, failure in failures.note(row, failure, &findings) },
                remarking: { row, remark in failures.note(row, remark, &findings) }
            )
            if farYears != .keep, ![.day, .instant].contains(batch[column].kind) {
                failures.noteFarYears(of: dates, rejecting: farYears == .reject, &findings)
            }
            return Batch.NewColumn(into ?? column, writer?.text(of: dates) ?? dates, from: column)
        }
        var result = batch
        result.set(made)
        return result
    }

    public static let description = StageDescription(
        name: "normalise_dates",
        summary: "Read dates in the forms that people and programs write, and reject what is not beyond doubt.",
        details: """
            A cell becomes a day, or an instant with 'to: instant'; 'as' writes text again instead. Nothing is guessed: a date that \
            two of the formats read differently, a day that does not exist and a weekday that contradicts its date are rejected. \
            A time with an offset names an instant, and its day is the one in the time zone, up to the last moment before \
            midnight. Years count as the locale counts them: th_TH has Buddhist years, and th_TH@calendar=gregorian has not. A missing \
            cell stays missing, and a column that holds days already passes.
            """,
        examples: [
            StageExample(
                "several ways of writing become days, a missing date stays missing, and 30 February is not rolled over",
                options: """
                    column: date
                    formats: [iso, "yyyy년 M월 d일", d MMM yyyy]
                    """,
                input: """
                    id:integer,date:text
                    1,2026-11-21
                    2,2026년 3월 1일
                    3,1 Mar 2026
                    4,
                    5,2026-02-30
                    6,yesterday
                    """,
                output: """
                    id:integer,date:day
                    1,2026-11-21
                    2,2026-03-01
                    3,2026-03-01
                    4,
                    """,
                findings: ["5 date impossible-date", "6 date unreadable-date"]
            ),
            StageExample(
                "a text that two formats read as different dates is not guessed at",
                options: "column: date\nformats: [dd/MM/yyyy, MM/dd/yyyy]",
                input: "date:text\n25/12/2026\n04/04/2026\n03/04/2026",
                output: "date:day\n2026-12-25\n2026-04-04",
                findings: ["3 date ambiguous-date"]
            ),
            StageExample(
                "numbers that Swift's JSONEncoder writes for dates become instants",
                options: "column: saved\nformats: [apple_seconds]\nto: instant\ntimezone: Asia/Seoul",
                input: "saved:decimal\n0.0\n817707600.5",
                output: "saved:instant\n2001-01-01T00:00:00Z\n2026-11-30T05:00:00.500Z"
            ),
            StageExample(
                "a moment a ten-millionth of a second before midnight belongs to the day that ends",
                options: "column: saved\nformats: [apple_seconds]\ntimezone: Asia/Seoul",
                input: "saved:decimal\n781714799.9999996\n781714800",
                output: "saved:day\n2025-10-09\n2025-10-10"
            ),
            StageExample(
                "clocks in Berlin skip an hour in March and show one twice in October",
                options: """
                    column: at
                    formats: ["yyyy-MM-dd HH:mm"]
                    to: instant
                    timezone: Europe/Berlin
                    """,
                input: """
                    at:text
                    2026-03-29 01:59
                    2026-03-29 02:30
                    2026-10-25 02:30
                    """,
                output: "at:instant\n2026-03-29T00:59:00Z",
                findings: ["2 at skipped-local-time", "3 at doubled-local-time"]
            ),
            StageExample(
                "of an hour that clocks showed twice the earlier can be meant, and a skipped time be behind the jump",
                options: """
                    column: at
                    formats: ["yyyy-MM-dd HH:mm"]
                    to: instant
                    timezone: Europe/Berlin
                    doubled: earlier
                    skipped: later
                    """,
                input: "at:text\n2026-03-29 02:30\n2026-10-25 02:30",
                output: "at:instant\n2026-03-29T01:30:00Z\n2026-10-25T00:30:00Z"
            ),
            StageExample(
                "years of another calendar are told by its era, or counted as the locale does",
                options: """
                    column: date
                    formats: ["Gy年M月d日", "d MMM G y"]
                    locale: [ja_JP, ko_KR, en_US]
                    """,
                input: """
                    date:text
                    令和8年11月21日
                    平成元年1月8日
                    昭和65年1月1日
                    21 Nov AD 2026
                    """,
                output: "date:day\n2026-11-21\n1989-01-08\n2026-11-21",
                findings: ["3 date impossible-date"]
            ),
            StageExample(
                "a year that the calendar of the locale can hardly mean is not read",
                options: "column: date\nformats: [d MMM y, dd/MM/yyyy]\nlocale: th_TH",
                input: "date:text\n21 พ.ย. 2569\n21/11/2569\n21/11/2026",
                output: "date:day\n2026-11-21\n2026-11-21",
                findings: ["3 date unlikely-year"]
            ),
            StageExample(
                "years that hardly any data has are those of another calendar, or slips, and warned of",
                options: "column: date",
                input: "date:text\n2569-11-21\n2026-11-21\n0008-11-21",
                output: "date:day\n2569-11-21\n2026-11-21\n0008-11-21",
                findings: ["1 date far-year", "3 date far-year"]
            ),
            StageExample(
                "they can be rejected, or kept without a word",
                options: "column: date\nfar_years: reject",
                input: "date:text\n2569-11-21\n2026-11-21",
                output: "date:day\n2026-11-21",
                findings: ["1 date far-year"]
            ),
            StageExample(
                "a calendar with months of its own is refused by its name",
                options: "column: date\nformats: [d MMMM y]\nlocale: fa_IR",
                input: "date:text\n1 فروردین 1405",
                refused: "'fa_IR' counts by the calendar 'persian', whose dates are not read"
            ),
            StageExample(
                "a weekday must be that of its date, and the result can be text in another column",
                options: """
                    column: day
                    formats: ["EEE, dd/MM/yy"]
                    pivot_year: 1970
                    into: 날짜
                    as: yyyy년 M월 d일 EEEE
                    locale: [ko_KR, en_US]
                    """,
                input: """
                    day:text
                    "Sat, 21/11/26"
                    "Sun, 21/11/26"
                    "목, 01/01/70"
                    """,
                output: """
                    day:text,날짜:text
                    "Sat, 21/11/26",2026년 11월 21일 토요일
                    "목, 01/01/70",1970년 1월 1일 목요일
                    """,
                findings: ["2 day contradicting-weekday"]
            ),
            StageExample(
                "a day that its month does not have can become the last day of the month; anything else stays impossible",
                options: "column: due\nformats: [yyyy/M/d]\nimpossible: clamp",
                input: """
                    due:text
                    2026/2/31
                    2024/2/30
                    2026/4/31
                    2026/4/32
                    2026/13/1
                    """,
                output: "due:day\n2026-02-28\n2024-02-29\n2026-04-30",
                findings: [
                    "1 due impossible-date-clamped", "2 due impossible-date-clamped", "3 due impossible-date-clamped",
                    "4 due impossible-date", "5 due impossible-date",
                ]
            ),
            StageExample(
                "an instant keeps microseconds, and a time that was finer is warned of",
                options: "column: at\nto: instant\ntimezone: Asia/Seoul",
                input: """
                    at:text
                    2026-11-21T05:00:00.123456Z
                    2026-11-21T05:00:00.123456789Z
                    2026-11-21T05:00:00.123456000Z
                    """,
                output: """
                    at:instant
                    2026-11-21T05:00:00.123456Z
                    2026-11-21T05:00:00.123456Z
                    2026-11-21T05:00:00.123456Z
                    """,
                findings: ["2 at finer-than-a-microsecond"]
            ),
            StageExample(
                "both forms of ISO 8601 are read, and digits that could count seconds as well are not guessed at",
                options: "column: date\nformats: [iso, epoch_seconds]",
                input: """
                    date:text
                    2026-01-01
                    2026-01-01T10
                    20260101T104941Z
                    20260101
                    20260230
                    1767193200
                    """,
                output: """
                    date:day
                    2026-01-01
                    2026-01-01
                    2026-01-01
                    2026-01-01
                    """,
                findings: ["4 date ambiguous-date", "5 date impossible-date"]
            ),
            StageExample(
                "a year of fewer than four digits is not the year that it says, as long as nobody names the century",
                options: "column: date\nformats: [y년 M월 d일, M/d/y]",
                input: "date:text\n2026년 3월 1일\n26년 3월 1일\n2/2/21",
                output: "date:day\n2026-03-01",
                findings: ["2 date short-year", "3 date short-year"]
            ),
            StageExample(
                "two-digit years are refused as long as nobody says which century they mean",
                options: "column: date\nformats: [dd.MM.yy]",
                input: "date:text\n21.11.26",
                refused: "the two-digit year in the pattern 'dd.MM.yy' needs a pivot_year"
            ),
        ]
    )
}
