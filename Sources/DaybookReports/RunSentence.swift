/// How a run ended, in one sentence: `orders failed its gate: 'clean': 12 of 90 rows rejected (13.3 %), 1 % allowed`.
package struct RunSentence {
    package let text: String

    package init(_ run: RunReport) {
        let reason = run.exitCode == 0 ? RunSentence.rows(of: run) : RunSentence.reason(of: run)
        let sentence = "\(run.job) \(RunVerdict(run).words)\(reason.map { ": \($0)" } ?? "")"
        text = PrintableText.of(run.mask.masking(sentence)).shortened(to: 300)
    }

    /// `4,198 rows read, 18 rejected`.
    private static func rows(of run: RunReport) -> String? {
        let ledger = run.outcome.ledger
        guard !ledger.isEmpty else { return nil }
        let read = ledger.filter { run.isSource($0.id) }.reduce(0) { $0 + $1.rowsIn }
        let rejected = ledger.reduce(0) { $0 + $1.rejected }
        return "\(Spoken.count(read, "row")) read" + (rejected > 0 ? ", \(Spoken.count(rejected)) rejected" : "")
    }

    /// The first thing that went wrong, and how many more there are.
    private static func reason(of run: RunReport) -> String? {
        let outcome = run.outcome
        var reasons = (outcome.errors + run.afterthoughts).map(\.message)
        reasons += outcome.gates.filter { !$0.passed }.map { gate in
            let story = GateText.story(gate)
            // The sentence begins with the job.
            return story.hasPrefix("the job: ") ? String(story.dropFirst("the job: ".count)) : story
        }
        reasons += outcome.rules.filter { $0.verdict == .failed }.map { "'\($0.rule.id)': \($0.message)" }
        guard let first = reasons.first else { return nil }
        return reasons.count == 1 ? first : "\(first); and \(Spoken.count(reasons.count - 1)) more"
    }
}
