import DaybookStandard
import DaybookTestSupport
import Testing

@testable import DaybookContracts

/// Every example of every stage, in all its disguises. A failure stands at the example's own line.
@Suite struct StageExampleTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let stage: any Stage.Type
        let example: StageExample

        var testDescription: String { "\(stage.description.name): \(example.claim)" }
    }

    static let cases = StageTable.builtIn.stages.flatMap { stage in
        stage.description.examples.map { Case(stage: stage, example: $0) }
    }

    @Test("the example is true", arguments: cases)
    func example(_ shown: Case) {
        let failures = ExampleRunner.failures(of: shown.stage, in: shown.example)
        let place = SourceLocation(
            fileID: shown.example.file,
            filePath: shown.example.file,
            line: shown.example.line,
            column: 1
        )
        // The first few disguises tell the story; a stage that fails at all often fails in all of them.
        for failure in failures.prefix(3) {
            Issue.record(Comment(rawValue: failure.description), sourceLocation: place)
        }
        if failures.count > 3 {
            let rest = Set(failures.dropFirst(3).map(\.disguise)).count
            Issue.record("and in \(rest) more disguises", sourceLocation: place)
        }
    }
}
