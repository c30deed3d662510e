import DaybookEngine

/// What came of telling somebody of a run.
public struct NoticeOutcome: Sendable {
    /// Who was told, as it may be shown: `webhook at https://hooks.example.com`.
    public var target: String
    /// Why nobody was told; nil where the notice was taken.
    public var failure: DaybookError?

    public init(target: String, failure: DaybookError? = nil) {
        self.target = target
        self.failure = failure
    }

    /// The failure as a warning, for it changes nothing about the run.
    package var warning: JobWarning? {
        failure.map { JobWarning($0.code, $0.message, at: $0.place, hint: $0.hint) }
    }
}

extension RunReport {
    /// What the run was, of all that somebody may be told of; the first says it best.
    ///
    /// - Parameter earlierFailed: Whether the run of the job before this one failed.
    public func events(earlierFailed: Bool) -> [Notice.Event] {
        // The run that goes on tells how it ends.
        if outcome.errors.contains(where: { $0.code == "already-running" }) { return [] }
        guard exitCode == 0 else { return [.failed] }
        let warned =
            outcome.rules.contains { $0.verdict == .warned }
            || outcome.tallies.contains { $0.severity == .warning && $0.count > $0.known }
        return (earlierFailed ? [.recovered] : []) + (warned ? [.warned] : []) + [.passed]
    }
}
