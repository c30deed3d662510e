/// How the rules of a job ended in its last runs: for each a strip, and what it measured.
///
/// A rule is known by its stage and its id.
package struct RuleStrips: Sendable {
    package struct Key: Hashable, Sendable {
        package var stage: String
        package var rule: String

        package init(stage: String, rule: String) { (self.stage, self.rule) = (stage, rule) }
    }

    package struct Row: Sendable {
        package var key: Key
        /// A cell for each run, the latest first; `none` for a run that did not know the rule.
        package var cells: [RunStrip.Cell]
        /// What it came to in the last run that knew it.
        package var last: RunRecord.Rule
        /// What it measured in runs that came to their end, one of each day, the earliest first.
        package var observed: [(day: CalendarDay, value: Double)]
    }

    /// In the order of the last run that judged them.
    package let rows: [Row]

    /// - Parameters:
    ///   - records: runs of one job, the latest first.
    ///   - href: where the cell of a run leads.
    package init(_ records: [RunRecord], href: (RunRecord) -> String? = { _ in nil }) {
        var order: [Key] = []
        var known: [Key: [Int: RunRecord.Rule]] = [:]
        for (number, record) in records.enumerated() {
            for rule in record.rules {
                let key = Key(stage: rule.stage, rule: rule.rule)
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
            return Row(key: key, cells: cells, last: own[own.keys.min() ?? 0]!, observed: RuleStrips.byDay(values))
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

extension Plan {
    /// How the rules of the job ended in the last runs, as a report of findings shows it; nothing without rules or a history.
    ///
    /// - Parameter last: how many runs at most, the latest ones.
    package func ruleStrips(
        in state: StateDirectory,
        jobFile: String,
        last: Int = 30
    ) throws(DaybookError) -> RuleStrips {
        guard stages.contains(where: { !$0.rules.isEmpty }), let history = try HistoryFile.openToRead(in: state) else {
            return RuleStrips([])
        }
        let (name, path) = historyName(jobFile: jobFile)
        let job = try history.jobs(RunChoice(path: path)).first { $0.name == name }
        return RuleStrips(try job.map { job throws(DaybookError) in try history.records(of: job, last: last) } ?? [])
    }
}
