/// Merges the files of neighbouring shards into one, for merges in several steps: results of stages are merged; rows
/// and pieces are concatenated.
public struct ShardTree {
    private let set: ShardSet
    private var plan: Plan
    private let settings: RunSettings

    public init(_ set: ShardSet, _ plan: Plan, _ settings: RunSettings) {
        (self.set, self.plan, self.settings) = (set, plan, settings)
    }

    /// Merges the files, and writes the result to `directory`.
    ///
    /// - Returns: the path of the file, and the range of its shards.
    public mutating func merge(into directory: String) throws(DaybookErrors) -> (path: String, shards: Range<Int>) {
        let registry = SourceRegistry()
        let inputs = try plan.opened(of: set.shards, settings, registry)
        do throws(DaybookError) {
            let file = try ShardFileWriter(of: set.range, plan: set.shards, into: directory)
            do throws(DaybookError) {
                try write(inputs, registry, to: file)
                return (try file.finish(), set.range)
            } catch {
                file.abandon()
                throw error
            }
        } catch { throw DaybookErrors([error]) }
    }

    private func write(_ inputs: RunInputs, _ registry: SourceRegistry, to file: ShardFileWriter) throws(DaybookError) {
        let replay = ShardReplay(set, plan)
        let reporters = plan.reporters(settings, registry, isPart: true)
        let scratch = ScratchDirectory(memoryLimit: settings.foldBytes, threads: settings.threads)
        for (place, step) in zip(replay.steps.shared.indices, replay.steps.shared) {
            guard case .read(let index) = step else { continue }
            _ = try inputs.feed(of: plan.stages[index], parts: [], morselSize: settings.morselSize)
            var results = plan.emptyResults
            var isBegun = false
            func begin() throws(DaybookError) {
                if !isBegun { try file.append(.step, stage: place) }
                isBegun = true
            }
            let read = try replay.records(
                of: place,
                path: { plan.shownPath(of: $0, registry) },
                result: { result throws(DaybookError) in
                    if settings.isCancelled() { throw .interrupted }
                    var result = result
                    reporters[result.stage].limits.apply(to: &result.findings, of: result.stage)
                    try results[result.stage].merge(result, of: plan.stages[result.stage], scratch)
                },
                product: { record throws(DaybookError) in
                    try begin()
                    try file.append(record.kind, stage: record.stage, input: record.input, record.bytes)
                }
            )
            guard let read else { continue }
            try begin()
            try replay.coding.write(records: read, to: file)
            for result in results { try replay.coding.write(result, to: file) }
        }
    }
}

extension Plan {
    /// Path of a source by its number, as findings show it; nil for an unknown number.
    func shownPath(of source: Int, _ registry: SourceRegistry) -> String? {
        source < registry.count ? SecretMask(job.secrets).masking(registry[source].path) : nil
    }

    /// Opens the inputs of a plan of shards, and completes the settings that depend on their columns.
    mutating func opened(
        of shards: ReadShardPlan,
        _ settings: RunSettings,
        _ registry: SourceRegistry
    ) throws(DaybookErrors) -> RunInputs {
        Allocation.keepBuffers(threads: settings.threads)
        let inputs: RunInputs
        do throws(DaybookError) {
            inputs = try RunInputs(self, settings, registry: registry)
            try shards.check(inputs.files)
        } catch { throw DaybookErrors([error]) }
        let lacks = try resolve(from: inputs.schemas, mixed: inputs.mixed)
        let faults = DataFaults(self, inputs, lacks, settings).errors
        if !faults.isEmpty { throw DaybookErrors(faults) }
        if inputs.areLong { Allocation.useHugePages() }
        return inputs
    }
}
