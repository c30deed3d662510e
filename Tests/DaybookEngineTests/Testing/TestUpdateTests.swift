import DaybookStandard
import Testing

@testable import DaybookContracts
@testable import DaybookEngine
@testable import DaybookJobTools

/// Expectations that are written anew: whatever the rows, the file then says what came, and nothing else has changed.
@Suite struct TestUpdateTests {
    private static let run = TestRun(table: .builtIn, threads: 1) { false }

    private func job(_ text: String) throws -> Job {
        try JobParser(stageNames: StageTable.builtIn.names) { _ in nil }.job(Array(text.utf8), file: "job.yaml")
    }

    private func outcomes(_ job: Job) -> [TestOutcome] {
        job.tests.enumerated().map { TestUpdateTests.run.run($0.element, at: $0.offset, in: job) }
    }

    /// The file after an update, which then must hold.
    private func updated(_ text: String) throws -> String {
        let job = try job(text)
        let outcomes = outcomes(job)
        for outcome in outcomes { #expect(outcome.errors.isEmpty, "\(outcome.errors)") }
        guard let bytes = try TestUpdate(outcomes, of: job, file: job.source).bytes else { return text }
        let new = String(decoding: bytes, as: UTF8.self)
        for outcome in self.outcomes(try self.job(new)) { #expect(outcome.passed, "\(new)") }
        return new
    }

    private func text(given: String, expected: String) -> String {
        """
        daybook: 1
        stages:
          - import_csv: { path: x.csv }
            id: rows

        # before
        tests:
          - name: rows come as they are
            given:
              rows: \(given)
            expect:
              rows: \(expected)
        # after
        """
    }

    private let given = "[{ a: 1, b: x }, { a: 2, b: null }, { a: 3, b: \"\" }]"

    @Test(arguments: [
        // Written, and what comes of it.
        ("|\n          a,b\n          1,x\n", "|\n          a,b\n          1,x\n          2,\n          3,\"\"\n"),
        (
            "|-\n          b,a\n\n          \"x\",1\n          ,7",
            "|-\n          b,a\n          \"x\",1\n          ,2\n          \"\",3"
        ),
        ("\"a\\n1\"", "|\n        a\n        1\n        2\n        3"),
        ("[{ a: 1 }] # one", "[{ a: 1 }, { a: 2 }, { a: 3 }] # one"),
        ("[{ a: 9 }, { a: 2 },\n        { a: 3 }]", "[{ a: 1 }, { a: 2 },\n        { a: 3 }]"),
        // The blank behind the colon stays.
        ("", "| \n        a,b\n        1,x\n        2,\n        3,\"\""),
        ("~ # yet", "| # yet\n        a,b\n        1,x\n        2,\n        3,\"\""),
        ("[]", "|\n        a,b\n        1,x\n        2,\n        3,\"\""),
        (
            "\n        - a: 1   # one\n        # two\n        -\n          a: 5\n",
            "\n        - a: 1   # one\n        # two\n        -\n          a: 2\n        - { a: 3 }\n"
        ),
        (
            "\n      - { a: 0 }\n      - { a: 1 } # one\n      - { a: 2 }\n      - { a: 3 }\n      - { a: 4 } # four\n",
            "\n      - { a: 1 } # one\n      - { a: 2 }\n      - { a: 3 }\n"
        ),
        (
            "\n      - { a: 1, b: }\n      - a: 2\n        b: x # two\n      - { a: 3, b: ~ }\n",
            "\n      - { a: 1, b: x }\n      - a: 2\n        b: null # two\n      - { a: 3, b: \"\" }\n"
        ),
        ("\n      - { b: }\n      - b: x\n", "\n      - b: x\n      - { b: null }\n      - { b: \"\" }\n"),
    ])
    func everyWayOfWritingRowsIsKept(_ written: String, _ expected: String) throws {
        #expect(try updated(text(given: given, expected: written)) == text(given: given, expected: expected))
    }

    @Test func linesKeepTheirEnds() throws {
        let crlf = text(given: given, expected: "|\n          a,b\n          1,x\n").replacing("\n", with: "\r\n")
        let new = try updated(crlf)
        #expect(
            new
                == text(given: given, expected: "|\n          a,b\n          1,x\n          2,\n          3,\"\"\n")
                .replacing("\n", with: "\r\n")
        )
    }

    @Test(arguments: ["&a [{ a: 1 }]", "*rows"])
    func whatOthersReferToIsNotRewritten(_ written: String) throws {
        let whole = text(given: given, expected: written)
            .replacing("# before", with: "params: { rows: &rows \"a\\n9\" }")
        let job = try job(whole)
        #expect(throws: DaybookErrors.self) { try TestUpdate(outcomes(job), of: job, file: job.source) }
    }

    @Test func anyValueComesBack() throws {
        var random = SeededRandom(seed: 9)
        let pieces = [
            "a", "0", "행", " ", "\"", ",", "'", "#", ": ", "- ", "{", "]", "&", "*", "!", "|", "%", "@", "null", "~",
            "${x}", "\\", "\t", "é",
        ]
        for round in 0..<60 {
            func value() -> String? {
                Int.random(in: 0..<6, using: &random) == 0
                    ? nil
                    : (0..<Int.random(in: 0..<4, using: &random)).map { _ in pieces.randomElement(using: &random)! }
                        .joined()
            }
            let rows = (0..<Int.random(in: 1..<5, using: &random)).map { _ in [value(), value()] }
            let given = "[\(rows.map { YAMLRow.flow($0, ["a", "b"]) }.joined(separator: ", "))]"
            let old = [
                "|\n          a,b\n          1,2\n", "[{ a: 1, b: 2 }, { a: 3, b: 4 }]",
                "\n      - { a: 1, b: 2 }\n      - { a: 3, b: 4 }\n", "",
            ]
            let written = old[round % old.count]
            let new = try updated(text(given: given, expected: written))
            #expect(new.hasPrefix("daybook: 1\n") && new.hasSuffix("# after"), "seed 9, round \(round)")
        }
    }
}
