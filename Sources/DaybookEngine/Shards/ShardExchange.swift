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

    /// Merges the keys pass by pass, in the order of the input, settles them, and puts the file into `directory`; gives its path.
    public func settle(into directory: String) throws(DaybookError) -> String {
        Allocation.keepBuffers(threads: settings.threads)
        let file = try ShardFileWriter(.settled(partition), of: set.range, plan: set.shards, into: directory)
        do throws(DaybookError) {
            let replay = ShardReplay(set, plan)
            let scratch = ScratchDirectory(memoryLimit: settings.foldBytes, threads: settings.threads)
            try file.append(.step)
            for (pass, places) in try replay.keysByPass().sorted(by: { $0.key < $1.key }) {
                for (stage, keys) in try gather(places, replay, scratch).sorted(by: { $0.key < $1.key }) {
                    var keys = keys
                    try keys.settle(scratch: scratch)
                    try replay.coding.write(keys, of: stage, pass: pass, to: file)
                }
            }
            return try file.finish()
        } catch {
            file.abandon()
            throw error
        }
    }

    /// The keys at some places, by the number of their stage.
    private func gather(
        _ places: [KeyPlace],
        _ replay: ShardReplay,
        _ scratch: any Scratch
    ) throws(DaybookError) -> [Int: any PartialKeys] {
        var gathered: [Int: any PartialKeys] = [:]
        for place in places {
            if settings.isCancelled() { throw .interrupted }
            let keys = try replay.keys(at: place)
            // Let go of, so that it is not copied.
            guard var earlier = gathered.removeValue(forKey: place.record.stage) else {
                gathered[place.record.stage] = keys
                continue
            }
            try earlier.append(erased: keys, scratch: scratch)
            gathered[place.record.stage] = earlier
        }
        return gathered
    }
}
