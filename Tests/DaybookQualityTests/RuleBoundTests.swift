import DaybookTestSupport
import Testing

@testable import DaybookBytes
@testable import DaybookContracts
@testable import DaybookQuality

/// Bounds that no double or no 64 bits hold.
@Suite struct RuleBoundTests {
    private static func rule(_ options: String) throws -> (rule: Between, problems: [DaybookError]) {
        let reading = YAMLReader().read(Array("column: x\n\(options)".utf8), file: "rule.yaml")
        let map = try #require(reading.root?.map)
        var reader = OptionReader(map, at: nil, context: ExampleRunner.context)
        return (Between(reading: &reader), reader.problems)
    }

    private static func broken(_ options: String, _ rows: String) throws -> [Int] {
        let (rule, problems) = try rule(options)
        #expect(problems.isEmpty)
        return rule.broken(in: try BatchText.read("x:" + rows)).rows
    }

    @Test(
        arguments: [
            ("min: 9223372036854775808", [0, 1, 2]), ("max: -9223372036854775809", [0, 1, 2]),
            ("min: -9223372036854775809", []), ("max: 9223372036854775808", []), ("min: 1e300", [0, 1, 2]),
            ("max: -1e300", [0, 1, 2]), ("min: 9223372036854775807", [0, 1]), ("max: 9007199254740992", [2]),
        ] as [(String, [Int])]
    )
    func `whole numbers are held against any bound`(_ options: String, _ expected: [Int]) throws {
        let rows = "integer\n-9223372036854775808\n9007199254740992\n9223372036854775807\n"
        #expect(try Self.broken(options, rows) == expected)
    }

    @Test(
        arguments: [
            ("min: 9007199254740993", [0]), ("max: 9007199254740993", [1]), ("min: 9007199254740992", []),
            ("max: 9007199254740992.5", [1]),
        ] as [(String, [Int])]
    )
    func `decimals are held against a bound that no double is`(_ options: String, _ expected: [Int]) throws {
        let rows = "decimal\n9007199254740992.0\n9007199254740994.0\n"
        #expect(try Self.broken(options, rows) == expected)
    }

    @Test func `bounds that let nothing through are told from others by all their digits`() throws {
        let problems = try Self.rule("min: 9007199254740993\nmax: 9007199254740992").problems
        #expect(problems.map(\.message) == ["'min' is 9007199254740993, more than 'max', 9007199254740992"])
    }
}
