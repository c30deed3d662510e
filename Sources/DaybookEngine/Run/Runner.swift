import DaybookCore

/// Runs a plan: from its inputs through all stages to outputs that appear together or not at all.
public final class Runner: @unchecked Sendable {
    package var plan: Plan
    package let settings: RunSettings
    private let archive = SourceArchive()
    var states: [StageState] = []
    package var outcome = RunOutcome()
    private var bytesDone = 0
    /// Nil where nobody can tell.
    private lazy var bytesToRead = InputSizes.total(of: plan, in: settings.directory)
    package let baseline: BaselineLedger?
    package var inputs: RunInputs?
    /// How many records of each source have been committed.
    private var recordsCommitted: [Int: Int] = [:]
    /// The files that outputs start from, which are read too.
    var bases: [BaseInput] = []
    /// What is wrong with the data so that some of the job cannot run: a column that is not there, a header that is none.
    var faults: [DaybookError] = []

    public init(_ plan: Plan, _ settings: RunSettings) {
        self.plan = plan
        self.settings = settings
        baseline = settings.baseline.map(BaselineLedger.init)
    }

    /// Runs to the end and says how it ended; errors are in the outcome.
    public func run() -> RunOutcome {
        Allocation.keepBuffers(threads: settings.threads)
        do throws(DaybookErrors) {
            try runOrThrow()
        } catch {
            outcome.errors = error.errors
            outcome.isPartial = false
            outcome.leaveRulesUnjudged(of: plan)
            if outcome.inputs.isEmpty { outcome.inputs = RunOutcome.inputs(of: plan, in: settings.directory) }
        }
        gatherFindings()
        return outcome
    }

    private func runOrThrow() throws(DaybookErrors) {
        let transaction: OutputTransaction
        do throws(DaybookError) {
            var state = settings.state
            state.isCancelled = settings.isCancelled
            _ = try state.recover()
            transaction = try state.beginRun(sha256: settings.sha256)
            transaction.onWait = settings.onWait
            if let publish = plan.job.publish {
                let job = RunReport.name(of: plan.job, in: settings.jobFile)
                try transaction.publish(publish, from: settings.directory, of: job)
            }
            inputs = try RunInputs(plan, settings, archive: archive)
        } catch {
            throw DaybookErrors([error])
        }
        let lacks = try plan.resolve(from: inputs?.schemas ?? [:])
        faults = DataFaults(plan, inputs, lacks).errors
        // Where no rule is left to be judged, there is nothing to be learnt from the rows.
        if !faults.isEmpty, settings.stopsAtFaults || !plan.judgesRules {
            transaction.abort()
            throw DaybookErrors(faults)
        }
        do throws(DaybookError) {
            try inputs?.makeReaders(plan)
            if inputs?.areLong == true { Allocation.useHugePages() }
            try open(transaction)
            try runStages()
            try finishSinks()
            try gatherInputs()
            try Book.check(outcome.ledger, plan.stages)
            try Book.checkBatches(states)
            try close(transaction)
        } catch {
            transaction.abort()
            outcome.ledger = states.map(\.line)
            throw DaybookErrors(faults + [error])
        }
    }

    // MARK: - Opening

    private func open(_ transaction: OutputTransaction) throws(DaybookError) {
        states = plan.stages.map { StageState($0, maxFindings: settings.maxFindings, baseline: baseline) }
        if let publish = plan.job.publish { try inputs?.refuseInputs(in: publish, settings) }
        let jobRejects = try plan.job.rejects?.path.map { path throws(DaybookError) in
            try output(path, transaction)
        }
        for state in states where !state.stage.isIdle {
            let stage = state.stage
            state.rejectsOutput =
                try stage.policy.path.map { path throws(DaybookError) in
                    try output(path, transaction)
                } ?? jobRejects
            switch stage.role {
            case .fold:
                if stage.holdsRows { state.held = HeldRows(memoryLimit: settings.heldBytes) }
            case .sink(let sink):
                let inputs = stage.inputs.map {
                    SinkInput(
                        id: plan.stages[$0.stage].id,
                        schema: $0.port == .rejects ? plan.stages[$0.stage].rejectSchema : plan.stages[$0.stage].schema
                    )
                }
                let out = try output(sink.output, transaction)
                state.output = out
                state.writer = try sink.writer(for: inputs, in: try room(of: sink, transaction))
                try state.writer?.begin(out)
            case .source, .transform: break
            }
        }
    }

    private func output(_ path: PathText, _ transaction: OutputTransaction) throws(DaybookError) -> OutputSink {
        do {
            // Nothing takes the place of /dev/null, so it may also be read.
            if !path.isStandardStream, path.text != "/dev/null" {
                try inputs?.refuse(path, settings)
            }
            let file = try transaction.open(path.text, from: settings.directory) { [weak self] written in
                self?.outputLength(after: written)
            }
            return OutputSink(file)
        } catch {
            throw error.located(at: path.place)
        }
    }

    /// About how long an output will be that has so many bytes, should it go on as far as the input does.
    private func outputLength(after written: Int) -> Int? {
        guard bytesDone > 0, let bytesToRead else { return nil }
        return Int(min(Double(written) * Double(bytesToRead) / Double(bytesDone), 1e18))
    }

    private func room(of sink: any SinkStage, _ transaction: OutputTransaction) throws(DaybookError) -> SinkRoom {
        var base: BaseInput?
        if let wanted = sink.base { base = try BaseInput.find(wanted, in: settings.directory, settings.sha256) }
        if let base { bases.append(base) }
        return SinkRoom(base: base?.file, scratchPath: transaction.scratchPaths)
    }

    // MARK: - Running

    private func runStages() throws(DaybookError) {
        let mask = SecretMask(plan.job.secrets)
        let reporters = states.map { state in
            FindingReporter(
                of: state.stage,
                writesLines: state.rejectsOutput != nil,
                rejectSchema: state.stage.rejectConsumers.isEmpty ? nil : state.stage.readRejectSchema,
                archive: archive,
                mask: mask,
                tellsAll: settings.baseline != nil
            )
        }
        let scratch = ScratchDirectory(memoryLimit: settings.foldBytes, threads: settings.threads)
        for step in plan.steps {
            // Anew each time: a stage that was prepared is another from then on.
            let work = BatchWork(stages: plan.stages, states: states, reporters: reporters)
            switch step {
            case .read(let index): try read(plan.stages[index], work, scratch)
            case .finish(let index): try finish(plan.stages[index], work, scratch)
            case .prepare(let index): try prepare(index)
            case .release(let index, let input): try release(index, input, work, scratch)
            }
        }
    }

    /// Hands a stage the rows of its sides, which have all come.
    private func prepare(_ index: Int) throws(DaybookError) {
        let state = states[index]
        let stage = plan.stages[index]
        let sides = stage.inputs.filter(\.isSide).enumerated().map { number, input in
            let schema =
                input.port == .rejects ? plan.stages[input.stage].rejectSchema : plan.stages[input.stage].schema
            let needed = stage.joining?.columns(neededOfSide: number) ?? .all
            return SideRows(schema.selecting(needed), state.sides[number]?.batches ?? [])
        }
        state.sides = [:]
        try plan.prepare(index, sides)
    }

    /// Lets the rows of an input flow that waited.
    private func release(
        _ index: Int,
        _ input: Int,
        _ work: BatchWork,
        _ scratch: ScratchDirectory
    ) throws(DaybookError) {
        guard let waiting = states[index].waiting.removeValue(forKey: input) else { return }
        let consumer = PlannedStage.Consumer(stage: index, input: input)
        try waiting.release(settings.isCancelled) { (batch) throws(DaybookError) in
            try commit(try work.release(batch, waitingFor: consumer), scratch)
        }
    }

    private func read(_ stage: PlannedStage, _ work: BatchWork, _ scratch: ScratchDirectory) throws(DaybookError) {
        // Where rows become many, a morsel of the usual size would come to too much at once.
        let size = plan.makesRows ? min(settings.morselSize, 64 << 10) : settings.morselSize
        guard let feed = inputs?.feed(of: stage, morselSize: size) else { return }
        let ordered = OrderedWork<any SourceItem, WorkResult>(
            threads: settings.threads,
            next: { () throws(DaybookError) in try feed.next() },
            work: { item throws(DaybookError) in try work.run(item, source: stage.index) },
            commit: { [self] result throws(DaybookError) in try commit(result, scratch) }
        )
        try ordered.run()
    }

    private func finish(_ stage: PlannedStage, _ work: BatchWork, _ scratch: ScratchDirectory) throws(DaybookError) {
        let state = states[stage.index]
        guard !stage.isIdle, case .fold(let fold) = stage.role else { return }
        let clock = Stopwatch()
        let folded = (state.gathered as? any FoldPartial)?.foldedRows ?? 0
        let finished = FinishedRows(
            threads: settings.threads,
            work: { late throws(DaybookError) in try work.run(try late.rows(), late.findings, madeBy: stage.index) },
            commit: { [self] result throws(DaybookError) in try commit(result, scratch) }
        )
        let output = FoldOutput(
            schema: stage.schema,
            scratch: scratch,
            room: Array(state.roomForFindings.dropFirst()),
            wordsRejects: state.rejectsOutput != nil || stage.readRejectSchema.index(of: "message") != nil
        ) { [self] (late) throws(DaybookError) in
            if settings.isCancelled() { throw .interrupted }
            settings.onProgress(RunSettings.Progress(stage: stage.id, bytes: bytesDone))
            state.held?.reject(late)
            try finished.append(late)
        }
        do throws(DaybookError) {
            try fold.finish(erased: state.gathered.take(), output)
        } catch {
            finished.abandon()
            throw error
        }
        try finished.end()
        try state.held?.release(settings.isCancelled) { (batch) throws(DaybookError) in
            try commit(try work.release(batch, heldBy: stage.index), scratch)
        }
        if !type(of: fold).keepsRows { state.line.folded = folded }
        state.line.dropped.merge(output.droppedRows, uniquingKeysWith: +)
        state.line.nanoseconds += clock.elapsed
    }

    /// Takes what one morsel came to into the book, the folds and the outputs. Called in the order of the input.
    private func commit(_ result: WorkResult, _ scratch: ScratchDirectory) throws(DaybookError) {
        if settings.isCancelled() { throw .interrupted }
        let before = recordsBefore(result)
        if let item = result.source {
            item.settle()
            bytesDone += item.byteCount
            settings.onProgress(
                RunSettings.Progress(stage: plan.stages[result.entries[0].stage].id, bytes: bytesDone)
            )
        }
        for (stage, bytes) in result.rejects { try states[stage].rejectsOutput?.write(bytes) }
        for entry in result.entries {
            let state = states[entry.stage]
            state.line.add(entry.line)
            if !state.stage.isFold, entry.line.unaccounted != 0 { state.hasUnbalancedBatch = true }
            if let report = entry.report { state.add(report, recordsBefore: before) }
            switch entry.product {
            case .nothing: break
            case .partial(let partial, let held):
                guard case .fold(let fold) = plan.stages[entry.stage].role else { break }
                try fold.merge(erased: partial, into: &state.gathered, scratch: scratch)
                if let held { try state.held?.append(held.rows, of: held.count, kept: held.kept, scratch) }
            case .waiting(let batch, let input):
                let room = HeldRows(memoryLimit: settings.heldBytes)
                try state.waiting[input, default: room].append(batch, of: batch.count, scratch)
            case .side(let batch, let number):
                try state.sides[number, default: GatheredSide()].append(batch, of: state.stage)
            case .piece(let piece, let input):
                guard let out = state.output else { break }
                try state.writer?.append(erased: piece, input: input, to: out)
            }
        }
    }

    /// How many records of the source were committed before those of one morsel, where its cutter has not counted them.
    private func recordsBefore(_ result: WorkResult) -> Int {
        guard let morsel = result.source?.records else { return 0 }
        let before = recordsCommitted[morsel.source.index, default: 0]
        recordsCommitted[morsel.source.index] = before + result.entries[0].line.rowsIn
        return morsel.firstRecord == 0 ? before : 0
    }
}
