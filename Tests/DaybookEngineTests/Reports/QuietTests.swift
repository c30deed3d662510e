import Testing

@testable import DaybookContracts
@testable import DaybookEngine
@testable import DaybookReports

/// Of which runs `--quiet` says nothing.
@Suite struct QuietTests {
    func run(_ change: (inout RunReport) -> Void) -> RunReport {
        var run = RunReport(jobFile: "job.yaml", threads: 1, started: 0)
        change(&run)
        run.exitCode = max(run.exitCode, run.outcome.exitCode)
        return run
    }

    func tally(_ severity: Finding.Severity, count: Int = 2, known: Int = 0) -> RunOutcome.Tally {
        RunOutcome.Tally(stage: "clean", code: "odd", severity: severity, column: nil, count: count, known: known)
    }

    func rule(_ limits: RuleLimits) -> RuleOutcome {
        let rule = Rule(id: "a-rule", type: "holds", at: nil, limits: limits, complaint: "do not hold")
        return RuleOutcome(stage: "clean", rule: rule, rows: 9, failing: 2)
    }

    @Test func cleanRunsAreSilent() {
        let silent: [(inout RunReport) -> Void] = [
            { _ in }, { $0.outcome.tallies = [tally(.note)] }, { $0.outcome.tallies = [tally(.error, known: 2)] },
            { $0.outcome.rules = [rule(RuleLimits(fail: RuleLimit(.count(5))))] },
        ]
        for change in silent { #expect(TextReporter(.plain).report(run(change), unless: .clean).isEmpty) }
    }

    @Test func whatWasFoundIsToldUnlessOnlyFailuresAre() {
        let told: [(inout RunReport) -> Void] = [
            { $0.outcome.tallies = [tally(.warning)] }, { $0.outcome.tallies = [tally(.error, known: 1)] },
            { $0.outcome.rules = [rule(RuleLimits(warn: RuleLimit.none))] },
        ]
        for change in told {
            let report = TextReporter(.plain).report(run(change), unless: .clean)
            #expect(report.contains("done: "))
            #expect(TextReporter(.plain).report(run(change), unless: .failures).isEmpty)
        }
        let warned = TextReporter(.plain).report(run(told[2]), unless: .clean)
        #expect(warned.hasPrefix("rule warned 'a-rule': 2 of 9 rows (22.22 %) do not hold; warns at > 0\n"))
        #expect(!warned.contains("1 rule:"))
    }

    @Test func failuresAreAlwaysTold() {
        for quiet in Quiet.allCases {
            let report = TextReporter(.plain).report(
                run { $0.outcome.errors = [DaybookError("a", "one")] },
                unless: quiet
            )
            #expect(report.hasPrefix("error: one [a]\n"))
        }
    }
}
