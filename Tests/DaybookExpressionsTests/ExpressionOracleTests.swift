import DaybookTestSupport
import Testing

@testable import DaybookContracts
@testable import DaybookExpressions
@testable import DaybookValues

/// Random expressions come to what a slow reading of them says, and mangled ones come to an error with a place.
@Suite struct ExpressionOracleTests {
    @Test("random expressions come to what an oracle says", arguments: TestSize.seeds(2, of: 5))
    func oracle(_ seed: UInt64) throws {
        var oracle = ExpressionOracle(seed: seed, rows: 150)
        var checked = 0
        for round in 0..<400 {
            let sample =
                switch round % 5 {
                case 0: oracle.text(3)
                case 1: oracle.integer(4)
                case 2: oracle.decimal(3)
                case 3: oracle.day(3)
                default: oracle.flag(4)
                }
            let expression: Expression
            do {
                expression = try ExpressionText(sample.text)
                    .checked(against: oracle.batch.schema, context: ExampleRunner.context)
            } catch {
                // A part without columns that fails is refused at once.
                #expect(error.code == "not-computable", "\(sample.text): \(error.message)")
                continue
            }
            checked += 1
            let outcome = expression.outcome(oracle.batch)
            let truth = expression.kind == .flag ? expression.truth(oracle.batch) : nil
            for row in 0..<oracle.batch.count {
                let expected = sample.value(row)
                guard outcome.column.displayText(row) == expected.displayText,
                    outcome.uncomputableRows.isMissing(row) == expected.isFailed
                else {
                    Issue.record(
                        "seed \(seed), row \(row): \(sample.text) is \(outcome.column.displayText(row) ?? "missing"), not \(expected)"
                    )
                    break
                }
                if let truth { #expect(truth.isTrue(row) == (expected == .flag(true)), "\(sample.text)") }
            }
            // The size of a batch does not show.
            let parts = oracle.batch.cut(into: 64).map { expression.outcome($0).column }
            #expect(parts.last?.displayText(0) == outcome.column.displayText(128), "\(sample.text)")
        }
        #expect(checked > 300, "seed \(seed): too few expressions were checked")
    }

    private static let corpus = [
        "n between 0 and 1000 and t is not missing", "days_between(d, as_of) >= 7 or t like '행복%'",
        "case when n > 3 then 'a' when f then \"t\" else to_text(n) end = 'a'", "t in ('a', 'it''s', '행복해') and not f",
        "coalesce(to_integer(t), n, 0) * 2 % 7 <> -1", "d between date '2026-01-01' and '2026-12-31'",
        "substring(upper(trim(t)), 2, 3) || 'x' = `t`", "n / nullif(n, 0) > 0.5e1 and x <= -1.25",
        "replace(t, 'a', 'b') like '%!%%' escape '!'", "least(n, big, 3) = greatest(1, n)",
        "matches(upper(t), '^[A-F]+(x|행)?$') is not missing",
    ]

    @Test("ten thousand mangled expressions never crash, and each mistake has a place inside")
    func mangled() {
        var random = SeededGenerator(seed: 20_261_121)
        let batch = ExpressionOracle(seed: 9, rows: 70).batch
        let pieces: [[Unicode.Scalar]] = [
            "(", ")", "'", "\"", "`", ",", "--", "and", " or ", "not ", "is", "case when ", " end", "%", "||", "\0",
            "\u{301}",
            "날", "9", "1e999", ".", "=", "<", "-9223372036854775808", "missing", "length(", "in (", "\n", "date '",
        ].map { Array($0.unicodeScalars) }
        var outcomes = (good: 0, bad: 0)
        for _ in 0..<10_000 {
            var scalars = Array(Self.corpus.randomElement(using: &random)!.unicodeScalars)
            for _ in 0..<Int.random(in: 1...2, using: &random) {
                let place = Int.random(in: 0...scalars.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: scalars.insert(contentsOf: pieces.randomElement(using: &random)!, at: place)
                case 1:
                    scalars.removeSubrange(place..<min(scalars.count, place + Int.random(in: 1...6, using: &random)))
                case 2: scalars.insert(contentsOf: scalars[..<place], at: place)
                default:
                    if place < scalars.count { scalars[place] = pieces.randomElement(using: &random)![0] }
                }
            }
            let text = String(String.UnicodeScalarView(scalars))
            let count = text.unicodeScalars.count
            let node = OptionNode(
                .text(text, quoted: false),
                at: SourcePlace(file: "job.yaml", line: 1, column: 1, length: max(1, count))
            )
            do {
                let read = try ExpressionText(reading: node)
                let expression = try read.checked(against: batch.schema, context: ExampleRunner.context)
                if expression.kind == .flag {
                    _ = try read.condition(against: batch.schema, context: ExampleRunner.context).truth(batch)
                }
                #expect(expression.outcome(batch).column.count == batch.count)
                outcomes.good += 1
            } catch {
                outcomes.bad += 1
                let column = error.place?.column ?? 0
                #expect(column >= 1 && column <= max(1, count) + 1, "\(text): \(error.message) at \(column)")
            }
        }
        #expect(outcomes.good > 500 && outcomes.bad > 2_000, "\(outcomes)")
    }
}
