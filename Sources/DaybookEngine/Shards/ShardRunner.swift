/// Runs one shard of a plan: reads its rows, takes them through the stages, and stores the results in one file.
///
/// The merge, not the shard, judges gates and writes outputs.
public struct ShardRunner {
    /// Counts of the finished work.
    public struct Summary: Sendable {
        public var path: String
        /// Number of rows and records read, and number of these that any stage rejected.
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

    /// Runs to the end, and writes the file to `directory`.
    public mutating func run(into directory: String) throws(DaybookErrors) -> Summary {
        let inputs = try plan.opened(of: shards, settings)
        do throws(DaybookError) {
            let files = try ShardFiles(shards, number, into: directory)
            let work = ShardWork(plan, inputs, settings, files)
            try work.run(shards.plan.shards[number])
            var summary = work.summary
            summary.path = try files.finish()
            return summary
        } catch { throw DaybookErrors(error) }
    }
}

/// Files of a shard: one for the merge, and one per partition if keys are exchanged.
private struct ShardFiles {
    let plan: ReadShardPlan
    /// Number of the shard.
    let number: Int
    let shard: ShardFileWriter
    let keys: [ShardFileWriter]
    /// Number of passes per partition.
    let passes: Int

    init(_ plan: ReadShardPlan, _ number: Int, into directory: String) throws(DaybookError) {
        (self.plan, self.number) = (plan, number)
        let shards = number..<number + 1
        passes = plan.plan.exchange?.passes ?? 1
        shard = try ShardFileWriter(of: shards, plan: plan, into: directory)
        keys = try (0..<(plan.plan.exchange?.partitions ?? 0)).map { partition throws(DaybookError) in
            try ShardFileWriter(.keys(partition), of: shards, plan: plan, into: directory)
        }
    }

    /// Renames all files into place, the one for the merge last, and returns its path.
    func finish() throws(DaybookError) -> String {
        for file in keys { _ = try file.finish() }
        return try shard.finish()
    }
}

/// Steps of one shard. Used by one thread at a time, except for properties that its workers read.
private final class ShardWork {
    private var plan: Plan
    private let inputs: RunInputs
    private let settings: RunSettings
    private let files: ShardFiles
    private let coding: ShardCoding
    private let reporters: [FindingReporter]
    private let scratch: ScratchDirectory
    private var results: [StageResult] = []
    /// Number of records read from each source.
    private var records: [Int: Int] = [:]
    private var repeatedRecords = RepeatedRecords()
    /// Sources whose cutter counts records itself, from the beginning of the file.
    private var counted: Set<Int> = []
    private var sides: [Int: [Int: BatchBuffer]] = [:]
    private let parts: ShardParts?
    /// Open parts of outputs, by stage.
    private var openParts: [Int: (writer: any SinkWriter, out: PartWriter)] = [:]
    private(set) var summary = ShardRunner.Summary(path: "")

    init(_ plan: Plan, _ inputs: RunInputs, _ settings: RunSettings, _ files: ShardFiles) {
        (self.plan, self.inputs, self.settings, self.files) = (plan, inputs, settings, files)
        parts = ShardParts(plan.job.publish, from: settings.directory, plan: files.plan.digest)
        coding = ShardCoding(plan.stages, plan: files.plan.digest)
        reporters = plan.reporters(settings, inputs.registry, isPart: true)
        scratch = ScratchDirectory(memoryLimit: settings.foldBytes, threads: settings.threads)
    }

    func run(_ shard: ShardPlan.Shard) throws(DaybookError) {
        let steps = ShardSteps(plan)
        for (place, step) in zip(steps.shared.indices, steps.shared) {
            switch step {
            case .read(let index):
                let parts = shard.slices.filter { $0.stage == plan.stages[index].id }.map(\.part)
                let isLookedUp = steps.lookedUp.contains(index)
                // Another shard counts a build side, but this shard also needs its rows.
                guard !parts.isEmpty || isLookedUp else { continue }
                try read(plan.stages[index], isLookedUp ? nil : parts, place, isCounted: !parts.isEmpty)
            case .build(let index):
                try plan.build(index, from: sides.removeValue(forKey: index) ?? [:], scratch, inputs.registry)
            case .finish, .release: preconditionFailure("no shard has the rows of all")
            }
        }
    }

    /// Reads parts of a source, or all of it.
    private func read(_ stage: PlannedStage, _ parts: [InputPart]?, _ step: Int, isCounted: Bool) throws(DaybookError) {
        guard let feed = try inputs.feed(of: stage, parts: parts, morselSize: plan.morselSize(settings)) else { return }
        results = plan.emptyResults
        records = [:]
        if isCounted { try files.shard.append(.step, stage: step) }
        let work = BatchWork(plan, reporters, threads: settings.threads)
        try work.read(feed, of: stage.index) { [self] result throws(DaybookError) in
            try commit(result, by: work, isCounted: isCounted)
        }
        guard isCounted else { return }
        for (stage, part) in openParts.sorted(by: { $0.key < $1.key }) {
            let part = try part.out.finish(rows: part.writer.writtenRows, of: files.number)
            try coding.write(.part(part), of: stage, to: files.shard)
        }
        openParts = [:]
        try coding.write(records: records.filter { !counted.contains($0.key) }, to: files.shard)
        try takeKeys(step)
        for result in results { try coding.write(result, to: files.shard) }
        summary.rowsRead += results[stage.index].line.rowsIn
        summary.rejected += results.reduce(0) { $0 + $1.line.rejected }
    }

    /// Writes the keys of all stages to the files of their partitions.
    private func takeKeys(_ step: Int) throws(DaybookError) {
        guard !files.keys.isEmpty else { return }
        let keyed = ShardSteps(plan).keyed
        for file in files.keys { try file.append(.step, stage: step) }
        for index in results.indices {
            guard keyed.contains(index), var partial = results[index].partial as? any KeyedPartial else { continue }
            // Released first, to avoid a copy.
            results[index].partial = nil
            try write(keysOf: &partial, index)
            results[index].partial = partial
        }
    }

    private func write(keysOf partial: inout some KeyedPartial, _ stage: Int) throws(DaybookError) {
        for (number, keys) in partial.takeKeys(partitions: files.keys.count * files.passes).enumerated() {
            try coding.write(keys, of: stage, pass: number % files.passes, to: files.keys[number / files.passes])
        }
    }

    /// Stores the results of one morsel. Called in the order of the input.
    private func commit(_ work: WorkResult, by: BatchWork, isCounted: Bool) throws(DaybookError) {
        let first = work.recordsBefore(among: &records)
        if let morsel = work.source?.records, morsel.firstRecord > 0 { counted.insert(morsel.source.index) }
        if work.source != nil { repeatedRecords.removeAll() }
        try by.parts(of: work) { work throws(DaybookError) in try commit(work, first, isCounted: isCounted) }
    }

    /// Stores the results of some rows; `first` is the number of the first record in the source.
    private func commit(_ work: WorkResult, _ first: Int, isCounted: Bool) throws(DaybookError) {
        if settings.isCancelled() { throw .interrupted }
        if isCounted {
            for (number, lines) in work.rejectLines {
                try files.shard.append(.rejects, stage: number, repeatedRecords.told(lines, in: number))
            }
        }
        for entry in work.entries {
            var result = entry.result
            let stage = plan.stages[result.stage]
            if case .side(let batch, let number) = entry.product {
                try sides[stage.index, default: [:]].append(batch, ofSide: number, of: stage, scratch)
            }
            guard isCounted else { continue }
            reporters[stage.index].limits.apply(to: &result.findings, of: stage.index)
            result.findings.countRecords(from: first)
            try results[stage.index].merge(result, of: stage, scratch)
            if case .piece(let piece, let input) = entry.product, stage.target?.isInParts == true {
                try append(piece, of: input, to: stage)
            } else {
                try coding.write(entry.product, of: stage.index, to: files.shard)
            }
        }
    }

    /// Writes rows of an output in parts.
    private func append(_ piece: any Sendable, of input: Int, to stage: PlannedStage) throws(DaybookError) {
        guard let parts, case .sink(let sink) = stage.operation else {
            preconditionFailure("an output in parts is published, and bound")
        }
        var part: (writer: any SinkWriter, out: PartWriter)
        if let open = openParts[stage.index] {
            part = open
        } else {
            let context = SinkContext(plan.namedInputs(of: stage.index)) { () throws(DaybookError) in
                throw .machine("scratch-failed", "an output in parts is made of text alone, without files beside it")
            }
            part = (try sink.writer(in: context), try PartWriter(in: parts))
        }
        try part.writer.append(erased: piece, input: input, to: part.out)
        openParts[stage.index] = part
    }
}

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
        let inputs = try plan.opened(of: set.shards, settings)
        do throws(DaybookError) {
            let file = try ShardFileWriter(of: set.range, plan: set.shards, into: directory)
            try write(inputs, to: file)
            return (try file.finish(), set.range)
        } catch { throw DaybookErrors(error) }
    }

    private func write(_ inputs: RunInputs, to file: ShardFileWriter) throws(DaybookError) {
        let replay = ShardReplay(set, plan, inputs.registry)
        let reporters = plan.reporters(settings, inputs.registry, isPart: true)
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
    mutating func opened(of shards: ReadShardPlan, _ settings: RunSettings) throws(DaybookErrors) -> RunInputs {
        let inputs = try opened(settings) { inputs throws(DaybookError) in try shards.check(inputs.files) }
        if inputs.areLong { Allocation.useHugePages() }
        return inputs
    }

    /// Opens the inputs for processes that share them, and completes the columns; refuses data with faults.
    mutating func opened(
        _ settings: RunSettings,
        _ check: (RunInputs) throws(DaybookError) -> Void = { _ in }
    ) throws(DaybookErrors) -> RunInputs {
        Allocation.keepBuffers(threads: settings.threads)
        let inputs: RunInputs
        do throws(DaybookError) {
            inputs = try RunInputs(self, settings)
            try check(inputs)
        } catch { throw DaybookErrors(error) }
        let lacks = try resolve(from: inputs.schemas, mixed: inputs.mixed)
        let faults = DataFaults(self, inputs, lacks, settings).errors
        if !faults.isEmpty { throw DaybookErrors(faults) }
        return inputs
    }
}
