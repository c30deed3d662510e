import DaybookContracts
import DaybookTestSupport
import Testing
import WordbookStages

/// All that a stage outside Daybook needs for tests: its examples, in every disguise, and the rules of the table.
@Suite struct CountWordsTests {
    @Test("the example is true", arguments: CountWords.description.examples.indices)
    func example(_ index: Int) {
        let example = CountWords.description.examples[index]
        let place = SourceLocation(
            fileID: example.file,
            filePath: example.file,
            line: example.line,
            column: 1
        )
        for failure in ExampleRunner.failures(of: CountWords.self, in: example) {
            Issue.record(Comment(rawValue: failure.description), sourceLocation: place)
        }
    }

    @Test("the table keeps to the rules of Daybook")
    func table() {
        #expect(TableRules.problems(in: .wordbook).isEmpty)
    }
}
