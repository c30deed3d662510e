import DaybookContracts
import Testing

/// What gates and rules let pass, at their bounds.
@Suite struct LimitTests {
    @Test(
        arguments: [
            (.count(0), 0, 10, true), (.count(0), 1, 10, false), (.count(3), 3, 3, true),
            (.count(3), 4, 100, false),
            (.share(parts: 1, of: 100), 1, 100, true), (.share(parts: 1, of: 100), 2, 199, false),
            (.share(parts: 1, of: 100), 0, 0, true), (.share(parts: 100, of: 100), .max, .max, true),
            (.share(parts: 1, of: 1_000), 0, 999, true), (.share(parts: 1, of: 1_000), 1, 999, false),
        ] as [(Allowance, Int, Int, Bool)]
    )
    func permits(_ allowance: Allowance, _ rejected: Int, _ total: Int, _ isPermitted: Bool) {
        #expect(allowance.permits(rejected, of: total) == isPermitted)
    }

    @Test func aBoundIsReachedByTheFirstThatMeetsIt() {
        #expect(Allowance.count(3).isReached(by: 3, of: 3) && !Allowance.count(3).isReached(by: 2, of: 3))
        let half = Allowance.share(parts: 50, of: 100)
        #expect(half.isReached(by: 2, of: 4) && !half.isReached(by: 1, of: 3))
    }

    @Test func aRuleFailsBeyondItsLimitAndOnlyFromEnoughRowsOn() {
        #expect(RuleLimits().verdict(0, of: 9) == .passed)
        #expect(RuleLimits().verdict(1, of: 9) == .failed)
        let limits = RuleLimits(warn: RuleLimit.none, fail: RuleLimit(.count(5)), atLeast: 3)
        let verdicts = [2, 3, 5, 6].map { limits.verdict($0, of: 9) }
        #expect(verdicts == [.passed, .warned, .warned, .failed])
        #expect(RuleLimits(fail: RuleLimit(.count(5), firesAtBound: true)).verdict(5, of: 9) == .failed)
        #expect(RuleLimits(fail: RuleLimit(.count(5), firesAtBound: true)).verdict(4, of: 9) == .passed)
        #expect(RuleLimits(warn: RuleLimit.none).verdict(9, of: 9) == .warned)
    }
}
