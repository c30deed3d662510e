import DaybookBytes
import Foundation

/// How one run is shared among processes: what they must agree on, and which rows each of them reads.
///
/// It is kept as a JSON file, which other programs may read; see `docs/reference/shard-plan.schema.json`.
public struct ShardPlan: Sendable, Codable {
    /// The version of the form of this file, and of the files that shards write.
    public static let form = 3

    public struct JobFile: Sendable, Codable {
        /// As the command that made the plan was given it: where it is not from the root, all processes start in one directory.
        public var file: String
        public var sha256: String

        public init(file: String, sha256: String) { (self.file, self.sha256) = (file, sha256) }
    }

    /// A file that the job reads.
    public struct Input: Sendable, Codable {
        /// As the job names it, with patterns filled in.
        public var path: String
        public var bytes: Int
        public var xxh128: String?
        public var sha256: String?
        /// The XXH128 of its first and last 64 KiB, by which each process knows the file again.
        public var ends: String
    }

    /// How shards lay the keys that they gather, for `daybook exchange`.
    public struct Exchange: Sendable, Codable {
        /// How many processes settle keys.
        public var partitions: Int
        /// How many passes each of them makes, so that it holds the keys of one at a time.
        public var passes: Int

        /// The most partitions, and the most passes of all of them.
        public static let most = 256
        /// About how many bytes of the inputs make a pass.
        private static let passSize = 64 << 20

        /// - Parameter size: of all inputs, in bytes.
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
        /// The id of the stage that imports them.
        public var stage: String
        /// The place of the text among those of the stage.
        public var text: Int
        /// About how many bytes are read.
        public var bytes: Int
        /// Where the slice begins in its file, for one that is not a whole text; with the fields below.
        public var offset: Int?
        public var line: Int?
        public var column: Int?
        public var record: Int?
        public var isLast: Bool?

        enum CodingKeys: String, CodingKey {
            case stage, text, bytes, offset, line, column, record
            case isLast = "is_last"
        }

        /// Whether its numbers can be those of a file, and stand there together.
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
    /// The version of Daybook, which all processes share.
    public var daybook: String
    public var job: JobFile
    /// The day that the job calls `as_of`.
    public var asOf: String
    /// The params by name. Secrets never stand here: each process takes them from its environment.
    public var params: [String: String]
    /// The names of those that were given by `--set`, and not by the job.
    public var set: [String]
    /// What keys are hashed with, as 16 hexadecimal digits.
    public var seed: String
    public var maxFindings: Int
    /// Nil where the merge gathers all keys.
    public var exchange: Exchange?
    public var inputs: [Input]
    public var shards: [Shard]
    /// What rules and measures are held against; nil where none asks for earlier runs.
    public var past: [PlannedPast]?
    /// The XXH128 of the plan without it, by which one is refused that was changed: its slices would no longer be all rows, each once.
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

    /// What `sum` has to be.
    fileprivate var ownSum: String {
        var bare = self
        bare.sum = nil
        let digester = FileDigester(.never)
        digester.update(bare.text)
        return digester.finish().xxh128
    }

    /// Whether the slices of each text are all of it, once and in order: one slice, or parts each of which begins where the one before ends.
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
        // The texts of a stage have all numbers up to the highest.
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

/// A plan that was read from its file.
public struct ReadShardPlan: Sendable {
    public let plan: ShardPlan
    /// The file, as a person named it.
    public let file: String
    /// What tells this plan from any other.
    package let digest: UInt64
    /// With which its shards are sealed: of the bytes of the plan, in which the seed of its hashes is random.
    package let key: [UInt8]

    /// Plans of a hundred thousand slices are far smaller.
    private static let sizeLimit = 256 << 20

    /// - Parameter version: that of this program, which has to be the one that made the plan.
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

    /// Takes the seed of the plan for this process.
    public func adoptSeed() throws(DaybookError) {
        guard let seed = plan.hashSeed, HashSeed.adopt(seed) else {
            throw .machine("foreign-seed", "this process has hashed keys with another seed than that of '\(file)'")
        }
    }

    /// Makes sure that the files of a run are those that were planned.
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

/// Which steps of a plan are shared among processes: reading, up to the first step that needs the rows of all of them.
struct ShardSteps {
    /// The steps that every process takes part in, in order.
    let shared: ArraySlice<Schedule.Step>
    /// The sources of which rows are looked up while others are read. Every process reads them whole, and one of them counts
    /// their rows.
    let lookedUp: Set<Int>
    /// The stages whose keys can be exchanged: those to which no rows come but in shared steps. What an exchange has settled is compared with
    /// no row that the merge makes, such as those at the end of a full join.
    let keyed: Set<Int>

    init(_ plan: Plan) {
        let first = plan.steps.firstIndex { step in
            switch step {
            case .finish, .release: true
            case .read, .build: false
            }
        }
        // What is built behind the last read is built by the merge alone.
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
