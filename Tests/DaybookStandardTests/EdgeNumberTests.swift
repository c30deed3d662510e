import DaybookTestSupport
import Testing

@testable import DaybookContracts

/// Numbers at the edges of what a machine holds, in every option and every row of every example. Whether they are refused,
/// rejected or taken is asked elsewhere; here no sum, product or difference of them may stop the process.
@Suite struct EdgeNumberTests {
    static let edges = [
        "9223372036854775807", "-9223372036854775808", "9223372036854775808", "-9223372036854775809", "4294967296",
        "2147483647", "-2147483648", "99999999999999999999999999", "0", "-1", "1e308", "-1.7976931348623157e308",
        "5e-324",
        "1.5e-9223372036854775808", "1e9223372036854775807", "1e-99999999999999999999", "0001-01-01", "9999-12-31",
        "99999999999 days", "100%",
    ]

    /// Where runs of digits stand in a text, dates and decimals as one.
    private static func numbers(in text: String) -> [Range<String.Index>] {
        text.ranges(of: /-?[0-9]+(?:[.\-][0-9]+)*/)
    }

    @Test(
        "a number that nobody expects in an option or a row stops no process",
        arguments: TestSize.most(of: StageExampleTests.cases)
    )
    func edges(_ shown: StageExampleTests.Case) {
        let example = shown.example
        let edges = TestSize.most(of: Self.edges)
        var tried = 0
        // What a long example repeats need not be tried everywhere.
        let options = Self.numbers(in: example.options).prefix(TestSize.isExhaustive ? 6 : 2)
        let inputs = Self.numbers(in: example.input).prefix(TestSize.isExhaustive ? 6 : 2)
        for range in options {
            for edge in edges {
                var options = example.options
                options.replaceSubrange(range, with: edge)
                ExampleRunner.tryOut(shown.stage, options, on: example.input, beside: example.beside)
                tried += 1
            }
        }
        for range in inputs {
            for edge in edges {
                var input = example.input
                input.replaceSubrange(range, with: edge)
                ExampleRunner.tryOut(shown.stage, example.options, on: input, beside: example.beside)
                tried += 1
            }
        }
        #expect(tried == (options.count + inputs.count) * edges.count)
    }
}
