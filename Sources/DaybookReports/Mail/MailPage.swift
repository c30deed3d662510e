import DaybookEngine
import DaybookPages

/// The page of a run in a mail: how it ended and what to do; of a run that failed what failed, and else its measures.
struct MailPage {
    /// How many rows a page has, and how long its texts are.
    struct Limits {
        /// The divisor of the usual limits.
        let share: Int

        var errors: Int { max(1, 10 / share) }
        var rules: Int { max(1, 30 / share) }
        var findings: Int { max(1, 20 / share) }
        var measures: Int { max(1, 12 / share) }
        /// Rows of each section.
        var rows: Int { max(1, 10 / share) }
        var text: Int { max(12, 240 / share) }
        var isTight: Bool { share > 1 }
    }

    let run: RunReport
    let limits: Limits
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
        \(MailMarkup.page(masthead + content + foot))\
        </body>
        </html>

        """
    }

    /// A run that failed begins with what failed, and any other with its figures.
    private var content: HTML {
        let wrong = [errors, rules, gates, findings].joined()
        return verdict.isGood ? figures + wrong : wrong + figures
    }

    func shown(_ text: String) -> String { PrintableText.of(run.mask.masking(text).shortened(to: limits.text)) }

    // MARK: - Head and foot

    private var masthead: HTML {
        let warns = run.events(earlierFailed: false).contains(.warned)
        let colour = verdict.isGood ? (warns ? MailMarkup.Colour.warn : .good) : .bad
        let day = run.asOf.map { "As of \($0)" } ?? "No day is known"
        let facts =
            "\(day), by \(shown(run.shownJobFile)), begun at \(Instant.text(run.started)), in \(DisplayText.duration(run.nanoseconds))"
        let next = NextStep(run: run, style: .plain, side: "below").line
        return MailMarkup.row("<b>\(shown(run.sentence))</b>", colour: colour, ink: .card, size: 18)
            + MailMarkup.row(MailMarkup.soft(facts), size: 12)
            + MailMarkup.row("\(PrintableText.of(run.mask.masking(next).shortened(to: limits.text * 4)))\(links)")
    }

    private var foot: HTML {
        let cut =
            limits.isTight
            ? " Rows and texts are cut so that the mail stays small; 'daybook history show' and the reports have more."
            : ""
        return MailMarkup.row(MailMarkup.soft("Made by Daybook \(DaybookVersion.text).\(cut)"), size: 12)
    }

    /// `The first 20 of 1,204 findings.`, or nothing where all are shown.
    func more(_ shown: Int, of all: Int, _ one: String, _ remark: String = "") -> HTML {
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
                "\(shown(observed(of: rule)))\(rule.judgement == nil ? MailMarkup.bar(rule.failing, of: rule.rows, colour) : "")",
            ]
        }
        return MailMarkup.heading("Rules") + MailMarkup.table(["Rule", "Expected", "Observed"], rows)
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
                "\(DisplayText.count(gate.rejected)) of \(DisplayText.count(gate.total, "row")) (\(DisplayText.share(gate.rejected, of: gate.total)))\(MailMarkup.bar(gate.rejected, of: gate.total, .bad))",
            ]
        }
        return MailMarkup.heading("Gates that failed")
            + MailMarkup.table(["Gate", "Allowed", "Observed"], rows)
            + more(rows.count, of: failed.count, "gate")
    }

    private var findings: HTML {
        let told = run.outcome.findings.filter { $0.severity != .note }
        guard !told.isEmpty else { return "" }
        // What fails a run comes first.
        let sorted = FindingText.sorted(told)
        let ordered = sorted.filter { $0.severity == .error } + sorted.filter { $0.severity != .error }
        let rows = ordered.prefix(limits.findings).map { finding -> [HTML] in
            [
                "\(PageParts.path(shown(FindingText.place(of: finding, in: run))))\(cell(of: finding))",
                "\(shown(finding.message)) \(MailMarkup.soft("[\(shown(finding.name))]"))",
            ]
        }
        let all = run.outcome.tallies.reduce(0) { $0 + ($1.severity == .note ? 0 : $1.count - $1.known) }
        let files =
            run.fullReports.isEmpty ? "" : "; all that were put into words are in \(DisplayText.list(run.fullReports))"
        return MailMarkup.heading("Findings") + MailMarkup.table(["Place", "What is wrong"], rows)
            + more(rows.count, of: max(all, told.count), "finding", files)
    }

    /// The column, below the place; the message has the value.
    private func cell(of finding: RenderedFinding) -> HTML {
        finding.field.map { "<br>\(MailMarkup.soft(shown($0)))" } ?? ""
    }
}
