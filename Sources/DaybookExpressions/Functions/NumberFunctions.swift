/// Functions of numbers.
enum NumberFunctions {
    private static let number = ExpressionFunction.Parameter(name: "number", kinds: .number)

    static let all: [ExpressionFunction] = [
        ExpressionFunction(
            .init("abs", [number]),
            "The number without its sign.",
            examples: [("abs(-12)", "12"), ("abs(0.5 - 2)", "1.5")]
        ) { call in
            if case .decimals = call.arguments[0].column {
                let numbers = call.arguments[0].decimals
                return Operand(.decimals(call.values { numbers[$0].magnitude }), faults: call.faults)
            }
            let numbers = call.arguments[0].integers
            return call.column(Column.integers, filler: 0, failing: true) { row in
                numbers[row] == .min ? nil : Int64(numbers[row].magnitude)
            }
        },
        ExpressionFunction(
            .init("round", [number, .integer("decimals", isOptional: true, isFixed: true)]),
            """
            The nearest number with so many decimals, or the nearest whole one. It is rounded as it is written in decimal, and halves go \
            away from 0. Negative decimals round before the point.
            """,
            examples: [
                ("round(2.5)", "3"), ("round(-2.5)", "-3"), ("round(3.14159, 2)", "3.14"), ("round(1.005, 2)", "1.01"),
                ("round(1250, -2)", "1300"), ("round(7)", "7"),
            ]
        ) { call in
            let rounding = DecimalRounding(places: call.arguments.count > 1 ? call.arguments[1].integers[0] : 0)
            guard case .integers = call.arguments[0].column else { return rounded(call) { rounding.rounded($0) } }
            let numbers = call.arguments[0].integers
            return call.column(Column.integers, filler: 0, failing: true) { rounding.rounded(numbers[$0]) }
        },
        ExpressionFunction(
            .init("floor", [number]),
            "The next whole number below.",
            examples: [("floor(2.9)", "2"), ("floor(-2.1)", "-3")]
        ) { call in rounded(call) { $0.rounded(.down) } },
        ExpressionFunction(
            .init("ceil", [number]),
            "The next whole number above.",
            examples: [("ceil(2.1)", "3"), ("ceil(-2.9)", "-2")]
        ) { call in rounded(call) { $0.rounded(.up) } },
        ExpressionFunction(
            .init("div", [.integer("number"), .integer("by")], gives: .integer),
            "How many whole times the second number goes into the first. '/' gives a decimal instead.",
            examples: [("div(17, 5)", "3"), ("div(-17, 5)", "-3")]
        ) { call in
            let (numbers, divisors) = (call.arguments[0].integers, call.arguments[1].integers)
            return call.column(Column.integers, filler: 0, failing: true) { row in
                let (quotient, overflows) = numbers[row].dividedReportingOverflow(by: divisors[row])
                return overflows ? nil : quotient
            }
        },
    ]

    /// Whole numbers as they are, decimals rounded. None becomes `-0`, which would be written with its sign.
    @inline(__always)
    private static func rounded(_ call: FunctionCall, _ round: (Double) -> Double) -> Operand {
        guard case .decimals = call.arguments[0].column else { return call.first }
        let numbers = call.arguments[0].decimals
        return ArithmeticKernel.decimal(call.values { round(numbers[$0]) + 0 }.elements, call.missing, call.faults)
    }
}

extension FunctionCall {
    /// The first argument as it is, missing where another is.
    var first: Operand { whole(arguments[0]) }

    /// A result as it is, missing where an argument is.
    func whole(_ result: Operand) -> Operand {
        let faults = faults
        return Operand(result.spread(count).column.with(missing: missing.union(faults)), faults: faults)
    }
}

extension Column {
    /// The same values with other gaps.
    package func with(missing: Mask?) -> Column {
        switch self {
        case .text(let column): .text(TextColumn(column.bytes, views: column.views, missing: missing))
        case .json(let column): .json(TextColumn(column.bytes, views: column.views, missing: missing))
        case .integers(let values): .integers(Values(values.elements, missing: missing))
        case .decimals(let values): .decimals(Values(values.elements, missing: missing))
        case .flags(let values): .flags(Values(values.elements, missing: missing))
        case .days(let values): .days(Values(values.elements, missing: missing))
        case .instants(let values): .instants(Values(values.elements, missing: missing))
        }
    }
}

/// Functions that choose one of their arguments.
enum ChoiceFunctions {
    private static let value = ExpressionFunction.Parameter(name: "value", kinds: .common)
    private static let ordered = ExpressionFunction.Parameter(name: "value", kinds: .ordered, isRepeated: true)

    static let all: [ExpressionFunction] = [
        ExpressionFunction(
            .init("coalesce", [.init(name: "value", kinds: .common, isRepeated: true)]),
            "The first of the values that is not missing, also where an earlier one could not be computed.",
            examples: [("coalesce(missing, 'none')", "none"), ("coalesce(missing, 2, 3.5)", "2")]
        ) { call in
            ChoiceKernel.coalesced(call.arguments, kind: call.arguments[0].column.kind, count: call.count)
        },
        ExpressionFunction(
            .init("nullif", [value, .init(name: "other", kinds: .common)]),
            "The value, or missing where it equals the other: 'count / nullif(days, 0)' does without a division by 0.",
            examples: [("nullif('n/a', 'n/a')", nil), ("nullif(3, 0)", "3"), ("nullif(3, missing)", "3")]
        ) { call in
            let alike = ComparisonKernel.truth(.equal, call.arguments[0], call.arguments[1], count: call.count)
            var result = call.arguments[0].spread(call.count)
            // If the other could not be computed, it is unknown whether the two are equal.
            result.faults = result.faults.union(call.arguments[1].faults)
            let missing = result.column.missing.union(alike.trueRows.orNil).union(result.faults)
            result.column = result.column.with(missing: missing)
            return result
        },
        ExpressionFunction(
            .init("least", [ordered]),
            "The smallest of the values; missing when one of them is.",
            examples: [("least(3, 1, 2)", "1"), ("least('2026-11-21', as_of, '2026-01-01')", "2026-01-01")]
        ) { call in extreme(call, .less) },
        ExpressionFunction(
            .init("greatest", [ordered]),
            "The largest of the values; missing when one of them is.",
            examples: [("greatest(3, 1.5, 2)", "3"), ("greatest(3, missing)", nil)]
        ) { call in extreme(call, .greater) },
    ]

    private static func extreme(_ call: FunctionCall, _ comparison: Comparison) -> Operand {
        let kind = call.arguments[0].column.kind
        var best = call.arguments[0]
        for argument in call.arguments.dropFirst() {
            let wins = ComparisonKernel.truth(comparison, argument, best, count: call.count)
            var choices = [UInt16](repeating: 0, count: call.count)
            wins.trueRows.forEachRow { choices[$0] = 1 }
            best = ChoiceKernel.gathered(choices, from: [best, argument], kind: kind)
        }
        return call.whole(best)
    }
}
