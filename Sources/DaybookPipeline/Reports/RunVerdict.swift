import DaybookCore

/// How a run ended, in a few words: `passed with warnings`, `failed its gate`.
struct RunVerdict {
    let words: String
    let isGood: Bool

    init(_ run: RunReport) {
        isGood = run.exitCode == 0
        let warns = run.outcome.tallies.contains { $0.severity == .warning }
        words =
            switch run.exitCode {
            case 0: warns ? "passed with warnings" : "passed"
            case 1: run.outcome.errors.isEmpty ? "failed its gate" : "could not judge its data"
            case 2: "could not start"
            default: "did not finish"
            }
    }
}
