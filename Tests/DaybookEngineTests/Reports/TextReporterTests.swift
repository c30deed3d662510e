import Testing

@testable import DaybookBytes
@testable import DaybookContracts
@testable import DaybookEngine
@testable import DaybookReports

/// The words of a report that whole runs seldom show.
@Suite struct TextReporterTests {
    func report(_ change: (inout RunReport) -> Void) -> String {
        var run = RunReport(jobFile: "jobs/nightly.yaml", threads: 1, started: 0)
        change(&run)
        if run.exitCode == 0 { run.exitCode = run.outcome.exitCode }
        return TextReporter(.plain).report(run)
    }

    func line(_ id: String, rowsIn: Int, rowsOut: Int) -> LedgerLine {
        var line = LedgerLine(id: id, stage: id)
        line.rowsIn = rowsIn
        line.rowsOut = rowsOut
        return line
    }

    @Test func aBookThatDoesNotBalanceIsAFaultToReport() {
        let text = report { run in
            run.outcome.ledger = [line("entries", rowsIn: 3, rowsOut: 2)]
            run.outcome.errors = [.machine("unbalanced-book", "the ledger does not balance: …")]
        }
        #expect(
            text == """
                  stage    in  out  rejected  dropped  folded  made
                  entries   3    2         –        –       –     –
                  the run was not finished, so the ledger is not closed

                error: the ledger does not balance: … [unbalanced-book]

                next: report this fault of the stage to who wrote it; nothing was written, the old outputs are as they were

                """
        )
    }

    @Test func severalErrorsAreCounted() {
        let text = report { run in
            run.outcome.errors = [DaybookError("a", "one"), DaybookError("b", "two")]
        }
        #expect(
            text.hasSuffix(
                "next: mend the 2 errors above, then run again; nothing was written, the old outputs are as they were\n"
            )
        )
    }

    @Test func aCommitThatWasCutShortSaysHowToGoOn() {
        let text = report { run in
            run.outcome.errors = [.machine("unfinished-commit", "cannot put 'a' in its place", hint: "run again")]
        }
        #expect(text.hasSuffix("\nnext: run again\n"))
    }

    @Test func whatWasWrittenIsNamed() {
        let output = { (path: String) in RunOutcome.Output(path: path, bytes: 1, digest: FileDigest(xxh128: "")) }
        #expect(report { _ in } == "done: checked, in 0.00 s; the job writes nothing\n")
        #expect(
            report { $0.outcome.outputs = ["../out/a", "-"].map(output) }
                == "done: wrote out/a, and to standard output, in 0.00 s\n"
        )
        #expect(
            report { $0.outcome.outputs = ["a", "b", "c", "d", "e"].map(output) }
                == "done: wrote 5 files, from jobs/a to jobs/e, in 0.00 s\n"
        )
    }

    @Test func rejectsAreCountedInTheLastLine() {
        let text = report { run in
            var entries = line("entries", rowsIn: 2_000, rowsOut: 800)
            entries.rejected = 1_200
            run.outcome.ledger = [entries]
            run.outcome.outputs = [RunOutcome.Output(path: "-", bytes: 1, digest: FileDigest(xxh128: ""))]
        }
        #expect(text.hasSuffix("\ndone: wrote to standard output, in 0.00 s; 1,200 rows were rejected, see above\n"))
    }

    @Test(
        arguments: [
            (1, "1%"), (10, "1%"), (11, "2%"), (21, "5%"), (50, "5%"), (51, nil), (1_000, nil),
        ] as [(Int, String?)]
    )
    func noShareIsOfferedThatWouldFailAgain(_ rejected: Int, _ share: String?) {
        var gate = RunOutcome.Gate(stage: nil, allowed: .count(0), rejected: rejected, total: 1_000)
        #expect(NextStep.enough(for: gate) == share)
        gate.allowed = .count(3)
        #expect(NextStep.enough(for: gate) == (share == nil ? nil : "\(rejected)"))
    }

    func failing(_ code: String, _ count: Int, of rows: Int, mend: String? = nil) -> String {
        report { run in
            var clean = line("clean", rowsIn: rows, rowsOut: rows - count)
            clean.rejected = count
            run.outcome.ledger = [clean]
            run.outcome.gates = [RunOutcome.Gate(stage: nil, allowed: .count(0), rejected: count, total: rows)]
            run.outcome.tallies = [
                RunOutcome.Tally(stage: "clean", code: code, severity: .error, column: nil, count: count, mend: mend)
            ]
        }
    }

    @Test func whereAllRowsFailTheJobIsSuspected() {
        #expect(
            failing("not-a-hex-colour", 4, of: 4).hasSuffix(
                """
                gate failed for the job: 4 of 4 rows rejected (100 %), none allowed
                  hint: all rows fail in 'clean' with [not-a-hex-colour], so the cause is the job, or the file as a whole, rather than single rows

                next: look at the options of 'clean', then at the places above; the old outputs are as they were

                """
            )
        )
        #expect(failing("odd", 90, of: 100).contains("  hint: nearly all rows fail in 'clean' with [odd], so"))
        #expect(!failing("odd", 89, of: 100).contains("hint:"))
    }

    @Test func rowsAreLetGoOnlyWhereTheyAreFew() {
        #expect(
            failing("odd", 5, of: 100).hasSuffix(
                "next: mend the rows at the places above, or allow some with 'rejects: { allow: 5% }' in jobs/nightly.yaml; "
                    + "the old outputs are as they were\n"
            )
        )
        #expect(
            failing("odd", 6, of: 100).hasSuffix(
                "next: mend the rows at the places above; the old outputs are as they were\n"
            )
        )
    }

    @Test func whereTheJobMayReadThemThatComesFirst() {
        let mend = "write 'decimal_comma: true'"
        let many = failing("decimal-comma", 30, of: 100, mend: mend)
        #expect(many.contains("\n  hint: 30 rows fail in 'clean' with [decimal-comma]: write 'decimal_comma: true'\n"))
        #expect(
            many.hasSuffix(
                "next: look at the options of 'clean', then at the places above; the old outputs are as they were\n"
            )
        )
        #expect(!failing("decimal-comma", 5, of: 100, mend: mend).contains("hint:"))
        #expect(
            failing("decimal-comma", 95, of: 100, mend: mend).contains(
                "so the cause is the job, or the file as a whole, rather than single rows: write 'decimal_comma: true'\n"
            )
        )
    }

    @Test func onlyWarningsThatStandAboveAreSaidTo() {
        func text(_ told: Int, of count: Int) -> String {
            report { run in
                let finding = RenderedFinding(severity: .warning, code: "odd", message: "odd", stage: "clean")
                run.outcome.findings = [RenderedFinding](repeating: finding, count: told)
                run.outcome.tallies = [
                    RunOutcome.Tally(stage: "clean", code: "odd", severity: .warning, column: nil, count: count)
                ]
            }
        }
        #expect(text(3, of: 3).hasSuffix("; 3 warnings stand above\n"))
        #expect(text(1, of: 1).hasSuffix("; 1 warning stands above\n"))
        #expect(text(1_000, of: 7_239_820).hasSuffix("; there are 7,239,820 warnings, of which 20 stand above\n"))
    }

    @Test func aTableIsNoRowThatCouldBeMended() {
        func text(_ judgement: String?, _ failing: Int) -> String {
            report { run in
                var outcome = RuleOutcome(
                    stage: "checked",
                    rule: Rule(id: "enough", type: "row_count", at: nil, complaint: "are too few"),
                    rows: 100,
                    failing: failing
                )
                outcome.judgement = judgement
                run.outcome.rules = [outcome]
                run.exitCode = 1
            }
        }
        #expect(text("there are too few", 1).contains("\nnext: find out why the table is not as 'enough' asks"))
        #expect(text(nil, 5).contains("\nnext: mend the rows at the places above, or give 'enough' limits, such as"))
        #expect(
            text(nil, 6).contains(
                "\nnext: mend the rows at the places above, or change 'enough' where the rows are right"
            )
        )
    }

    @Test func whatIsNoRowIsNamedBelowTheLedger() {
        let text = report { run in
            var entries = line("entries", rowsIn: 5, rowsOut: 2)
            entries.skipped = ["comments": 1, "blank lines": 2_000]
            entries.dropped = ["duplicates": 3]
            run.outcome.ledger = [entries]
        }
        #expect(text.contains("\n  entries dropped: duplicates 3\n"))
        #expect(text.contains("\n  entries skipped: blank lines 2,000, comments 1, which are no rows\n"))
    }

    @Test func findingsWithoutAnExcerptStillHaveTheirPlace() {
        let finding = RenderedFinding(
            severity: .warning,
            code: "odd",
            message: "this\u{1B}[31m is odd",
            stage: "entries",
            jobPlace: nil,
            source: "gone.csv",
            line: 7,
            column: nil,
            byte: nil,
            pointer: nil,
            field: nil,
            value: nil
        )
        let text = report { run in
            run.outcome.findings = [finding]
            run.outcome.tallies = [
                RunOutcome.Tally(stage: "entries", code: "odd", severity: .warning, column: nil, count: 4_183)
            ]
        }
        #expect(
            text == """
                jobs/gone.csv:7: warning: this␛[31m is odd [odd]
                … and 4,182 more [odd]

                done: checked, in 0.00 s; the job writes nothing; there are 4,183 warnings, of which 1 stands above

                """
        )
    }

    @Test func secretsAreMaskedInEveryPart() {
        let text = report { run in
            run.mask = SecretMask(["hunter2"])
            run.outcome.outputs = [RunOutcome.Output(path: "hunter2/a", bytes: 1, digest: FileDigest(xxh128: ""))]
        }
        #expect(text == "done: wrote jobs/••••/a, in 0.00 s\n")
    }
}
