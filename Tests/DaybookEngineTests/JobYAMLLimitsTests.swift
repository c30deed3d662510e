import Testing

@testable import DaybookBytes
@testable import DaybookContracts

/// Files that are made to exhaust the machine are refused. A check that does not end is a failure; how fast one is, is
/// no matter for a test.
@Suite(.serialized) struct JobYAMLLimitsTests {
    private func problem(_ bytes: [UInt8]) -> String {
        let problems = YAMLReader().read(bytes, file: "job.yaml").problems
        return problems.map { "\($0.place?.line ?? 0):\($0.place?.column ?? 0) \($0.message)" }.joined(separator: "\n")
    }

    @Test func aFileOf100MBIsRefusedUnread() throws {
        let bytes = [UInt8](repeating: UInt8(ascii: "["), count: 100_000_000)
        #expect(problem(bytes) == "1:1 the file has more than 4194304 bytes, the most that a job file may have")
        #expect(throws: DaybookError.self) { try YAMLReader().checkSize(100_000_000, file: "job.yaml") }
    }

    @Test(
        "10,000 levels are refused at the 65th",
        arguments: [
            ("[", "", "1:65"), ("[", "]", "1:65"), ("- ", "", "1:129"), ("{a: ", "", "1:257"), ("? ", "", "1:129"),
        ]
    )
    func depth(open: String, close: String, place: String) {
        let text = String(repeating: open, count: 10_000) + String(repeating: close, count: 10_000)
        #expect(problem(Array(text.utf8)) == "\(place) more than 64 lists and maps stand in one another here")
    }

    @Test func aliasesCannotNestDeeperEither() {
        var text = "a0: &a0 [x]\n"
        for level in 1...200 { text += "a\(level): &a\(level) [*a\(level - 1)]\n" }
        #expect(problem(Array(text.utf8)) == "64:12 more than 64 lists and maps stand in one another here")
    }

    @Test func anAliasBombIsRefused() {
        var text = "a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol, lol]\n"
        for level in 1...9 {
            let aliases = [String](repeating: "*a\(level - 1)", count: 10).joined(separator: ", ")
            text += "a\(level): &a\(level) [\(aliases)]\n"
        }
        #expect(problem(Array(text.utf8)) == "5:45 the file has more than 100000 values once every alias is followed")
    }

    @Test func manyValuesAreRefused() {
        let text = String(repeating: "- a\n", count: 110_000)
        #expect(
            problem(Array(text.utf8)) == "100000:3 the file has more than 100000 values once every alias is followed"
        )
    }

    @Test func oneLongLineIsNotSlow() {
        let text = "[" + String(repeating: "가, ", count: 90_000) + "!x y]"
        #expect(problem(Array(text.utf8)) == "1:270002 the tag '!x' is not read")
    }

    @Test func thousandsOfProblemsAreCounted() {
        let problems = jobProblems("stages:\n  - a: { x: \"\(String(repeating: "${no}", count: 5_000))\" }\n")
        #expect(problems.count == 1_001)
        #expect(problems.last == "4000 more problems are not shown [too-many-problems]")
    }
}
