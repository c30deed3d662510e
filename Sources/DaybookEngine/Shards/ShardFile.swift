import Foundation

/// What a shard leaves behind: a file of records, in the order in which one process alone would have made them.
///
/// `DBSH`, the version of the form, the digest of the plan and the number of the shard; then records, each a kind, two numbers, the
/// length of its bytes and the bytes; at the end the XXH128 of all that. Numbers are little-endian.
enum ShardFile {
    static let magic: UInt32 = 0x4853_4244
    static let headLength = 4 + 2 + 8 + 4
    static let digestLength = 16
    static let suffix = ".daybook-shard"

    static func name(of shard: Int) -> String { "shard-\(shard)\(suffix)" }

    enum Kind: UInt8 {
        /// A step of the schedule begins, by its place.
        case step = 1
        /// Lines for a reject file, by its number.
        case rejects
        /// The piece of an output: stage and input.
        case piece
        /// Rows that a check holds back: stage.
        case held
        /// Rows that wait: stage and input.
        case waiting
        /// Rows that are looked up: stage and side.
        case side
        /// What a stage made of all rows of the step.
        case result
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
    private let digest = FileDigester(.never)

    init(directory: String, shard: Int, plan: UInt64) throws(DaybookError) {
        path = FilePath.join(directory, ShardFile.name(of: shard))
        temporary = FilePath.join(directory, ".\(ShardFile.name(of: shard)).\(RunID())")
        do throws(SystemFailure) {
            for missing in OutputTarget.missingDirectories(above: path) {
                guard mkdir(missing, 0o777) == 0 || errno == EEXIST else { throw .last }
            }
            file = try Descriptor(opening: temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
        } catch { throw .cannotWrite(path, error) }
        let head = Bytes()
        head.append(raw: ShardFile.magic)
        head.append(raw: UInt16(ShardPlan.form))
        head.append(raw: plan)
        head.append(raw: UInt32(shard))
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
        digest.update(bytes)
        do { try file.writeAll(bytes) } catch { throw .cannotWrite(path, error) }
    }

    /// Ends the file and puts it in its place; gives its path.
    func finish() throws(DaybookError) -> String {
        try append(.end)
        let sum = Bytes()
        sum.append(hexadecimal: digest.finish().xxh128)
        do throws(SystemFailure) {
            try file.writeAll(sum)
            try file.flush()
            guard rename(temporary, path) == 0 else { throw .last }
        } catch { throw .cannotWrite(path, error) }
        return path
    }

    /// Removes what was written.
    func abandon() { unlink(temporary) }
}

/// Reads the file of a shard, which was found whole.
final class ShardFileReader {
    let path: String
    let shard: Int
    private var position = ShardFile.headLength
    private let end: Int

    /// Makes sure that the file is one of the plan, and unharmed.
    init(_ path: String, plan: ReadShardPlan) throws(DaybookError) {
        self.path = path
        let file = try ShardFileReader.open(path)
        do throws(SystemFailure) { end = try file.status().size - ShardFile.digestLength } catch {
            throw .cannotRead(path, error)
        }
        guard end >= ShardFile.headLength else { throw ShardFileReader.refusal(path, "is cut off or no shard") }
        let head = Bytes()
        head.append(file.bytes(count: ShardFile.headLength))
        var reader = ByteReader(head.filled)
        guard try reader.raw(UInt32.self) == ShardFile.magic else { throw ShardFileReader.refusal(path, "is no shard") }
        guard try reader.raw(UInt16.self) == ShardPlan.form else {
            throw ShardFileReader.refusal(path, "was written by another version of daybook")
        }
        guard try reader.raw(UInt64.self) == plan.digest else {
            throw ShardFileReader.refusal(path, "belongs to another plan than '\(plan.file)'")
        }
        shard = Int(try reader.raw(UInt32.self))
        guard plan.plan.shards.indices.contains(shard) else { throw ShardFileReader.refusal(path, "is damaged") }
        withExtendedLifetime(head) {}
        try checkDigest(file)
    }

    private func checkDigest(_ file: Descriptor) throws(DaybookError) {
        let digest = FileDigester(.never)
        let block = Bytes(capacity: 1 << 20)
        var left = end
        do throws(SystemFailure) {
            while left > 0, try file.readBlock(into: block) {
                digest.update(Cell(rebasing: block.filled.prefix(left)))
                left -= min(left, block.count)
            }
        } catch { throw .cannotRead(path, error) }
        let sum = Bytes()
        sum.append(hexadecimal: digest.finish().xxh128)
        guard left == 0, file.bytes(at: end, count: ShardFile.digestLength).elementsEqual(sum.filled) else {
            throw ShardFileReader.refusal(path, "is damaged")
        }
        withExtendedLifetime(sum) {}
    }

    /// Hands on the records of a step, those that say how much was done before those that hold what was made: what goes wrong
    /// with these is reported beside the ledger of all.
    ///
    /// The file is opened for each step, so that ten thousand shards need one descriptor.
    func records(
        of step: Int,
        _ body: (ShardFile.Record) throws(DaybookError) -> Void
    ) throws(DaybookError) {
        let file = try ShardFileReader.open(path)
        guard case let first = try record(file, position), first.kind == .step, first.stage == step else { return }
        try records(file, from: first.end, where: \.isSummary, body)
        position = try records(file, from: first.end, where: { !$0.isSummary }, body)
    }

    /// Gives the place behind the records of a step.
    @discardableResult
    private func records(
        _ file: Descriptor,
        from start: Int,
        where isWanted: (ShardFile.Kind) -> Bool,
        _ body: (ShardFile.Record) throws(DaybookError) -> Void
    ) throws(DaybookError) -> Int {
        var position = start
        while true {
            let next = try record(file, position)
            guard next.kind != .step, next.kind != .end else { return position }
            position = next.end
            guard isWanted(next.kind) else { continue }
            let bytes = Bytes(capacity: next.end - next.start)
            while bytes.count < next.end - next.start {
                let (at, left) = (next.start + bytes.count, next.end - next.start - bytes.count)
                let got = bytes.append(upTo: left) { room in
                    max(0, pread(file.number, room.baseAddress, left, off_t(at)))
                }
                guard got > 0 else { throw ShardFileReader.refusal(path, "became shorter while it was read") }
            }
            try body(ShardFile.Record(kind: next.kind, stage: next.stage, input: next.input, bytes: bytes))
        }
    }

    private func record(
        _ file: Descriptor,
        _ position: Int
    ) throws(DaybookError) -> (kind: ShardFile.Kind, stage: Int, input: Int, start: Int, end: Int) {
        let length = 1 + 4 + 4 + 8
        let head = Bytes()
        head.append(file.bytes(at: position, count: length))
        defer { withExtendedLifetime(head) {} }
        var reader = ByteReader(head.filled)
        guard head.count == length, let kind = ShardFile.Kind(rawValue: try reader.raw(UInt8.self)) else {
            throw ShardFileReader.refusal(path, "is damaged")
        }
        let (stage, input) = (Int(try reader.raw(UInt32.self)), Int(try reader.raw(UInt32.self)))
        let size = try reader.raw(UInt64.self)
        let start = position + length
        guard size <= UInt64(max(0, end - start)) else { throw ShardFileReader.refusal(path, "is damaged") }
        return (kind, stage, input, start, start + Int(size))
    }

    private static func open(_ path: String) throws(DaybookError) -> Descriptor {
        do { return try Descriptor(opening: path, O_RDONLY | O_NONBLOCK) } catch { throw .cannotRead(path, error) }
    }

    static func refusal(_ path: String, _ what: String) -> DaybookError {
        .machine("bad-shard", "'\(path)' \(what)", hint: "run that shard again, then merge")
    }
}

extension Bytes {
    /// Appends the bytes that hexadecimal digits stand for.
    fileprivate func append(hexadecimal text: String) {
        var digits = text.utf8.makeIterator()
        while let high = digits.next(), let low = digits.next() {
            let byte = UInt8(String(decoding: [high, low], as: UTF8.self), radix: 16)
            append(byte ?? 0)
        }
    }
}
