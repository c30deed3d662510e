import DaybookCore

/// The groups of some rows with what is known of each: what `summarise_rows` and `count_streaks` know of them.
///
/// Groups lie in 256 parts by the upper bits of their keys' hashes, so that each part's table stays in the caches of the processor.
/// The groups of a batch wait until there are many, and are then added part by part. Beyond a limit whole parts go to disk, and are
/// put together one by one at the end (radix partitioning as in a hybrid hash join: DeWitt et al., SIGMOD 1984).
public struct GroupSummary: FoldPartial, BinaryForm {
    public private(set) var foldedRows = 0
    private var waiting: [GroupBlock] = []
    private var waitingGroups = 0
    private var waitingBytes = 0
    /// None before the first groups are added.
    private(set) var parts: [GroupPart] = []
    /// What is known of no groups.
    private let nothing: [any GroupValues]
    /// Where groups go that do not fit in memory.
    private var file: (any ScratchFile)?

    /// How many groups, or blocks of few groups, wait at most.
    private static let mostWaiting = (groups: 1 << 17, blocks: 1 << 9)

    /// - Parameter batch: holds only rows that count.
    init(_ batch: Batch, _ grouping: some Grouping) {
        foldedRows = batch.count
        nothing = grouping.values(of: batch.schema).map(\.values)
        let block = GroupBlock(batch, grouping)
        guard block.count > 0 else { return }
        (waiting, waitingGroups, waitingBytes) = ([block], block.count, block.footprint)
    }

    /// Adds what is known of later rows, and goes to disk beyond `limit` bytes.
    mutating func merge(_ later: GroupSummary, limit: Int, _ scratch: any Scratch) throws(DaybookError) {
        if !later.parts.isEmpty {
            addWaiting()
            makeParts()
            for part in parts.indices where !later.parts[part].isEmpty {
                try parts[part].merge(later.parts[part], base: Int64(foldedRows), scratch)
            }
        }
        for block in later.waiting {
            var block = block
            block.base += Int64(foldedRows)
            waiting.append(block)
        }
        waitingGroups += later.waitingGroups
        waitingBytes += later.waitingBytes
        foldedRows += later.foldedRows
        // Tests have limits below that of one batch.
        let areMany = waitingGroups > Self.mostWaiting.groups || waiting.count > Self.mostWaiting.blocks
        guard areMany || waitingBytes > min(limit, 1 << 28) / 8 else { return }
        addWaiting()
        try spill(beyond: limit, scratch)
    }

    /// Adds the groups of the batches that wait.
    private mutating func addWaiting() {
        guard !waiting.isEmpty else { return }
        makeParts()
        for part in parts.indices {
            for block in waiting { parts[part].add(block, block.groups(of: part)) }
        }
        (waiting, waitingGroups, waitingBytes) = ([], 0, 0)
    }

    private mutating func makeParts() {
        if parts.isEmpty { parts = [GroupPart](repeating: GroupPart(nothing), count: Parts.count) }
    }

    /// Brings the largest parts to disk until three quarters of the limit are kept, so that not every batch brings one there.
    private mutating func spill(beyond limit: Int, _ scratch: any Scratch) throws(DaybookError) {
        let sizes = parts.map(\.footprint)
        var size = sizes.reduce(0, +)
        guard size > limit else { return }
        let file = if let file { file } else { try scratch.makeFile() }
        self.file = file
        for part in parts.indices.sorted(by: { sizes[$0] > sizes[$1] }) where size > limit / 4 * 3 {
            try parts[part].spill(to: file)
            size -= sizes[part]
        }
    }

    /// About how many bytes it takes in memory.
    public var footprint: Int { parts.reduce(waitingBytes) { $0 + $1.footprint } }

    /// All groups in their parts.
    func settled() -> [GroupPart] {
        var whole = self
        whole.addWaiting()
        return whole.parts
    }

    public func write(to bytes: Bytes) throws(DaybookError) {
        bytes.append(raw: Int64(foldedRows))
        GroupPart(nothing).write(to: bytes)
        let parts = settled().enumerated().filter { !$0.element.isEmpty }
        bytes.append(raw: UInt32(parts.count))
        for (number, part) in parts {
            bytes.append(raw: UInt32(number))
            try part.whole().write(to: bytes)
        }
    }

    public init(reading reader: inout ByteReader) throws(DaybookError) {
        foldedRows = Int(try reader.raw(Int64.self))
        nothing = try GroupPart(reading: &reader).values
        let count = try reader.raw(UInt32.self)
        guard count > 0 else { return }
        makeParts()
        for _ in 0..<count {
            let number = Int(try reader.raw(UInt32.self))
            guard parts.indices.contains(number) else { throw ByteReader.damaged }
            parts[number] = try GroupPart(reading: &reader)
        }
    }
}
