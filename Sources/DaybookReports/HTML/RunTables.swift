import DaybookEngine
import DaybookPages

/// What stopped the run, its gates and its ledger.
extension RunPage {
    /// The gates as a table, those that failed first.
    var gates: HTML {
        let gates = run.outcome.gates
        let rows = (gates.filter { !$0.passed } + gates.filter(\.passed)).map { gate in
            [
                RunPage.verdict(gate.passed ? .passed : .failed, gate.passed ? "passed" : "failed"),
                "<th scope=\"row\">\(RunPage.text(name(of: gate)))</th>",
                PageTable.number(gate.rejected), PageTable.number(gate.total),
                "<td class=\"num\">\(DisplayText.share(gate.rejected, of: gate.total))</td>",
                "<td class=\"num\">\(RunPage.text(GateText.allowed(gate.allowed)))</td>",
            ]
        }
        return PageTable.markup(
            ["Verdict", "Of", "#Rejected", "#Rows", "#Share", "#Allowed"],
            rows.map { $0.joined() },
            label: "gates-h"
        )
    }

    /// `clean`, `the rows of 'orders'`, `the whole job`.
    private func name(of gate: RunOutcome.Gate) -> String {
        if gate.stage == nil, gate.source == nil { return "the whole job" }
        return gate.stage.map(run.mask.masking) ?? GateText.name(of: gate, run.mask)
    }

    /// The way of the rows as it ran, and the counts.
    var ledger: HTML {
        var (lines, links) = run.ledgerAsWritten
        for index in lines.indices { lines[index].id = run.mask.masking(lines[index].id).printable }
        guard !lines.isEmpty else { return "" }
        return HTMLLedger(lines: lines, links: links).body
    }

    /// What stopped the run, with the lines of the job file.
    var errors: HTML {
        let errors = run.outcome.errors + run.afterthoughts
        guard !errors.isEmpty else { return "" }
        return "<ol class=\"errors\">\n\(errors.map(item).joined(separator: "\n"))\n</ol>\n"
    }

    private func item(_ error: DaybookError) -> HTML {
        let mask = run.mask
        var text: HTML = "<li>"
        if let place = error.place { text += "<span class=\"soft\">\(RunPage.text(mask.masking("\(place)"))):</span> " }
        text += "<span class=\"failed\">\(RunPage.text(mask.masking(error.message)))</span>"
        text += " <span class=\"soft\">[\(RunPage.text(error.code.rawValue))]</span>"
        if let place = error.place, let source = run.source, source.file == place.file,
            let excerpt = Excerpt(of: place, in: source, maskedBy: mask)
        {
            text += excerpt.markup
        }
        if let hint = error.hint { text += "<br>Hint: \(RunPage.text(mask.masking(hint)))" }
        return text + "</li>"
    }

    static func verdict(_ verdict: Verdict, _ word: String) -> HTML { "<td class=\"\(verdict.rawValue)\">\(word)</td>" }
}

extension Excerpt {
    /// The line with its marked part.
    var markup: HTML {
        guard !marked.isEmpty else { return "<code class=\"line\">\(line)</code>" }
        let scalars = Array(line.unicodeScalars)
        func part(_ range: Range<Int>) -> String {
            String(String.UnicodeScalarView(scalars[range.clamped(to: 0..<scalars.count)]))
        }
        let (start, end) = (marked.lowerBound, marked.upperBound)
        return "<code class=\"line\">\(part(0..<start))<mark>\(part(marked))</mark>"
            + "\(part(end..<max(end, scalars.count)))</code>"
    }
}

/// What the page of a run adds to the sheet that all pages share.
enum RunStyle {
    static var sheet: String {
        let flow = FlowStyle.parts
        return HTMLStyle.sheet(
            with: [own, RunStrip.style, flow.screen].joined(separator: "\n"),
            narrow: narrow + "\n" + flow.narrow,
            print: flow.print
        )
    }

    /// The amber of warnings can be read on the page and on its cards.
    private static let own = """
        :root{--warn:#7a5200}
        @media screen and (prefers-color-scheme:dark){:root{--warn:#e5b95c}}
        .next{margin-top:1.25rem}
        .passed{color:var(--good)}
        .warned{color:var(--warn)}
        .failed{color:var(--bad)}
        td.passed,td.warned,td.failed{font-weight:600;white-space:nowrap}
        td.place{min-width:11rem;overflow-wrap:anywhere}
        .at{white-space:nowrap}
        td.text{min-width:10rem}
        td.cell{min-width:5rem}
        td.hit{--mark:var(--soft);font-weight:600;color:var(--mark);box-shadow:inset 0 0 0 2px var(--mark)}
        .error td.hit{--mark:var(--bad)}
        .warning td.hit{--mark:var(--warn)}
        td.share{min-width:7rem}
        .part{display:block;height:.45rem;margin-top:.3rem;border-radius:3px;\
        background:linear-gradient(to right,var(--good) var(--s),var(--bad) 0);print-color-adjust:exact;\
        -webkit-print-color-adjust:exact}
        h3{margin-top:2.25rem}
        h3+p{margin-top:-.5rem}
        h3 .soft{font-weight:400}
        .line{display:block;margin:.35rem 0 0;padding:.2rem .5rem;border-radius:6px;background:var(--card);overflow-x:auto;\
        white-space:pre;tab-size:4;font:.86em/1.5 ui-monospace,"SF Mono",Consolas,"Liberation Mono",monospace}
        .line mark{background:none;color:var(--bad);text-decoration:underline wavy;text-underline-offset:.2em}
        .warning .line mark{color:var(--warn)}
        .errors{margin:1rem 0 0;padding:0;list-style:none}
        .errors li{margin-top:1.25rem}
        """

    private static let narrow = """
        td.place{min-width:7.5rem;max-width:8.5rem}
        td.text{min-width:9rem}
        """
}

/// Days or runs side by side, the latest at the end: for each a sign and a colour that say how it ended.
package struct RunStrip {
    package enum Ending: String, CaseIterable, Sendable {
        case passed, warned, failed, broken, none

        var sign: String {
            switch self {
            case .passed: "✓"
            case .warned: "!"
            case .failed: "✗"
            case .broken: "?"
            case .none: "·"
            }
        }
    }

    package struct Cell: Sendable {
        package var ending: Ending
        /// The words for a resting pointer and a screen reader.
        package var label: String
        /// Where it leads.
        package var href: String?

        package init(ending: Ending, label: String, href: String? = nil) {
            (self.ending, self.label, self.href) = (ending, label, href)
        }
    }

    private let cells: [Cell]

    /// How many cells it has.
    package var count: Int { cells.count }

    /// - Parameter cells: the latest first.
    package init(_ cells: [Cell]) { self.cells = cells }

    /// The last cells.
    package func latest(_ most: Int) -> RunStrip { RunStrip(Array(cells.prefix(most))) }

    /// - Parameter label: what the strip is of.
    package func markup(label: String) -> HTML {
        let items = cells.reversed().map { cell -> HTML in
            let said: HTML = "class=\"\(cell.ending.rawValue)\" title=\"\(cell.label)\" aria-label=\"\(cell.label)\""
            if let href = cell.href { return "<li><a href=\"\(href)\" \(said)>\(cell.ending.sign)</a></li>" }
            return "<li><span role=\"img\" \(said)>\(cell.ending.sign)</span></li>"
        }
        return "<ol class=\"strip\" aria-label=\"\(label)\">\(items.joined())</ol>"
    }

    /// What the signs mean in a strip of a rule.
    package static let ofRules: [(Ending, String)] = [
        (.passed, "passed"), (.warned, "warned"), (.failed, "failed"), (.broken, "not judged"),
        (.none, "no run, or not asked"),
    ]

    /// What the signs mean, such as `✓ passed`, in the order of the endings.
    package static func legend(_ meanings: [(Ending, String)]) -> HTML {
        let items = meanings.map { ending, meaning -> HTML in
            "<li><span class=\"\(ending.rawValue)\" aria-hidden=\"true\">\(ending.sign)</span> \(meaning)</li>"
        }
        return "<ul class=\"strip signs\">\(items.joined())</ul>\n"
    }

    /// The part of the style sheet that is about strips.
    package static let style = """
        .strip{display:flex;gap:2px;margin:.15rem 0;padding:0;list-style:none;white-space:normal}
        .strip li{display:flex;align-items:center;gap:.45rem}
        .strip a,.strip span{display:grid;place-items:center;width:1.1rem;height:1.35rem;border-radius:3px;font-size:.75rem;\
        font-weight:650;line-height:1;text-decoration:none;print-color-adjust:exact;-webkit-print-color-adjust:exact}
        .strip .passed{color:var(--good);border:1px solid var(--good)}
        .strip .warned{color:var(--ink);background:var(--n2)}
        .strip .failed{color:var(--page);background:var(--bad)}
        .strip .broken{color:var(--page);background:var(--ink)}
        .strip .none{color:var(--soft)}
        .strip:not(.signs) li{flex:0 1 1.1rem;min-width:0}
        .strip:not(.signs) li>*{width:100%}
        .signs{flex-wrap:wrap;gap:.3rem 1.25rem;margin-top:.75rem;color:var(--soft);font-size:.8125rem}
        td .strip:not(.signs) li,th .strip:not(.signs) li{flex:0 0 .8rem}
        td .strip a,td .strip span,th .strip a,th .strip span{font-size:.6875rem}
        @media (max-width:56rem){.strip:not(.signs){gap:1px}td .strip:not(.signs) li,th .strip:not(.signs) li{flex-basis:.65rem}
        .strip:not(.signs) li>*{font-size:.625rem}}
        @media (max-width:40rem){td .strip:not(.signs) li:nth-last-child(n+11){display:none}}
        @media print{td .strip:not(.signs),th .strip:not(.signs){gap:1px}td .strip:not(.signs) li,th .strip:not(.signs) li{flex-basis:.5rem}
        td .strip a,td .strip span,th .strip span{height:.9rem;font-size:.5rem}td .strip .passed,th .strip .passed{border:0}}
        """
}
