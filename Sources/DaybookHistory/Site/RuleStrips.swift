import DaybookEngine
import DaybookReports

/// How the rules of a job ended in its last runs: for each a strip, and what it measured.
package struct RuleStrips: Sendable {
    package struct Row: Sendable {
        package var name: RuleName
        /// A cell for each run, the latest first; `none` for a run that did not know the rule.
        package var cells: [RunStrip.Cell]
        /// What it came to in the last run that knew it.
        package var last: RunRecord.Rule
        /// What it measured in runs that came to their end, one of each day, the earliest first.
        package var observed: [(day: CalendarDay, value: Double)]
    }

    /// In the order of the last run that judged them.
    package let rows: [Row]

    /// The strips by the names of the rules.
    package var byRule: [RuleName: RunStrip] {
        Dictionary(rows.map { ($0.name, RunStrip($0.cells)) }) { first, _ in first }
    }

    /// - Parameters:
    ///   - records: runs of one job, the latest first.
    ///   - href: where the cell of a run leads.
    package init(_ records: [RunRecord], href: (RunRecord) -> String? = { _ in nil }) {
        var order: [RuleName] = []
        var known: [RuleName: [Int: RunRecord.Rule]] = [:]
        for (number, record) in records.enumerated() {
            for rule in record.rules {
                let key = RuleName(stage: rule.stage, rule: rule.rule)
                if known[key] == nil { order.append(key) }
                known[key, default: [:]][number] = rule
            }
        }
        let links = records.map(href)
        rows = order.map { key in
            let own = known[key] ?? [:]
            let cells = records.enumerated().map { number, record in
                let day = record.asOf ?? Instant.text(record.started)
                guard let rule = own[number] else {
                    return RunStrip.Cell(ending: .none, told: "\(day): not asked", href: links[number])
                }
                let told = String(rule.told.prefix(RuleStrips.toldLimit))
                return RunStrip.Cell(
                    ending: RuleStrips.ending(rule.verdict),
                    told: "\(day): \(rule.verdict), \(told)",
                    href: links[number]
                )
            }
            let values = own.sorted { $0.key < $1.key }.compactMap { number, rule -> (RunRecord, Double)? in
                guard rule.verdict != Verdict.unjudged.rawValue else { return nil }
                return rule.observed.map { (records[number], $0.value) }
            }
            return Row(name: key, cells: cells, last: own[own.keys.min() ?? 0]!, observed: RuleStrips.byDay(values))
        }
    }

    /// Characters of what a rule says in a cell of a strip.
    private static let toldLimit = 240

    /// One of each day, the earliest first; of one day that of the latest run.
    ///
    /// - Parameter values: the latest run first.
    static func byDay(_ values: [(RunRecord, Double)]) -> [(day: CalendarDay, value: Double)] {
        var days: [CalendarDay: Double] = [:]
        for (record, value) in values where value.magnitude <= 1e300 {
            guard let day = record.asOf.flatMap({ CalendarDay(iso: $0) }), days[day] == nil else { continue }
            days[day] = value
        }
        return days.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}

extension HistoryKeeper {
    /// How the rules of the job of a report ended in its last runs, this one among them once it is kept; none where nobody can tell.
    ///
    /// - Parameter last: how many runs at most, the latest ones.
    package func ruleStrips(of report: RunReport, last: Int = 30) -> RuleStrips {
        // Why the history cannot be read has been told when the run was to be kept.
        guard !report.outcome.rules.isEmpty, let history = try? HistoryFile.openToRead(in: state),
            let job = try? history.jobs(RunChoice(path: report.historyPath)).first(where: { $0.name == report.job })
        else { return RuleStrips([]) }
        return RuleStrips((try? history.records(of: job, last: last, areWhole: false)) ?? [])
    }
}
