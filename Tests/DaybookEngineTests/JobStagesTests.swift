import Testing

@testable import DaybookContracts

@Suite struct JobStagesTests {
    private func problems(_ stages: String, stageNames: [String] = []) -> [String] {
        jobProblems("stages:\n\(stages)\n", stageNames: stageNames)
    }

    @Test func anEntryNamesExactlyOneStage() {
        #expect(
            problems("  - sort_rows\n  - [a]\n  - id: x\n  - a: {}\n    b: {}\n") == [
                "3:5 expected a stage such as 'sort_rows: { by: date }', found 'sort_rows' [wrong-type] "
                    + "(add a colon: '- sort_rows:')",
                "4:5 expected a stage such as 'sort_rows: { by: date }', found a list [wrong-type]",
                "5:5 this entry names no stage [no-stage] (beside id, from and rejects it needs one stage, such as 'sort_rows:')",
                "7:5 this entry names 2 stages: 'a' and 'b' [several-stages] (begin each stage with a '- ' of its own)",
            ]
        )
    }

    @Test func aMisspeltEngineKeyIsNoSecondStage() {
        #expect(
            problems("  - a: {}\n    id: x\n  - b: {}\n    form: x\n") == [
                "6:5 a stage has no key 'form' [unknown-key] (did you mean 'from'?)"
            ]
        )
    }

    @Test func optionsBesideTheirStageAreIndentedTooLittle() {
        let text = "  - import_csv:\n    path: x\n    header: false\n"
        let problem =
            "4:5 'path' stands beside 'import_csv', not under it [misplaced-option] "
            + "(indent the options of a stage further than its name)"
        #expect(problems(text) == [problem])
        #expect(problems(text, stageNames: ["import_csv"]) == [problem])
        #expect(
            problems("  - a:\n    b: x\n", stageNames: ["a", "b"]) == [
                "4:5 this entry names 2 stages: 'a' and 'b' [several-stages] (begin each stage with a '- ' of its own)"
            ]
        )
    }

    @Test(
        "stages is a list",
        arguments: [
            (
                "stages: { a: {} }",
                "2:9 expected a list of stages, found a map [wrong-type] (begin each stage with '- ')"
            ),
            ("stages: []", "2:9 the job has no stages [no-stages]"),
            ("stages:", "2:8 expected a list of stages, found nothing [wrong-type] (begin each stage with '- ')"),
        ]
    )
    func list(text: String, problem: String) {
        #expect(jobProblems(text) == [problem])
    }

    @Test func stagesWithoutAnIDAreNamedByTypeAndNumber() {
        let text = "stages:\n  - a:\n  - b:\n  - a:\n    id: a_3\n  - a:\n  - c:\n    id: d\n  - d:\n"
        #expect(job(text).job?.stages.map(\.id) == ["a_1", "b", "a_3", "a_4", "d", "d_2"])
    }

    @Test func fromNamesStagesAbove() {
        #expect(
            problems(
                """
                  - a:
                    id: entries
                  - b:
                    id: entries
                  - c:
                    from: [entires, entries.rejcts, entries, entries, last, self, b.rejects]
                    id: self
                  - x:
                    from: { a: b }
                  - x:
                    from: []
                  - y:
                    from: x
                  - z:
                    from: [entries, [entries]]
                    id: last
                """
            ) == [
                "6:9 a second stage has the id 'entries' [duplicate-id] (the first is in line 4)",
                "8:12 no stage above has the id 'entires' [unknown-stage-id] (did you mean 'entries'?)",
                "8:21 a stage has no output 'rejcts' [unknown-output] "
                    + "('entries' is what it passes on, 'entries.rejects' what it rejects)",
                "8:46 'from' names 'entries' twice [duplicate-from]",
                "8:55 the stage 'last' stands further down [unknown-stage-id] "
                    + "(a stage reads from the stages above it: move 'last' up, or this one down)",
                "8:61 a stage cannot read from itself [unknown-stage-id] (a stage reads from the stages above it)",
                "8:67 no stage above has the id 'b' [unknown-stage-id] (the ids above are entries, entries)",
                "11:11 expected the id of a stage above, or a list of them, found a map [wrong-type]",
                "13:11 'from' names no stage [empty-from] (without 'from' a stage reads the one above it)",
                "15:11 2 stages are of the type 'x' [ambiguous-stage-id] (give the one you mean an 'id')",
                "17:21 expected the id of a stage above, or a list of them, found a list [wrong-type]",
            ]
        )
    }
}
