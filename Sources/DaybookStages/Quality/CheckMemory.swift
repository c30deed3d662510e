/// What a check knows of some rows: a partial result for each rule that needs one.
public struct CheckMemory<Rules: RuleSet>: FoldPartial {
    public internal(set) var foldedRows: Int
    /// By the number of the rule; nil for a rule that remembers nothing.
    var memories: [(any PartialResult)?]
    /// The names of the rules, by which their partial results are read back.
    let rules: [String]
    /// The numbers of the rows that were rejected at once, where rows may be rejected once more at the end.
    var rejected: RowSet

    public var footprint: Int { memories.reduce(0) { $0 + ($1?.footprint ?? 0) } }

    /// Brings to disk what is more than fits in memory, of the largest.
    public mutating func spill(to scratch: any Scratch) throws(DaybookError) {
        guard footprint > scratch.memoryLimit else { return }
        let share = scratch.memoryLimit / (2 * memories.count)
        for number in memories.indices where (memories[number]?.footprint ?? 0) > share {
            try memories[number]?.spill(to: scratch)
        }
    }
}

extension CheckMemory {
    private enum CodingKeys: CodingKey { case foldedRows, rejected, rules, memories }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(foldedRows, forKey: .foldedRows)
        try container.encode(rejected, forKey: .rejected)
        try container.encode(zip(rules, memories).map { $1 == nil ? "" : $0 }, forKey: .rules)
        var list = container.nestedUnkeyedContainer(forKey: .memories)
        for memory in memories { if let memory { try list.encode(memory) } }
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        foldedRows = try container.decode(Int.self, forKey: .foldedRows)
        rejected = try container.decode(RowSet.self, forKey: .rejected)
        rules = try container.decode([String].self, forKey: .rules)
        var list = try container.nestedUnkeyedContainer(forKey: .memories)
        memories = []
        for name in rules {
            guard let rule = Rules.table[name] as? any MemoryRule.Type else {
                memories.append(nil)
                continue
            }
            func decode<Rule: MemoryRule>(_: Rule.Type) throws -> any PartialResult {
                try list.decode(Rule.Partial.self)
            }
            memories.append(try decode(rule))
        }
    }
}
