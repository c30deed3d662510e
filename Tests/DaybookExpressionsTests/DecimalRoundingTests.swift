import DaybookTestSupport
import Foundation
import Testing

@testable import DaybookContracts
@testable import DaybookValues

/// `round`, against the decimals of Foundation, which have 38 digits.
@Suite struct DecimalRoundingTests {
    /// The digits that are written, rounded as decimal digits.
    private static func expected(_ number: Double, _ places: Int) throws -> Double {
        var written = try #require(Decimal(string: number.magnitude.description))
        var rounded = Decimal()
        NSDecimalRound(&rounded, &written, places, .plain)
        let size = try #require(Double(rounded.description))
        return number < 0 ? -size : size
    }

    @Test("decimals of all lengths are rounded as they are written", arguments: 1...20 as ClosedRange<UInt64>)
    func againstDecimals(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<TestSize.rounds(500, of: 5_000) {
            let places = Int.random(in: -6...18, using: &random)
            var digits = (0..<Int.random(in: 1...17, using: &random)).map { _ in Int.random(in: 0...9, using: &random) }
            // Halves are rare, and so are numbers close to one.
            if Bool.random(using: &random) { digits[digits.count - 1] = 5 }
            let decimals = Bool.random(using: &random) ? places + 1 : Int.random(in: -4...22, using: &random)
            let sign = Bool.random(using: &random) ? "-" : ""
            let number = try #require(Double("\(sign)\(digits.map(String.init).joined())e\(-decimals)"))
            // The decimals of Foundation end before the least of doubles.
            for number in [number, number.nextUp, number.nextDown] where number == 0 || number.magnitude > 1e-60 {
                let found = DecimalRounding(places: Int64(places)).rounded(number)
                #expect(try found == Self.expected(number, places), "\(number) to \(places) of \(random)")
            }
        }
    }

    @Test(
        arguments: [
            (238585095.03, 10, 238585095.03), (100_796_446_216_005, 3, 100_796_446_216_005),
            (250208858070262.5, 2, 250208858070262.5), (1e300, 5, 1e300), (0.575, 2, 0.58), (1.005, 2, 1.01),
            (446.135, 2, 446.14), (2.675, 2, 2.68), (-1.005, 2, -1.01), (0.49999999999999994, 0, 0),
            (4503599627370497.5, 0, 4_503_599_627_370_498), (1234.5, -2, 1200), (1250.5, -2, 1300), (-1250, -2, -1300),
            (.leastNonzeroMagnitude, 323, 2 * .leastNonzeroMagnitude),
            (.leastNonzeroMagnitude, 400, .leastNonzeroMagnitude), (1e300, -301, 0), (6e300, -301, 1e301), (0, -30, 0),
            (18_014_398_509_481_984, -1, 18_014_398_509_481_980), (1.7976931348623157e308, -308, .infinity),
        ] as [(Double, Int64, Double)]
    )
    func `a number is the nearest to its rounded digits`(_ number: Double, _ places: Int64, _ expected: Double) {
        #expect(DecimalRounding(places: places).rounded(number) == expected)
    }

    @Test(
        arguments: [
            (1234, -2, 1200), (1250, -2, 1300), (-1250, -2, -1300), (7, 3, 7), (.max, -1, nil), (.min, -1, nil),
            (.max, -18, 9_000_000_000_000_000_000), (.max, -19, nil), (4_999_999_999_999_999_999, -19, 0),
            (.min, -20, 0), (.max, .min, 0), (.max, .max, .max),
        ] as [(Int64, Int64, Int64?)]
    )
    func `a whole number stays one, or has no value`(_ number: Int64, _ places: Int64, _ expected: Int64?) {
        #expect(DecimalRounding(places: places).rounded(number) == expected)
    }

    @Test func `what is too large is a failure, and a gap is not`() throws {
        let rows = try BatchText.read("n:integer,d:decimal\n9223372036854775807,1.7976931348623157e308\n,\n12,-0.2")
        for (expression, last) in [("round(n, -1)", "10"), ("round(d, -308)", "0")] {
            let column = try ExpressionTrial.column(of: expression, in: rows)
            #expect([column.displayText(0), column.displayText(2)] == [nil, last])
            let truth = try ExpressionTrial.truth(of: "\(expression) > 0", in: rows)
            #expect((0..<3).map { truth.uncomputableRows.isMissing($0) } == [true, false, false])
        }
    }
}
