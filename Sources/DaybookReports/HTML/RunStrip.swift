import DaybookPages

/// The last runs side by side, the latest at the end: for each a sign and a colour that say how it ended.
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
        /// What is told to a pointer that rests on it, and to those who hear the page.
        package var told: String
        /// Where it leads.
        package var href: String?

        package init(ending: Ending, told: String, href: String? = nil) {
            (self.ending, self.told, self.href) = (ending, told, href)
        }
    }

    private let cells: [Cell]

    /// Of how many runs it is.
    package var count: Int { cells.count }

    /// - Parameter cells: the latest run first, as the history lists them.
    package init(_ cells: [Cell]) { self.cells = cells }

    /// - Parameter label: what the strip is of.
    package func markup(label: String) -> HTML {
        let items = cells.reversed().map { cell -> HTML in
            let said: HTML = "class=\"\(cell.ending.rawValue)\" title=\"\(cell.told)\" aria-label=\"\(cell.told)\""
            if let href = cell.href { return "<li><a href=\"\(href)\" \(said)>\(cell.ending.sign)</a></li>" }
            return "<li><span role=\"img\" \(said)>\(cell.ending.sign)</span></li>"
        }
        return "<ol class=\"strip\" aria-label=\"\(label)\">\(items.joined())</ol>"
    }

    /// What the signs mean, such as `✓ passed`, in the order of the endings.
    package static func legend(_ meanings: [(Ending, String)]) -> HTML {
        let items = meanings.map { ending, meaning -> HTML in
            "<li><span class=\"\(ending.rawValue)\" aria-hidden=\"true\">\(ending.sign)</span> \(meaning)</li>"
        }
        return "<ul class=\"strip signs\">\(items.joined())</ul>\n"
    }

    /// The part of the style sheet that is about strips.
    package static let style = """
        .strip{display:flex;flex-wrap:wrap;gap:2px;margin:.15rem 0;padding:0;list-style:none;white-space:normal}
        .strip li{display:flex;align-items:center;gap:.45rem}
        .strip a,.strip span{display:grid;place-items:center;width:1.1rem;height:1.35rem;border-radius:3px;font-size:.75rem;\
        font-weight:650;line-height:1;text-decoration:none;print-color-adjust:exact;-webkit-print-color-adjust:exact}
        .strip .passed{color:var(--good);border:1px solid var(--good)}
        .strip .warned{color:var(--ink);background:var(--n2)}
        .strip .failed{color:var(--page);background:var(--bad)}
        .strip .broken{color:var(--page);background:var(--ink)}
        .strip .none{color:var(--soft)}
        .signs{gap:.3rem 1.25rem;margin-top:.75rem;color:var(--soft);font-size:.8125rem}
        td .strip{min-width:27.75rem}
        td .strip a,td .strip span{width:.8rem;font-size:.6875rem}
        @media (max-width:56rem){td .strip{min-width:13.8rem}}
        @media (max-width:40rem){td .strip{min-width:9.3rem;max-width:9.3rem}}
        @media print{td .strip{min-width:10rem;gap:1px}td .strip a,td .strip span{width:.6rem;height:.9rem;font-size:.5rem}}
        """
}
