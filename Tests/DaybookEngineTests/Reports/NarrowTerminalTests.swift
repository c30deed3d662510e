import Testing

@testable import DaybookBytes
@testable import DaybookContracts
@testable import DaybookEngine
@testable import DaybookReports

/// What a person reads at a terminal fits into it.
@Suite struct NarrowTerminalTests {
    private func line(_ id: String, _ rowsIn: Int, _ rowsOut: Int, rejected: Int = 0) -> LedgerLine {
        var line = LedgerLine(id: id, stage: id)
        line.rowsIn = rowsIn
        line.rowsOut = rowsOut
        line.rejected = rejected
        return line
    }

    private func ledger(_ width: Int?, _ lines: LedgerLine..., hasColour: Bool = false, failed: Bool = false) -> String
    {
        var run = RunReport(jobFile: "jobs/nightly.yaml", threads: 1, started: 0)
        run.outcome.ledger = lines
        if failed { run.outcome.gates = [RunOutcome.Gate(stage: nil, allowed: .count(0), rejected: 1, total: 9)] }
        let style = TerminalStyle(hasColour: hasColour, width: width)
        return LedgerText(run: run, style: style).lines().joined(separator: "\n")
    }

    @Test func `columns in which nothing stands are left out where the terminal is narrow`() {
        let lines = [
            line("import_csv", 1_204_000, 1_204_000), line("validate_hex_colours", 1_204_000, 1_203_982, rejected: 18),
        ]
        let wide = """
              stage                        in        out  rejected  dropped  folded  made
              import_csv            1,204,000  1,204,000         –        –       –     –
              validate_hex_colours  1,204,000  1,203,982        18        –       –     –
              the ledger balances: 0 rows read, every one accounted for
            """
        #expect(ledger(nil, lines[0], lines[1]) == wide)
        #expect(ledger(80, lines[0], lines[1]) == wide)
        #expect(
            ledger(60, lines[0], lines[1]) == """
                  stage                        in        out  rejected
                  import_csv            1,204,000  1,204,000         –
                  validate_hex_colours  1,204,000  1,203,982        18
                  the ledger balances: 0 rows read, every one accounted for
                """
        )
    }

    @Test func `where that is not enough numbers stand under numbers`() {
        #expect(
            ledger(30, line("import_csv", 1_204_000, 1_204_000), line("a_very_long_name_for_one_stage", 1_204_000, 3))
                == """
                  import_csv
                    in   1,204,000
                    out  1,204,000
                  a_very_long_name_for_one_st…
                    in   1,204,000
                    out          3
                  the ledger balances: 0 rows
                    read, every one accounted
                    for
                """
        )
    }

    @Test func `rejected rows are coloured by what became of the run`() {
        let rows = line("clean", 9, 8, rejected: 1)
        #expect(ledger(nil, rows, hasColour: true).contains("   \u{1B}[1;33m1\u{1B}[0m        –"))
        #expect(ledger(nil, rows, hasColour: true, failed: true).contains("   \u{1B}[1;31m1\u{1B}[0m        –"))
        #expect(!ledger(nil, rows, failed: true).contains("\u{1B}"))
    }

    @Test func `lines break between words, and wide characters count twice`() {
        let text = "  hint: 모든 행이 같은 까닭으로 거절되었습니다 그러니 작업을 보십시오"
        #expect(TerminalStyle(hasColour: false).prose(text) == text)
        #expect(
            TerminalStyle(hasColour: false, width: 30).prose(text) == """
                  hint: 모든 행이 같은
                    까닭으로 거절되었습니다
                    그러니 작업을 보십시오
                """
        )
        let coloured = TerminalStyle(hasColour: true, width: 20)
        #expect(
            coloured.prose("\(coloured.error("error:")) a row too many")
                == "\u{1B}[1;31merror:\u{1B}[0m a row too\n  many"
        )
        // A path that is too long stays whole, so that it can be copied.
        #expect(
            coloured.prose("see a/very/long/path/to/some.csv there") == "see\n  a/very/long/path/to/some.csv\n  there"
        )
    }

    private func finding(_ line: Int, _ value: String) -> RenderedFinding {
        RenderedFinding(
            severity: .warning,
            code: "odd",
            message: "'\(value)' is odd",
            stage: "clean",
            source: "in.csv",
            line: line,
            column: 2
        )
    }

    private func findings(_ style: TerminalStyle, _ findings: [RenderedFinding]) -> String {
        var run = RunReport(jobFile: "nightly.yaml", threads: 1, started: 0)
        run.outcome.findings = findings
        run.outcome.tallies = [
            RunOutcome.Tally(stage: "clean", code: "odd", severity: .warning, column: nil, count: findings.count)
        ]
        return TextReporter(style).report(run)
    }

    @Test func `findings that say the same are told once, with how many they are`() {
        let all = (2..<44).map { finding($0, "pink") } + [finding(50, "rose")]
        let told = findings(TerminalStyle(hasColour: false, width: 80), all)
        #expect(
            told == """
                in.csv:2:2: warning: 'pink' is odd [odd]
                  … and 41 more of the same, at in.csv:3:2, in.csv:4:2, in.csv:5:2 …
                in.csv:50:2: warning: 'rose' is odd [odd]

                done: checked, in 0.00 s; the job writes nothing; 43 warnings stand above

                """
        )
        // What is no terminal is told every place.
        let plain = findings(.plain, all)
        #expect(plain.contains("in.csv:3:2: warning: 'pink' is odd [odd]\n"))
        #expect(plain.contains("… and 23 more [odd]"))
        #expect(plain.hasSuffix("there are 43 warnings, of which 20 stand above\n"))
    }

    @Test func `no more sayings are told than there were findings`() {
        let all = (0..<50).map { finding(2 + $0, "\($0 % 25)") }
        let told = findings(TerminalStyle(hasColour: false, width: 100), all)
        #expect(told.contains("in.csv:21:2: warning: '19' is odd [odd]\n  … and 1 more of the same, at in.csv:46:2\n"))
        #expect(!told.contains("'20' is odd"))
        #expect(told.contains("… and 10 more [odd]"))
        #expect(told.hasSuffix("there are 50 warnings, of which 40 stand above\n"))
    }

    @Test func `a line of a file is cut around its place`() {
        let text = String(repeating: "가", count: 60) + "x" + String(repeating: "나", count: 60)
        let source = SourceText(Array(text.utf8), file: "a.yaml")
        let place = SourcePlace(file: "a.yaml", line: 1, column: 61, length: 1)
        for width in [20, 60, 80] {
            let style = TerminalStyle(hasColour: false, width: width)
            let error = ErrorRenderer(source: source, style: style).render(DaybookError("odd", "it is", at: place))
            let lines = error.split(separator: "\n").map(String.init)
            #expect(lines.allSatisfy { Prose.width(of: $0) <= width }, "\(error)")
            let (line, carets) = (lines[lines.count - 2], lines[lines.count - 1])
            #expect(Prose.width(of: line.prefix { $0 != "x" }) == Prose.width(of: carets.prefix { $0 != "^" }))
        }
    }
}
