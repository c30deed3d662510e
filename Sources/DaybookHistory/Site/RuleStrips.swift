import DaybookEngine
import DaybookReports

/// The results of the rules of a job in its last runs: for each rule a strip, and its measured values.
package struct RuleStrips: Sendable {
    package struct Row: Sendable {
        package var name: RuleName
        /// A cell for each day, the latest first; `none` for a day without a run, or whose run was not asked.
        package var cells: [RunStrip.Cell]
        /// The result of the last run with the rule.
        package var last: RunRecord.Rule
        /// The measured values of runs that passed, one of each day, the earliest first.
        package var observed: [(day: CalendarDay, value: Double)]
    }

    /// In the order of the last run that judged the rules.
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
        let days = RunDays(records.map(\.day))
        rows = order.map { key in
            let own = known[key] ?? [:]
            let cells = days.strip { number in
                let record = records[number]
                let day = record.asOf ?? Instant.text(record.started)
                let rule = own[number]
                let words = rule.map { "\($0.verdict), \($0.result.prefix(RuleStrips.resultLimit))" } ?? "not asked"
                let ending = rule.map { RuleStrips.ending($0.verdict) } ?? .none
                return RunStrip.Cell(ending: ending, label: "\(day): \(words)", href: href(record))
            }
            let values = own.sorted { $0.key < $1.key }.flatMap { number, rule -> [DayFigure] in
                // What failed is no value to compare with.
                guard records[number].exitCode == 0 else { return [] }
                if let days = rule.days { return days }
                guard rule.verdict != Verdict.unjudged.rawValue else { return [] }
                return records[number].figure(rule.observed?.value)
            }
            return Row(name: key, cells: cells, last: own[own.keys.min() ?? 0]!, observed: RuleStrips.byDay(values))
        }
    }

    /// Characters of a rule's result in a cell of a strip.
    private static let resultLimit = 240

    /// One value of each day, the earliest first; the latest run that made a day counts.
    ///
    /// - Parameter figures: those of the latest run first.
    static func byDay(_ figures: [DayFigure]) -> [(day: CalendarDay, value: Double)] {
        var days: [CalendarDay: Double?] = [:]
        for figure in figures where days[figure.day] == nil { days[figure.day] = .some(figure.value) }
        return days.compactMap { day, value in
            value.flatMap { $0.magnitude <= 1e300 ? (day, $0) : nil }
        }.sorted { $0.0 < $1.0 }
    }
}

extension RunRecord {
    /// A figure of the run as one of the day that the run called its own.
    func figure(_ value: Double?) -> [DayFigure] {
        asOf.flatMap { CalendarDay(iso: $0) }.map { [DayFigure($0, value)] } ?? []
    }
}

extension HistoryKeeper {
    /// The results of the rules of a report's job in its last runs, this run included once it is kept; empty without a history.
    ///
    /// - Parameter last: how many runs at most, the latest ones.
    package func ruleStrips(of report: RunReport, last: Int = 120) -> RuleStrips {
        // A history that cannot be read was reported when the run was kept.
        guard !report.outcome.rules.isEmpty, let history = try? HistoryFile.openToRead(in: state),
            let job = try? history.jobs(RunChoice(path: report.historyPath)).first(where: { $0.name == report.job })
        else { return RuleStrips([]) }
        return RuleStrips((try? history.records(of: job, last: last, areWhole: false)) ?? [])
    }
}

/// The runs of a job by calendar day, the latest day first: the last run of a day counts, and a day without a run is a gap.
struct RunDays {
    /// How many days a strip shows.
    static let shown = 30

    /// The number of a run for each day; nil for a day without a run.
    let days: [(day: CalendarDay, number: Int?)]
    /// How many runs each of these days has.
    private let counts: [CalendarDay: Int]

    /// - Parameters:
    ///   - runs: the days of the runs of one job, the latest run first.
    ///   - last: the day at the end, for several strips of the same days; without it, the strip is of the days from
    ///     the first run to the last.
    init(_ runs: [CalendarDay?], upTo last: CalendarDay? = nil) {
        var numbers: [CalendarDay: Int] = [:]
        var counts: [CalendarDay: Int] = [:]
        for (number, day) in runs.enumerated() {
            guard let day else { continue }
            counts[day, default: 0] += 1
            if numbers[day] == nil { numbers[day] = number }
        }
        self.counts = counts
        guard let end = last ?? numbers.keys.max() else {
            days = []
            return
        }
        let first = last == nil ? numbers.keys.min() ?? end : CalendarDay(number: end.number - Int32(RunDays.shown))
        days = (0..<min(RunDays.shown, Int(end.number - first.number) + 1)).map { back in
            let day = CalendarDay(number: end.number - Int32(back))
            return (day, numbers[day])
        }
    }

    /// The strip of these days.
    ///
    /// - Parameters:
    ///   - nothing: what is said of a day in between.
    func strip(nothing: String = "no run", _ cell: (Int) -> RunStrip.Cell) -> [RunStrip.Cell] {
        days.map { day, number in
            guard let number else { return RunStrip.Cell(ending: .none, label: "\(day): \(nothing)") }
            var cell = cell(number)
            if let count = counts[day], count > 1 {
                cell.label += ", the last of \(DisplayText.count(count)) runs of that day"
            }
            return cell
        }
    }
}

extension RunRecord {
    /// The day of the run: its `as_of`, or where the job could not be read the day on which it began.
    var day: CalendarDay? { CalendarDay(iso: asOf ?? String(Instant.text(started).prefix(10))) }
}
