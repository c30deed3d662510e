/// Settles a partition of the keys that all shards have gathered, so that a merge has less of them to hold.
public struct ShardExchange {
    private let set: ShardSet
    private let partition: Int
    private let plan: Plan
    private let settings: RunSettings

    /// - Parameter set: the files of the partition.
    public init(_ set: ShardSet, partition: Int, _ plan: Plan, _ settings: RunSettings) {
        (self.set, self.partition, self.plan, self.settings) = (set, partition, plan, settings)
    }

    /// Merges the keys in the order of the input, settles them, and puts the file into `directory`; gives its path.
    public func settle(into directory: String) throws(DaybookError) -> String {
        let file = try ShardFileWriter(.settled(partition), of: set.range, plan: set.shards.digest, into: directory)
        do throws(DaybookError) {
            let replay = ShardReplay(set, plan)
            let scratch = ScratchDirectory(memoryLimit: settings.foldBytes, threads: settings.threads)
            var gathered: [Int: any PartialKeys] = [:]
            for step in replay.steps.shared.indices {
                try replay.keys(of: step) { (stage, keys) throws(DaybookError) in
                    if settings.isCancelled() { throw .interrupted }
                    guard var earlier = gathered.removeValue(forKey: stage) else {
                        gathered[stage] = keys
                        return
                    }
                    try earlier.append(erased: keys, scratch: scratch)
                    gathered[stage] = earlier
                }
            }
            try file.append(.step)
            for stage in gathered.keys.sorted() {
                guard var keys = gathered.removeValue(forKey: stage) else { continue }
                try keys.settle(scratch: scratch)
                try replay.coding.write(keys, of: stage, to: file)
            }
            return try file.finish()
        } catch {
            file.abandon()
            throw error
        }
    }
}
