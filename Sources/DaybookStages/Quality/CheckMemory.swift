import DaybookCore

/// What a check knows of some rows: one memory for each rule that needs one.
public struct CheckMemory: FoldPartial {
    public internal(set) var foldedRows: Int
    /// By the number of the rule; nil for a rule that remembers nothing.
    var memories: [Memory?]
    /// The numbers of the rows that were rejected at once, where rows may be rejected once more at the end.
    var rejected: RowSet

    /// A memory and the name of the rule whose it is, by which it is read back.
    struct Memory: Sendable {
        var rule: String
        var content: any RuleMemory
    }

    init(foldedRows: Int, memories: [Memory?], rejected: RowSet) {
        self.foldedRows = foldedRows
        self.memories = memories
        self.rejected = rejected
    }

    /// Brings to disk what is more than fits in memory, of the largest memories.
    mutating func spill(to scratch: any Scratch) throws(DaybookError) {
        let footprints = memories.map { $0?.content.footprint ?? 0 }
        guard footprints.reduce(0, +) > scratch.memoryLimit else { return }
        for (number, footprint) in footprints.enumerated() where footprint > scratch.memoryLimit / (2 * memories.count)
        {
            try memories[number]?.content.spill(to: scratch)
        }
    }

    public func write(to bytes: Bytes) throws(DaybookError) {
        bytes.append(raw: UInt64(foldedRows))
        rejected.write(to: bytes)
        bytes.append(raw: UInt32(memories.count))
        for memory in memories {
            bytes.append(counted: memory?.rule ?? "")
            try memory?.content.write(to: bytes)
        }
    }

    public init(reading reader: inout ByteReader) throws(DaybookError) {
        foldedRows = Int(try reader.raw(UInt64.self))
        rejected = try RowSet(reading: &reader)
        memories = []
        for _ in 0..<(try reader.raw(UInt32.self)) {
            let name = try reader.text()
            guard let type = RuleTable[name] as? any MemoryRule.Type else {
                memories.append(nil)
                continue
            }
            memories.append(Memory(rule: name, content: try CheckMemory.content(of: type, &reader)))
        }
    }

    private static func content<R: MemoryRule>(
        of rule: R.Type,
        _ reader: inout ByteReader
    ) throws(DaybookError) -> any RuleMemory {
        try R.Memory(reading: &reader)
    }
}

// Existentials are opened here and nowhere else, once a batch.
extension MemoryRule {
    func remember(_ batch: Batch, asked: Mask?, breaches: inout [Breach]) -> CheckMemory.Memory {
        CheckMemory.Memory(rule: Self.name, content: memory(of: batch, asked: asked, breaches: &breaches))
    }

    func join(_ later: CheckMemory.Memory, into earlier: inout CheckMemory.Memory) throws(DaybookError) {
        guard let new = later.content as? Memory, var old = earlier.content as? Memory else {
            preconditionFailure("a rule was handed the memory of another")
        }
        // Let go of, so that it is not copied.
        earlier.content = new
        try merge(new, into: &old)
        earlier.content = old
    }

    func end(
        _ memory: CheckMemory.Memory?,
        _ conclusion: inout RuleConclusion,
        _ scratch: any Scratch,
        tell: (LateRows) throws(DaybookError) -> Void
    ) throws(DaybookError) {
        try conclude(memory?.content as? Memory, &conclusion, scratch: scratch, tell: tell)
    }
}
