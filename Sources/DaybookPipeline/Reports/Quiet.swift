import DaybookCore

/// Of which runs nothing is said on standard error.
public enum Quiet: String, Sendable, CaseIterable {
    /// Of those that were clean: nothing was rejected and nothing warned of, but for what a baseline knows and what the limits
    /// of rules tolerate.
    case clean
    /// Of those that did not fail.
    case failures

    func isSilent(of run: RunReport) -> Bool {
        guard run.exitCode == 0 else { return false }
        switch self {
        case .failures: return true
        case .clean:
            let isClean = run.outcome.tallies.allSatisfy { $0.severity == .note || $0.count <= $0.known }
            return isClean && run.outcome.rules.allSatisfy { $0.verdict == .passed }
        }
    }
}
