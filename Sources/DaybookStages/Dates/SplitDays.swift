/// Writes parts of the days in a column, such as the year and the weekday, to new columns.
///
/// Weekdays count from Sunday, which is 0, as month calendars do. A missing day has missing parts.
public struct SplitDays: TransformStage {
    /// The parts of a day; the raw values are the option words.
    enum Part: String, OptionChoice {
        case year, month, day, weekday
        case monthStart = "month_start"
        case lastDay = "last_day"

        static var otherWords: [String: String] {
            ["first_weekday": "month_start", "month_length": "last_day", "day_of_week": "weekday"]
        }
    }

    let days: ColumnName
    let parts: [(column: ColumnName, part: Part)]

    public init(reading options: inout OptionReader) {
        days = options.read("days", default: ColumnName("date"), help: "Column of days to split.")
        let map: OptionMap<Part> = options.read("parts", help: "Each new column and the part that it holds.")
        parts = map.entries.map { (ColumnName($0.key, at: $0.place), $0.value) }
        if parts.isEmpty, options.isWritten("parts") { options.refuse("parts", "'parts' names no column") }
    }

    public func schema(after input: Schema) throws(DaybookError) -> Schema {
        try input.requiring(days, .day, hint: "put normalise_dates before this stage")
        var result = input
        for (column, _) in parts { result = try result.adding(column, .integer) }
        return result
    }

    public func columns(neededFor wanted: ColumnSet) -> ColumnSet { wanted.making(parts.map(\.column), from: [days]) }

    public func process(_ batch: Batch, reporting findings: inout Findings) -> Batch {
        let days = batch.days(in: days)
        var result = batch
        for (column, part) in parts {
            result = result.setting(column, to: .integers(SplitDays.values(of: part, in: days)))
        }
        return result
    }

    /// One loop for each part, so that no row tests which part is wanted.
    private static func values(of part: Part, in days: Values<Int32>) -> Values<Int64> {
        switch part {
        case .year: days.mapValues { Int64(CivilDate(day: $0).year) }
        case .month: days.mapValues { Int64(CivilDate(day: $0).month) }
        case .day: days.mapValues { Int64(CivilDate(day: $0).day) }
        case .weekday: days.mapValues { weekday(of: Int64($0)) }
        case .monthStart: days.mapValues { weekday(of: Int64($0) + 1 - Int64(CivilDate(day: $0).day)) }
        case .lastDay:
            days.mapValues { number in
                let date = CivilDate(day: number)
                return Int64(CalendarDay.length(ofMonth: Int(date.month), year: Int(date.year)))
            }
        }
    }

    /// Sunday is 0 and Saturday 6. Day 0, 1 January 1970, was a Thursday.
    @inline(__always)
    private static func weekday(of day: Int64) -> Int64 {
        let shifted = (day + 4) % 7
        return shifted < 0 ? shifted + 7 : shifted
    }

    public static let description = StageDescription(
        name: "split_days",
        summary: "Write the year, the month, the weekday and other parts of days to columns of their own.",
        details: """
            'parts' maps each new column to the part that it holds, a whole number: year, month (1 to 12), day (1 to 31), weekday \
            (Sunday is 0, Saturday 6), month_start (the weekday of the 1st of the month, so the number of empty cells before it) or \
            last_day (how many days the month has). A missing day has missing parts.
            """,
        examples: [
            StageExample(
                "the month of MJ Calendar: its weekday of the 1st counts from Sunday, and February knows leap years",
                options: "parts: { year: year, month: month, day: day, weekday: month_start, lastDay: last_day }",
                input: """
                    date:day
                    2026-11-21
                    2028-02-29
                    1900-02-28

                    """,
                output: """
                    date:day,year:integer,month:integer,day:integer,weekday:integer,lastDay:integer
                    2026-11-21,2026,11,21,0,30
                    2028-02-29,2028,2,29,2,29
                    1900-02-28,1900,2,28,4,28
                    ,,,,,
                    """
            ),
            StageExample(
                "weekdays run from Sunday, 0, to Saturday, 6, also before 1970",
                options: "days: saved\nparts: { weekday: weekday }",
                input: """
                    saved:day
                    2026-11-21
                    2026-11-22
                    1969-12-28
                    1969-12-27
                    0001-01-01
                    """,
                output: """
                    saved:day,weekday:integer
                    2026-11-21,6
                    2026-11-22,0
                    1969-12-28,0
                    1969-12-27,6
                    0001-01-01,1
                    """
            ),
            StageExample(
                "a column that is there already is not written over",
                options: "parts: { day: day }",
                input: "date:day,day:integer\n2026-11-21,31",
                refused: "there is a column named 'day' already"
            ),
            StageExample(
                "text is refused before a row is read",
                options: "parts: { year: year }",
                input: "date:text\n2026-11-21",
                refused: "column 'date' holds text, not day"
            ),
        ]
    )
}
