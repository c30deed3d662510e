import DaybookBytes
import Foundation

/// What a shard leaves behind: a file of records, in the order in which one process alone would have made them.
///
/// `DBSH`, the version of the form, the digest of the plan, the number of the shard and how many follow it in the same file, itself
/// included, the content and the partition of it; then records, each a kind, two numbers, the
/// length of its bytes and the bytes; at the end the seal of all that, as `ShardSeal` makes it. Numbers are little-endian.
enum ShardFile {
    static let magic: UInt32 = 0x4853_4244
    static let headLength = 4 + 2 + 8 + 4 + 4 + 1 + 4

    /// What of the shards a file holds.
    enum Content: Hashable {
        /// What a merge needs.
        case shard
        /// A partition of their keys, for an exchange.
        case keys(Int)
        /// The same, settled among all shards, for a merge.
        case settled(Int)

        init?(code: UInt8, partition: Int) {
            switch code {
            case 0: self = .shard
            case 1: self = .keys(partition)
            case 2: self = .settled(partition)
            default: return nil
            }
        }

        var code: UInt8 {
            switch self {
            case .shard: 0
            case .keys: 1
            case .settled: 2
            }
        }

        var partition: Int? {
            switch self {
            case .shard: nil
            case .keys(let partition), .settled(let partition): partition
            }
        }

        /// What names of such files end with.
        var suffix: String {
            switch self {
            case .shard: ".daybook-shard"
            case .keys(let partition): ".\(partition).daybook-keys"
            case .settled(let partition): ".\(partition).daybook-settled"
            }
        }

        func name(of shards: Range<Int>) -> String {
            let numbers = shards.count == 1 ? "\(shards.lowerBound)" : "\(shards.lowerBound)-\(shards.upperBound - 1)"
            return "shard-\(numbers)\(suffix)"
        }
    }

    enum Kind: UInt8 {
        /// A step of the schedule begins, by its place.
        case step = 1
        /// Lines for a reject file, by its number.
        case rejects
        /// The piece of an output: stage and input.
        case piece
        /// Where a part of an output was written: stage.
        case part
        /// Rows that a check holds back: stage.
        case held
        /// Rows that wait: stage and input.
        case waiting
        /// Rows that are looked up: stage and side.
        case side
        /// What a stage made of all rows of the step.
        case result
        /// Keys: stage and the pass in which they are settled.
        case keys
        /// How many records of a source were read, by its number.
        case records
        case end

        var isSummary: Bool { self == .result || self == .records }
    }

    struct Record {
        var kind: Kind
        var stage: Int
        var input: Int
        var bytes: Bytes
    }
}

/// Writes the file of a shard under a name of its own, which is changed to the real one at the end: a process that is killed leaves
/// nothing that a merge would read, and of two that do the same work either's file will do.
final class ShardFileWriter {
    private let path: String
    private let temporary: String
    private let file: Descriptor
    private var seal: ShardSeal

    init(
        _ content: ShardFile.Content = .shard,
        of shards: Range<Int>,
        plan: ReadShardPlan,
        into directory: String
    ) throws(DaybookError) {
        let name = content.name(of: shards)
        seal = ShardSeal(plan.key)
        path = FilePath.join(directory, name)
        temporary = FilePath.join(directory, ".\(name).\(RunID())")
        do throws(SystemFailure) {
            try OutputTarget.makeDirectories(above: path)
            file = try Descriptor(opening: temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
        } catch { throw .cannotWrite(path, error) }
        let head = Bytes()
        head.append(raw: ShardFile.magic)
        head.append(raw: UInt16(ShardPlan.form))
        head.append(raw: plan.digest)
        head.append(raw: UInt32(shards.lowerBound))
        head.append(raw: UInt32(shards.count))
        head.append(raw: content.code)
        head.append(raw: UInt32(content.partition ?? 0))
        try write(head)
    }

    func append(_ kind: ShardFile.Kind, stage: Int = 0, input: Int = 0, _ bytes: Bytes = Bytes()) throws(DaybookError) {
        let head = Bytes()
        head.append(raw: kind.rawValue)
        head.append(raw: UInt32(stage))
        head.append(raw: UInt32(input))
        head.append(raw: UInt64(bytes.count))
        try write(head)
        try write(bytes)
    }

    private func write(_ bytes: Bytes) throws(DaybookError) {
        seal.update(bytes, 0..<bytes.count)
        do { try file.writeAll(bytes) } catch { throw .cannotWrite(path, error) }
    }

    /// Ends the file and puts it in its place; gives its path.
    func finish() throws(DaybookError) -> String {
        try append(.end)
        let sum = Bytes()
        for byte in seal.finish() { sum.append(byte) }
        do throws(SystemFailure) {
            try file.writeAll(sum)
            try file.flush()
            try WholeFile.put(temporary, over: path)
        } catch { throw .cannotWrite(path, error) }
        return path
    }

    /// Removes what was written.
    func abandon() { unlink(temporary) }
}

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
    func records(of step: Int, _ body: (ShardFile.Record) throws(DaybookError) -> Void) throws(DaybookError) -> Bool {
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

    private func record(_ opened: Descriptor, _ position: Int) throws(DaybookError) -> RecordHead {
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

/// The code at the end of the file of a shard, which nobody makes who does not have the plan: HMAC with SHA-256 (RFC 2104), its first 16 bytes.
///
/// What stands in such a file is believed, down to the places of texts in packed rows; so it is no digest, which anybody could make fit.
struct ShardSeal {
    static let length = 16
    private static let blockLength = 64

    private var inner = SHA256Digest()
    private let outerKey: [UInt8]

    /// - Parameter key: of 32 bytes.
    init(_ key: [UInt8]) {
        func padded(_ byte: UInt8) -> [UInt8] {
            key.map { $0 ^ byte } + [UInt8](repeating: byte, count: ShardSeal.blockLength - key.count)
        }
        outerKey = padded(0x5C)
        padded(0x36).withUnsafeBufferPointer { inner.update($0) }
    }

    mutating func update(_ bytes: Bytes, _ part: Range<Int>) {
        inner.update(Cell(rebasing: bytes.filled[part]))
        withExtendedLifetime(bytes) {}
    }

    func finish() -> [UInt8] {
        let sum = Hexadecimal.bytes(of: SHA256Digest.of(outerKey + (Hexadecimal.bytes(of: inner.finish()) ?? [])))
        return Array((sum ?? []).prefix(ShardSeal.length))
    }
}
