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
            let faults = call.arguments[1].faults
            let missing = result.column.missing.union(alike.trueRows.orNil).union(faults)
            result.column = result.column.with(missing: missing)
            result.faults = result.faults.union(faults)
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
