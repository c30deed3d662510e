import DaybookTables

/// A rule about all rows that may be judged for each group of them, by its option `by`.
protocol GroupedRule: MemoryRule {}

extension GroupedRule {
    /// Reads the columns of the groups; the rule has read its own options before.
    static func readGroups(_ options: inout OptionReader) -> [ColumnName] {
        let by: [ColumnName] = options.read(
            "by",
            default: [],
            help:
                "Columns that tell groups apart: the rule is judged for each group of rows that is there. Rows without "
                + "a value in them belong to none. With 'change' or 'anomaly' each is compared with its own earlier runs, and "
                + "one that has no rows any more as a group of none."
        )
        options.refuseRepeats(of: by, in: "by")
        for key in ["of", "same_as"] where !by.isEmpty && options.isWritten(key) {
            let hint = "summarise_rows makes a row of each group, whose values other rules can judge"
            options.refuse("by", "'by' and '\(key)' contradict each other", hint: hint)
        }
        return by
    }

    /// The rule as one that is judged for each group.
    func byGroup(_ by: [ColumnName]) -> any RuleMemory { GroupFigures(rule: self, by: by) }

    static var partialTypeByGroup: any PartialResult.Type { GroupMemories<Partial>.self }
}

/// Judges a rule for each group of rows. The groups stay in memory, and too many are refused.
struct GroupFigures<Rule: GroupedRule>: RuleMemory {
    typealias Partial = GroupMemories<Rule.Partial>

    let rule: Rule
    let by: [ColumnName]

    func partial(of rows: CheckedRows, reporting breaches: inout [Breach]) throws(DaybookError) -> Partial {
        var memories = Partial(rows: rows.batch.count)
        let found = RowGroups(of: rows, by: by)
        memories.unkeyed = found.unkeyed
        var groups = [[Int32]](repeating: [], count: found.count)
        for (row, group) in found.numbers.enumerated() where group >= 0 {
            groups[Int(group)].append(Int32(truncatingIfNeeded: row))
        }
        for (number, group) in groups.enumerated() {
            var own: [Breach] = []
            let part = CheckedRows(batch: rows.batch.keeping(group), asked: nil, known: rows.known)
            let memory = try rule.partial(of: part, reporting: &own)
            let first = Int(group[0])
            let values = by.map { rows.batch.column($0).displayText(first) ?? "" }
            memories.groups[found.key(of: number)] = .init(met: first, values: values, memory: memory)
            for breach in own where breach.rows.setCount > 0 {
                var all = Mask(count: rows.batch.count)
                breach.rows.forEachRow { all.insert(Int(group[$0])) }
                breaches.append(Breach(breach.kind, in: breach.column, all))
            }
        }
        return memories
    }

    func merge(_ later: Partial, into earlier: inout Partial, scratch: any Scratch) throws(DaybookError) {
        for (key, group) in later.groups {
            // Taken out, so that it is not copied.
            if var own = earlier.groups.removeValue(forKey: key) {
                try rule.merge(group.memory, into: &own.memory, scratch: scratch)
                earlier.groups[key] = own
            } else {
                earlier.groups[key] = group
                earlier.groups[key]?.met += earlier.rows
            }
        }
        earlier.rows += later.rows
        earlier.unkeyed += later.unkeyed
        if earlier.groups.count > GroupLimit.groups { throw GroupLimit.tooMany(by: by) }
    }

    func conclude(_ memory: Partial?, _ conclusion: inout RuleConclusion) throws(DaybookError) {
        let groups = memory?.groups.values.sorted { $0.met < $1.met } ?? []
        let against = (rule as? any MeasuringRule)?.against
        let isCompared = against?.isEmpty == false
        if isCompared, groups.count > GroupLimit.compared { throw GroupLimit.tooMany(by: by, GroupLimit.compared) }
        var (broken, passed, figures, lacking) = (GroupTexts(), GroupTexts(), [GroupFigure](), 0)
        for group in groups {
            var own = conclusion
            try rule.conclude(group.memory, &own)
            let name = GroupFigures.name(group.values)
            let key = Dictionary(zip(by.map(\.text), group.values)) { first, _ in first }
            let past = conclusion.past.ofGroup(key)
            let (judgement, observation) = own.verdict(of: rule, against: past, on: conclusion.context.asOf)
            if let judgement { broken.add(name, judgement) }
            guard isCompared, let observation else { continue }
            if let comparison = observation.comparison { passed.add(name, comparison) }
            if observation.lacksPast { lacking += 1 }
            if let value = observation.value?.value { figures.append(GroupFigure(key, value)) }
        }
        let gone = try gone(without: Set(groups.map(\.values)), conclusion)
        for group in gone {
            if let fault = group.comparison.broken.first { broken.add(group.name, "no row of it was judged; \(fault)") }
            if group.comparison.lacksPast { lacking += 1 }
        }
        conclusion.remark(unkeyed: memory?.unkeyed ?? 0, by: by)
        if broken.count > 0 {
            conclusion.judge(
                "\(broken.count.displayText) of \(DisplayText.count(groups.count + gone.count, "group")): \(broken.text)"
            )
        }
        guard isCompared else { return }
        var all = RuleObservation(
            nil,
            comparison: passed.count > 0 ? passed.text : nil,
            lacksPast: lacking == groups.count + gone.count,
            remark: conclusion.remark
        )
        all.groups = figures
        conclusion.observe(all)
    }

    /// `'KR', '2026'`.
    private static func name(_ values: [String]) -> String { values.map { "'\($0)'" }.joined(separator: ", ") }

    /// The groups of the last run of which no row was judged in this one, compared as groups without rows.
    private func gone(
        without values: Set<[String]>,
        _ conclusion: RuleConclusion
    ) throws(DaybookError) -> [(name: String, comparison: PastComparison)] {
        guard let rule = rule as? any MeasuringRule, !conclusion.past.ofGroups.isEmpty else { return [] }
        let columns = by.map(\.text)
        var own = conclusion
        try self.rule.conclude(nil, &own)
        let (against, today) = (rule.against, conclusion.context.asOf)
        let last = conclusion.past.lastGroups(by: columns) { entry in
            (entry.passed || against.includesFailed) && against.change?.from.counts(entry.day, for: today) != false
        }
        return last.compactMap { group in
            let text = columns.map { group[$0] ?? "" }
            guard !values.contains(text) else { return nil }
            let past = conclusion.past.ofGroup(group)
            return (Self.name(text), rule.comparison(ofNoRows: own.observed, with: past, on: today))
        }
    }
}

/// What is said of some groups: of the first ones all of it, and how many others there are.
private struct GroupTexts {
    private var first: [String] = []
    private(set) var count = 0

    mutating func add(_ group: String, _ message: String) {
        count += 1
        if first.count < 3 { first.append("\(group): \(message)") }
    }

    var text: String {
        first.joined(separator: "; ") + (count > first.count ? "; and \((count - first.count).displayText) more" : "")
    }
}

/// What a rule remembers of the rows of each group.
struct GroupMemories<Memory: PartialResult>: PartialResult {
    struct Group: Sendable, Codable {
        /// The number of its first row.
        var met: Int
        /// Its values in the columns that tell groups apart.
        var values: [String]
        var memory: Memory
    }

    var rows: Int
    /// How many rows belong to no group.
    var unkeyed = 0
    /// By the bytes of the key.
    var groups: [[UInt8]: Group] = [:]

    var endedRows: Int { groups.values.reduce(0) { $0 + $1.memory.endedRows } }
    var footprint: Int { groups.values.reduce(0) { $0 + $1.memory.footprint } }

    /// How many bytes small groups may always take.
    private static var room: Int { 64 << 20 }

    /// Spills the few large groups, each of which takes a file, and refuses many small ones.
    mutating func spill(to scratch: any Scratch) throws(DaybookError) {
        for (key, group) in groups where group.memory.footprint > scratch.memoryLimit / 64 {
            try groups[key]?.memory.spill(to: scratch)
        }
        guard footprint > max(scratch.memoryLimit, Self.room) else { return }
        throw GroupLimit.exceeded("'by' makes groups that need more memory than the run may use")
    }
}

/// The group of each row of a batch, by its values in some columns.
struct RowGroups {
    /// By row; −1 for a row that the rule does not apply to, or that lacks a value.
    private(set) var numbers: [Int32]
    private(set) var unkeyed = 0
    /// The first row of each group.
    private(set) var firsts: [Int] = []
    private let keys: RowKeys

    init(of rows: CheckedRows, by columns: [ColumnName]) {
        keys = RowKeys(rows.batch, by: columns)
        numbers = [Int32](repeating: -1, count: keys.count)
        var index = KeyIndex()
        for row in 0..<keys.count where rows.asked?[row] != false {
            guard !keys.gaps.isMissing(row) else {
                unkeyed += 1
                continue
            }
            let number = keys.withKey(row) { index.number(of: $0, keys.hashes[row]) }
            if number == firsts.count { firsts.append(row) }
            numbers[row] = Int32(truncatingIfNeeded: number)
        }
    }

    var count: Int { firsts.count }

    /// The bytes that identify a group, also in other batches.
    func key(of group: Int) -> [UInt8] { keys.withKey(firsts[group]) { Array($0) } }
}

extension RuleConclusion {
    /// Remarks that some rows belong to no group.
    mutating func remark(unkeyed: Int, by columns: [ColumnName]) {
        guard unkeyed > 0 else { return }
        remark(
            "\(DisplayText.count(unkeyed, "row")) without a value in \(DisplayText.list(columns.map { "'\($0)'" }, "or")) \(unkeyed == 1 ? "was" : "were") not judged"
        )
    }
}

extension [ColumnName] {
    /// The names in quotes: `'shop' and 'day'`.
    var quoted: String { map { "'\($0)'" }.joined(separator: " and ") }
}

/// How many groups of rows a rule may tell apart.
enum GroupLimit {
    static let groups = 100_000
    /// The most groups whose figures a history keeps.
    static let compared = 10_000

    static func tooMany(by columns: [ColumnName], _ most: Int = groups) -> DaybookError {
        let kept = most == compared ? ", up to which they are compared with earlier runs" : ""
        return exceeded("'by' makes more than \(most.displayText) groups of \(columns.quoted)\(kept)")
    }

    static func exceeded(_ message: String) -> DaybookError {
        let hint = "judge them with summarise_rows and a rule on its rows, which goes to disk"
        return .machine("too-many-groups", message, hint: hint)
    }
}

/// A rule about all rows that is judged for each day of its rows.
///
/// The rows of an import with `day` belong to days, and a run may read several of them. Each day has a figure of its own,
/// which is compared with those of the days before it.
struct DailyFigures<Rule: MeasuringRule>: RuleMemory {
    typealias Partial = DayMemories<Rule.Partial>

    let rule: Rule
    /// The column with the day of each row.
    let day: ColumnName

    func partial(of rows: CheckedRows, reporting breaches: inout [Breach]) throws(DaybookError) -> Partial {
        var memories = Partial()
        for (day, rows) in rows.byDay(day) {
            memories.days[day] = try rule.partial(of: rows, reporting: &breaches)
        }
        return memories
    }

    func merge(_ later: Partial, into earlier: inout Partial, scratch: any Scratch) throws(DaybookError) {
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

    func conclude(_ memory: Partial?, _ conclusion: inout RuleConclusion) throws(DaybookError) {
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
    func byDay(_ day: ColumnName) -> any RuleMemory { DailyFigures(rule: self, day: day) }

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
