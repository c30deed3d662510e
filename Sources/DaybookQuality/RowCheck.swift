/// A check bound to its input columns, which applies the rules to rows.
struct RowCheck<Rules: RuleSet>: FoldOperator {
    typealias Partial = CheckMemory<Rules>

    /// The rules in the order of the job.
    struct Asked {
        let entry: RuleEntry
        /// Whether the rule is skipped, for example because its column does not exist.
        let isLeftOut: Bool
        /// What the rule remembers of rows, of all of them or by day; nil for a rule that judges each row by itself.
        let memory: (any RuleMemory)?
        /// The rule's knowledge of the stage that it refers to, once that stage was read.
        fileprivate(set) var known: (any Sendable)?

        /// - Parameter day: the column with the day of each row, where rows belong to days.
        init(_ entry: RuleEntry, isLeftOut: Bool, day: ColumnName?) {
            (self.entry, self.isLeftOut) = (entry, isLeftOut)
            if !entry.by.isEmpty, let rule = entry.rule as? any GroupedRule {
                memory = rule.byGroup(entry.by)
            } else if let day, let rule = entry.rule as? any MeasuringRule {
                memory = rule.byDay(day)
            } else {
                memory = entry.rule as? any MemoryRule
            }
        }
    }

    private(set) var asked: [Asked]
    /// Each rule's values in earlier runs.
    let past: [FigurePast]
    let context: OptionReader.Context
    /// The column with the day of each row, where some rule measures the rows of each day.
    private let day: ColumnName?
    /// Whether rows belong to days, by a column that may be gone.
    private let belongsToDays: Bool

    init(asked: [Asked], past: [FigurePast], day: ColumnName?, belongsToDays: Bool, context: OptionReader.Context) {
        (self.asked, self.past, self.context, self.belongsToDays) = (asked, past, context, belongsToDays)
        self.day = asked.contains { !$0.isLeftOut && $0.entry.rule is any MeasuringRule } ? day : nil
    }

    /// The columns that rules read.
    var columns: ColumnSet {
        asked.filter { !$0.isLeftOut }.reduce(ColumnSet([day].compactMap(\.self))) { needed, one in
            needed.union(ColumnSet(one.entry.columns)).union(one.entry.filter?.columns ?? .none)
        }
    }

    /// The same check, with the rows of the stages that rules refer to.
    func looking(in sides: [BuildSide], by references: RuleReferences) throws(DaybookError) -> RowCheck {
        var result = self
        for index in asked.indices where !asked[index].isLeftOut {
            result.asked[index].known = try references.known(by: asked[index].entry.rule, of: sides)
        }
        return result
    }

    func partial(of batch: Batch, reporting findings: inout Findings) throws(DaybookError) -> CheckMemory<Rules> {
        var memories = [(any PartialResult)?](repeating: nil, count: asked.count)
        for (number, asked) in asked.enumerated() where !asked.isLeftOut {
            let one = asked.entry
            let looked = one.filter?.look(at: batch)
            var breaches: [Breach] = []
            if let memory = asked.memory {
                let rows = CheckedRows(batch: batch, asked: looked?.asked, known: asked.known)
                memories[number] = try memory.partial(of: rows, reporting: &breaches)
            } else {
                switch one.rule {
                case let rule as any RowRule: breaches = rule.breaches(in: batch)
                case let rule as RefersTo: breaches = rule.breaches(in: batch, asked.known)
                default: preconditionFailure("a rule is a row rule or a memory rule")
                }
            }
            if let looked {
                for index in breaches.indices { breaches[index].rows.formIntersection(looked.asked) }
                // It is unknown whether the rule applies to these rows, so they fail.
                if let unknown = looked.unknown {
                    breaches.append(Breach(.notComputable("the condition under 'where'"), in: nil, unknown))
                }
            }
            findings.look(at: looked?.count ?? batch.count, for: number)
            for breach in breaches {
                findings.fail(breach.rows, findings.token(breach.kind, in: breach.column, rule: number), one.fate)
            }
        }
        return CheckMemory(
            foldedRows: batch.count,
            memories: memories,
            rules: asked.map { type(of: $0.entry.rule).name + ($0.entry.by.isEmpty ? "" : CheckMemory<Rules>.byGroup) },
            isByDay: day != nil,
            rejected: asked.contains(where: \.entry.rejectsLate) ? findings.failedRows : RowSet()
        )
    }

    func merge(_ later: Partial, into earlier: inout Partial, scratch: any Scratch) throws(DaybookError) {
        earlier.rejected.insert(later.rejected, raisedBy: earlier.foldedRows)
        earlier.foldedRows += later.foldedRows
        for (number, one) in asked.enumerated() {
            guard let memory = one.memory, let partial = later.memories[number] else { continue }
            try memory.merge(erased: partial, into: &earlier.memories[number], scratch: scratch)
        }
        try earlier.spill(to: scratch)
    }

    func finish(_ partial: CheckMemory<Rules>?, _ output: FoldOutput) throws(DaybookError) {
        // The first rule rejects a row; the others still report it.
        var rejected = partial?.rejected ?? RowSet()
        for (number, asked) in asked.enumerated() where !asked.isLeftOut {
            let one = asked.entry
            guard let memory = asked.memory else { continue }
            var conclusion = RuleConclusion(
                fate: one.fate,
                limit: output.room?[number] ?? .max,
                needsMessages: output.wordsRejects,
                rejected: rejected,
                schema: output.schema,
                context: context,
                known: asked.known,
                past: past[number],
                days: output.days,
                belongsToDays: belongsToDays,
                scratch: output.scratch
            ) { (rows) throws(DaybookError) in
                for part in rows.parts { try output.emit(one.late(part, number, output.schema, &rejected)) }
            }
            try memory.conclude(erased: partial?.memories[number], &conclusion)
            rejected.insert(conclusion.newRejects, raisedBy: 0)
            var findings = Findings()
            let token = findings.token(one.rule.finding, in: one.rule.target, rule: number)
            let (judgement, observation) = conclusion.verdict(of: one.rule, against: past[number], on: context.asOf)
            if let judgement { findings.judge(token, saying: judgement) }
            if let observation { findings.observe(observation, for: number) }
            findings.count(conclusion.unreported, token)
            if !findings.isEmpty { try output.emit(LateFindings(findings)) }
        }
    }
}

extension RuleMemory {
    /// The same with a type-erased partial.
    fileprivate func conclude(erased memory: (any Sendable)?, _ conclusion: inout RuleConclusion) throws(DaybookError) {
        try conclude(memory as? Partial, &conclusion)
    }
}

extension Findings {
    /// The rows of a batch that any rule rejects.
    fileprivate var failedRows: RowSet {
        let rejecting = failures.filter { $0.fate == .rejected }
        guard var rows = rejecting.first?.rows else { return RowSet() }
        for failure in rejecting.dropFirst() { rows.formUnion(failure.rows) }
        return RowSet(rows)
    }
}

extension RuleEntry {
    /// The entry about the columns that are there; nil if it is about all of them together, or none is there.
    func keeping(_ schema: Schema) -> RuleEntry? {
        guard let rest = (rule as? NotMissing)?.keeping({ schema[$0] != nil }) else { return nil }
        var entry = self
        entry.rule = rest
        // Its condition may name a column that is gone too.
        do { try entry.check(schema) } catch { return nil }
        return entry
    }

    /// Refuses columns that do not exist, or have a kind that the rule cannot judge.
    func check(_ input: Schema) throws(DaybookError) {
        for column in rule.columns { _ = try input.requiring(column) }
        for column in by { try input.requiringComparable(column) }
        try rule.check(input)
        try filter?.check(input)
    }

    /// The findings about rows that have passed before.
    fileprivate func late(_ late: LateRows, _ number: Int, _ schema: Schema, _ rejected: inout RowSet) -> LateFindings {
        var findings = Findings()
        var others = Mask(count: late.numbers.count)
        if !late.areNewRejects {
            for (place, row) in late.numbers.enumerated() where fate != .rejected || !rejected.insert(row) {
                others.insert(place)
            }
        }
        let rejects = Mask(count: others.count) { !others[$0] }
        let finding = rule.finding
        let kind = late.message.map { message in
            Finding.Kind(finding.code, message, severity: finding.severity, namesRow: late.named != nil)
        }
        let token = findings.token(kind ?? finding, in: rule.target, rule: number)
        if let named = late.named {
            for (place, row) in named.enumerated() {
                if rejects[place] {
                    findings.reject(place, token, naming: row)
                } else {
                    findings.warn(place, token, naming: row)
                }
            }
        } else {
            findings.fail(rejects, token, .rejected)
            findings.fail(others, token, .reported)
        }
        let field = rule.target.flatMap { schema[$0] }
        return LateFindings(findings, numbers: late.numbers) { () throws(DaybookError) in
            let (places, values) = (try late.places.gathered(late.at), try late.values())
            return LateFindings.rows(places, count: late.at.count, field: field, values: values)
        }
    }
}

/// The partial of a check: one partial for each rule that needs one.
public struct CheckMemory<Rules: RuleSet>: FoldPartial {
    public internal(set) var foldedRows: Int
    /// Indexed by rule; nil for a rule without memory.
    var memories: [(any PartialResult)?]
    /// The names of the rules, needed to decode their partials, with `byGroup` behind those of each group.
    let rules: [String]
    static var byGroup: String { " by group" }
    /// Whether rules that measure rows remember those of each day.
    let isByDay: Bool
    /// The numbers of rows rejected at once, kept if rules may reject more rows at the end.
    var rejected: RowSet

    public var footprint: Int { memories.reduce(0) { $0 + ($1?.footprint ?? 0) } }

    /// Spills the largest partials to disk until the rest fits in memory.
    public mutating func spill(to scratch: any Scratch) throws(DaybookError) {
        guard footprint > scratch.memoryLimit else { return }
        let share = scratch.memoryLimit / (2 * memories.count)
        for number in memories.indices where (memories[number]?.footprint ?? 0) > share {
            try memories[number]?.spill(to: scratch)
        }
    }
}

/// Keys that other processes merge.
extension CheckMemory: KeyedPartial {
    public mutating func takeKeys(partitions: Int) -> [CheckKeys<Rules>] {
        var all = [CheckKeys<Rules>](
            repeating: CheckKeys(keys: [(any PartialKeys)?](repeating: nil, count: rules.count), rules: rules),
            count: partitions
        )
        for number in memories.indices {
            guard var memory = memories[number] as? any KeyedPartial else { continue }
            // Released, to avoid a copy.
            memories[number] = nil
            for (partition, keys) in memory.takeErasedKeys(partitions: partitions).enumerated() {
                all[partition].keys[number] = keys
            }
            memories[number] = memory
        }
        return all
    }

    public mutating func putBack(_ partition: CheckKeys<Rules>, scratch: any Scratch) throws(DaybookError) {
        for (number, keys) in partition.keys.enumerated() {
            guard let keys, var memory = memories[number] as? any KeyedPartial else { continue }
            memories[number] = nil
            try memory.putBack(erased: keys, scratch: scratch)
            memories[number] = memory
        }
    }
}

/// A partition of the keys that the rules of a check hold.
public struct CheckKeys<Rules: RuleSet>: PartialKeys {
    /// Indexed by rule; nil for a rule without keys.
    fileprivate var keys: [(any PartialKeys)?]
    fileprivate let rules: [String]

    public var footprint: Int { keys.reduce(0) { $0 + ($1?.footprint ?? 0) } }

    public mutating func append(_ later: CheckKeys, scratch: any Scratch) throws(DaybookError) {
        for (number, keys) in later.keys.enumerated() {
            if let keys { try self.keys[number]?.append(erased: keys, scratch: scratch) }
        }
    }

    public mutating func settle(scratch: any Scratch) throws(DaybookError) {
        for number in keys.indices { try keys[number]?.settle(scratch: scratch) }
    }
}

// MARK: - As bytes

private enum CheckCodingKeys: CodingKey { case foldedRows, rejected, rules, values, isByDay }

extension CheckMemory {
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CheckCodingKeys.self)
        try container.encode(foldedRows, forKey: .foldedRows)
        try container.encode(rejected, forKey: .rejected)
        try container.encode(isByDay, forKey: .isByDay)
        try container.encode(memories, of: rules)
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CheckCodingKeys.self)
        foldedRows = try container.decode(Int.self, forKey: .foldedRows)
        rejected = try container.decode(RowSet.self, forKey: .rejected)
        let isByDay = try container.decode(Bool.self, forKey: .isByDay)
        self.isByDay = isByDay
        (rules, memories) = try container.decode(by: Rules.self, (any PartialResult).self) { rule, isByGroup in
            if isByGroup { return (rule as? any GroupedRule.Type)?.partialTypeByGroup }
            guard isByDay, let rule = rule as? any MeasuringRule.Type else { return rule.partialType }
            return rule.partialTypeByDay
        }
    }
}

extension CheckKeys {
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CheckCodingKeys.self)
        try container.encode(keys, of: rules)
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CheckCodingKeys.self)
        (rules, keys) = try container.decode(by: Rules.self, (any PartialKeys).self) { rule, _ in
            (rule.partialType as? any KeyedPartial.Type)?.keysType
        }
    }
}

extension MemoryRule {
    fileprivate static var partialType: any PartialResult.Type { Partial.self }
}

extension CheckRule {
    /// Whether the rule remembers keys.
    var gathersKeys: Bool {
        guard let rule = self as? any MemoryRule else { return false }
        return type(of: rule).partialType is any KeyedPartial.Type
    }
}

extension KeyedPartial {
    fileprivate static var keysType: any PartialKeys.Type { Keys.self }
    fileprivate mutating func takeErasedKeys(partitions: Int) -> [any PartialKeys] { takeKeys(partitions: partitions) }
}

extension KeyedEncodingContainer<CheckCodingKeys> {
    /// Encodes the values of rules behind the rules' names, with an empty name for a rule without a value.
    fileprivate mutating func encode(_ values: [(any PartialResult)?], of rules: [String]) throws {
        try encode(zip(rules, values).map { $1 == nil ? "" : $0 }, forKey: .rules)
        var list = nestedUnkeyedContainer(forKey: .values)
        for value in values { if let value { try list.encode(value) } }
    }
}

extension KeyedDecodingContainer<CheckCodingKeys> {
    /// - Parameter type: the type of a rule's value; nil for a rule that has none.
    fileprivate func decode<Rules: RuleSet, Value>(
        by _: Rules.Type,
        _: Value.Type,
        type: (_ rule: any MemoryRule.Type, _ isByGroup: Bool) -> (any PartialResult.Type)?
    ) throws -> (rules: [String], values: [Value?]) {
        let rules = try decode([String].self, forKey: .rules)
        var list = try nestedUnkeyedContainer(forKey: .values)
        let suffix = CheckMemory<Rules>.byGroup
        let values = try rules.map { name -> Value? in
            let isByGroup = name.hasSuffix(suffix)
            let rule = Rules.table[isByGroup ? String(name.dropLast(suffix.count)) : name]
            guard let rule = rule as? any MemoryRule.Type, let type = type(rule, isByGroup) else { return nil }
            return try list.decode(type) as? Value
        }
        return (rules, values)
    }
}
