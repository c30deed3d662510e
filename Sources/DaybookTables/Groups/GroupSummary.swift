import DaybookCore

/// The groups of some rows with what is known of each: what `summarise_rows` and `count_streaks` know of them.
///
/// Groups lie in 256 parts by the upper bits of their keys' hashes, so that each part's table stays in the caches of the processor
/// (radix partitioning as in a hybrid hash join: DeWitt et al., SIGMOD 1984). The workers pack the groups of a batch into a block,
/// part by part. Where groups come again and again, blocks are added to tables as soon as there are some. Where nearly every row is a
/// group of its own they are only kept, and go to disk beyond a quarter of the limit; `settle` makes the tables then, each once.
public struct GroupSummary: FoldPartial, BinaryForm {
    public private(set) var foldedRows = 0
    /// In the order of the input. Those from `tabled` on came behind the rows of the tables.
    private var blocks: [GroupBlock] = []
    private var tabled = 0
    /// The tables of the parts, or none.
    private var tables: [GroupPart] = []
    private var tableBytes = 0
    /// The groups of each part, once no more will be added.
    package private(set) var settled: [SettledGroups]?
    /// How many groups the blocks behind the tables have, and their bytes in memory.
    private var waiting = (groups: 0, bytes: 0)
    /// Whether blocks are kept, until so many groups wait.
    private var keptUntil: Int?
    /// What is known of no groups.
    package let nothing: [any GroupValues]
    /// Where blocks go that do not fit in memory.
    private var file: (any ScratchFile)?

    /// How many groups, or blocks of few groups, wait at most to be added to tables.
    private static let mostWaiting = (groups: 1 << 17, blocks: 1 << 9)

    /// - Parameter batch: holds only rows that count.
    package init(_ batch: Batch, _ grouping: some Grouping) {
        foldedRows = batch.count
        nothing = grouping.values(of: batch.schema).map(\.values)
        let block = GroupBlock(batch, grouping)
        if block.count > 0 { append(block) }
    }

    private mutating func append(_ block: GroupBlock) {
        blocks.append(block)
        waiting.groups += block.count
        waiting.bytes += block.footprint
    }

    /// Adds what is known of later rows, and goes to disk beyond `limit` bytes.
    package mutating func merge(_ later: GroupSummary, limit: Int, _ scratch: any Scratch) throws(DaybookError) {
        for var block in later.untabled {
            block.base += Int64(foldedRows)
            append(block)
        }
        foldedRows += later.foldedRows
        if let keptUntil {
            if waiting.groups > keptUntil { try look(scratch) }
        } else if waiting.groups > Self.mostWaiting.groups || blocks.count - tabled > Self.mostWaiting.blocks
            || waiting.bytes > min(limit, 1 << 28) / 8
        {
            // Tests have limits below that of one batch.
            try addWaiting(scratch)
        }
        try spill(beyond: limit, scratch)
    }

    /// Its blocks, with one of what stands in tables.
    private var untabled: [GroupBlock] {
        guard !tables.isEmpty else { return blocks }
        return Array(blocks[..<tabled]) + [GroupBlock(tables)] + Array(blocks[tabled...])
    }

    /// Adds the blocks behind the tables to these.
    private mutating func addWaiting(_ scratch: any Scratch) throws(DaybookError) {
        guard tabled < blocks.count else { return }
        if tables.isEmpty { tables = [GroupPart](repeating: GroupPart(nothing), count: Parts.count) }
        let before = tables.reduce(0) { $0 + $1.count }
        let added = Array(blocks[tabled...])
        try scratch.concurrently(on: &tables) { (part, table) throws(DaybookError) in
            for block in added {
                try block.read(part) { (reader) throws(DaybookError) in try table.add(&reader, base: block.base) }
            }
        }
        tableBytes = tables.reduce(0) { $0 + $1.footprint }
        let isNew = (tables.reduce(0) { $0 + $1.count } - before) * 2 > waiting.groups
        keptUntil = isNew && waiting.groups > 1 << 10 ? waiting.groups * 8 : nil
        blocks.removeSubrange(tabled...)
        waiting = (0, 0)
    }

    /// Adds kept blocks to tables where most of their groups have come again. One part tells how many.
    private mutating func look(_ scratch: any Scratch) throws(DaybookError) {
        var sample = GroupPart(nothing)
        var count = 0
        for block in blocks[tabled...] {
            try block.read(0) { (reader) throws(DaybookError) in
                var ahead = reader
                count += Int(try ahead.raw(UInt32.self))
                try sample.add(&reader, base: block.base)
            }
        }
        if sample.count * 2 > count { keptUntil = waiting.groups * 2 } else { try addWaiting(scratch) }
    }

    /// Brings tables to disk when they take more than half of the limit, and blocks when they take a quarter of it.
    private mutating func spill(beyond limit: Int, _ scratch: any Scratch) throws(DaybookError) {
        guard tableBytes + waiting.bytes > limit || waiting.bytes > limit / 4 else { return }
        let file = if let file { file } else { try scratch.makeFile() }
        self.file = file
        if tableBytes > limit / 2 { try spillTables(to: file) }
        for place in blocks.indices { try blocks[place].spill(to: file) }
        waiting.bytes = 0
    }

    private mutating func spillTables(to file: any ScratchFile) throws(DaybookError) {
        blocks.insert(try GroupBlock(&tables, to: file), at: tabled)
        (tables, tableBytes) = ([], 0)
        tabled += 1
    }

    /// About how many bytes it takes in memory.
    public var footprint: Int { tableBytes + waiting.bytes }

    /// Puts all groups of each part together, the parts side by side. Nothing is merged afterwards.
    package mutating func settle(isSorted: Bool, limit: Int, _ scratch: any Scratch) throws(DaybookError) {
        guard settled == nil else { return }
        // Rows of blocks before the tables came first.
        if tabled > 0, !tables.isEmpty {
            let file = if let file { file } else { try scratch.makeFile() }
            try spillTables(to: file)
        }
        if tables.isEmpty { tables = [GroupPart](repeating: GroupPart(nothing), count: Parts.count) }
        // A table takes about three times what its groups take packed.
        let isLarge = tableBytes + waiting.bytes * 3 > limit / 2 || blocks.contains { !$0.isInMemory }
        let expected = blocks.reduce(0) { $0 + $1.count } / Parts.count * 9 / 8
        let (added, store) = (blocks, SegmentStore(limit: limit, scratch))
        var groups = tables.map { SettledGroups(part: $0) }
        (blocks, tables, file) = ([], [], nil)
        try scratch.concurrently(on: &groups) { (part, groups) throws(DaybookError) in
            if !added.isEmpty { groups.part.reserve(groups.part.count + expected) }
            for block in added {
                try block.read(part) { (reader) throws(DaybookError) in
                    try groups.part.add(&reader, base: block.base)
                }
            }
            groups.part.finish()
            groups.order = isSorted ? groups.part.keys.sortedNumbers() : groups.part.allGroups
            if isLarge { try store.pack(&groups) }
        }
        settled = groups
    }

    public func write(to bytes: Bytes) throws(DaybookError) {
        bytes.append(raw: KeyHash.seed)
        bytes.append(raw: Int64(foldedRows))
        bytes.append(raw: UInt32(nothing.count))
        for values in nothing {
            bytes.append(raw: type(of: values).code.rawValue)
            values.write(0..<0, to: bytes)
        }
        let blocks = untabled
        bytes.append(raw: UInt32(blocks.count))
        for block in blocks { try block.write(to: bytes) }
    }

    /// Reads what `write(to:)` has written in this process. Hashes of another seed would lay equal keys in two parts.
    public init(reading reader: inout ByteReader) throws(DaybookError) {
        guard try reader.raw(UInt64.self) == KeyHash.seed else { throw .foreignKeys }
        foldedRows = Int(try reader.raw(Int64.self))
        var nothing: [any GroupValues] = []
        for _ in 0..<(try reader.raw(UInt32.self)) {
            guard let code = GroupValuesCode(rawValue: try reader.raw()) else { throw ByteReader.damaged }
            nothing.append(try code.read(&reader, groups: 0))
        }
        self.nothing = nothing
        for _ in 0..<(try reader.raw(UInt32.self)) { append(try GroupBlock(reading: &reader)) }
    }
}
