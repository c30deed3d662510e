/// A rule about all rows that is judged for each day of its rows.
///
/// The rows of an import with `day` belong to days, and a run may read several of them. Each day has a figure of its own,
/// which is compared with those of the days before it.
struct DailyFigures<Rule: MeasuringRule>: RuleMemory {
    private let rule: Rule
    /// The column with the day of each row.
    private let day: ColumnName

    init(_ rule: Rule, _ day: ColumnName) { (self.rule, self.day) = (rule, day) }

    func partial(of rows: CheckedRows, reporting breaches: inout [Breach]) throws(DaybookError) -> DayMemories<
        Rule.Partial
    > {
        var memories = DayMemories<Rule.Partial>()
        for (day, rows) in rows.byDay(day) {
            memories.days[day] = try rule.partial(of: rows, reporting: &breaches)
        }
        return memories
    }

    func merge(
        _ later: DayMemories<Rule.Partial>,
        into earlier: inout DayMemories<Rule.Partial>,
        scratch: any Scratch
    ) throws(DaybookError) {
        for (day, memory) in later.days {
            // Taken out, so that it is not copied.
            if var own = earlier.days.removeValue(forKey: day) {
                try rule.merge(memory, into: &own, scratch: scratch)
                earlier.days[day] = own
            } else {
                earlier.days[day] = memory
            }
        }
    }

    func conclude(
        _ memory: DayMemories<Rule.Partial>?,
        _ conclusion: inout RuleConclusion
    ) throws(DaybookError) {
        var own: [DayFigure] = []
        var (broken, passed): ([String], [String]) = ([], [])
        var (last, lacking) = (ObservedValue?.none, 0)
        let days = Set(conclusion.days).union(memory?.days.keys.map(\.self) ?? []).sorted()
        for day in days {
            var ofDay = conclusion
            try rule.conclude(memory?.days[day], &ofDay)
            let past = conclusion.past.before(day, making: days, own)
            let (judgement, observation) = ofDay.verdict(of: rule, against: past, on: day)
            if let judgement { broken.append("\(day): \(judgement)") }
            if let comparison = observation?.comparison { passed.append("\(day): \(comparison)") }
            if observation?.lacksPast == true { lacking += 1 }
            own.append(DayFigure(day, observation?.value?.value, passed: judgement == nil))
            last = observation?.value ?? last
        }
        if !broken.isEmpty { conclusion.judge(DayTexts.joined(broken)) }
        var all = RuleObservation(last, comparison: passed.isEmpty ? nil : DayTexts.joined(passed))
        all.days = own
        all.lacksPast = lacking == days.count
        if days.isEmpty { all.comparison = "no day was read" }
        conclusion.observe(all)
    }
}

/// What a rule remembers of the rows of each day.
struct DayMemories<Memory: PartialResult>: PartialResult {
    var days: [CalendarDay: Memory] = [:]

    var endedRows: Int { days.values.reduce(0) { $0 + $1.endedRows } }
    var footprint: Int { days.values.reduce(0) { $0 + $1.footprint } }

    mutating func spill(to scratch: any Scratch) throws(DaybookError) {
        for day in days.keys { try days[day]?.spill(to: scratch) }
    }
}

private enum DayTexts {
    /// The most days that a message tells apart.
    private static let most = 3

    static func joined(_ texts: [String]) -> String {
        let more = texts.count - most
        let shown = texts.prefix(most).joined(separator: "; ")
        return more > 0 ? "\(shown); and so on \(DisplayText.count(more, "more day", "more days"))" : shown
    }
}

extension MeasuringRule {
    /// The rule as one that is judged for each day.
    func byDay(_ day: ColumnName) -> any RuleMemory { DailyFigures(self, day) }

    static var partialTypeByDay: any PartialResult.Type { DayMemories<Partial>.self }
}

extension CheckedRows {
    /// The rows of each day; a row without one belongs to none.
    fileprivate func byDay(_ column: ColumnName) -> [(day: CalendarDay, rows: CheckedRows)] {
        guard let index = batch.schema.index(of: column) else { return [] }
        return batch.byDay(index)
            .compactMap { own in
                guard let day = own.day else { return nil }
                guard let rows = own.rows else { return (day, self) }
                let asked = asked.map { asked in Mask(count: rows.count) { asked[Int(rows[$0])] } }
                return (day, CheckedRows(batch: own.batch, asked: asked, known: known))
            }
    }
}

extension RuleConclusion {
    /// The judgement of all rows, after comparison with earlier runs too.
    func verdict(
        of rule: any CheckRule,
        against past: FigurePast,
        on day: CalendarDay
    ) -> (judgement: String?, RuleObservation?) {
        if let observation { return (judgement, observation) }
        guard let rule = rule as? any MeasuringRule, !rule.against.isEmpty else {
            let isTold = observed != nil || remark != nil
            return (judgement, isTold ? RuleObservation(observed, remark: remark) : nil)
        }
        let comparison = rule.comparison(of: observed, with: past, on: day)
        let broken = [judgement].compactMap(\.self) + comparison.broken
        let passed = comparison.passed.isEmpty ? nil : comparison.passed.joined(separator: "; ")
        return (
            broken.isEmpty ? nil : broken.joined(separator: "; "),
            RuleObservation(observed, comparison: passed, lacksPast: comparison.lacksPast)
        )
    }
}
