import DaybookBytes

/// Files of the shards of a plan, verified, with each shard exactly once.
public struct ShardSet: Sendable {
    public let shards: ReadShardPlan
    /// Files in the order of their shards.
    let files: [WholeShardFile]

    /// Range of the shards.
    var range: Range<Int> { (files.first?.shards.lowerBound ?? 0)..<(files.last?.shards.upperBound ?? 0) }

    /// Settled keys of all shards by partition, if the plan exchanges keys.
    let settled: [WholeShardFile]

    /// Finds the files in directories, and takes files named directly.
    ///
    /// - Parameter partly: whether some neighbouring shards suffice, from the first found to the last.
    public init(_ shards: ReadShardPlan, in places: [String], partly: Bool = false) throws(DaybookError) {
        self.shards = shards
        let found = try ShardSet.files(.shard, of: shards, in: places)
        let all = shards.plan.shards.indices
        let first = found.keys.map(\.lowerBound).min() ?? all.lowerBound
        let last = found.keys.map(\.upperBound).max() ?? all.upperBound
        files = try ShardSet.chain(of: found, over: partly ? first..<last : all, shards)
        guard !partly, let exchange = shards.plan.exchange else {
            settled = []
            return
        }
        var settled: [WholeShardFile] = []
        for partition in 0..<exchange.partitions {
            guard let file = try ShardSet.files(.settled(partition), of: shards, in: places)[all] else {
                throw .machine(
                    "missing-partition",
                    "partition \(partition) of the keys is missing",
                    hint: "run 'daybook exchange \(shards.file)#\(partition)', and name the directory of its file"
                )
            }
            settled.append(file)
        }
        self.settled = settled
    }

    /// Files of one partition of the keys of all shards.
    public init(_ shards: ReadShardPlan, keysOf partition: Int, in places: [String]) throws(DaybookError) {
        self.shards = shards
        let found = try ShardSet.files(.keys(partition), of: shards, in: places)
        files = try ShardSet.chain(of: found, over: shards.plan.shards.indices, shards)
        settled = []
    }

    /// Files with a given content, by their shards.
    private static func files(
        _ content: ShardFile.Content,
        of shards: ReadShardPlan,
        in places: [String]
    ) throws(DaybookError) -> [Range<Int>: WholeShardFile] {
        var found: [Range<Int>: WholeShardFile] = [:]
        for place in places {
            for path in try ShardSet.paths(in: place, content) {
                let file = try WholeShardFile(path, plan: shards)
                // Two runs of the same shard give the same result.
                if file.content == content, found[file.shards] == nil { found[file.shards] = file }
            }
        }
        return found
    }

    private static func chain(
        of found: [Range<Int>: WholeShardFile],
        over wanted: Range<Int>,
        _ shards: ReadShardPlan
    ) throws(DaybookError) -> [WholeShardFile] {
        let held = Set(found.keys.joined())
        let missing = wanted.filter { !held.contains($0) }
        guard missing.isEmpty else {
            let names = missing.prefix(10).map(String.init).joined(separator: ", ")
            let more = missing.count > 10 ? " and \(missing.count - 10) more" : ""
            throw .machine(
                "missing-shard",
                missing.count == 1 ? "shard \(names) is missing" : "shards \(names)\(more) are missing",
                hint: "run 'daybook run --shard \(shards.file)#\(missing[0])', and name the directory of its file"
            )
        }
        guard let files = chain(of: found, over: wanted) else {
            throw .machine(
                "overlapping-shards",
                "no choice of the files holds each shard once",
                hint: "name only the files that belong together"
            )
        }
        return files
    }

    /// Consecutive files that cover each shard of a range once; nil if there are none.
    private static func chain(of found: [Range<Int>: WholeShardFile], over wanted: Range<Int>) -> [WholeShardFile]? {
        let starts = Dictionary(grouping: found.values) { $0.shards.lowerBound }
        // From the end: for each shard the longest file after which the rest is complete.
        var next: [Int: WholeShardFile] = [:]
        for shard in wanted.reversed() {
            next[shard] = starts[shard]?.filter { file in
                file.shards.upperBound == wanted.upperBound || next[file.shards.upperBound] != nil
            }.max { $0.shards.count < $1.shards.count }
        }
        var chain: [WholeShardFile] = []
        var shard = wanted.lowerBound
        while shard < wanted.upperBound {
            guard let file = next[shard] else { return nil }
            chain.append(file)
            shard = file.shards.upperBound
        }
        return chain
    }

    private static func paths(in place: String, _ content: ShardFile.Content) throws(DaybookError) -> [String] {
        do throws(SystemFailure) {
            guard try FileStatus.of(place)?.isDirectory == true else { return [place] }
            let names = try DirectoryListing.entries(in: place).map(\.name)
            return names.filter { $0.hasSuffix(content.suffix) && !$0.hasPrefix(".") }.sorted().map {
                FilePath.join(place, $0)
            }
        } catch { throw .cannotRead(place, error) }
    }
}
