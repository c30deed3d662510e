@testable import DaybookBytes
@testable import DaybookContracts
@testable import DaybookEngine
@testable import DaybookReports

/// Runs that were never run, with everything in them that a form of report has to cope with.
enum SampleRuns {
    static let names = ["everything", "nothing", "unstarted"]

    static func named(_ name: String) -> RunReport {
        var run = RunReport(jobFile: "jobs/nightly.yaml", threads: 2, started: 1_795_228_200_000_000)
        run.job = "nightly: 100%, \"쉼표\""
        run.nanoseconds = 1_042_000_000
        run.asOf = CalendarDay(year: 2026, month: 11, day: 21)
        run.surroundings = ReportSurroundings(root: FilePath.canonical("."))
        switch name {
        case "everything": fill(&run)
        case "unstarted": refuse(&run)
        default: run.outcome.gates = [RunOutcome.Gate(stage: nil, allowed: .count(0), rejected: 0, total: 3)]
        }
        run.exitCode = run.outcome.exitCode
        return run
    }

    static func line(_ id: String, _ rowsIn: Int, rejected: Int) -> LedgerLine {
        var line = LedgerLine(id: id, stage: id)
        line.rowsIn = rowsIn
        line.rejected = rejected
        line.rowsOut = rowsIn - rejected
        return line
    }

    static func finding(
        _ code: String,
        _ message: String,
        stage: String = "clean",
        rule: String? = nil,
        severity: Finding.Severity = .error,
        source: String? = "../data/감정, 100%: a b.csv",
        line: Int? = nil,
        column: Int? = nil
    ) -> RenderedFinding {
        var finding = RenderedFinding(severity: severity, code: code, message: message, stage: stage)
        finding.rule = rule
        finding.jobPlace = SourcePlace(file: "jobs/nightly.yaml", line: 12, column: 7)
        finding.source = source
        finding.line = line
        finding.column = column
        finding.fingerprint = Fingerprint(finding).text
        return finding
    }

    private static func fill(_ run: inout RunReport) {
        run.mask = SecretMask(["hunter2"])
        run.outcome.ledger = [line("entries", 4_183, rejected: 1), line("clean", 4_182, rejected: 3)]
        run.outcome.links = [RunSummary.Link(from: 0, to: 1)]
        run.outcome.gates = [
            RunOutcome.Gate(stage: "clean", allowed: .share(parts: 1, of: 100), rejected: 3, total: 4_182),
            RunOutcome.Gate(stage: nil, allowed: .count(0), rejected: 1, total: 4_183),
        ]
        run.outcome.rules = rules
        var colour = finding("not-a-hex-colour", "'#12345Z' is not a hex colour", line: 7, column: 16)
        (colour.field, colour.value, colour.record) = ("colour", "#12345Z", 6)
        var twice = colour
        (twice.line, twice.record) = (19, 18)
        var lines = finding(
            "not-unique",
            "'a\r\nb' stands twice",
            rule: "one|a|day",
            severity: .warning,
            line: 9,
            column: 1
        )
        (lines.field, lines.value, lines.endLine, lines.record) = ("date", "a\r\nb", 10, 8)
        var pointed = finding("odd-type", "'hunter2' is odd: <b> & ]]> \u{1B}[31m@octocat `x`", severity: .warning)
        (pointed.source, pointed.pointer) = ("../data/app.sqlite", "/words/12/word")
        run.outcome.findings = [
            colour, twice, lines, pointed,
            finding("late", "rows end too early", rule: "enough-rows", source: nil),
            finding("stray-quote", "a quote stands where none may", stage: "entries", source: "-", line: 3, column: 5),
            finding("allowed", "this much is allowed", rule: "some", severity: .note, line: 11, column: 2),
        ]
        run.outcome.tallies = [
            RunOutcome.Tally(stage: "entries", code: "stray-quote", severity: .error, column: nil, count: 1),
            RunOutcome.Tally(stage: "clean", code: "not-a-hex-colour", severity: .error, column: "colour", count: 3),
            RunOutcome.Tally(stage: "clean", code: "odd-type", severity: .warning, column: "word", count: 1_204),
            RunOutcome.Tally(
                stage: "clean",
                code: "not-unique",
                severity: .warning,
                column: "date",
                rule: "one|a|day",
                count: 1
            ),
        ]
    }

    private static var rules: [RuleOutcome] {
        func rule(_ id: String, _ type: String, _ columns: [String], line: Int, _ limits: RuleLimits = RuleLimits())
            -> Rule
        {
            let place = SourcePlace(file: "jobs/nightly.yaml", line: line, column: 11)
            return Rule(id: id, type: type, columns: columns, at: place, limits: limits, complaint: "break it")
        }
        let lenient = RuleLimits(warn: RuleLimit.none, fail: RuleLimit(.share(parts: 1, of: 100)))
        return [
            RuleOutcome(
                stage: "clean",
                rule: rule("not-missing-emotion", "not_missing", ["emotion"], line: 20),
                rows: 4_179,
                failing: 0
            ),
            RuleOutcome(
                stage: "clean",
                rule: rule("one|a|day", "unique", ["date", "id"], line: 21, lenient),
                rows: 4_179,
                failing: 1
            ),
            RuleOutcome(
                stage: "clean",
                rule: rule("some", "between", ["count"], line: 22, RuleLimits(fail: RuleLimit(.count(5)))),
                rows: 4_179,
                failing: 1
            ),
            RuleOutcome(
                stage: "clean",
                rule: rule("enough-rows", "row_count", [], line: 23),
                rows: 4_179,
                failing: 1,
                judgement: "there are 4,179 rows, and at least 5,000 were asked for"
            ),
            RuleOutcome(
                stage: "clean",
                rule: rule("not-a-hex-colour", "freshness", ["date"], line: 24),
                rows: 4_179,
                failing: 1,
                judgement: "the newest date is 3 days old"
            ),
        ]
    }

    private static func refuse(_ run: inout RunReport) {
        run.source = SourceText(
            Array("daybook: 1\nstages:\n  - import_csv: { path: [\"<&>\"], 열: \"100%\" }\n".utf8),
            file: "jobs/nightly.yaml"
        )
        run.asOf = nil
        run.outcome.errors = [
            DaybookError(
                "unknown-option",
                "import_csv has no option '열'",
                at: SourcePlace(file: "jobs/nightly.yaml", line: 3, column: 34, length: 1),
                hint: "its options are path,\nand: more"
            ),
            .machine("cannot-write", "cannot write 'out/a.csv': permission denied"),
        ]
    }
}
