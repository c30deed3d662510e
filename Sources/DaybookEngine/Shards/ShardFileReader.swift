/// The file of one shard or of several neighbours, which was found whole.
struct WholeShardFile: Sendable {
    let path: String
    let shards: Range<Int>
    let content: ShardFile.Content
    /// Where its records end.
    let end: Int

    /// Reads all of the file once; refuses one that is damaged, or belongs to another plan.
    init(_ path: String, plan: ReadShardPlan) throws(DaybookError) {
        self.path = path
        let file = try WholeShardFile.open(path)
        do throws(SystemFailure) { end = try file.status().size - ShardSeal.length } catch {
            throw .cannotRead(path, error)
        }
        guard end >= ShardFile.headLength else { throw WholeShardFile.refusal(path, "is cut off or no shard") }
        let head = Bytes()
        head.append(file.bytes(count: ShardFile.headLength))
        var reader = ByteReader(head.filled)
        guard try reader.raw(UInt32.self) == ShardFile.magic else { throw WholeShardFile.refusal(path, "is no shard") }
        guard try reader.raw(UInt16.self) == ShardPlan.form else {
            throw WholeShardFile.refusal(path, "was written by another version of daybook")
        }
        guard try reader.raw(UInt64.self) == plan.digest else {
            throw WholeShardFile.refusal(path, "belongs to another plan than '\(plan.file)'")
        }
        let first = Int(try reader.raw(UInt32.self))
        shards = first..<(first + Int(try reader.raw(UInt32.self)))
        let content = ShardFile.Content(code: try reader.raw(), partition: Int(try reader.raw(UInt32.self)))
        let isThere = !shards.isEmpty && shards.upperBound <= plan.plan.shards.count
        guard let content, isThere else { throw WholeShardFile.refusal(path, "is damaged") }
        self.content = content
        withExtendedLifetime(head) {}
        try check(ShardSeal(plan.key), file)
    }

    private func check(_ seal: consuming ShardSeal, _ file: Descriptor) throws(DaybookError) {
        let block = Bytes(capacity: 1 << 20)
        var left = end
        do throws(SystemFailure) {
            while left > 0, try file.readBlock(into: block) {
                seal.update(block, 0..<min(left, block.count))
                left -= min(left, block.count)
            }
        } catch { throw .cannotRead(path, error) }
        guard left == 0, file.bytes(at: end, count: ShardSeal.length).elementsEqual(seal.finish()) else {
            throw WholeShardFile.refusal(path, "is damaged")
        }
    }

    static func open(_ path: String) throws(DaybookError) -> Descriptor {
        do { return try Descriptor(opening: path, O_RDONLY | O_NONBLOCK) } catch { throw .cannotRead(path, error) }
    }

    static func refusal(_ path: String, _ what: String) -> DaybookError {
        .machine("bad-shard", "'\(path)' \(what)", hint: "run that shard again, then merge")
    }
}

/// What stands in front of the bytes of a record, and where these are.
struct RecordHead {
    var kind: ShardFile.Kind
    var stage: Int
    var input: Int
    var start: Int
    var end: Int
}

/// Reads the records of such a file, step by step.
final class ShardFileReader {
    let file: WholeShardFile
    private var position = ShardFile.headLength

    init(_ file: WholeShardFile) { self.file = file }

    /// All records of keys, with the places of their steps, in the order in which they stand.
    func keys() throws(DaybookError) -> [(step: Int, record: RecordHead)] {
        let opened = try WholeShardFile.open(file.path)
        var keys: [(step: Int, record: RecordHead)] = []
        var step = 0
        var position = ShardFile.headLength
        while true {
            let next = try record(opened, position)
            switch next.kind {
            case .step: step = next.stage
            case .keys: keys.append((step, next))
            case .end: return keys
            default: throw WholeShardFile.refusal(file.path, "is damaged")
            }
            position = next.end
        }
    }

    /// Reads one record.
    func record(_ head: RecordHead) throws(DaybookError) -> ShardFile.Record {
        try read(head, of: try WholeShardFile.open(file.path))
    }

    /// Hands on the records of a step, those that say how much was done before those that hold what was made: what goes wrong
    /// with these is reported beside the ledger of all.
    ///
    /// The file is opened for each step, so that ten thousand shards need one descriptor.
    ///
    /// - Returns: whether the file has the step.
    func records(
        of step: Int,
        _ body: (ShardFile.Record) throws(DaybookError) -> Void
    ) throws(DaybookError) -> Bool {
        let opened = try WholeShardFile.open(file.path)
        guard case let first = try record(opened, position), first.kind == .step, first.stage == step else {
            return false
        }
        try records(opened, from: first.end, where: \.isSummary, body)
        position = try records(opened, from: first.end, where: { !$0.isSummary }, body)
        return true
    }

    /// Gives the place behind the records of a step.
    @discardableResult
    private func records(
        _ opened: Descriptor,
        from start: Int,
        where isWanted: (ShardFile.Kind) -> Bool,
        _ body: (ShardFile.Record) throws(DaybookError) -> Void
    ) throws(DaybookError) -> Int {
        var position = start
        while true {
            let next = try record(opened, position)
            guard next.kind != .step, next.kind != .end else { return position }
            position = next.end
            guard isWanted(next.kind) else { continue }
            try body(try read(next, of: opened))
        }
    }

    private func read(_ head: RecordHead, of opened: Descriptor) throws(DaybookError) -> ShardFile.Record {
        let bytes = Bytes(capacity: head.end - head.start)
        while bytes.count < head.end - head.start {
            let (at, left) = (head.start + bytes.count, head.end - head.start - bytes.count)
            guard bytes.append(upTo: left, from: opened.number, at: at) > 0 else {
                throw WholeShardFile.refusal(file.path, "became shorter while it was read")
            }
        }
        return ShardFile.Record(kind: head.kind, stage: head.stage, input: head.input, bytes: bytes)
    }

    private func record(
        _ opened: Descriptor,
        _ position: Int
    ) throws(DaybookError) -> RecordHead {
        let length = 1 + 4 + 4 + 8
        let head = Bytes()
        head.append(opened.bytes(at: position, count: length))
        defer { withExtendedLifetime(head) {} }
        var reader = ByteReader(head.filled)
        guard head.count == length, let kind = ShardFile.Kind(rawValue: try reader.raw(UInt8.self)) else {
            throw WholeShardFile.refusal(file.path, "is damaged")
        }
        let (stage, input) = (Int(try reader.raw(UInt32.self)), Int(try reader.raw(UInt32.self)))
        let size = try reader.raw(UInt64.self)
        let start = position + length
        guard size <= UInt64(max(0, file.end - start)) else { throw WholeShardFile.refusal(file.path, "is damaged") }
        return RecordHead(kind: kind, stage: stage, input: input, start: start, end: start + Int(size))
    }
}
