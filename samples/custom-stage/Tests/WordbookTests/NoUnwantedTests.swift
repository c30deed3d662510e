import DaybookContracts
import DaybookQuality
import DaybookTestSupport
import Testing
import WordbookStages

/// The examples of a rule are examples of `check_rows`, which knows it by the table.
@Suite struct NoUnwantedTests {
    @Test("the rule is known beside those of Daybook, and its examples are true")
    func examples() throws {
        let rule = try #require(WordbookRules.table["no_unwanted"])
        #expect(WordbookRules.table["not_missing"] != nil)
        for example in rule.examples {
            for failure in ExampleRunner.failures(of: CheckRows<WordbookRules>.self, in: example) {
                Issue.record(Comment(rawValue: failure.description))
            }
        }
    }
}
