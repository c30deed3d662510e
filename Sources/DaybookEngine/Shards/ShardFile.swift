import DaybookBytes
import Foundation

/// Result of a shard: a file of records, in the order in which a single process would have made them.
///
/// The header has `DBSH`, the format version, the digest of the plan, the number of the shard, the number of shards in
/// the file, the content and its partition. Records follow, each with a kind, two numbers, the length of its bytes and
/// the bytes. The file ends with the seal of all preceding bytes, as `ShardSeal` makes it. Numbers are little-endian.
enum ShardFile {
    static let magic: UInt32 = 0x4853_4244
    static let headLength = 4 + 2 + 8 + 4 + 4 + 1 + 4

    /// Content of a file.
    struct Content: Hashable {
        enum Kind: UInt8 {
            /// Input of a merge.
            case shard
            /// One partition of the shards' keys, for an exchange.
            case keys
            /// One partition of the keys, settled among all shards, for a merge.
            case settled
        }

        var kind: Kind
        /// 0 for the input of a merge.
        var partition = 0

        static let shard = Content(kind: .shard)
        static func keys(_ partition: Int) -> Content { Content(kind: .keys, partition: partition) }
        static func settled(_ partition: Int) -> Content { Content(kind: .settled, partition: partition) }

        /// Suffix of the file name.
        var suffix: String { kind == .shard ? ".daybook-shard" : ".\(partition).daybook-\(kind)" }

        func name(of shards: Range<Int>) -> String {
            let numbers = shards.count == 1 ? "\(shards.lowerBound)" : "\(shards.lowerBound)-\(shards.upperBound - 1)"
            return "shard-\(numbers)\(suffix)"
        }
    }

    enum Kind: UInt8 {
        /// Start of a step in the schedule: its index.
        case step = 1
        /// Lines for a reject file: its number.
        case rejects
        /// Piece of an output: stage and input.
        case piece
        /// Place of a written part of an output: stage.
        case part
        /// Rows that a check buffers: stage.
        case held
        /// Buffered rows of an input: stage and input.
        case waiting
        /// Rows of a build side: stage and side.
        case side
        /// Result of a stage for all rows of the step.
        case result
        /// Keys: stage, and the pass in which they are settled.
        case keys
        /// Number of records read from a source: its number.
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

/// Writes the file of a shard under a unique temporary name and renames it at the end. A killed process leaves no file
/// that a merge would read, and if two processes do the same work, either file is valid. A writer that is released
/// before its end removes its file.
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
        head.append(raw: content.kind.rawValue)
        head.append(raw: UInt32(content.partition))
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

    /// Completes the file, renames it and returns its path.
    func finish() throws(DaybookError) -> String {
        try append(.end)
        do throws(SystemFailure) {
            try file.writeAll(Bytes(seal.finish()))
            try file.flush()
            try WholeFile.put(temporary, over: path)
        } catch { throw .cannotWrite(path, error) }
        return path
    }

    deinit { unlink(temporary) }
}

/// Verified file of one shard or of several neighbouring shards.
struct WholeShardFile: Sendable {
    let path: String
    let shards: Range<Int>
    let content: ShardFile.Content
    /// End offset of its records.
    let end: Int

    /// Reads the whole file once, and refuses a damaged file or a file of another plan.
    init(_ path: String, plan: ReadShardPlan) throws(DaybookError) {
        self.path = path
        let file = try WholeShardFile.open(path)
        do throws(SystemFailure) { end = try file.status().size - ShardSeal.length } catch {
            throw .cannotRead(path, error)
        }
        guard end >= ShardFile.headLength else { throw WholeShardFile.refusal(path, "is cut off or no shard") }
        let head = Bytes(file.bytes(count: ShardFile.headLength))
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
        let (kind, partition) = (ShardFile.Content.Kind(rawValue: try reader.raw()), try reader.raw(UInt32.self))
        let isThere = !shards.isEmpty && shards.upperBound <= plan.plan.shards.count
        guard let kind, isThere else { throw WholeShardFile.refusal(path, "is damaged") }
        content = ShardFile.Content(kind: kind, partition: Int(partition))
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

/// Header of a record, with the range of the record's bytes.
struct RecordHead {
    var kind: ShardFile.Kind
    var stage: Int
    var input: Int
    var start: Int
    var end: Int
}

/// Reads the records of a shard file, step by step.
final class ShardFileReader {
    let file: WholeShardFile
    private var position = ShardFile.headLength

    init(_ file: WholeShardFile) { self.file = file }

    /// All records of keys with their steps, in the order of the file.
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

    func record(_ head: RecordHead) throws(DaybookError) -> ShardFile.Record {
        try read(head, of: try WholeShardFile.open(file.path))
    }

    /// Passes on the records of a step. Counts of finished work come before its results, so that an error in the
    /// results is reported beside the complete ledger.
    ///
    /// The file is opened for each step, so ten thousand shards need one descriptor.
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

    /// Returns the offset after the records of a step.
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
        let head = Bytes(opened.bytes(at: position, count: length))
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

/// Seal at the end of a shard file, which only holders of the plan can make: HMAC with SHA-256 (RFC 2104), its first 16
/// bytes.
///
/// Readers trust the content of the file, including text offsets in packed rows. A plain digest would not suffice,
/// since anybody could compute it.
struct ShardSeal {
    static let length = 16
    private static let blockLength = 64

    private var inner = SHA256Digest()
    private let outerKey: [UInt8]

    /// - Parameter key: 32 bytes.
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
