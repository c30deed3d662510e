import DaybookEngine
import DaybookPages

/// The page of a run in a mail: how it ended, what to do, what failed, what became of the rows, and the first findings.
struct MailPage {
    /// How many rows a page has, and how long its texts are.
    struct Limits {
        let errors: Int
        let rules: Int
        let stages: Int
        let findings: Int
        let text: Int
        let isTight: Bool

        /// - Parameter share: the divisor of the usual limits.
        init(share: Int) {
            errors = max(1, 10 / share)
            rules = max(1, 30 / share)
            stages = max(1, 40 / share)
            findings = max(1, 20 / share)
            text = max(12, 240 / share)
            isTight = share > 1
        }
    }

    private let run: RunReport
    private let limits: Limits
    private let verdict: RunVerdict

    init(_ run: RunReport, _ limits: Limits) {
        (self.run, self.limits) = (run, limits)
        verdict = RunVerdict(run)
    }

    var markup: HTML {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta http-equiv="Content-Type" content="text/html; charset=utf-8">
        <meta name="viewport" content="width=device-width">
        <title>\(shown(run.job)) \(verdict.words)</title>
        </head>
        <body bgcolor="\(MailMarkup.Colour.page.rawValue)" style="margin:0;padding:0;background-color:\(MailMarkup.Colour.page.rawValue)">
        \(MailMarkup.page(masthead + errors + rules + gates + ledger + findings + foot))\
        </body>
        </html>

        """
    }

    private func shown(_ text: String) -> String { PrintableText.of(run.mask.masking(text).shortened(to: limits.text)) }

    // MARK: - Head and foot

    private var masthead: HTML {
        let warns = run.events(earlierFailed: false).contains(.warned)
        let colour = verdict.isGood ? (warns ? MailMarkup.Colour.warn : .good) : .bad
        let day = run.asOf.map { "As of \($0)" } ?? "No day is known"
        let facts =
            "\(day), by \(shown(run.shownJobFile)), begun at \(Instant.text(run.started)), in \(DisplayText.duration(run.nanoseconds))"
        let next = NextStep(run: run, style: .plain, side: "below").line
        return MailMarkup.row("<b>\(shown(RunSentence(run).text))</b>", colour: colour, ink: .card, size: 18)
            + MailMarkup.row(MailMarkup.soft(facts), size: 12)
            + MailMarkup.row("\(PrintableText.of(run.mask.masking(next).shortened(to: limits.text * 4)))")
    }

    private var foot: HTML {
        let cut =
            limits.isTight
            ? " Rows and texts are cut so that the mail stays small; 'daybook history show' and the reports have more."
            : ""
        return MailMarkup.row(MailMarkup.soft("Made by Daybook \(DaybookVersion.text).\(cut)"), size: 12)
    }

    /// `The first 20 of 1,204 findings.`, or nothing where all are shown.
    private func more(_ shown: Int, of all: Int, _ one: String, _ remark: String = "") -> HTML {
        guard all > shown else { return "" }
        return MailMarkup.row(
            MailMarkup.soft("The first \(DisplayText.count(shown)) of \(DisplayText.count(all, one))\(remark)."),
            size: 12
        )
    }

    // MARK: - What went wrong

    private var errors: HTML {
        let all = run.outcome.errors + run.afterthoughts
        guard !all.isEmpty else { return "" }
        let rows = all.prefix(limits.errors).map { error -> HTML in
            let place = error.place.map { MailMarkup.soft(shown("\($0)") + ": ") } ?? ""
            let hint: HTML = error.hint.map { "<br>Hint: \(shown($0))" } ?? ""
            return MailMarkup.row(
                "\(place)\(MailMarkup.strong(shown(error.message), .bad)) \(MailMarkup.soft("[\(error.code.rawValue)]"))\(hint)"
            )
        }
        return MailMarkup.heading("Errors") + rows.joined() + more(rows.count, of: all.count, "error")
    }

    private var rules: HTML {
        // Those that failed first, then those that warned, each in the order of the job.
        let told = [Verdict.failed, .warned].flatMap { verdict in run.outcome.rules.filter { $0.verdict == verdict } }
        guard !told.isEmpty else { return "" }
        let rows = told.prefix(limits.rules).map { rule -> [HTML] in
            let colour = rule.verdict == .failed ? MailMarkup.Colour.bad : .warn
            let word = rule.verdict == .failed ? "failed" : "warned"
            return [
                "\(MailMarkup.strong(shown(rule.rule.id), colour))<br>\(MailMarkup.soft(word))",
                "\(shown(expected(of: rule)))",
                "\(shown(observed(of: rule)))",
                rule.judgement == nil ? MailMarkup.bar(rule.failing, of: rule.rows, colour) : "",
            ]
        }
        return MailMarkup.heading("Rules") + MailMarkup.table(["Rule", "Expected", "Observed", "Share"], rows)
            + more(rows.count, of: told.count, "rule")
    }

    /// What a rule asks: of rows that none breaks it, or not more than its limits let pass.
    private func expected(of rule: RuleOutcome) -> String {
        guard rule.judgement == nil else {
            let place = rule.rule.place.map { ", at \($0)" } ?? ""
            return "\(rule.rule.type)\(place)"
        }
        let limits = RuleText.limits(rule)
        return limits.isEmpty
            ? "no row that \(rule.rule.complaint(of: 1))" : "rows that \(rule.rule.complaint)\(limits)"
    }

    private func observed(of rule: RuleOutcome) -> String {
        if let judgement = rule.judgement { return judgement }
        let example = rule.example.map { ", such as \($0)" } ?? ""
        return
            "\(DisplayText.count(rule.failing)) of \(DisplayText.count(rule.rows, "row")) (\(DisplayText.share(rule.failing, of: rule.rows)))\(example)"
    }

    private var gates: HTML {
        let failed = run.outcome.gates.filter { !$0.passed }
        guard !failed.isEmpty else { return "" }
        let rows = failed.prefix(limits.rules).map { gate -> [HTML] in
            [
                MailMarkup.strong(shown(GateText.name(of: gate, run.mask)), .bad),
                "\(GateText.allowed(gate.allowed)) of its rows rejected",
                "\(DisplayText.count(gate.rejected)) of \(DisplayText.count(gate.total, "row")) (\(DisplayText.share(gate.rejected, of: gate.total)))",
                MailMarkup.bar(gate.rejected, of: gate.total, .bad),
            ]
        }
        return MailMarkup.heading("Gates that failed")
            + MailMarkup.table(["Gate", "Allowed", "Observed", "Share"], rows)
            + more(rows.count, of: failed.count, "gate")
    }

    // MARK: - Rows

    /// The ledger, without what no stage did: a telephone has no space for columns of dashes.
    private var ledger: HTML {
        let all = run.outcome.ledger
        guard !all.isEmpty else { return "" }
        let others: [(String, (LedgerLine) -> Int)] = [
            ("#Rejected", \.rejected), ("#Dropped", \.droppedCount), ("#Folded", \.folded), ("#Made", \.made),
        ].filter { _, count in all.contains { count($0) > 0 } }
        let rows = all.prefix(limits.stages).map { line -> [HTML] in
            ["\(shown(line.id))", number(line.rowsIn), number(line.rowsOut)]
                + others.map { heading, count in number(count(line), heading == "#Rejected" ? .bad : nil) }
                + [MailMarkup.bar(min(line.rowsOut, line.rowsIn), of: line.rowsIn, line.rejected > 0 ? .warn : .good)]
        }
        let headings = ["Stage", "#In", "#Out"] + others.map(\.0) + ["Passed on"]
        return MailMarkup.heading("What became of the rows") + MailMarkup.table(headings, rows)
            + more(rows.count, of: all.count, "stage")
    }

    private func number(_ count: Int, _ colour: MailMarkup.Colour? = nil) -> HTML {
        if count == 0 { return MailMarkup.soft("–") }
        let text = DisplayText.count(count)
        return colour.map { MailMarkup.strong(text, $0) } ?? "\(text)"
    }

    private var findings: HTML {
        let told = run.outcome.findings.filter { $0.severity != .note }
        guard !told.isEmpty else { return "" }
        // What fails a run comes first.
        let sorted = FindingText.sorted(told)
        let ordered = sorted.filter { $0.severity == .error } + sorted.filter { $0.severity != .error }
        let rows = ordered.prefix(limits.findings).map { finding -> [HTML] in
            [
                "\(shown(FindingText.place(of: finding, in: run)))", "\(shown(finding.field ?? ""))",
                "\(shown(finding.value ?? ""))",
                "\(shown(finding.message)) \(MailMarkup.soft("[\(shown(finding.name))]"))",
            ]
        }
        let all = run.outcome.tallies.reduce(0) { $0 + ($1.severity == .note ? 0 : $1.count - $1.known) }
        let files =
            run.fullReports.isEmpty ? "" : "; all that were put into words are in \(DisplayText.list(run.fullReports))"
        return MailMarkup.heading("Findings") + MailMarkup.table(["Place", "Column", "Value", "What is wrong"], rows)
            + more(rows.count, of: max(all, told.count), "finding", files)
    }
}

/// The few forms of which a page in a mail is made: tables with widths, and styles that stand at each element.
///
/// docs/decisions/2026-11-25-what-mail-programs-show.md lists what is used and why nothing else.
enum MailMarkup {
    enum Colour: String {
        case good = "#1f6f43"
        case warn = "#7a5200"
        case bad = "#a3262a"
        case text = "#1c1c1a"
        case soft = "#5c5c57"
        case line = "#d9d8d2"
        case page = "#f4f3ef"
        case card = "#ffffff"
    }

    private static let font: HTML = "font-family:Arial,Helvetica,sans-serif"
    static let width = 640

    /// The whole page: as wide as the window, but not wider than `width`. Word knows no greatest width, and is given a table of that width around it.
    static func page(_ rows: HTML) -> HTML {
        """
        <table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" bgcolor="\(Colour.page.rawValue)" \
        style="background-color:\(Colour.page.rawValue)">
        <tr><td align="center" style="padding:16px 8px">
        <!--[if mso]><table role="presentation" width="\(width)" cellpadding="0" cellspacing="0" border="0"><tr><td><![endif]-->
        <table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" bgcolor="\(Colour.card.rawValue)" \
        style="max-width:\(width)px;background-color:\(Colour.card.rawValue)">
        \(rows)</table>
        <!--[if mso]></td></tr></table><![endif]-->
        </td></tr>
        </table>

        """
    }

    /// A row of the page with one cell.
    static func row(_ content: HTML, colour: Colour = .card, ink: Colour = .text, size: Int = 14) -> HTML {
        """
        <tr><td bgcolor="\(colour.rawValue)" align="left" style="background-color:\(colour.rawValue);color:\(ink.rawValue);\
        \(font);font-size:\(size)px;line-height:\(size + 6)px;padding:10px 20px">\(content)</td></tr>

        """
    }

    static func heading(_ text: String) -> HTML {
        "<tr><td align=\"left\" style=\"\(font);font-size:16px;line-height:22px;font-weight:bold;color:\(Colour.text.rawValue);"
            + "padding:16px 20px 0 20px\">\(text)</td></tr>\n"
    }

    /// A table of data; a heading with `#` before it stands over numbers.
    static func table(_ headings: [String], _ rows: [[HTML]]) -> HTML {
        let heads = headings.map { heading -> HTML in
            let isNumber = heading.hasPrefix("#")
            return
                "<th scope=\"col\" align=\"\(isNumber ? "right" : "left")\" style=\"\(font);font-size:12px;line-height:16px;"
                + "font-weight:bold;color:\(Colour.soft.rawValue);padding:4px 8px 4px 0\">"
                + "\(isNumber ? String(heading.dropFirst()) : heading)</th>"
        }
        let lines = rows.map { cells -> HTML in
            let cells = zip(cells, headings).map { cell, heading -> HTML in
                "<td align=\"\(heading.hasPrefix("#") ? "right" : "left")\" valign=\"top\" style=\"\(font);font-size:13px;"
                    + "line-height:18px;color:\(Colour.text.rawValue);padding:4px 8px 4px 0;"
                    + "border-top:1px solid \(Colour.line.rawValue)\">\(cell)</td>"
            }
            return "<tr>\(cells.joined())</tr>\n"
        }
        let table: HTML = """
            <table width="100%" cellpadding="0" cellspacing="0" border="0" style="border-collapse:collapse">
            <tr>\(heads.joined())</tr>
            \(lines.joined())</table>
            """
        return "<tr><td style=\"padding:6px 20px\">\(table)</td></tr>\n"
    }

    /// A bar of two cells, of which the first is a part of the whole. What it shows stands beside it as text.
    static func bar(_ part: Int, of whole: Int, _ colour: Colour) -> HTML {
        guard whole > 0 else { return "" }
        let share = min(max(Double(part) / Double(whole), 0), 1)
        var percent = Int((share * 100).rounded())
        // As shares in words, neither nothing nor all unless it is that.
        if part > 0 { percent = max(percent, 1) }
        if part < whole { percent = min(percent, 99) }
        func cell(_ percent: Int, _ colour: Colour) -> HTML {
            percent == 0
                ? ""
                : "<td width=\"\(percent)%\" height=\"8\" bgcolor=\"\(colour.rawValue)\" "
                    + "style=\"background-color:\(colour.rawValue);font-size:1px;line-height:8px\">&nbsp;</td>"
        }
        return "<table role=\"presentation\" width=\"90\" cellpadding=\"0\" cellspacing=\"0\" border=\"0\"><tr>"
            + cell(percent, colour) + cell(100 - percent, .line) + "</tr></table>"
    }

    static func strong(_ text: String, _ colour: Colour) -> HTML { "<b style=\"color:\(colour.rawValue)\">\(text)</b>" }

    static func soft(_ text: String) -> HTML { "<span style=\"color:\(Colour.soft.rawValue)\">\(text)</span>" }
}
