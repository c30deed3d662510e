import DaybookEngine

/// What became of a baseline, for people: what is known, what was fixed.
struct BaselineText {
    /// How many fixed findings are listed; the rest is only counted.
    private static let limit = 10

    let run: RunReport
    let style: TerminalStyle

    func lines() -> [String] {
        if let new = run.outcome.baseline {
            let count = new.entries.reduce(0) { $0 + $1.count }
            return [
                "\(style.success("baseline")): \(Spoken.count(count, "finding")) \(count == 1 ? "is" : "are") known from now on"
            ]
        }
        let fixed = run.outcome.fixed
        guard !fixed.isEmpty, run.outcome.errors.isEmpty else { return [] }
        let count = fixed.reduce(0) { $0 + $1.count }
        var lines = [
            "\(style.success("fixed")): \(Spoken.count(count, "finding")) of the baseline did not come again; "
                + "take \(count == 1 ? "it" : "them") out with --update-baseline"
        ]
        lines += fixed.prefix(BaselineText.limit).map(line)
        if fixed.count > BaselineText.limit {
            lines.append("  … and \(Spoken.count(fixed.count - BaselineText.limit)) more")
        }
        return lines
    }

    /// `  diary.csv: not_missing_emotion, 'pink' in 'colour'`.
    private func line(_ entry: Baseline.Entry) -> String {
        var text = entry.source.map { "\(run.shown($0)): " } ?? ""
        text += entry.rule ?? entry.code
        if let field = entry.field {
            let value = entry.value.map { "'\($0)'" } ?? "a missing value"
            text += ", \(value) in '\(field)'"
        }
        if entry.count > 1 { text += ", \(Spoken.count(entry.count)) times" }
        return "  " + PrintableText.of(run.mask.masking(text.shortened(to: 200)))
    }
}
