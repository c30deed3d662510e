/// Runs a plan: from its inputs through all stages to outputs that appear together or not at all.
public final class Runner: @unchecked Sendable {
    package var plan: Plan
    package let settings: RunSettings
    let registry = SourceRegistry()
    /// Result of each stage for all rows so far.
    package var results: [StageResult] = []
    /// Open state of each stage.
    var open: [OpenStage] = []
    /// Reject files by number; see `Plan.rejectFiles`.
    private var rejectFiles: [Int: OutputFile] = [:]
    package var outcome = RunOutcome()
    /// Number of raw input bytes whose rows are committed.
    var bytesDone = 0
    /// Nil if unknown.
    lazy var bytesToRead = inputs?.bytesToRead
    package let baseline: BaselineLedger?
    private let scratch: ScratchDirectory
    package var inputs: RunInputs?
    /// Number of committed records of each source.
    private var recordsCommitted: [Int: Int] = [:]
    private var repeatedRecords = RepeatedRecords()
    /// Results of other processes; nil if this process reads all rows.
    package let shards: ShardSet?
    /// Replay of the shards.
    var replay: ShardReplay?
    /// Base files of outputs, which are read too.
    var bases: [BaseInput] = []
    /// Faults of the data that stop a part of the job: a missing column, an invalid header.
    var faults: [DaybookError] = []

    /// - Parameter shards: results of other processes, if the run merges them.
    public init(_ plan: Plan, _ settings: RunSettings, merging shards: ShardSet? = nil) {
        (self.plan, self.settings, self.shards) = (plan, settings, shards)
        baseline = settings.baseline.map(BaselineLedger.init)
        scratch = ScratchDirectory(memoryLimit: settings.foldBytes, threads: settings.threads)
    }

    /// Runs to the end and returns the outcome, which contains all errors.
    public func run() -> RunOutcome {
        Allocation.keepBuffers(threads: settings.threads)
        let asPlanned = plan
        do throws(DaybookErrors) {
            try runOrThrow()
        } catch {
            if let unlearnt = error.errors.last, canLearn(from: unlearnt) { return runAgain(asPlanned, unlearnt) }
            outcome.errors = error.errors
            outcome.isPartial = false
            outcome.leaveRulesUnjudged(of: plan)
            if outcome.inputs.isEmpty { outcome.inputs = RunOutcome.inputs(of: plan, in: settings.directory) }
            gatherFindings()
        }
        return outcome
    }

    /// Whether the run would continue with columns learnt from all records.
    private func canLearn(from error: DaybookError) -> Bool {
        error.code == DaybookError.unlearnt && !settings.learnsAll && shards == nil
            && inputs?.canBeReadAgain == true
    }

    private func runAgain(_ plan: Plan, _ error: DaybookError) -> RunOutcome {
        var settings = settings
        settings.learnsAll = true
        let place = error.place.map { "\($0.file):\($0.line):\($0.column): " } ?? ""
        settings.onWait(
            place + "\(error.message); so the columns are learnt from all of the data, and the run starts once more"
        )
        let again = Runner(plan, settings)
        outcome = again.run()
        (self.plan, inputs, results, faults) = (again.plan, again.inputs, again.results, again.faults)
        return outcome
    }

    private func runOrThrow() throws(DaybookErrors) {
        let transaction: OutputTransaction
        do throws(DaybookError) {
            var state = settings.state
            state.isCancelled = settings.isCancelled
            state.services = { [table = plan.table] in table.services }
            let job = plan.job.name(in: settings.jobFile)
            let recovery = try state.recover()
            try recovery.refuse([], of: job ?? "")
            transaction = try state.beginRun(sha256: settings.sha256)
            (transaction.job, transaction.undecided) = (job ?? "", recovery)
            transaction.onWait = settings.onWait
            outcome.run = transaction.run
            if let publish = plan.job.publish {
                try transaction.publish(publish, from: settings.directory, of: job)
            }
            let inputs = try RunInputs(plan, settings, registry: registry)
            try recovery.refuse(inputs: inputs.targets)
            try shards?.shards.check(inputs.files)
            self.inputs = inputs
            outcome.intakes = inputs.intakes
        } catch { throw DaybookErrors(error) }
        plan.leaveQuiet(inputs?.days ?? [:], in: settings.directory)
        let lacks = try plan.resolve(from: inputs?.schemas ?? [:], mixed: inputs?.mixed ?? [:])
        faults = settings.faults + DataFaults(plan, inputs, lacks, settings).errors
        // Without rules to judge, the rows yield no further result.
        if !faults.isEmpty, settings.stopsAtFaults || !plan.judgesRules || faults.contains(where: { $0.blame == .job })
        {
            transaction.abort()
            throw DaybookErrors(faults)
        }
        do throws(DaybookError) {
            if inputs?.areLong == true { Allocation.useHugePages() }
            replay = shards.map { ShardReplay($0, plan, registry) }
            try openOutputs(transaction)
            try runStages()
            try finishSinks()
            try gatherInputs()
            try LedgerAudit.check(outcome.ledger, plan.stages)
            try LedgerAudit.checkBatches(results)
            try close(transaction)
        } catch {
            transaction.abort()
            outcome.ledger = results.map(\.line)
            outcome.links = plan.links
            throw DaybookErrors(faults + [error])
        }
    }

    /// Directory where shards have written outputs in parts.
    var shardParts: ShardParts? {
        shards.flatMap { ShardParts(plan.job.publish, from: settings.directory, plan: $0.shards.digest) }
    }

    // MARK: - Running

    private func runStages() throws(DaybookError) {
        let reporters = plan.reporters(settings, registry)
        for (open, number) in zip(open, plan.rejectFiles) { if let number { rejectFiles[number] = open.rejectsOutput } }
        for (place, step) in plan.steps.enumerated() {
            // Created again per step, since a stage changes when its build sides are complete.
            let work = BatchWork(plan, reporters, threads: settings.threads)
            repeatedRecords.removeAll()
            switch step {
            case .read(let index):
                if let replay, replay.has(place) {
                    try self.replay(replay, place, plan.stages[index], work)
                } else {
                    try read(plan.stages[index], work)
                }
            case .finish(let index): try finish(plan.stages[index], work)
            case .build(let index):
                let sides = open[index].sides
                open[index].sides = [:]
                try plan.build(index, from: sides, scratch, registry)
            case .release(let index, let input): try release(index, input, work)
            }
        }
    }

    /// Releases the buffered rows of an input.
    private func release(_ index: Int, _ input: Int, _ work: BatchWork) throws(DaybookError) {
        guard let waiting = open[index].waiting.removeValue(forKey: input) else { return }
        let consumer = PlannedStage.Consumer(stage: index, input: input)
        try waiting.release(settings.isCancelled) { (batch) throws(DaybookError) in
            try commit(try work.release(batch, waitingFor: consumer), work)
        }
    }

    private func read(_ stage: PlannedStage, _ work: BatchWork) throws(DaybookError) {
        guard let feed = try inputs?.feed(of: stage, morselSize: plan.morselSize(settings)) else { return }
        let before = bytesDone
        try work.read(feed, of: stage.index) { [self] result throws(DaybookError) in try commit(result, work) }
        bytesDone = before + feed.byteCount
        tellProgress(of: stage.id)
    }

    /// Replays the shards' results for the rows of a source.
    private func replay(
        _ replay: ShardReplay,
        _ step: Int,
        _ stage: PlannedStage,
        _ work: BatchWork
    ) throws(DaybookError) {
        // The registry needs a feed to fetch records of the source again.
        _ = try inputs?.feed(of: stage, parts: [], morselSize: settings.morselSize)
        try replay.replay(step, wordsAll: baseline != nil) { result throws(DaybookError) in try commit(result, work) }
        try replay.settledKeys(after: step) { (stage, keys) throws(DaybookError) in
            guard var partial = results[stage].partial as? any KeyedPartial else { throw ByteReader.damaged }
            // Released first, to avoid a copy.
            results[stage].partial = nil
            try partial.putBack(erased: keys, scratch: scratch)
            results[stage].partial = partial
        }
    }

    private func finish(_ stage: PlannedStage, _ work: BatchWork) throws(DaybookError) {
        guard !stage.isIdle, let gathering = stage.operation?.finishing else { return }
        // With only some rows of a table, unmatched entries are unknown.
        if case .transform = stage.role, !plan.readsAllRows { return }
        let (index, open) = (stage.index, open[stage.index])
        let clock = Stopwatch()
        let folded = results[index].partial?.endedRows ?? 0
        let finished = FoldOutputPipeline(
            threads: settings.threads,
            work: { late throws(DaybookError) in try work.run(try late.rows(), late.findings, madeBy: index) },
            commit: { [self] result throws(DaybookError) in try commit(result, work) }
        )
        let output = FoldOutput(
            schema: stage.schema,
            scratch: scratch,
            room: Array(work.reporters[index].limits.allowance(of: index).left.dropFirst()),
            wordsRejects: open.rejectsOutput != nil || stage.readRejectSchema.index(of: "message") != nil,
            days: days(of: stage)
        ) { [self] (late) throws(DaybookError) in
            if settings.isCancelled() { throw .interrupted }
            tellProgress(of: stage.id)
            open.held?.reject(late)
            try finished.append(late)
        }
        do throws(DaybookError) {
            try gathering.finish(erased: results[index].partial.take(), output)
        } catch {
            finished.abandon()
            throw error
        }
        try finished.end()
        try open.held?.release(settings.isCancelled) { (batch) throws(DaybookError) in
            try commit(try work.release(batch, heldBy: index), work)
        }
        if case .fold(let fold) = stage.role, !type(of: fold).keepsRows { results[index].line.folded = folded }
        results[index].line.dropped.merge(output.droppedRows, uniquingKeysWith: +)
        results[index].line.added.merge(output.addedRows, uniquingKeysWith: +)
        results[index].line.nanoseconds += clock.elapsed
    }

    private func tellProgress(of stage: String) {
        guard let tell = settings.onProgress else { return }
        // Files of the kernel (/proc) report size 0 but are not empty.
        let bytes = bytesToRead.map { min(bytesDone, $0) } ?? bytesDone
        tell(RunSettings.Progress(stage: stage, bytes: bytes, total: bytesToRead))
    }

    /// Merges the results of one morsel and passes its rows to outputs. Called in the order of the input.
    private func commit(_ work: WorkResult, _ by: BatchWork) throws(DaybookError) {
        let firstRecord = work.recordsBefore(among: &recordsCommitted)
        if let item = work.source {
            repeatedRecords.removeAll()
            item.hash()
            bytesDone += item.byteCount
            tellProgress(of: plan.stages[work.entries[0].result.stage].id)
        }
        try by.parts(of: work) { work throws(DaybookError) in try commit(work, firstRecord, by) }
    }

    /// Merges the results of some rows; `firstRecord` is the number of the first record in the source.
    private func commit(_ work: WorkResult, _ firstRecord: Int, _ by: BatchWork) throws(DaybookError) {
        if settings.isCancelled() { throw .interrupted }
        for (file, lines) in work.rejectLines { try rejectFiles[file]?.write(repeatedRecords.told(lines, in: file)) }
        for entry in work.entries {
            var result = entry.result
            let (index, open) = (result.stage, open[result.stage])
            if let baseline { result.findings.takeOut(knownTo: baseline) }
            by.reporters[index].limits.apply(to: &result.findings, of: index)
            result.findings.countRecords(from: firstRecord)
            try results[index].merge(result, of: plan.stages[index], scratch)
            switch entry.product {
            case .nothing: break
            case .held(let held): try open.held?.append(held.rows, of: held.count, kept: held.kept, scratch)
            case .waiting(let batch, let input):
                let buffer = RowBuffer(memoryLimit: settings.heldBytes)
                try open.waiting[input, default: buffer].append(batch, of: batch.count, scratch)
            case .side(let batch, let number):
                try open.sides.append(batch, ofSide: number, of: plan.stages[index], scratch)
            case .piece(let piece, let input):
                guard let out = open.output else { break }
                do { try open.writer?.append(erased: piece, input: input, to: out) } catch {
                    throw registry.naming(error) { plan.shownPath(of: $0, registry) }
                }
            case .part(let part):
                guard let out = open.output as? PartedOutput, let place = shardParts?.path(of: part.name)
                else { throw ByteReader.damaged }
                try out.adopt(part, at: place)
            }
        }
    }
}

extension WorkResult {
    /// Number of records of the source that were committed before this morsel, if its cutter has not counted them.
    ///
    /// - Parameter committed: number of committed records of each source; the records of the morsel are added.
    func recordsBefore(among committed: inout [Int: Int]) -> Int {
        guard let morsel = source?.records else { return 0 }
        let before = committed[morsel.source.index, default: 0]
        committed[morsel.source.index] = before + entries[0].result.line.rowsIn
        return morsel.firstRecord == 0 ? before : 0
    }
}

extension Plan {
    /// By stage, the number of its reject file, in the order in which the stages first name them; nil for none.
    var rejectFiles: [Int?] {
        var next = 0
        var ofJob: Int?
        return stages.map { stage in
            let isOwn = stage.policy.path != nil
            guard !stage.isIdle, isOwn || job.rejects?.path != nil else { return nil }
            if !isOwn, let ofJob { return ofJob }
            defer { next += 1 }
            if !isOwn { ofJob = next }
            return next
        }
    }

    /// Reporters of each stage's findings.
    ///
    /// - Parameter isPart: whether the findings are merged with findings of other processes.
    func reporters(_ settings: RunSettings, _ registry: SourceRegistry, isPart: Bool = false) -> [FindingReporter] {
        let mask = SecretMask(job.secrets)
        let limits = FindingLimits(
            settings.maxFindings,
            rules: stages.map(\.rules.count),
            wordsAll: settings.baseline != nil,
            tellsEach: isPart
        )
        let origins = RowOrigins(self)
        return zip(stages, rejectFiles).map { stage, rejectFile in
            FindingReporter(
                of: stage,
                writesRejects: rejectFile != nil,
                sharesRecords: rejectFile != nil && origins.shareRecords[stage.index],
                registry: registry,
                mask: mask,
                limits: limits
            )
        }
    }

    /// Approximate number of bytes per morsel.
    func morselSize(_ settings: RunSettings) -> Int {
        // If stages multiply rows, a morsel of the usual size would become too large.
        makesRows ? min(settings.morselSize, 64 << 10) : settings.morselSize
    }

    /// Passes the complete build sides to a stage.
    mutating func build(
        _ index: Int,
        from sides: [Int: BatchBuffer],
        _ scratch: any Scratch,
        _ registry: SourceRegistry
    ) throws(DaybookError) {
        let stage = stages[index]
        let whole = stage.inputs.filter(\.isBuildSide).enumerated().map { [plan = self] number, input in
            let needed = stage.binding?.sides[number].columns ?? .all
            let rows = sides[number] ?? BatchBuffer(inMemory: [])
            return BuildSide(plan.schema(of: input).selecting(needed), rows) { plan.shownPath(of: $0, registry) }
        }
        do { stages[index].operation = try stage.binding?.makeOperator(whole, scratch) } catch {
            throw error.located(at: stage.place)
        }
    }
}
