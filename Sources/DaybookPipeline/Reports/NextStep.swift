import DaybookCore

/// The last line of a report: what was written, or what to do now.
struct NextStep {
    private let run: RunReport
    private let style: TerminalStyle

    init(_ run: RunReport, _ style: TerminalStyle) {
        self.run = run
        self.style = style
    }

    var line: String {
        let word = run.exitCode == 0 ? style.success("done:") : style.bold("next:")
        return "\(word) \(PrintableText.of(text))"
    }

    private var text: String {
        let outcome = run.outcome
        if let error = outcome.errors.first { return advice(error, count: outcome.errors.count) }
        let failed = outcome.gates.filter { !$0.passed }
        if !failed.isEmpty { return advice(failed) }
        if !run.afterthoughts.isEmpty {
            let place = outcome.outputs.isEmpty ? "" : "the outputs are in place: "
            return "\(place)\(success); mend the error above, and run again to have what is missing"
        }
        return success
    }

    private var success: String {
        let written = run.outcome.outputs.map { $0.path == "-" ? "standard output" : run.shown($0.path) }
        var text = "nothing was to be written"
        if written.count > 4 {
            text = "wrote \(written.count) files, from \(written[0]) to \(written[written.count - 1])"
        } else if !written.isEmpty {
            text = "wrote \(Spoken.list(written))"
        }
        text += ", in \(Spoken.duration(run.nanoseconds))"
        let warnings = run.outcome.tallies.filter { $0.severity == .warning }.reduce(0) { $0 + $1.count }
        if warnings > 0 { text += "; look at the \(Spoken.count(warnings, "warning")) above" }
        return text
    }

    /// The hint of each error stands right above, so this says the rest: what became of the outputs.
    private func advice(_ error: DaybookError, count: Int) -> String {
        // These tell what was written, and that it was not nothing.
        if error.code == "unfinished-commit" || error.code == "damaged-journal", let hint = error.hint {
            return run.mask.masking(hint)
        }
        let untouched = "nothing was written, the old outputs are as they were"
        if count > 1 { return "mend the \(Spoken.count(count)) errors above, then run again; \(untouched)" }
        if error.code == "interrupted" { return "run it again when you like; \(untouched)" }
        if error.code == "unbalanced-book" { return "report this fault of the stage to who wrote it; \(untouched)" }
        let place = error.place.map { "at \(run.mask.masking("\($0)"))" } ?? "above"
        return "mend the error \(place), then run again; \(untouched)"
    }

    private func advice(_ gates: [RunOutcome.Gate]) -> String {
        let stages = gates.flatMap { gate in
            gate.stage.map { [$0] } ?? run.outcome.ledger.filter { $0.rejected > 0 }.map(\.id)
        }
        var files: [String] = []
        for file in stages.compactMap(run.rejectsFile) where !files.contains(file) { files.append(file) }
        let look =
            files.isEmpty
            ? "mend the rows at the places above" : "look at \(Spoken.list(files)), mend the rows where they stand"
        let gate = gates[0]
        let place: String
        if let written = run.policyPlace(of: gate.stage) {
            place = "raise 'allow' at \(run.mask.masking("\(written)"))"
        } else {
            let job = run.jobFile == "-" ? "the job" : run.mask.masking(run.jobFile)
            place = "allow some with 'rejects: { allow: 1% }' in \(job)"
        }
        return "\(look), or \(place); the old outputs are as they were"
    }
}
