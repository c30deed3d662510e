/// The files of all shards of a plan, each there once and unharmed.
public struct ShardSet: Sendable {
    public let shards: ReadShardPlan
    private let paths: [String]

    /// Looks for them in directories, and for the files that are named themselves.
    public init(_ shards: ReadShardPlan, in places: [String]) throws(DaybookError) {
        self.shards = shards
        var found: [Int: String] = [:]
        for place in places {
            for path in try ShardSet.files(in: place) {
                let reader = try ShardFileReader(path, plan: shards)
                // The work of a shard that was done twice is the same.
                if found[reader.shard] == nil { found[reader.shard] = path }
            }
        }
        let missing = shards.plan.shards.indices.filter { found[$0] == nil }
        guard missing.isEmpty else {
            let names = missing.prefix(10).map(String.init).joined(separator: ", ")
            let more = missing.count > 10 ? " and \(missing.count - 10) more" : ""
            throw .machine(
                "missing-shard",
                missing.count == 1 ? "shard \(names) is missing" : "shards \(names)\(more) are missing",
                hint: "run 'daybook run --shard \(shards.file)#\(missing[0])', and name the directory of its file"
            )
        }
        paths = shards.plan.shards.indices.compactMap { found[$0] }
    }

    private static func files(in place: String) throws(DaybookError) -> [String] {
        do throws(SystemFailure) {
            guard try FileStatus.of(place)?.isDirectory == true else { return [place] }
            let names = try DirectoryListing.entries(in: place).map(\.name)
            return names.filter { $0.hasSuffix(ShardFile.suffix) && !$0.hasPrefix(".") }.sorted().map {
                FilePath.join(place, $0)
            }
        } catch { throw .cannotRead(place, error) }
    }

    /// What reads them in turn, step by step.
    func makeReaders() throws(DaybookError) -> [ShardFileReader] {
        var readers: [ShardFileReader] = []
        for path in paths { readers.append(try ShardFileReader(path, plan: shards)) }
        return readers
    }
}

/// Gives a run what the shards have made of the rows, in the place of reading these itself.
final class ShardReplay {
    private let readers: [ShardFileReader]
    private let coding: ShardCoding
    private let plan: ReadShardPlan
    private let steps: ShardSteps

    init(_ set: ShardSet, _ plan: Plan) throws(DaybookError) {
        readers = try set.makeReaders()
        coding = ShardCoding(plan.stages, plan: set.shards.digest)
        self.plan = set.shards
        steps = ShardSteps(plan)
    }

    /// Whether the shards have done a step.
    func has(_ place: Int) -> Bool { steps.shared.indices.contains(place) }

    /// Hands on what all shards have made in a step, in the order of the input.
    ///
    /// - Parameters:
    ///   - path: the path of a source by its number; nil where there is none of that number.
    ///   - commit: takes what was made of some rows.
    func replay(
        _ step: Int,
        path: (Int) -> String?,
        commit: (WorkResult) throws(DaybookError) -> Void
    ) throws(DaybookError) {
        var records: [Int: Int] = [:]
        for reader in readers {
            var before: [String: Int] = [:]
            do throws(DaybookError) {
                try reader.records(of: step) { (record) throws(DaybookError) in
                    switch record.kind {
                    case .rejects: try commit(WorkResult(rejectLines: [(record.stage, record.bytes)]))
                    case .records:
                        var bytes = ByteReader(record.bytes.filled)
                        let count = Int(clamping: try bytes.raw(UInt64.self) & 0xFFFF_FFFF_FFFF)
                        withExtendedLifetime(record.bytes) {}
                        guard let path = path(record.stage) else { throw ByteReader.damaged }
                        before[path] = records[record.stage, default: 0]
                        records[record.stage, default: 0] += count
                    default:
                        guard var entry = try coding.entry(record) else { throw ByteReader.damaged }
                        entry.result.findings.countRecords(from: before)
                        try commit(WorkResult(entries: [entry]))
                    }
                }
            } catch {
                guard error.code == ByteReader.damaged.code else { throw error }
                throw ShardFileReader.refusal(reader.path, "is damaged")
            }
        }
    }

    /// The inputs as the plan knows them.
    func inputs(_ files: [RunInputs.File]) throws(DaybookError) -> [RunOutcome.Input] {
        var inputs: [RunOutcome.Input] = []
        for (input, file) in zip(plan.plan.inputs, files) {
            let digest = input.xxh128.map { FileDigest(xxh128: $0, sha256: input.sha256) }
            inputs.append(
                RunOutcome.Input(
                    path: input.path,
                    bytes: input.bytes,
                    digest: digest,
                    recognised: try file.summary().recognised
                )
            )
        }
        return inputs
    }
}
