import DaybookTestSupport
import Testing

@testable import DaybookContracts
@testable import DaybookExpressions
@testable import DaybookValues

/// Three-valued logic, in full, and what becomes of values that cannot be computed.
@Suite struct ExpressionTruthTests {
    /// A condition over a row; `failed` is missing because a value could not be computed.
    enum State: String, CaseIterable {
        case yes, no, missing, failed

        /// The value of a column for which `10 / x > 0` is in this state.
        var divisor: Int64? {
            switch self {
            case .yes: 1
            case .no: -1
            case .missing: nil
            case .failed: 0
            }
        }

        var negated: State { self == .yes ? .no : self == .no ? .yes : self }

        func and(_ other: State) -> State {
            if self == .no || other == .no { return .no }
            if self == .yes && other == .yes { return .yes }
            return self == .failed || other == .failed ? .failed : .missing
        }

        func or(_ other: State) -> State { negated.and(other.negated).negated }
    }

    private static let pairs = State.allCases.flatMap { one in State.allCases.map { (one, $0) } }

    /// All pairs of states, many times over, so that they cross the words of the masks.
    private static let batch: Batch = {
        let rows = (0..<10).flatMap { _ in pairs }
        func column(_ values: [Int64?]) -> Column {
            var missing: Mask?
            for (row, value) in values.enumerated() where value == nil { missing.insert(row, of: values.count) }
            return .integers(Values(values.map { $0 ?? .max }, missing: missing))
        }
        return Batch(
            Schema([Field("a", .integer), Field("b", .integer)]),
            [column(rows.map(\.0.divisor)), column(rows.map(\.1.divisor))],
            count: rows.count,
            provenance: .made
        )
    }()

    private func states(_ text: String) throws -> [State] {
        let truth = try ExpressionTrial.truth(of: text, in: Self.batch)
        #expect(truth.trueRows.rows.count == truth.trueCount)
        return (0..<Self.batch.count).map { row in
            #expect([truth.isTrue(row), truth.isFalse(row), truth.isMissing(row)].count { $0 } == 1)
            if truth.uncomputableRows.isMissing(row) { return truth.isMissing(row) ? .failed : .yes }
            return truth.isTrue(row) ? .yes : truth.isMissing(row) ? .missing : .no
        }
    }

    private func expect(_ text: String, _ expected: (State, State) -> State) throws {
        let found = try states(text)
        for (row, state) in found.enumerated() {
            let pair = Self.pairs[row % Self.pairs.count]
            #expect(state == expected(pair.0, pair.1), "\(text) of \(pair.0) and \(pair.1)")
        }
    }

    @Test("and, or and not over true, false, missing and what cannot be computed")
    func tables() throws {
        try expect("10 / a > 0") { one, _ in one }
        try expect("not 10 / a > 0") { one, _ in one.negated }
        try expect("10 / a > 0 and 10 / b > 0") { $0.and($1) }
        try expect("10 / a > 0 or 10 / b > 0") { $0.or($1) }
        try expect("not (10 / a > 0 and not 10 / b > 0)") { $0.and($1.negated).negated }
        try expect("10 / a > 0 and 10 / b > 0 and true") { $0.and($1) }
        try expect("10 / a > 0 and missing") { one, _ in one.and(.missing) }
        try expect("10 / a > 0 or missing") { one, _ in one.or(.missing) }
        try expect("(10 / a > 0) = (10 / b > 0)") { one, other in
            if one == .failed || other == .failed { return .failed }
            if one == .missing || other == .missing { return .missing }
            return one == other ? .yes : .no
        }
        try expect("10 / a between 10 / b and 20") { one, other in
            let low: State =
                one == .failed || other == .failed
                ? .failed : one == .missing || other == .missing ? .missing : one == .no && other == .yes ? .no : .yes
            return low.and(one == .failed || one == .missing ? one : .yes)
        }
    }

    @Test("is missing and coalesce take what cannot be computed for missing; case does not pass over it")
    func absorbing() throws {
        try expect("10 / a is missing") { one, _ in one == .missing || one == .failed ? .yes : .no }
        try expect("coalesce(10 / a, -1) > 0") { one, _ in one == .yes ? .yes : .no }
        try expect("coalesce(10 / a > 0, 10 / b > 0)") { one, other in
            if one == .yes || one == .no { return one }
            if other == .yes || other == .no { return other }
            return one == .failed || other == .failed ? .failed : .missing
        }
        try expect("case when 10 / a > 0 then true else 10 / b > 0 end") { one, other in
            one == .yes ? .yes : one == .failed ? .failed : other
        }
        try expect("case when 10 / a > 0 then 10 / b > 0 end") { one, other in
            one == .yes ? other : one == .failed ? .failed : .missing
        }
        try expect("a <> 0 and 10 / a > 0") { one, _ in one == .failed ? .no : one }
        try expect("case when a = 0 then false else 10 / a > 0 end") { one, _ in one == .failed ? .no : one }
        try expect("nullif(a, 0) = 1 or 10 / nullif(a, 0) > 0") { one, _ in one == .failed ? .missing : one }
    }

    @Test("numbers that do not fit are told, and those under gaps are not")
    func overflow() throws {
        let schema = Schema([Field("n", .integer), Field("x", .decimal)])
        var gap = Mask(count: 4)
        gap.insert(3)
        let batch = Batch(
            schema,
            [
                .integers(Values([Int64.max, .min, 5, .max], missing: gap)),
                .decimals(Values([1e308, -1e308, 2, .nan], missing: gap)),
            ],
            count: 4,
            provenance: .made
        )
        let failing: [(String, [Int])] = [
            ("n + 1", [0]), ("n - 1", [1]), ("n * 2", [0, 1]), ("-n", [1]), ("abs(n)", [1]), ("n % 0", [0, 1, 2]),
            ("n % -1", []), ("div(n, 0)", [0, 1, 2]), ("div(n, -1)", [1]), ("x * 10", [0, 1]), ("x / 0", [0, 1, 2]),
            ("x % 0.0", [0, 1, 2]), ("n / 0", [0, 1, 2]), ("add_days(as_of, n)", [0, 1]), ("n + n", [0, 1]),
        ]
        for (text, rows) in failing {
            let expression = try ExpressionText(text).checked(against: schema, context: ExampleRunner.context)
            let outcome = expression.outcome(batch)
            #expect((0..<4).filter { outcome.uncomputableRows.isMissing($0) } == rows, "\(text)")
            #expect((0..<4).filter { outcome.column.missing.isMissing($0) } == rows + [3], "\(text)")
        }
    }

    @Test("a text that grows without end is told, and depends on the row alone")
    func growth() throws {
        var text = "t"
        for _ in 0..<20 { text = "replace(\(text), 'a', 'aaaaaaaaaa')" }
        var builder = TextColumnBuilder(rows: 3)
        builder.append("a")
        builder.append("b")
        builder.append(String(repeating: "b", count: 10_000))
        let batch = Batch(Schema([Field("t", .text)]), [.text(builder.build())], count: 3, provenance: .made)
        let outcome = try ExpressionText(text).checked(against: batch.schema, context: ExampleRunner.context)
            .outcome(batch)
        #expect((0..<3).map { outcome.uncomputableRows.isMissing($0) } == [true, false, false])
        let joined = Array(repeating: "t", count: 20).joined(separator: " || ")
        let long = try ExpressionText(joined).checked(against: batch.schema, context: ExampleRunner.context)
            .outcome(batch)
        #expect((0..<3).map { long.uncomputableRows.isMissing($0) } == [false, false, true])
    }

    @Test("no row makes a text of more than 64 MiB, however long its columns are")
    func mostOfAll() throws {
        var builder = TextColumnBuilder(rows: 1)
        builder.append(String(repeating: "b", count: 5 << 20))
        let batch = Batch(Schema([Field("t", .text)]), [.text(builder.build())], count: 1, provenance: .made)
        for (times, isComputed) in [(12, true), (13, false), (600, false)] {
            let text = Array(repeating: "t", count: times).joined(separator: " || ")
            let outcome = try ExpressionText(text).checked(against: batch.schema, context: ExampleRunner.context)
                .outcome(batch)
            #expect(outcome.uncomputableRows.isMissing(0) == !isComputed, "\(times) times")
        }
    }

    @Test("in an open schema a column that nobody has seen may be anything")
    func openSchema() throws {
        let open = Schema([Field("n", .integer)], isOpen: true)
        func check(_ text: String) throws -> Expression {
            try ExpressionText(text).checked(against: open, context: ExampleRunner.context)
        }
        #expect(try check("strange > 3 and n > 1").kind == .flag)
        #expect(try check("strange > 3 and n > 1").isUnknown)
        #expect(try check("coalesce(strange, 1)").kind == nil)
        #expect(try check("length(strange)").kind == .integer)
        #expect(try check("n in (1, 2)").isUnknown == false)
        #expect(throws: DaybookError.self) { try check("strange > 3 and n > 'a'") }
        #expect(try ExpressionText("b > 1 and a.c = b and \"x y\"").columns == .some(["a.c", "b", "x y"]))
    }
}
