/// The files of the shards of a plan, in which each shard is there once and unharmed.
public struct ShardSet: Sendable {
    public let shards: ReadShardPlan
    /// In the order of the shards that they hold.
    let files: [WholeShardFile]

    /// Which shards there are.
    var range: Range<Int> { (files.first?.shards.lowerBound ?? 0)..<(files.last?.shards.upperBound ?? 0) }

    /// Looks for them in directories, and for the files that are named themselves.
    ///
    /// - Parameter partly: whether some neighbours will do, from the first that is found to the last.
    public init(_ shards: ReadShardPlan, in places: [String], partly: Bool = false) throws(DaybookError) {
        self.shards = shards
        var found: [Range<Int>: WholeShardFile] = [:]
        for place in places {
            for path in try ShardSet.paths(in: place) {
                let file = try WholeShardFile(path, plan: shards)
                // The work of a shard that was done twice is the same.
                if found[file.shards] == nil { found[file.shards] = file }
            }
        }
        let all = shards.plan.shards.indices
        let first = found.keys.map(\.lowerBound).min() ?? all.lowerBound
        let last = found.keys.map(\.upperBound).max() ?? all.upperBound
        let wanted = partly ? first..<last : all
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
        guard let files = ShardSet.chain(of: found, over: wanted) else {
            throw .machine(
                "overlapping-shards",
                "no choice of the files holds each shard once",
                hint: "name only the files that belong together"
            )
        }
        self.files = files
    }

    /// Files that follow one another, so that each shard of a range is in one of them; nil where there are none.
    private static func chain(of found: [Range<Int>: WholeShardFile], over wanted: Range<Int>) -> [WholeShardFile]? {
        let starts = Dictionary(grouping: found.values) { $0.shards.lowerBound }
        // From the end: at each shard the longest file behind which the rest can be had.
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

    private static func paths(in place: String) throws(DaybookError) -> [String] {
        do throws(SystemFailure) {
            guard try FileStatus.of(place)?.isDirectory == true else { return [place] }
            let names = try DirectoryListing.entries(in: place).map(\.name)
            return names.filter { $0.hasSuffix(ShardFile.suffix) && !$0.hasPrefix(".") }.sorted().map {
                FilePath.join(place, $0)
            }
        } catch { throw .cannotRead(place, error) }
    }
}
