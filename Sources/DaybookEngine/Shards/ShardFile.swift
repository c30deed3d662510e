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
