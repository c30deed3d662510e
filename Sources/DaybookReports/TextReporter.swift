import DaybookEngine

/// The report for people: what was found, what became of every row, and what to do next.
public struct TextReporter: Reporter {
    public static let name = "text"
    public static let summary = "Findings with their lines, the ledger, the gates and what to do next."

    private let style: TerminalStyle

    public init(_ style: TerminalStyle) { self.style = style }

    public func report(_ run: RunReport) -> String { report(run, isBrief: false) }

    /// The same without the ledger and what held; nothing at all of runs that are not worth a word.
    public func report(_ run: RunReport, unless quiet: Quiet) -> String {
        quiet.isSilent(of: run) ? "" : report(run, isBrief: true)
    }

    /// The same without the ledger and what held, for a mail.
    func brief(_ run: RunReport) -> String { report(run, isBrief: true) }

    private func report(_ run: RunReport, isBrief: Bool) -> String {
        var blocks: [[String]] = []
        blocks.append(FindingText(run: run, style: style).lines())
        // A run that was stopped before its first row has nothing to tell of them.
        let hasBegun = run.outcome.hasEnded || run.outcome.ledger.contains { $0.rowsIn > 0 }
        if !run.outcome.ledger.isEmpty, hasBegun, !isBrief { blocks.append(LedgerText(run: run, style: style).lines()) }
        blocks.append(ChangesText(run: run, style: style).lines())
        let hints = LikelyCause.all(in: run).map { "  hint: \(run.mask.masking(PrintableText.of($0.hint)))" }
        blocks.append(RuleText(run: run, style: style).lines(isBrief: isBrief).map(style.prose))
        if !isBrief { blocks.append(BaselineText(run: run, style: style).lines().map(style.prose)) }
        blocks.append((GateText(run: run, style: style).lines(isBrief: isBrief) + hints).map(style.prose))
        let renderer = ErrorRenderer(source: run.source, style: style, mask: run.mask)
        blocks.append((run.outcome.errors + run.afterthoughts).map { renderer.render($0) })
        blocks.append(run.notices.compactMap(\.warning).map { renderer.render($0) })
        blocks.append([style.prose(NextStep(run: run, style: style).line)])
        let text = blocks.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }.joined(separator: "\n\n")
        return text + "\n"
    }
}

/// Of which runs nothing is said on standard error.
public enum Quiet: String, Sendable, CaseIterable {
    /// Of those that were clean: nothing was rejected and nothing warned of, but for what a baseline knows and what the limits
    /// of rules tolerate.
    case clean
    /// Of those that did not fail.
    case failures

    package func isSilent(of run: RunReport) -> Bool {
        guard run.exitCode == 0, run.notices.allSatisfy({ $0.failure == nil }) else { return false }
        switch self {
        case .failures: return true
        case .clean:
            let isClean = run.outcome.tallies.allSatisfy { $0.severity == .note || $0.count <= $0.known }
            return isClean && run.outcome.rules.allSatisfy { $0.verdict == .passed }
        }
    }
}

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
                "\(style.success("baseline")): \(DisplayText.count(count, "finding")) \(count == 1 ? "is" : "are") known from now on"
            ]
        }
        let fixed = run.outcome.fixed
        guard !fixed.isEmpty, run.outcome.errors.isEmpty else { return [] }
        let count = fixed.reduce(0) { $0 + $1.count }
        var lines = [
            "\(style.success("fixed")): \(DisplayText.count(count, "finding")) of the baseline did not come again; "
                + "take \(count == 1 ? "it" : "them") out with --update-baseline"
        ]
        lines += fixed.prefix(BaselineText.limit).map(line)
        if fixed.count > BaselineText.limit {
            lines.append("  … and \(DisplayText.count(fixed.count - BaselineText.limit)) more")
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
        if entry.count > 1 { text += ", \(DisplayText.count(entry.count)) times" }
        return "  " + PrintableText.of(run.mask.masking(text.shortened(to: 200)))
    }
}
