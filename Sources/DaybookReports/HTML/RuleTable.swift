import DaybookPages

/// What the rows were held against, as a table: the rules that failed first, what was observed beside what was expected.
struct RuleTable {
    let run: RunReport
    let rules: ReportRules

    /// The numbers of the rules: failed, warned, not judged, passed; those of one verdict in the order of the job.
    static func order(of rules: ReportRules) -> [Int] {
        let verdicts: [Verdict] = [.failed, .warned, .unjudged, .passed]
        return verdicts.flatMap { verdict in rules.all.indices.filter { rules.all[$0].verdict == verdict } }
    }

    /// - Parameter linked: the numbers of the rules of which findings are shown below.
    func markup(linked: Set<Int>) -> HTML {
        // Of one run alone the verdict says it all.
        let haveStrips = run.ruleStrips.values.contains { $0.count > 1 }
        let rows = RuleTable.order(of: rules).map { index in
            row(
                rules.all[index],
                link: linked.contains(index) ? FindingTables.id(of: index) : nil,
                strip: haveStrips ? strip(of: rules.all[index]) : ""
            )
        }
        let table = PageTable.markup(
            ["Verdict", "Rule", "Observed", "Expected", "#Passed", "#Rows", "#Failing", "Columns"],
            rows,
            label: "rules-h"
        )
        let unseen: HTML = run.rowsUnseenByRules.map { "<p class=\"note\">\(RunPage.text($0 + "."))</p>" } ?? ""
        return (haveStrips ? table + RuleTable.legend : table) + unseen
    }

    /// Days of a strip below a rule.
    private static let days = 14

    /// What the signs below the name of a rule mean.
    private static let legend: HTML = """
        <p class="note">Below each rule, how it ended on the last days, this one at the end.</p>
        \(RunStrip.legend(RunStrip.ofRules))
        """

    private func row(_ rule: ReportRule, link: String?, strip: HTML) -> HTML {
        [
            RunPage.verdict(rule.verdict, rule.verdict == .unjudged ? "not judged" : rule.verdict.rawValue),
            name(of: rule, link, strip), cell(rule.message, below: rule.measured),
            cell(rule.expected, below: rule.limits),
            share(of: rule), rule.rows.map(PageTable.number) ?? "<td class=\"num\"></td>",
            PageTable.number(rule.failing), cell(rule.columns.joined(separator: ", ")),
        ].joined()
    }

    private func name(of rule: ReportRule, _ link: String?, _ strip: HTML) -> HTML {
        let name = RunPage.text(rule.name)
        let shown: HTML = link.map { "<a href=\"#\($0)\">\(name)</a>" } ?? name
        let kind: HTML = rule.type.map { "<span class=\"words\">\(RunPage.text($0))</span>" } ?? ""
        return
            "<th scope=\"row\">\(shown)\(kind)<span class=\"words\">in \(RunPage.text(rule.stage))</span>\(strip)</th>"
    }

    private func strip(of rule: ReportRule) -> HTML {
        run.ruleStrips[RuleName(stage: rule.stage, rule: rule.name)]?.latest(RuleTable.days)
            .markup(label: "Last days of \(rule.name)") ?? ""
    }

    private func cell(_ text: String, below: String? = nil) -> HTML {
        let words: HTML = below.map { $0.isEmpty ? "" : "<span class=\"words\">\(RunPage.text($0))</span>" } ?? ""
        return "<td class=\"text\">\(RunPage.text(text))\(words)</td>"
    }

    /// The share of the rows that passed, as a number and a bar; empty where rows do not pass one by one.
    private func share(of rule: ReportRule) -> HTML {
        guard let rows = rule.rows, rows > 0, !rule.isOfTable, rule.verdict != .unjudged, rule.failing <= rows else {
            return "<td class=\"num\"></td>"
        }
        let passed = rows - rule.failing
        var share = Double(passed) / Double(rows)
        // A single row that did not pass can be seen, and so can a single one that did.
        if rule.failing > 0 { share = min(share, 0.98) }
        if passed > 0 { share = max(share, 0.02) }
        let width = Figure.length(share * 100)
        return """
            <td class="num share">\(DisplayText.share(passed, of: rows))\
            <span class="part" style="--s:\(width)%"></span></td>
            """
    }
}
