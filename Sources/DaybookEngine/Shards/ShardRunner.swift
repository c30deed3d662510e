/// Does the work of one shard of a plan: reads its rows, takes them through the stages, and keeps what they became in one file.
///
/// It judges no gate and writes no output; that is for the merge.
public struct ShardRunner {
    /// What was done.
    public struct Summary: Sendable {
        public var path: String
        /// Rows and records that were read, and how many of these were rejected by any stage.
        public var rowsRead = 0
        public var rejected = 0
    }

    private let shards: ReadShardPlan
    private let number: Int
    private var plan: Plan
    private let settings: RunSettings

    public init(_ shards: ReadShardPlan, number: Int, _ plan: Plan, _ settings: RunSettings) {
        (self.shards, self.number, self.plan, self.settings) = (shards, number, plan, settings)
    }

    /// Runs to the end, and puts the file into `directory`.
    public mutating func run(into directory: String) throws(DaybookErrors) -> Summary {
        let registry = SourceRegistry()
        let inputs = try plan.opened(of: shards, settings, registry)
        do throws(DaybookError) {
            let file = try ShardFileWriter(directory: directory, shards: number..<number + 1, plan: shards.digest)
            do throws(DaybookError) {
                let work = ShardWork(plan, inputs, settings, registry, file, shards.digest)
                try work.run(shards.plan.shards[number])
                var summary = work.summary
                summary.path = try file.finish()
                return summary
            } catch {
                file.abandon()
                throw error
            }
        } catch { throw DaybookErrors([error]) }
    }
}

/// The steps of one shard. Used by one thread at a time, but for what its workers read.
private final class ShardWork {
    private var plan: Plan
    private let inputs: RunInputs
    private let settings: RunSettings
    private let file: ShardFileWriter
    private let coding: ShardCoding
    private let reporters: [FindingReporter]
    private let scratch: ScratchDirectory
    private var results: [StageResult] = []
    /// How many records of each source were read.
    private var records: [Int: Int] = [:]
    /// The sources whose cutter counts records by itself, from the beginning of the file.
    private var counted: Set<Int> = []
    private var sides: [Int: [Int: BuildSideBuffer]] = [:]
    private(set) var summary = ShardRunner.Summary(path: "")

    init(
        _ plan: Plan,
        _ inputs: RunInputs,
        _ settings: RunSettings,
        _ registry: SourceRegistry,
        _ file: ShardFileWriter,
        _ digest: UInt64
    ) {
        (self.plan, self.inputs, self.settings, self.file) = (plan, inputs, settings, file)
        coding = ShardCoding(plan.stages, plan: digest)
        reporters = plan.reporters(settings, registry)
        scratch = ScratchDirectory(memoryLimit: settings.foldBytes, threads: settings.threads)
    }

    func run(_ shard: ShardPlan.Shard) throws(DaybookError) {
        let steps = ShardSteps(plan)
        for (place, step) in zip(steps.shared.indices, steps.shared) {
            switch step {
            case .read(let index):
                let parts = shard.slices.filter { $0.stage == plan.stages[index].id }.map(\.part)
                let isLookedUp = steps.lookedUp.contains(index)
                // What others count is still read here for what is looked up in it.
                guard !parts.isEmpty || isLookedUp else { continue }
                try read(plan.stages[index], isLookedUp ? nil : parts, place, isCounted: !parts.isEmpty)
            case .build(let index):
                try plan.build(index, from: sides.removeValue(forKey: index) ?? [:])
            case .finish, .release: preconditionFailure("no shard has the rows of all")
            }
        }
    }

    /// Reads parts of a source, or all of it.
    private func read(
        _ stage: PlannedStage,
        _ parts: [InputPart]?,
        _ step: Int,
        isCounted: Bool
    ) throws(DaybookError) {
        let size = plan.morselSize(settings)
        let feed =
            if let parts { try inputs.feed(of: stage, parts: parts, morselSize: size) } else {
                try inputs.feed(of: stage, morselSize: size)
            }
        guard let feed else { return }
        results = plan.emptyResults
        records = [:]
        if isCounted { try file.append(.step, stage: step) }
        let work = BatchWork(stages: plan.stages, reporters: reporters, rejectFiles: plan.rejectFiles)
        let map = OrderedParallelMap<any SourceItem, WorkResult>(
            threads: settings.threads,
            next: { () throws(DaybookError) in try feed.next() },
            work: { item throws(DaybookError) in try work.run(item, source: stage.index) },
            commit: { [self] result throws(DaybookError) in try commit(result, isCounted: isCounted) }
        )
        try map.run()
        guard isCounted else { return }
        try coding.write(records: records.filter { !counted.contains($0.key) }, to: file)
        for result in results { try coding.write(result, to: file) }
        summary.rowsRead += results[stage.index].line.rowsIn
        summary.rejected += results.reduce(0) { $0 + $1.line.rejected }
    }

    /// Keeps what one morsel became. Called in the order of the input.
    private func commit(_ work: WorkResult, isCounted: Bool) throws(DaybookError) {
        if settings.isCancelled() { throw .interrupted }
        let first = work.recordsBefore(among: &records)
        if let morsel = work.source?.records, morsel.firstRecord > 0 { counted.insert(morsel.source.index) }
        if isCounted {
            for (number, lines) in work.rejectLines { try file.append(.rejects, stage: number, lines) }
        }
        for entry in work.entries {
            var result = entry.result
            let stage = plan.stages[result.stage]
            if case .side(let batch, let number) = entry.product {
                try sides[stage.index, default: [:]][number, default: BuildSideBuffer()].append(batch, of: stage)
            }
            guard isCounted else { continue }
            reporters[stage.index].limits.apply(to: &result.findings)
            result.findings.countRecords(from: first)
            try results[stage.index].merge(result, of: stage.role, scratch)
            try coding.write(entry.product, of: stage.index, to: file)
        }
    }
}
