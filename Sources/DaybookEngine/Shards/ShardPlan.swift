import DaybookBytes
import Foundation

/// Plan that shares one run among processes: their common settings, and the rows that each reads.
///
/// The plan is a JSON file, which other programs may read; see `docs/reference/shard-plan.schema.json`.
public struct ShardPlan: Sendable, Codable {
    /// Format version of this file, and of shard files.
    public static let form = 3

    public struct JobFile: Sendable, Codable {
        /// Path given to the command that made the plan. If it is relative, all processes start in the same directory.
        public var file: String
        public var sha256: String

        public init(file: String, sha256: String) { (self.file, self.sha256) = (file, sha256) }
    }

    /// Input file of the job.
    public struct Input: Sendable, Codable {
        /// Path as the job names it, with patterns filled in.
        public var path: String
        public var bytes: Int
        public var xxh128: String?
        public var sha256: String?
        /// XXH128 of the first and last 64 KiB, by which each process identifies the file.
        public var ends: String
    }

    /// Partitioning of the keys that shards collect, for `daybook exchange`.
    public struct Exchange: Sendable, Codable {
        /// Number of processes that settle keys.
        public var partitions: Int
        /// Number of passes per process. A process holds the keys of one pass at a time.
        public var passes: Int

        /// Limit of partitions, and of passes over all of them.
        public static let most = 256
        /// Approximate number of input bytes per pass.
        private static let passSize = 64 << 20

        /// - Parameter size: total size of the inputs, in bytes.
        init(partitions: Int, size: Int) {
            self.partitions = partitions
            passes = max(1, min(size / (partitions * Exchange.passSize), Exchange.most / partitions))
        }

        var isSound: Bool {
            (1...Exchange.most).contains(partitions) && (1...Exchange.most / partitions).contains(passes)
        }
    }

    /// Some rows of an import, or all of them.
    public struct Slice: Sendable, Codable {
        /// Id of the importing stage.
        public var stage: String
        /// Index of the text among the texts of the stage.
        public var text: Int
        /// Approximate number of bytes to read.
        public var bytes: Int
        /// Offset of the slice in its file, if it is not a whole text; the fields below belong to it.
        public var offset: Int?
        public var line: Int?
        public var column: Int?
        public var record: Int?
        public var isLast: Bool?

        enum CodingKeys: String, CodingKey {
            case stage, text, bytes, offset, line, column, record
            case isLast = "is_last"
        }

        /// Whether the numbers are valid for a file, and consistent.
        fileprivate var isSound: Bool {
            let largest = 1 << 60
            let part = [offset, line, column, record].compactMap(\.self)
            return (0...largest).contains(bytes) && (0...largest).contains(text)
                && part.allSatisfy((0...largest).contains)
                && (part.count == 4 && isLast != nil || part.isEmpty && isLast == nil)
        }
    }

    public struct Shard: Sendable, Codable {
        public var number: Int
        public var slices: [Slice]
    }

    public var form = ShardPlan.form
    /// Version of Daybook, equal in all processes.
    public var daybook: String
    public var job: JobFile
    /// Value of `as_of` in the job.
    public var asOf: String
    /// Params by name, without secrets: each process reads these from its environment.
    public var params: [String: String]
    /// Names of the params that `--set` gave, and not the job.
    public var set: [String]
    /// Seed of the key hashes, as 16 hexadecimal digits.
    public var seed: String
    public var maxFindings: Int
    /// Nil if the merge collects all keys.
    public var exchange: Exchange?
    public var inputs: [Input]
    public var shards: [Shard]
    /// Earlier results that rules and measures are compared with; nil if none needs earlier runs.
    public var past: [PlannedPast]?
    /// XXH128 of the plan without this field. It reveals a changed plan, whose slices might no longer cover all rows
    /// exactly once.
    public var sum: String?

    enum CodingKeys: String, CodingKey {
        case form, daybook, job, params, set, seed, exchange, inputs, shards, past, sum
        case asOf = "as_of"
        case maxFindings = "max_findings"
    }

    /// The plan as a file, with its sum.
    public func bytes() throws(DaybookError) -> Bytes {
        var whole = self
        whole.sum = ownSum
        return whole.text
    }

    /// Required value of `sum`.
    fileprivate var ownSum: String {
        var bare = self
        bare.sum = nil
        let digester = FileDigester(.never)
        digester.update(bare.text)
        return digester.finish().xxh128
    }

    /// Whether the slices cover each text exactly once and in order: one slice, or parts that each begin at the end of
    /// the previous one.
    fileprivate var coversTexts: Bool {
        struct Text: Hashable {
            var stage: String
            var number: Int
        }
        let isWhole = -1
        var ends: [Text: Int] = [:]
        for slice in shards.flatMap(\.slices) {
            let text = Text(stage: slice.stage, number: slice.text)
            let end = ends[text]
            guard end == nil || (slice.offset != nil && slice.offset == end) else { return false }
            ends[text] = slice.offset.map { slice.isLast == true ? isWhole : $0 + slice.bytes } ?? isWhole
        }
        guard ends.values.allSatisfy({ $0 == isWhole }) else { return false }
        // The texts of a stage have consecutive numbers.
        return Dictionary(grouping: ends.keys, by: \.stage).values.allSatisfy {
            Set($0.map(\.number)) == Set(0..<$0.count)
        }
    }

    private var text: Bytes {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let bytes = Bytes()
        do { bytes.append([UInt8](try encoder.encode(self))) } catch {
            preconditionFailure("a plan is plain values: \(error)")
        }
        bytes.append(UInt8(ascii: "\n"))
        return bytes
    }

    /// The seed as a number.
    var hashSeed: UInt64? { UInt64(seed, radix: 16) }
}

/// Plan read from its file.
public struct ReadShardPlan: Sendable {
    public let plan: ShardPlan
    /// File name as given by the user.
    public let file: String
    /// Digest that identifies the plan.
    package let digest: UInt64
    /// Key of the seals of its shards, derived from the bytes of the plan, which contain the random seed.
    package let key: [UInt8]

    /// Size limit; plans of a hundred thousand slices are far smaller.
    private static let sizeLimit = 256 << 20

    /// - Parameter version: version of this program, which must equal the version that made the plan.
    public init(file: String, version: String) throws(DaybookError) {
        self.file = file
        let bytes: Bytes
        do throws(SystemFailure) {
            bytes = try Descriptor(opening: file, O_RDONLY).readAll(upTo: ReadShardPlan.sizeLimit)
        } catch { throw .cannotRead(file, error) }
        defer { withExtendedLifetime(bytes) {} }
        do {
            plan = try JSONDecoder().decode(ShardPlan.self, from: Data(bytes.filled))
        } catch {
            throw ReadShardPlan.refusal(of: file, "is no plan of shards", hint: "make one with 'daybook plan'")
        }
        guard plan.form == ShardPlan.form, plan.daybook == version else {
            throw ReadShardPlan.refusal(
                of: file,
                "was made by daybook \(plan.daybook), and this is \(version)",
                hint: "run all processes of a plan with one version"
            )
        }
        let isSound = plan.shards.enumerated().allSatisfy { $0 == $1.number && $1.slices.allSatisfy(\.isSound) }
        let isDivided = plan.exchange?.isSound ?? true
        guard isSound, isDivided, plan.hashSeed != nil, CalendarDay(iso: plan.asOf) != nil else {
            throw ReadShardPlan.refusal(of: file, "is damaged", hint: "make it anew with 'daybook plan'")
        }
        guard plan.sum == plan.ownSum, plan.coversTexts else {
            throw ReadShardPlan.refusal(
                of: file,
                "was changed since it was made, and would read rows twice or not at all",
                hint: "make it anew with 'daybook plan'"
            )
        }
        let digester = FileDigester(.never)
        digester.update(bytes)
        digest = UInt64(digester.finish().xxh128.prefix(16), radix: 16) ?? 0
        var keyed = SHA256Digest()
        keyed.update(bytes.filled)
        key = Hexadecimal.bytes(of: keyed.finish()) ?? []
    }

    private static func refusal(of file: String, _ what: String, hint: String) -> DaybookError {
        .machine("bad-shard-plan", "'\(file)' \(what)", hint: hint)
    }

    /// Sets the seed of the plan for this process.
    public func adoptSeed() throws(DaybookError) {
        guard let seed = plan.hashSeed, HashSeed.adopt(seed) else {
            throw .machine("foreign-seed", "this process has hashed keys with another seed than that of '\(file)'")
        }
    }

    /// Verifies that the files of a run are the planned ones.
    func check(_ files: [RunInputs.File]) throws(DaybookError) {
        guard files.map(\.path.name) == plan.inputs.map(\.path) else {
            throw .machine(
                "inputs-differ",
                "the job reads other files than '\(file)' was made for",
                hint: "make the plan anew, and let all processes see the same files"
            )
        }
        for (file, input) in zip(files, plan.inputs) {
            guard try file.ends() == input.ends else {
                throw .machine(
                    "input-changed",
                    "'\(input.path)' is not \(file.version == nil ? "the file" : "at the state") that '\(self.file)' was made for",
                    hint:
                        "make the plan anew, and let all processes see the same \(file.version == nil ? "files" : "state")"
                )
            }
        }
    }
}

/// Steps of a plan that processes share: reading, up to the first step that needs the rows of all processes.
struct ShardSteps {
    /// Steps that every process takes part in, in order.
    let shared: ArraySlice<Schedule.Step>
    /// Sources of build sides. Every process reads them completely, and one process counts their rows.
    let lookedUp: Set<Int>
    /// Stages whose keys can be exchanged: they receive rows only in shared steps. Keys settled by an exchange are not
    /// compared with rows that the merge makes, such as the unmatched rows of a full join.
    let keyed: Set<Int>

    init(_ plan: Plan) {
        let first = plan.steps.firstIndex { step in
            switch step {
            case .finish, .release: true
            case .read, .build: false
            }
        }
        // Build sides that are complete after the last read are built by the merge alone.
        let reads = plan.steps[..<(first ?? plan.steps.count)]
        let end = reads.lastIndex { if case .read = $0 { true } else { false } }.map { $0 + 1 } ?? 0
        shared = plan.steps[..<end]
        var lookedUp: Set<Int> = []
        for case .build(let index) in shared {
            for input in plan.stages[index].inputs where input.isBuildSide {
                lookedUp.formUnion(plan.sources(of: input.stage, withBuildSides: true))
            }
        }
        self.lookedUp = lookedUp
        let steps = Set(shared)
        keyed = Set(plan.stages.indices.filter { plan.stages[$0].keys != nil && plan.arrivals[$0].isSubset(of: steps) })
    }
}
