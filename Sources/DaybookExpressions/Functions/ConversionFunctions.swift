import DaybookDates

/// Functions that convert between kinds. None guesses: a failed conversion is missing.
enum ConversionFunctions {
    private static let value = ExpressionFunction.Parameter(name: "value", kinds: .any)

    static let all: [ExpressionFunction] = [
        ExpressionFunction(
            .init("to_integer", [value], gives: .integer),
            "The value as a whole number: digits in a text or in JSON, a decimal that is whole, true as 1. Anything else is missing.",
            examples: [
                ("to_integer('007')", "7"), ("to_integer('3.5')", nil), ("to_integer(' 3')", nil),
                ("to_integer(4.0)", "4"), ("to_integer(4.5)", nil), ("to_integer(2 > 1)", "1"),
            ]
        ) { call in
            switch call.arguments[0].column {
            case .text, .json:
                let text = call.arguments[0].texts
                return call.column(Column.integers, filler: 0) { CellReading.integer(text[$0]) }
            case .decimals:
                let numbers = call.arguments[0].decimals
                return call.column(Column.integers, filler: 0) { Int64(exactly: numbers[$0]) }
            case .flags:
                let flags = call.arguments[0].flags
                return call.column(Column.integers, filler: 0) { flags[$0] ? 1 : 0 }
            case .integers: return call.first
            case .days, .instants: return call.column(Column.integers, filler: 0) { _ in nil }
            }
        },
        ExpressionFunction(
            .init("to_decimal", [value], gives: .decimal),
            "The value as a decimal, from a number or a text such as '2.50' or '1e3'. Anything else is missing, and a whole number with digits that a decimal has not.",
            examples: [("to_decimal('2.50')", "2.5"), ("to_decimal('2,5')", nil), ("to_decimal(7) / 2", "3.5")]
        ) { call in
            switch call.arguments[0].column {
            case .text, .json:
                let text = call.arguments[0].texts
                return call.column(Column.decimals, filler: 0) { CellReading.decimal(text[$0]) }
            case .integers:
                let decimals = ArithmeticKernel.widened(call.first, exactly: true)
                let missing = decimals.column.missing.union(decimals.faults)
                return Operand(decimals.column.with(missing: missing), faults: call.first.faults)
            case .decimals: return call.first
            case .flags, .days, .instants: return call.column(Column.decimals, filler: 0) { _ in nil }
            }
        },
        ExpressionFunction(
            .init("to_text", [value], gives: .text),
            "The value as it is written to a file: 2026-11-21, true, 2.5.",
            examples: [
                ("to_text(12) || '개'", "12개"), ("to_text(date '2026-11-21')", "2026-11-21"),
                ("to_text(1 = 1)", "true"), ("to_text(0.5)", "0.5"),
            ]
        ) { call in
            if case .text = call.arguments[0].column { return call.first }
            if case .json(let source) = call.arguments[0].column, !call.arguments[0].isConstant {
                return Operand(.text(source), faults: call.faults)
            }
            let values = call.arguments[0].spread(call.count).column
            return call.texts { row, bytes in
                values.appendValue(row, to: bytes)
                return true
            }
        },
        ExpressionFunction(
            .init("to_day", [.text], gives: .day),
            "The day that the text names as 2026-11-21; any other text is missing. 'normalise_dates' reads other formats.",
            examples: [
                ("to_day('2026-11-21')", "2026-11-21"), ("to_day('2026-02-30')", nil), ("to_day('21.11.2026')", nil),
            ]
        ) { call in
            let text = call.arguments[0].texts
            return call.column(Column.days, filler: 0) { CellReading.day(text[$0]) }
        },
        ExpressionFunction(
            .init("to_instant", [.text], gives: .instant),
            "The instant that the text names as 2026-11-21T05:00:00Z, with its offset; any other text is missing.",
            examples: [
                ("to_instant('2026-11-21T14:00:00+09:00')", "2026-11-21T05:00:00Z"), ("to_instant('2026-11-21')", nil),
            ]
        ) { call in
            let text = call.arguments[0].texts
            return call.column(Column.instants, filler: 0) { ReadInstant(iso: text[$0])?.micros }
        },
        ExpressionFunction(
            .init("to_flag", [.text], gives: .flag),
            "True or false for these words, also as TRUE and True; any other text is missing.",
            examples: [("to_flag('true')", "true"), ("to_flag('yes')", nil)]
        ) { call in
            let text = call.arguments[0].texts
            return call.column(Column.flags, filler: false) { CellReading.flag(text[$0]) }
        },
    ]
}

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
