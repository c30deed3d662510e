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
                + "a value in them belong to none."
        )
        options.refuseRepeats(of: by, in: "by")
        for key in ["change", "anomaly", "of", "same_as"] where !by.isEmpty && options.isWritten(key) {
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
    let rule: Rule
    let by: [ColumnName]

    /// The most groups.
    private static var most: Int { 100_000 }

    func partial(of rows: CheckedRows, reporting breaches: inout [Breach]) throws(DaybookError) -> GroupMemories<
        Rule.Partial
    > {
        var memories = GroupMemories<Rule.Partial>(rows: rows.batch.count)
        let keys = RowKeys(rows.batch, by: by)
        var index = KeyIndex()
        // The rows of each group.
        var groups: [[Int32]] = []
        for row in 0..<keys.count where rows.asked?[row] != false {
            guard !keys.gaps.isMissing(row) else {
                memories.unkeyed += 1
                continue
            }
            let number = keys.withKey(row) { index.number(of: $0, keys.hashes[row]) }
            if number == groups.count { groups.append([]) }
            groups[number].append(Int32(truncatingIfNeeded: row))
        }
        for group in groups {
            var own: [Breach] = []
            let part = CheckedRows(batch: rows.batch.keeping(group), asked: nil, known: rows.known)
            let memory = try rule.partial(of: part, reporting: &own)
            let first = Int(group[0])
            let name = by.map { "'\(rows.batch.column($0).displayText(first) ?? "")'" }
            memories.groups[keys.withKey(first) { Array($0) }] = .init(
                met: first,
                name: name.joined(separator: ", "),
                memory: memory
            )
            for breach in own where breach.rows.setCount > 0 {
                var all = Mask(count: rows.batch.count)
                breach.rows.forEachRow { all.insert(Int(group[$0])) }
                breaches.append(Breach(breach.kind, in: breach.column, all))
            }
        }
        return memories
    }

    func merge(
        _ later: GroupMemories<Rule.Partial>,
        into earlier: inout GroupMemories<Rule.Partial>,
        scratch: any Scratch
    ) throws(DaybookError) {
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
        guard earlier.groups.count > Self.most else { return }
        let names = by.map { "'\($0)'" }.joined(separator: " and ")
        throw .tooManyGroups("'by' makes more than \(Self.most.displayText) groups of \(names)")
    }

    func conclude(
        _ memory: GroupMemories<Rule.Partial>?,
        _ conclusion: inout RuleConclusion
    ) throws(DaybookError) {
        guard let memory else { return }
        var broken: [String] = []
        var count = 0
        for group in memory.groups.values.sorted(by: { $0.met < $1.met }) {
            var own = conclusion
            try rule.conclude(group.memory, &own)
            guard let judgement = own.judgement else { continue }
            count += 1
            if broken.count < 3 { broken.append("\(group.name): \(judgement)") }
        }
        if memory.unkeyed > 0 {
            let names = by.map { "'\($0)'" }.joined(separator: " and ")
            conclusion.remark(
                "\(DisplayText.count(memory.unkeyed, "row")) without a value in \(names) \(memory.unkeyed == 1 ? "was" : "were") not judged"
            )
        }
        guard count > 0 else { return }
        let rest = count > broken.count ? "; and \((count - broken.count).displayText) more" : ""
        conclusion.judge(
            "\(count.displayText) of \(DisplayText.count(memory.groups.count, "group")): \(broken.joined(separator: "; "))\(rest)"
        )
    }
}

/// What a rule remembers of the rows of each group.
struct GroupMemories<Memory: PartialResult>: PartialResult {
    struct Group: Sendable, Codable {
        /// The number of its first row.
        var met: Int
        var name: String
        var memory: Memory
    }

    var rows: Int
    /// How many rows belong to no group.
    var unkeyed = 0
    /// By the bytes of the key.
    var groups: [[UInt8]: Group] = [:]

    init(rows: Int) { self.rows = rows }

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
        throw .tooManyGroups("'by' makes groups that need more memory than the run may use")
    }
}

extension DaybookError {
    fileprivate static func tooManyGroups(_ message: String) -> DaybookError {
        let hint = "judge them with summarise_rows and a rule on its rows, which goes to disk"
        return .machine("too-many-groups", message, hint: hint)
    }
}
