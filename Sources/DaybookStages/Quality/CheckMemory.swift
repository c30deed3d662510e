import DaybookCore

/// What a check knows of some rows: one memory for each rule that needs one.
public struct CheckMemory: FoldPartial {
    public internal(set) var foldedRows: Int
    /// By the number of the rule; nil for a rule that remembers nothing.
    var memories: [Memory?]
    /// The numbers of the rows that were rejected at once, where rows may be rejected once more at the end.
    var rejected: [Int]

    /// A memory and the name of the rule whose it is, by which it is read back.
    struct Memory: Sendable {
        var rule: String
        var content: any RuleMemory
    }

    init(foldedRows: Int, memories: [Memory?], rejected: [Int]) {
        self.foldedRows = foldedRows
        self.memories = memories
        self.rejected = rejected
    }

    public func write(to bytes: Bytes) throws(DaybookError) {
        bytes.append(raw: UInt64(foldedRows))
        bytes.append(array: rejected)
        bytes.append(raw: UInt32(memories.count))
        for memory in memories {
            bytes.append(counted: memory?.rule ?? "")
            try memory?.content.write(to: bytes)
        }
    }

    public init(reading reader: inout ByteReader) throws(DaybookError) {
        foldedRows = Int(try reader.raw(UInt64.self))
        rejected = try reader.array()
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

    func join(_ later: CheckMemory.Memory, into earlier: inout CheckMemory.Memory) {
        guard let new = later.content as? Memory, var old = earlier.content as? Memory else {
            preconditionFailure("a rule was handed the memory of another")
        }
        // Let go of, so that it is not copied.
        earlier.content = new
        merge(new, into: &old)
        earlier.content = old
    }

    func end(
        _ memory: CheckMemory.Memory?,
        _ conclusion: inout RuleConclusion,
        tell: (LateRows) throws(DaybookError) -> Void
    ) throws(DaybookError) {
        try conclude(memory?.content as? Memory, &conclusion, tell: tell)
    }
}
