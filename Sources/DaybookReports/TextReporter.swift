import DaybookEngine
import DaybookPages

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
        // A run that was stopped before its first row has nothing to tell of them.
        let hasBegun = run.outcome.hasEnded || run.outcome.ledger.contains { $0.rowsIn > 0 }
        let tellsLedger = !run.outcome.ledger.isEmpty && hasBegun && !isBrief
        let hints = LikelyCause.all(in: run).map { "  hint: \(run.mask.masking(PrintableText.of($0.hint)))" }
        let renderer = ErrorRenderer(source: run.source, style: style, mask: run.mask)
        let blocks = [
            FindingText(run: run, style: style).lines(),
            tellsLedger ? LedgerText(run: run, style: style).lines() : [],
            ChangesText(run: run, style: style).lines(),
            RuleText(run: run, style: style).lines(isBrief: isBrief).map(style.prose),
            isBrief ? [] : baseline(run).map(style.prose),
            (GateText.lines(of: run, style, isBrief: isBrief) + hints).map(style.prose),
            (run.outcome.errors + run.afterthoughts).map { renderer.render($0) },
            run.notices.compactMap(\.failure).map(renderer.render(warning:)),
            [style.prose(NextStep(run: run, style: style).line)],
        ]
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

extension TextReporter {
    /// How many fixed findings are listed; the rest is only counted.
    private static let mostFixed = 10

    /// What became of a baseline: what is known, what was fixed.
    private func baseline(_ run: RunReport) -> [String] {
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
        lines += fixed.prefix(TextReporter.mostFixed).map { line($0, run) }
        if fixed.count > TextReporter.mostFixed {
            lines.append("  … and \(DisplayText.count(fixed.count - TextReporter.mostFixed)) more")
        }
        return lines
    }

    /// `  diary.csv: not_missing_emotion, 'pink' in 'colour'`.
    private func line(_ entry: Baseline.Entry, _ run: RunReport) -> String {
        var text = entry.source.map { "\(run.shown($0)): " } ?? ""
        text += entry.rule ?? entry.code
        if let field = entry.field {
            // What is found of all rows together stands in none of them, and has no value.
            let isOfRow = entry.source != nil || entry.code == Finding.Kind.missingValue.code
            let value = entry.value.map { "'\($0)'" } ?? (isOfRow ? "a missing value" : nil)
            text += value.map { ", \($0) in '\(field)'" } ?? ", column '\(field)'"
        }
        if entry.count > 1 { text += ", \(DisplayText.count(entry.count)) times" }
        return "  " + run.printable(text.shortened(to: 200))
    }
}

/// What a dry run would change in one output.
public struct OutputChanges: Sendable {
    public enum Kind: String, Sendable {
        /// There is no such file yet.
        case new
        /// Byte for byte as it is.
        case same
        /// Other bytes for the same rows.
        case sameRows = "same_rows"
        case changed
    }

    /// Path of the output, masked; with the part of it, such as a key, where several stages write one.
    public var name: String
    public var kind: Kind
    public var lines: [String]
    /// Rows that would come, go and change; nil where rows are not compared.
    public var rows: JSONValue?

    public init(_ name: String, _ kind: Kind, _ lines: [String], _ rows: JSONValue? = nil) {
        (self.name, self.kind, self.lines, self.rows) = (name, kind, lines, rows)
    }

    var json: JSONValue {
        JSONValue(withoutNulls: ["output": .text(name), "kind": .text(kind.rawValue), "rows": rows ?? .null])
    }
}

extension RunReport {
    /// `nothing was written; out/p.plist would change, and out/q.plist would be new`.
    var foretold: String? {
        guard isDry else { return nil }
        let words: [(OutputChanges.Kind, String)] = [
            (.changed, "would change"), (.new, "would be new"), (.sameRows, "would have the same rows in other bytes"),
            (.same, "would stay as they are"),
        ]
        let parts = words.compactMap { kind, words -> String? in
            let names = changes.filter { $0.kind == kind }.map(\.name)
            guard !names.isEmpty else { return nil }
            let shown = names.count > 3 ? "\(DisplayText.count(names.count)) outputs" : DisplayText.list(names)
            return "\(shown) \(names.count == 1 ? words.replacing("they are", with: "it is") : words)"
        }
        return "a dry run, so nothing was written" + (parts.isEmpty ? "" : "; " + parts.joined(separator: ", "))
    }
}

/// What a dry run would change, for people.
struct ChangesText {
    let run: RunReport
    let style: TerminalStyle

    func lines() -> [String] {
        run.changes.filter { $0.kind != .same }.flatMap { change -> [String] in
            guard change.rows == nil else { return change.lines.map(style.prose) }
            return ["\(PrintableText.of(change.name)): \(change.lines.joined(separator: " "))"].map(style.prose)
        }
    }

    /// The same on a page.
    var markup: HTML {
        let items: [HTML] = run.changes.map { change in
            "<h3>\(RunPage.text(change.name))</h3>\n<pre class=\"changes\">\(change.lines.map { "\(RunPage.text($0))\n" as HTML }.joined())</pre>\n"
        }
        return items.joined()
    }
}
