import DaybookContracts
import DaybookTestSupport
import Testing
import WordbookStages

/// All that a stage outside Daybook needs for tests: its examples, in every disguise, and the rules of the table.
@Suite struct ExamplesTests {
    private static let stages: [any Stage.Type] = [
        CountWords.self, ImportPairs.self, ExportPairs.self, ReadShelf.self, AddToShelf.self,
    ]

    @Test("the examples are true", arguments: ExamplesTests.stages.indices)
    func examples(_ stage: Int) {
        let stage = ExamplesTests.stages[stage]
        #expect(!stage.description.examples.isEmpty)
        for example in stage.description.examples {
            let place = SourceLocation(fileID: example.file, filePath: example.file, line: example.line, column: 1)
            for failure in ExampleRunner.failures(of: stage, in: example) {
                Issue.record(Comment(rawValue: failure.description), sourceLocation: place)
            }
        }
    }

    @Test("the table keeps to the rules of Daybook")
    func table() {
        #expect(TableRules.problems(in: .wordbook).isEmpty)
    }
}
