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

/// The keys that other processes settle.
extension CheckMemory: KeyedPartial {
    public mutating func takeKeys(partitions: Int) -> [CheckKeys<Rules>] {
        var all = [CheckKeys<Rules>](
            repeating: CheckKeys(keys: [(any PartialKeys)?](repeating: nil, count: rules.count), rules: rules),
            count: partitions
        )
        for number in memories.indices {
            guard var memory = memories[number] as? any KeyedPartial else { continue }
            // Let go of, so that it is not copied.
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

/// A partition of the keys that the rules of a check know.
public struct CheckKeys<Rules: RuleSet>: PartialKeys {
    /// By the number of the rule; nil for a rule without keys.
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

private enum CheckCodingKeys: CodingKey { case foldedRows, rejected, rules, values }

extension CheckMemory {
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CheckCodingKeys.self)
        try container.encode(foldedRows, forKey: .foldedRows)
        try container.encode(rejected, forKey: .rejected)
        try container.encode(memories, of: rules)
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CheckCodingKeys.self)
        foldedRows = try container.decode(Int.self, forKey: .foldedRows)
        rejected = try container.decode(RowSet.self, forKey: .rejected)
        (rules, memories) = try container.decode(by: Rules.self, (any PartialResult).self) { $0.partialType }
    }
}

extension CheckKeys {
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CheckCodingKeys.self)
        try container.encode(keys, of: rules)
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CheckCodingKeys.self)
        (rules, keys) = try container.decode(by: Rules.self, (any PartialKeys).self) {
            ($0.partialType as? any KeyedPartial.Type)?.keysType
        }
    }
}

extension MemoryRule {
    fileprivate static var partialType: any PartialResult.Type { Partial.self }
}

extension CheckRule {
    /// Whether it remembers keys.
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
    /// Values of rules, behind the rules' names; an empty one for a rule without a value.
    fileprivate mutating func encode(_ values: [(any PartialResult)?], of rules: [String]) throws {
        try encode(zip(rules, values).map { $1 == nil ? "" : $0 }, forKey: .rules)
        var list = nestedUnkeyedContainer(forKey: .values)
        for value in values { if let value { try list.encode(value) } }
    }
}

extension KeyedDecodingContainer<CheckCodingKeys> {
    /// - Parameter type: the type of the value of a rule; nil for a rule that has none.
    fileprivate func decode<Rules: RuleSet, Value>(
        by _: Rules.Type,
        _: Value.Type,
        type: (any MemoryRule.Type) -> (any PartialResult.Type)?
    ) throws -> (rules: [String], values: [Value?]) {
        let rules = try decode([String].self, forKey: .rules)
        var list = try nestedUnkeyedContainer(forKey: .values)
        let values = try rules.map { name -> Value? in
            guard let rule = Rules.table[name] as? any MemoryRule.Type, let type = type(rule) else { return nil }
            return try list.decode(type) as? Value
        }
        return (rules, values)
    }
}
