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
            "The value as a decimal, from a number or a text such as '2.50' or '1e3'. Anything else is missing.",
            examples: [("to_decimal('2.50')", "2.5"), ("to_decimal('2,5')", nil), ("to_decimal(7) / 2", "3.5")]
        ) { call in
            switch call.arguments[0].column {
            case .text, .json:
                let text = call.arguments[0].texts
                return call.column(Column.decimals, filler: 0) { CellReading.decimal(text[$0]) }
            case .integers: return ArithmeticKernel.widened(call.first)
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
            "True or false for exactly these words; any other text is missing.",
            examples: [("to_flag('true')", "true"), ("to_flag('yes')", nil)]
        ) { call in
            let text = call.arguments[0].texts
            return call.column(Column.flags, filler: false) { CellReading.flag(text[$0]) }
        },
    ]
}
