import DaybookDates

/// Functions of days and instants.
enum DateFunctions {
    private static let date = ExpressionFunction.Parameter.day("day")

    static let all: [ExpressionFunction] = [
        ExpressionFunction(
            .init("year", [date], gives: .integer),
            "The year of the day.",
            examples: [("year(date '2026-11-21')", "2026")]
        ) { call in part(call) { Int64($0.year) } },
        ExpressionFunction(
            .init("month", [date], gives: .integer),
            "The month of the day, from 1 to 12.",
            examples: [("month('2026-11-21')", "11")]
        ) { call in part(call) { Int64($0.month) } },
        ExpressionFunction(
            .init("day", [date], gives: .integer),
            "The day of the month, from 1 to 31.",
            examples: [("day('2026-11-21')", "21"), ("day(missing)", nil)]
        ) { call in part(call) { Int64($0.day) } },
        ExpressionFunction(
            .init("weekday", [date], gives: .integer),
            "The day of the week: Monday is 1 and Sunday is 7.",
            examples: [("weekday('2026-11-21')", "6"), ("weekday('2026-11-23')", "1")]
        ) { call in
            let days = call.arguments[0].days
            return call.integers { Int64(CalendarDay(number: days[$0]).weekday) }
        },
        ExpressionFunction(
            .init("month_start", [date], gives: .day),
            "The first day of the month.",
            examples: [("month_start('2026-11-21')", "2026-11-01")]
        ) { call in
            let days = call.arguments[0].days
            return Operand(.days(call.values { days[$0] &- CivilDate(day: days[$0]).day &+ 1 }), faults: call.faults)
        },
        ExpressionFunction(
            .init("days_between", [.day("from"), .day("to")], gives: .integer),
            "How many days it is from the first to the second; negative when the second is earlier.",
            examples: [("days_between('2026-11-01', as_of)", "20"), ("days_between(as_of, '2026-11-20')", "-1")]
        ) { call in
            let (from, to) = (call.arguments[0].days, call.arguments[1].days)
            return call.integers { Int64(to[$0]) - Int64(from[$0]) }
        },
        ExpressionFunction(
            .init("add_days", [date, .integer("days")], gives: .day),
            "The day so many days later, or earlier when the number is negative.",
            examples: [("add_days('2026-02-28', 1)", "2026-03-01"), ("add_days(as_of, -21)", "2026-10-31")]
        ) { call in
            let (days, counts) = (call.arguments[0].days, call.arguments[1].integers)
            return call.column(Column.days, filler: 0, failing: true) { row in
                let (sum, overflows) = Int64(days[row]).addingReportingOverflow(counts[row])
                guard !overflows, let day = Int32(exactly: sum), CalendarDay.range.contains(day) else { return nil }
                return day
            }
        },
        ExpressionFunction(
            .init("day_of", [.init(name: "instant", kinds: .one(.instant))], gives: .day),
            "The day that calendars show at the instant, in the time zone of the job.",
            examples: [("day_of(instant '2026-11-20T15:00:00Z')", "2026-11-21")],
            needsZone: true
        ) { call in
            let instants = call.arguments[0].integers
            var zone = ZoneCursor(call.zone ?? .utc)
            return call.column(Column.days, filler: 0, failing: true) { row in
                let day = zone.day(ofInstant: instants[row])
                return CalendarDay.range.contains(day) ? day : nil
            }
        },
    ]

    @inline(__always)
    private static func part(_ call: FunctionCall, _ part: (CivilDate) -> Int64) -> Operand {
        let days = call.arguments[0].days
        return call.integers { part(CivilDate(day: days[$0])) }
    }
}
