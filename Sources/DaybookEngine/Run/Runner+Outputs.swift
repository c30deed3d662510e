import DaybookBytes

/// End of a run: closes outputs, judges gates, collects findings.
extension Runner {
    /// Ends the outputs. Each may show the ledger, which already contains the complete line of the output.
    func finishSinks() throws(DaybookError) {
        let mask = SecretMask(plan.job.secrets)
        var ledger = results.map(\.line)
        for index in ledger.indices { ledger[index].id = mask.masking(ledger[index].id) }
        let job = mask.masking(plan.job.name)
        let summary = RunSummary(job: job, asOf: plan.context.asOf, ledger: ledger, links: plan.links)
        for (index, stage) in open.enumerated() {
            guard let out = stage.output else { continue }
            try stage.writer?.finish(summary, out)
            outcome.measures += (stage.writer?.measures ?? []).map { (plan.stages[index].id, $0) }
            if let groups = stage.writer?.groups, let file = out.files.first {
                file.groups = file.groups ?? SinkGroups()
                file.groups?.add(groups)
            }
            if let page = stage.writer?.page { outcome.pages.append(page) }
            try out.end()
            // The writer's row count must equal the number of input rows.
            let line = results[index].line
            let lost =
                line.rowsIn - line.rejected - line.droppedCount - out.adoptedRows
                - (stage.writer?.writtenRows ?? 0)
            results[index].line.rowsOut -= lost
        }
        outcome.ledger = results.map(\.line)
        outcome.links = plan.links
    }

    func close(_ transaction: OutputTransaction) throws(DaybookError) {
        outcome.gates = Gates(plan, results, inputs).all
        if let baseline {
            if baseline.isFull {
                throw .data(
                    "baseline-too-large",
                    "there are more than \(DisplayText.count(Baseline.mostEntries)) different findings, too many for a baseline",
                    hint: "give the rules that nearly all rows break limits, or leave them out until the data is better"
                )
            }
            outcome.fixed = baseline.fixed
            if case .record = settings.baseline { outcome.baseline = Baseline(baseline.found) }
        }
        outcome.rules = results.flatMap { $0.ruleOutcomes(of: plan.stages[$0.stage]) }
        outcome.errors = faults
        outcome.isPartial = !faults.isEmpty
        outcome.idleStages = plan.stages.filter { $0.isIdle && $0.leftAlone == nil }.map(\.id)
        outcome.earlierRuns = plan.earlierRuns
        outcome.keptOutputs = plan.stages.compactMap { stage in stage.leftAlone.map { (stage.id, $0) } }
        if outcome.exitCode != 0 {
            for stage in open { for file in stage.output?.files ?? [] { transaction.discard(file) } }
            transaction.discardParticipants()
        }
        let files = transaction.outputs
        if settings.isCancelled() { throw .interrupted }
        if outcome.exitCode == 0, !plan.job.isRedirected {
            for container in plan.job.containers {
                outcome.copied.append(try transaction.copy(container, from: settings.directory))
            }
        }
        transaction.hasBases = !bases.isEmpty
        transaction.checkBases = { [self] () throws(DaybookError) in
            guard outcome.exitCode == 0 else { return }
            for base in bases { try base.checkUnchanged(settings.state) }
        }
        gatherFindings()
        let written = {
            files.map {
                RunOutcome.Output(
                    path: $0.path,
                    whole: $0.whole,
                    bytes: $0.byteCount,
                    digest: $0.digest,
                    groups: $0.groups
                )
            }
        }
        defer {
            outcome.outputState = transaction.outputState
            outcome.fedStreams = transaction.fedStreams
            if outcome.outputState == .new {
                outcome.outputs = written()
                outcome.services = outcome.exitCode == 0 ? services : []
                outcome.published = transaction.published(among: files)
            }
        }
        record(transaction, written)
        try transaction.commit()
        if outcome.exitCode == 0 { shardParts?.remove() }
    }

    private var services: [RunOutcome.Service] {
        zip(plan.stages, open).compactMap { stage, open in
            stage.target?.service.map { RunOutcome.Service(address: $0.text, rows: open.writer?.writtenRows ?? 0) }
        }
    }

    /// Makes the commit pass the run's entry to the recorder. The outcome in the entry already contains the outputs.
    private func record(_ transaction: OutputTransaction, _ outputs: @escaping () -> [RunOutcome.Output]) {
        guard let recorder = settings.recorder else { return }
        transaction.makeEntry = { [self] in
            var told = outcome
            told.outputs = outputs()
            told.isRecorded = true
            let entry = recorder.entry(of: transaction.run, told)
            return RunEntry(text: entry.text) { [self] in
                outcome.isRecorded = true
                return entry.keep()
            }
        }
    }

    func gatherInputs() throws(DaybookError) {
        outcome.inputs = []
        let files = inputs?.files ?? []
        if let replay {
            outcome.inputs = try replay.inputs(files)
        } else {
            for file in files { outcome.inputs.append(try file.summary()) }
        }
        // A file that the job both reads and extends is one input.
        let known = Set(outcome.inputs.map(\.path))
        outcome.inputs += bases.compactMap(\.input).filter { !known.contains($0.path) }
    }

    /// Collects the findings at the end of a run, with or without a commit.
    func gatherFindings() {
        (outcome.findings, outcome.tallies) = ([], [])
        let ofJob = (settings.jobWarnings + plan.notes).map { (plan.stage(at: $0.place), RenderedFinding($0)) }
        for (stage, found) in ofJob + (inputs?.warnings ?? []).map({ ($0.stage, $0.finding) }) {
            var warning = found
            warning.stage = plan.stages[stage].id
            outcome.findings.append(warning)
            outcome.tallies.append(
                RunOutcome.Tally(stage: warning.stage, code: warning.code, severity: warning.severity, count: 1)
            )
        }
        for result in results {
            let rules = result.ruleOutcomes(of: plan.stages[result.stage])
            outcome.findings += result.findings.samples.map { sample in
                var finding = sample.finding
                if let rule = sample.rule { finding.severity = rules[rule].severity }
                return finding
            }
            outcome.tallies += result.findings.sortedTallies.map { tally in
                RunOutcome.Tally(
                    stage: result.line.id,
                    code: tally.code,
                    severity: tally.rule.map { rules[$0].severity } ?? tally.severity,
                    column: tally.column,
                    rule: tally.rule.map { rules[$0].rule.id },
                    count: tally.count,
                    known: tally.known,
                    mend: tally.mend
                )
            }
        }
    }
}

extension Plan {
    /// Stage at a place of the job, or the last one above it.
    fileprivate func stage(at place: SourcePlace?) -> Int {
        guard let place else { return 0 }
        return stages.lastIndex { ($0.place.line, $0.place.column) <= (place.line, place.column) } ?? 0
    }
}

extension RenderedFinding {
    /// Finding for a warning about the job.
    init(_ warning: JobWarning) {
        self.init(
            severity: .warning,
            code: warning.code.rawValue,
            message: warning.message + (warning.hint.map { "; \($0)" } ?? ""),
            stage: "",
            jobPlace: warning.place
        )
    }
}

/// Start of a run: opens outputs, each with its writer.
extension Runner {
    func openOutputs(_ transaction: OutputTransaction) throws(DaybookError) {
        results = plan.emptyResults
        open = plan.stages.map { _ in OpenStage() }
        if let publish = plan.job.publish { try inputs?.refuseInputs(in: publish) }
        let checks = OutputChecks(plan, in: settings.directory)
        if let problem = checks.bases.first { throw problem }
        let jobRejects = try plan.job.rejects?.path.map { path throws(DaybookError) in
            try output(path, transaction)
        }
        for (stage, open) in zip(plan.stages, open) where !stage.isIdle {
            open.rejectsOutput =
                try stage.policy.path.map { path throws(DaybookError) in
                    try output(path, transaction)
                } ?? jobRejects
            switch stage.role {
            case .fold:
                if stage.holdsRows { open.held = RowBuffer(memoryLimit: settings.heldBytes) }
            case .sink:
                guard let target = stage.target, case .sink(let sink) = stage.operation else { break }
                let first = sharer(of: target, before: stage.index, checks.key)
                let out: any RunOutput
                if let shared = first?.output {
                    out = shared
                } else if let path = target.path {
                    out =
                        target.isInParts
                        ? try parts(of: path, transaction)
                        : try output(path, isExtended: target.growth != nil, transaction)
                } else {
                    out = NoOutput()
                }
                open.output = out
                open.writer = try sink.writer(in: try context(of: stage, target, sharing: first?.writer, transaction))
                try open.writer?.begin(out)
            case .source, .transform: break
            }
        }
    }

    /// First stage that writes other parts of the same output; nil if there is none.
    private func sharer(of target: SinkTarget, before index: Int, _ key: (String) -> String) -> OpenStage? {
        zip(plan.stages, open).first { stage, open in
            guard stage.index < index, open.writer != nil, let other = stage.target, target.shares(with: other),
                let path = target.path, let otherPath = other.path
            else { return false }
            return key(path.text) == key(otherPath.text)
        }?.1
    }

    private func output(
        _ path: PathText,
        isExtended: Bool = false,
        _ transaction: OutputTransaction
    ) throws(DaybookError) -> OutputFile {
        do {
            // Nothing replaces /dev/null, so the job may also read it.
            if !path.isStandardStream, path.text != "/dev/null" {
                try inputs?.refuse(path, isExtended: isExtended)
            }
            return try transaction.open(path.text, from: settings.directory) { [weak self] written in
                self?.outputLength(after: written)
            }
        } catch {
            throw error.located(at: path.place)
        }
    }

    private func parts(of path: PathText, _ transaction: OutputTransaction) throws(DaybookError) -> PartedOutput {
        do { try inputs?.refuse(path) } catch { throw error.located(at: path.place) }
        return PartedOutput(path, from: settings.directory, transaction)
    }

    /// Estimated final length of an output, if it grows in proportion to the input.
    private func outputLength(after written: Int) -> Int? {
        guard bytesDone > 0, let bytesToRead else { return nil }
        return Int(min(Double(written) * Double(bytesToRead) / Double(bytesDone), 1e18))
    }

    /// The days that the imports of a stage's rows read, in order.
    func days(of stage: PlannedStage) -> [CalendarDay] {
        plan.sources(of: stage.index).reduce(into: Set()) { $0.formUnion(inputs?.days[$1] ?? []) }.sorted()
    }

    private func context(
        of stage: PlannedStage,
        _ target: SinkTarget,
        sharing shared: (any SinkWriter)?,
        _ transaction: OutputTransaction
    ) throws(DaybookError) -> SinkContext {
        var base: BaseInput?
        if shared == nil, let wanted = target.base {
            do throws(DaybookError) {
                base = try BaseInput.find(wanted, in: settings.directory, settings.sha256)
            } catch { throw error.withoutPartsOfSecrets(SecretMask(plan.job.secrets)) }
        }
        if let base { bases.append(base) }
        // Called while outputs are opened, on the thread of the run.
        nonisolated(unsafe) let transaction = transaction
        return SinkContext(
            plan.namedInputs(of: stage.index),
            base: base?.file,
            shared: shared,
            days: days(of: stage),
            dayColumn: plan.sources(of: stage.index).compactMap { [plan] in plan.stages[$0].day?.column }.first,
            isRepeated: settings.chosen != nil,
            isCancelled: settings.isCancelled,
            scratchPath: transaction.scratchPaths,
            join: { participant throws(DaybookError) in try transaction.join(participant) }
        )
    }
}

/// Open state of one stage during a run: its output and its buffered rows. Used by the committing thread only.
final class OpenStage {
    var writer: (any SinkWriter)?
    var output: (any RunOutput)?
    var rejectsOutput: OutputFile?
    /// Rows that a check may still reject, if another stage reads them.
    var held: RowBuffer?
    /// Buffered rows of inputs that wait for other rows, by input.
    var waiting: [Int: RowBuffer] = [:]
    /// Rows of the stage's build sides, by number.
    var sides: [Int: BatchBuffer] = [:]
}

extension [Int: BatchBuffer] {
    /// Appends rows to a build side of a stage.
    mutating func append(
        _ batch: Batch,
        ofSide number: Int,
        of stage: PlannedStage,
        _ scratch: any Scratch
    ) throws(DaybookError) {
        guard batch.count > 0 else { return }
        let empty = BatchBuffer(memoryLimit: stage.binding?.sides[number].memory ?? 0)
        try self[number, default: empty].append(batch, scratch)
    }
}

/// Output of a sink.
package protocol RunOutput: ByteOutput {
    var files: [OutputFile] { get }
    /// Number of rows that other processes have written.
    var adoptedRows: Int { get }

    /// Called after the last row.
    func end() throws(DaybookError)
}

extension RunOutput {
    package var adoptedRows: Int { 0 }
    package func end() {}
}

/// Output of a sink without a file.
final class NoOutput: RunOutput {
    var files: [OutputFile] { [] }

    func write(_ bytes: Bytes, _ part: Range<Int>) {}
}

/// Buffered rows, in order: in memory up to a limit, beyond it on disk.
package struct RowBuffer {
    /// One batch, with the numbers of its rows among the input rows.
    private struct Part {
        var first: Int
        /// Nil if the batch has all rows.
        var kept: [Int32]?
    }

    private var batches: BatchBuffer
    /// One part per batch.
    private var parts: [Part] = []
    private var rowsSeen = 0
    /// Numbers of rejected rows, counted from 0 in the order of arrival.
    private var rejected = RowSet()

    package init(memoryLimit: Int) { batches = BatchBuffer(memoryLimit: memoryLimit) }

    /// Appends rows as copies, without a reference to their morsel.
    ///
    /// - Parameters:
    ///   - count: number of input rows.
    ///   - kept: numbers of the rows in `batch`; nil for all.
    package mutating func append(
        _ batch: Batch,
        of count: Int,
        kept: [Int32]? = nil,
        _ scratch: any Scratch
    ) throws(DaybookError) {
        defer { rowsSeen += count }
        guard batch.count > 0 else { return }
        parts.append(Part(first: rowsSeen, kept: kept))
        try batches.append(batch, scratch)
    }

    /// Marks the rows that late findings reject.
    package mutating func reject(_ late: LateFindings) {
        guard let kept = late.findings.keptRows(of: late.numbers.count) else { return }
        var isKept = [Bool](repeating: false, count: late.numbers.count)
        for row in kept { isKept[Int(row)] = true }
        for (row, number) in late.numbers.enumerated() where !isKept[row] { rejected.insert(number) }
    }

    /// Hands on the rows that may go on, in order.
    package func release(_ isCancelled: () -> Bool, _ body: (Batch) throws(DaybookError) -> Void) throws(DaybookError) {
        for (number, part) in parts.enumerated() {
            if isCancelled() { throw .interrupted }
            let batch = try batches.batch(number)
            guard !rejected.isEmpty else {
                try body(batch)
                continue
            }
            let rest = (0..<batch.count).filter { row in
                !rejected.contains(part.first + (part.kept.map { Int($0[row]) } ?? row))
            }
            try body(batch.keeping(rest.map { Int32($0) }))
        }
    }
}
