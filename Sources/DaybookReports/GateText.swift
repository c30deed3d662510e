import DaybookEngine

/// The gates for people: which failed, by how much, and which let rejects through.
package struct GateText {
    package let run: RunReport
    package let style: TerminalStyle

    package init(run: RunReport, style: TerminalStyle) {
        self.run = run
        self.style = style
    }

    /// With `isBrief`, only those that failed.
    package func lines(isBrief: Bool) -> [String] {
        run.outcome.gates.filter { !$0.passed || ($0.rejected > 0 && !isBrief) }.map { gate in
            let word = gate.passed ? style.success("gate passed") : style.error("gate failed")
            return "\(word) for \(GateText.story(gate, run.mask))"
        }
    }

    /// `'clean': 12 of 4,183 rows rejected (0.29 %), 1 % allowed`.
    static func story(_ gate: RunOutcome.Gate, _ mask: SecretMask = SecretMask([])) -> String {
        let name = name(of: gate, mask)
        if gate.rejectsAll {
            let all = gate.total == 1 ? "its only row was" : "all \(Spoken.count(gate.total)) rows were"
            return "\(name): \(all) rejected, and only an 'allow: 100%' of its own lets that pass"
        }
        let rows = "\(Spoken.count(gate.rejected)) of \(Spoken.count(gate.total, "row"))"
        let known = gate.known > 0 ? ", \(Spoken.count(gate.known)) of them in the baseline" : ""
        let share = Spoken.share(gate.rejected, of: gate.total)
        let branches = gate.countsBranches && !gate.passed ? "; a row counts in each branch that rejects it" : ""
        return "\(name): \(rows) rejected (\(share))\(known), \(allowed(gate.allowed)) allowed\(branches)"
    }

    /// `'clean'`, `the rows of 'orders'`, `the job`.
    package static func name(of gate: RunOutcome.Gate, _ mask: SecretMask) -> String {
        if let stage = gate.stage { return "'\(PrintableText.of(mask.masking(stage)))'" }
        return gate.source.map { "the rows of '\(PrintableText.of(mask.masking($0)))'" } ?? "the job"
    }

    package static func allowed(_ allowance: Allowance) -> String {
        switch allowance {
        case .count(0): "none"
        case .count(let count): Spoken.count(count)
        case .share: allowance.written.replacing("%", with: " %")
        }
    }
}
