import DaybookCore
import Testing

@testable import DaybookPipeline

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
            run.outcome.errors = [.machine("unbalanced-book", "the book does not balance: …")]
        }
        #expect(
            text == """
                  stage    in  out  rejected  dropped  folded  made
                  entries   3    2         –        –       –     –
                  the run was not finished, so the book is not closed

                error: the book does not balance: … [unbalanced-book]

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
        let output = { (path: String) in RunOutcome.Output(path: path, bytes: 1, sha256: "") }
        #expect(report { _ in } == "done: nothing was to be written, in 0.00 s\n")
        #expect(
            report { $0.outcome.outputs = ["../out/a", "-"].map(output) }
                == "done: wrote out/a and standard output, in 0.00 s\n"
        )
        #expect(
            report { $0.outcome.outputs = ["a", "b", "c", "d", "e"].map(output) }
                == "done: wrote 5 files, from jobs/a to jobs/e, in 0.00 s\n"
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

                done: nothing was to be written, in 0.00 s; look at the 4,183 warnings above

                """
        )
    }

    @Test func secretsAreMaskedInEveryPart() {
        let text = report { run in
            run.mask = SecretMask(["hunter2"])
            run.outcome.outputs = [RunOutcome.Output(path: "hunter2/a", bytes: 1, sha256: "")]
        }
        #expect(text == "done: wrote jobs/••••/a, in 0.00 s\n")
    }
}
