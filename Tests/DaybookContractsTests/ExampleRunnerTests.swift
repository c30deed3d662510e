import DaybookContracts
import DaybookTestSupport
import Testing

/// Stages that break one promise each: whoever tests stages has to be tested first.
@Suite struct ExampleRunnerTests {
    @Test("a transform that keeps its promises passes")
    func soundTransform() {
        #expect(ExampleRunner.failures(of: DoubleNumbers<Sound>.self).isEmpty)
    }

    @Test(
        "a broken promise of a transform shows in the disguise that is made for it",
        arguments: [
            (DoubleNumbers<WrongValue>.self, "all rows in one batch"),
            (DoubleNumbers<CountsRows>.self, "batches of 2"),
            (DoubleNumbers<LooksUnderGaps>.self, "the greatest values under gaps"),
            (DoubleNumbers<LosesColumns>.self, "a stranger column"),
            (DoubleNumbers<ForgetsNeed>.self, "only the columns needed for twice"),
            (DoubleNumbers<TakesFirstColumn>.self, "a stranger column"),
            (DoubleNumbers<LosesProvenance>.self, "all rows in one batch"),
            (DoubleNumbers<DropsUnnamed>.self, "all rows in one batch"),
            (DoubleNumbers<PromisesOther>.self, "all rows in one batch"),
            (DoubleNumbers<WarnsOutside>.self, "all rows in one batch"),
            (DoubleNumbers<WritesOver>.self, "a column 'twice' that is there already"),
        ] as [(any Stage.Type, String)]
    )
    func brokenTransforms(_ stage: any Stage.Type, _ disguise: String) {
        let failures = ExampleRunner.failures(of: stage)
        #expect(failures.contains { $0.disguise == disguise }, "\(stage): \(failures.map(\.disguise))")
    }

    @Test("a fold that keeps its promises passes")
    func soundFold() {
        #expect(ExampleRunner.failures(of: AddNumbers<Sound>.self).isEmpty)
    }

    @Test(
        "a broken promise of a fold shows in the way of merging that is made for it",
        arguments: [
            (AddNumbers<LosesInBytes>.self, "batches of 1, each partial written to bytes and read back"),
            (AddNumbers<CountsRows>.self, "batches of 2, merged in order"),
            (AddNumbers<LeansLeft>.self, "batches of 1, merged from the end"),
            (AddNumbers<Miscounts>.self, "batches of 1, merged in order"),
        ] as [(any Stage.Type, String)]
    )
    func brokenFolds(_ stage: any Stage.Type, _ disguise: String) {
        let failures = ExampleRunner.failures(of: stage)
        #expect(failures.contains { $0.disguise == disguise }, "\(stage): \(failures.map(\.disguise))")
    }

    @Test("a failure names the example, its place, and shows both tables")
    func wording() throws {
        let failure = try #require(ExampleRunner.failures(of: DoubleNumbers<WrongValue>.self).first)
        #expect(
            failure.message == """
                expected
                    | number:integer | twice:integer |
                    | 4              | 8             |
                    |                |               |
                    | -1             | -2            |
                  found
                    | number:integer | twice:integer |
                    | 4              | 9             |
                    |                |               |
                    | -1             | -1            |
                """
        )
        #expect(failure.example.file.hasSuffix("BrokenStages.swift"))
    }

    @Test("a refusal that does not come, or comes in other words, fails")
    func refusals() {
        let failures = ExampleRunner.failures(
            of: DoubleNumbers<Sound>.self,
            in: StageExample("not refused", input: "number:integer", refused: "no")
        )
        #expect(failures.map(\.message) == ["is not refused; expected 'no'"])
        let others = ExampleRunner.failures(
            of: DoubleNumbers<Sound>.self,
            in: StageExample("other words", options: "number: 3", input: "number:integer", refused: "no")
        )
        #expect(others.map(\.message) == ["is refused with 'double_numbers has no option 'number'', not 'no'"])
    }
}
