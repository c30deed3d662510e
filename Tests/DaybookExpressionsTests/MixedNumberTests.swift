import DaybookTestSupport
import Testing

@testable import DaybookContracts
@testable import DaybookExpressions
@testable import DaybookValues

/// Whole numbers beside decimals, which are compared without losing a digit.
@Suite struct MixedNumberTests {
    private static let wholes: [Int64] = [
        .min, .min + 1, -9_007_199_254_740_993, -9_007_199_254_740_992, -1, 0, 1, 9_007_199_254_740_991,
        9_007_199_254_740_992, 9_007_199_254_740_993, 9_007_199_254_740_994, .max - 512, .max - 511, .max - 1, .max,
    ]
    private static let decimals: [Double] =
        [
            -1e300, -0x1p63, (-0x1p63).nextUp, -9_007_199_254_740_992, -0.5, -0.0, 0, 0.5, 1, 9_007_199_254_740_991,
            9_007_199_254_740_992, 9_007_199_254_740_994, 0x1p63, (0x1p63 as Double).nextDown, 1e300,
        ]

    /// The order of a whole number and a decimal, by whole numbers of 128 bits and what is left of the decimal.
    private static func order(_ whole: Int64, _ decimal: Double) -> Int {
        if decimal.magnitude > 0x1p100 { return decimal < 0 ? 1 : -1 }
        let below = Int128(decimal.rounded(.down))
        if Int128(whole) != below { return Int128(whole) < below ? -1 : 1 }
        return decimal > decimal.rounded(.down) ? -1 : 0
    }

    private static let pairs = wholes.flatMap { whole in decimals.map { (whole, $0) } }
    private static let batch = Batch(
        Schema([Field("n", .integer), Field("d", .decimal)]),
        [.integers(Values(pairs.map(\.0))), .decimals(Values(pairs.map(\.1)))],
        count: pairs.count,
        provenance: .made
    )

    private static let comparisons: [(String, @Sendable (Int) -> Bool)] = [
        ("=", { $0 == 0 }), ("<>", { $0 != 0 }), ("<", { $0 < 0 }), ("<=", { $0 <= 0 }), (">", { $0 > 0 }),
        (">=", { $0 >= 0 }),
    ]

    @Test("columns of both kinds are in their exact order, either way round")
    func columns() throws {
        for (sign, holds) in Self.comparisons {
            let truth = try ExpressionTrial.truth(of: "n \(sign) d", in: Self.batch)
            let turned = try ExpressionTrial.truth(of: "d \(sign) n", in: Self.batch)
            for (row, (whole, decimal)) in Self.pairs.enumerated() {
                let order = Self.order(whole, decimal)
                #expect(truth.isTrue(row) == holds(order), "\(whole) \(sign) \(decimal)")
                #expect(turned.isTrue(row) == holds(-order), "\(decimal) \(sign) \(whole)")
            }
        }
    }

    @Test("a constant of the other kind is compared as exactly, also in lists and ranges")
    func constants() throws {
        for decimal in Self.decimals where decimal.magnitude < 1e19 {
            let written = decimal.description.contains("e") ? "\(Int128(decimal)).0" : decimal.description
            for (sign, holds) in Self.comparisons {
                let truth = try ExpressionTrial.truth(of: "n \(sign) \(written)", in: Self.batch)
                for (row, (whole, _)) in Self.pairs.enumerated() {
                    #expect(truth.isTrue(row) == holds(Self.order(whole, decimal)), "\(whole) \(sign) \(written)")
                }
            }
            let among = try ExpressionTrial.truth(of: "n in (\(written), 7)", in: Self.batch)
            let between = try ExpressionTrial.truth(of: "n between \(written) and \(written)", in: Self.batch)
            for (row, (whole, _)) in Self.pairs.enumerated() {
                #expect(among.isTrue(row) == (Self.order(whole, decimal) == 0), "\(whole) in \(written)")
                #expect(between.isTrue(row) == (Self.order(whole, decimal) == 0), "\(whole) between \(written)")
            }
        }
        for whole in Self.wholes where whole != .min {
            let among = try ExpressionTrial.truth(of: "d in (\(whole), 7.5)", in: Self.batch)
            for (row, (_, decimal)) in Self.pairs.enumerated() {
                #expect(among.isTrue(row) == (Self.order(whole, decimal) == 0), "\(decimal) in \(whole)")
            }
        }
    }

    @Test(
        arguments: [
            ("9223372036854775807 < 9223372036854775808.0", "true"),
            ("9007199254740993 = 9007199254740992.0", "false"),
            ("9007199254740993 > 9007199254740992.0", "true"), ("1 = 1.0", "true"), ("2 in (1.5, 2.0)", "true"),
            ("2.0 in (1, 2)", "true"), ("case when 9007199254740993 = 9007199254740992.0 then 1 else 2 end", "2"),
        ]
    )
    func `constants are compared exactly`(_ expression: String, _ value: String) throws {
        #expect(try ExpressionTrial.value(of: expression) == value)
    }

    @Test("a quotient of whole numbers is rounded once, whatever both have in common")
    func quotients() throws {
        var random = SeededGenerator(seed: 5)
        var rows: [(one: Int64, other: Int64, quotient: Double)] = [
            (9_007_199_254_740_993, 3, 3_002_399_751_580_331), (.min, -1, 0x1p63), (.min, 1, -0x1p63), (.max, .max, 1),
            (.min, .max, -1), (0, .min, 0), (0, .max, 0), (1, .min, -0x1p-63), (.max, 2, 0x1p62),
        ]
        for _ in 0..<3_000 {
            let (one, other) = (Int64.random(in: -999...999, using: &random), Int64.random(in: 1...999, using: &random))
            let factor = Int64.random(in: 1...(.max / 1_000), using: &random)
            rows.append((one * factor, other * factor, Double(one) / Double(other)))
            rows.append((one * factor, -other * factor, Double(-one) / Double(other) + 0))
        }
        let batch = Batch(
            Schema([Field("n", .integer), Field("m", .integer)]),
            [.integers(Values(rows.map(\.one))), .integers(Values(rows.map(\.other)))],
            count: rows.count,
            provenance: .made
        )
        guard case .decimals(let values) = try ExpressionTrial.column(of: "n / m", in: batch) else {
            throw DaybookError("wrong-kind", "no decimals")
        }
        for (row, (one, other, quotient)) in rows.enumerated() {
            let found = values.elements[row]
            #expect(found == quotient && (found != 0 || found.sign == .plus), "\(one) / \(other)")
        }
        let failed = try ExpressionTrial.column(of: "n / (m - m)", in: batch)
        #expect(rows.indices.allSatisfy { failed.missing.isMissing($0) })
    }

    @Test("a whole number that no decimal holds becomes none where one of several values is taken")
    func choices() throws {
        let batch = Batch(
            Schema([Field("n", .integer), Field("d", .decimal)]),
            [
                .integers(Values([9_007_199_254_740_993, 9_007_199_254_740_994, 3])),
                .decimals(Values([9_007_199_254_740_992, 0.5, 0.5])),
            ],
            count: 3,
            provenance: .made
        )
        for choice in ["coalesce(n, d)", "greatest(n, d)", "case when d > 0 then n else d end", "nullif(n, d)"] {
            let column = try ExpressionTrial.column(of: choice, in: batch)
            #expect((0..<3).map { column.displayText($0) } == [nil, "9.007199254740994e+15", "3"], "\(choice)")
            let outcome = try ExpressionText(choice)
                .checked(against: batch.schema, context: ExampleRunner.context, zone: .seoul).outcome(batch)
            #expect((0..<3).map { outcome.uncomputableRows.isMissing($0) } == [true, false, false], "\(choice)")
        }
        let cast = try ExpressionTrial.column(of: "to_decimal(n)", in: batch)
        #expect((0..<3).map { cast.displayText($0) } == [nil, "9.007199254740994e+15", "3"])
    }
}
