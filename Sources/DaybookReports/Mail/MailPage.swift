import DaybookEngine
import DaybookPages

/// The page of a run in a mail: how it ended, what to do, what failed, what became of the rows, and the first findings.
struct MailPage {
    /// How many rows and how long texts a page has.
    struct Room {
        let errors: Int
        let rules: Int
        let stages: Int
        let findings: Int
        let text: Int
        let isTight: Bool

        /// One part of so many of what a page usually has.
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
    private let room: Room
    private let verdict: RunVerdict

    init(_ run: RunReport, _ room: Room) {
        (self.run, self.room) = (run, room)
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

    private func shown(_ text: String) -> String { PrintableText.of(run.mask.masking(text).shortened(to: room.text)) }

    // MARK: - Head and foot

    private var masthead: HTML {
        let warns = run.events(earlierFailed: false).contains(.warned)
        let colour = verdict.isGood ? (warns ? MailMarkup.Colour.warn : .good) : .bad
        let day = run.asOf.map { "As of \($0)" } ?? "No day is known"
        let facts =
            "\(day), by \(shown(run.shownJobFile)), begun at \(Instant.text(run.started)), in \(Spoken.duration(run.nanoseconds))"
        let next = NextStep(run: run, style: .plain, side: "below").line
        return MailMarkup.row("<b>\(shown(RunSentence(run).text))</b>", colour: colour, ink: .card, size: 18)
            + MailMarkup.row(MailMarkup.soft(facts), size: 12)
            + MailMarkup.row("\(PrintableText.of(run.mask.masking(next).shortened(to: room.text * 4)))")
    }

    private var foot: HTML {
        let cut =
            room.isTight
            ? " Rows and texts are cut so that the mail stays small; 'daybook history show' and the reports have more."
            : ""
        return MailMarkup.row(MailMarkup.soft("Made by Daybook \(DaybookVersion.text).\(cut)"), size: 12)
    }

    /// `The first 20 of 1,204 findings.`, or nothing where all are shown.
    private func more(_ shown: Int, of all: Int, _ one: String, _ remark: String = "") -> HTML {
        guard all > shown else { return "" }
        return MailMarkup.row(
            MailMarkup.soft("The first \(Spoken.count(shown)) of \(Spoken.count(all, one))\(remark)."),
            size: 12
        )
    }

    // MARK: - What went wrong

    private var errors: HTML {
        let all = run.outcome.errors + run.afterthoughts
        guard !all.isEmpty else { return "" }
        let rows = all.prefix(room.errors).map { error -> HTML in
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
        let rows = told.prefix(room.rules).map { rule -> [HTML] in
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
            "\(Spoken.count(rule.failing)) of \(Spoken.count(rule.rows, "row")) (\(Spoken.share(rule.failing, of: rule.rows)))\(example)"
    }

    private var gates: HTML {
        let failed = run.outcome.gates.filter { !$0.passed }
        guard !failed.isEmpty else { return "" }
        let rows = failed.prefix(room.rules).map { gate -> [HTML] in
            [
                MailMarkup.strong(shown(GateText.name(of: gate, run.mask)), .bad),
                "\(GateText.allowed(gate.allowed)) of its rows rejected",
                "\(Spoken.count(gate.rejected)) of \(Spoken.count(gate.total, "row")) (\(Spoken.share(gate.rejected, of: gate.total)))",
                MailMarkup.bar(gate.rejected, of: gate.total, .bad),
            ]
        }
        return MailMarkup.heading("Gates that failed")
            + MailMarkup.table(["Gate", "Allowed", "Observed", "Share"], rows)
            + more(rows.count, of: failed.count, "gate")
    }

    // MARK: - Rows

    /// The ledger, without what no stage did: a telephone has no room for columns of dashes.
    private var ledger: HTML {
        let all = run.outcome.ledger
        guard !all.isEmpty else { return "" }
        let others: [(String, (LedgerLine) -> Int)] = [
            ("#Rejected", \.rejected), ("#Dropped", \.droppedCount), ("#Folded", \.folded), ("#Made", \.made),
        ].filter { _, count in all.contains { count($0) > 0 } }
        let rows = all.prefix(room.stages).map { line -> [HTML] in
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
        let text = Spoken.count(count)
        return colour.map { MailMarkup.strong(text, $0) } ?? "\(text)"
    }

    private var findings: HTML {
        let told = run.outcome.findings.filter { $0.severity != .note }
        guard !told.isEmpty else { return "" }
        // What fails a run comes first.
        let sorted = FindingText.sorted(told)
        let ordered = sorted.filter { $0.severity == .error } + sorted.filter { $0.severity != .error }
        let rows = ordered.prefix(room.findings).map { finding -> [HTML] in
            [
                "\(shown(FindingText.place(of: finding, in: run)))", "\(shown(finding.field ?? ""))",
                "\(shown(finding.value ?? ""))",
                "\(shown(finding.message)) \(MailMarkup.soft("[\(shown(finding.name))]"))",
            ]
        }
        let all = run.outcome.tallies.reduce(0) { $0 + ($1.severity == .note ? 0 : $1.count - $1.known) }
        let files =
            run.fullReports.isEmpty ? "" : "; all that were put into words are in \(Spoken.list(run.fullReports))"
        return MailMarkup.heading("Findings") + MailMarkup.table(["Place", "Column", "Value", "What is wrong"], rows)
            + more(rows.count, of: max(all, told.count), "finding", files)
    }
}
