/// Results of one morsel or batch from all stages, committed in the order of the input.
struct WorkResult: Sendable {
    /// Buffered rows, with their numbers among the input rows.
    struct Held: Sendable {
        var rows: Batch
        var count: Int
        /// Nil for all.
        var kept: [Int32]?
    }

    /// Work of the committing thread on rows, beside merging the results.
    enum Product: Sendable {
        case nothing
        case piece(any Sendable, input: Int)
        /// Rows that a shard has written for an output in parts.
        case part(OutputPart)
        /// Rows of a fold that buffers them.
        case held(Held)
        /// Buffered rows of an input, which wait for other rows.
        case waiting(Batch, input: Int)
        /// Rows of a build side.
        case side(Batch, number: Int)
    }

    struct Entry: Sendable {
        var result: StageResult
        var rejects: RejectRows?
        var product = Product.nothing
    }

    var entries: [Entry] = []
    /// Rejects as NDJSON, by the number of their file.
    var rejectLines: [(file: Int, lines: RejectLines)] = []
    var source: SourceItem?
    /// Deliveries that remain when there are so many rows that the results so far are committed first.
    var rest: [BatchWork.Delivery] = []
}

/// Takes one morsel or batch through every stage before the next fold or output.
struct BatchWork: Sendable {
    let stages: [PlannedStage]
    let reporters: [FindingReporter]
    /// By stage, the number of its reject file.
    let rejectFiles: [Int?]
    let threads: Int
    private let rejectWriter = RejectLineWriter()

    init(_ plan: Plan, _ reporters: [FindingReporter], threads: Int) {
        (stages, rejectFiles, self.reporters, self.threads) = (plan.stages, plan.rejectFiles, reporters, threads)
    }

    /// Rows to deliver to a stage.
    struct Delivery: Sendable {
        var consumer: PlannedStage.Consumer
        var batch: Batch
        /// Bytes of text that the rows refer to, if counted.
        var textBytes = 0
        /// Whether the rows were buffered before.
        var isReleased = false
        /// Remaining input of a stage that makes rows part by part.
        var parts: (any BatchParts)?
    }

    /// Approximate limit of rows made part by part before a commit.
    private static let mostMadeRows = 1 << 16
    /// Limit of text bytes that rows refer to, before rows are split and results committed. A text of 10 kB that
    /// 100,000 rows share becomes 1 GB when it is copied. With more threads the limit is lower, since more rows are in
    /// flight.
    private var mostText: Int { min(4 << 20, (12 << 20) / (threads + 2)) }

    /// Takes the items of a source through the stages, and passes on the results in the order of the input.
    func read(
        _ feed: any SourceItemFeed,
        of source: Int,
        commit: @escaping (WorkResult) throws(DaybookError) -> Void
    ) throws(DaybookError) {
        let ordered = OrderedParallelMap<SourceItem, WorkResult>(
            threads: threads,
            next: { () throws(DaybookError) in try feed.next() },
            work: { item throws(DaybookError) in try run(item, source: source) },
            commit: commit
        )
        try ordered.run()
    }

    private func run(_ item: SourceItem, source: Int) throws(DaybookError) -> WorkResult {
        let clock = Stopwatch()
        var findings = Findings()
        let batch = item.read(reporting: &findings)
        var result = StageResult(stages[source])
        result.line.rowsIn = findings.recordsSeen
        for (name, count) in findings.skipped { result.line.skipped[name, default: 0] += count }
        let (kept, rejects) = takeOut(findings, batch, batch, item.records, keepsRows: true, &result)
        if let error = result.findings.unlearnt(stages[source].unlearntCodes) { throw error }
        result.line.nanoseconds = clock.elapsed + item.nanoseconds
        let entry = WorkResult.Entry(result: result, rejects: rejects)
        return try flow(deliveries(kept, rejects, from: source), after: [entry], of: item)
    }

    /// Passes the final rows of a stage to its readers, except for late rejects.
    ///
    /// The rows of a check passed on earlier or are buffered; here they only have findings.
    func run(_ batch: Batch, _ findings: Findings, madeBy stage: Int) throws(DaybookError) -> WorkResult {
        let fold = if case .fold(let fold) = stages[stage].role { type(of: fold) } else { nil as (any Fold.Type)? }
        let passesRows = fold?.passesRows ?? false
        var result = StageResult(stages[stage])
        if fold?.keepsRows != true { result.line.made = batch.count }
        let (kept, rejects) = takeOut(findings, batch, batch, nil, keepsRows: true, &result)
        if passesRows { result.line.rowsOut = stages[stage].holdsRows ? 0 : -result.line.rejected }
        let entry = WorkResult.Entry(result: result, rejects: rejects)
        return try flow(deliveries(passesRows ? nil : kept, rejects, from: stage), after: [entry])
    }

    /// Delivers buffered rows to the stage that they were buffered for.
    func release(_ batch: Batch, waitingFor consumer: PlannedStage.Consumer) throws(DaybookError) -> WorkResult {
        try flow([Delivery(consumer: consumer, batch: batch, isReleased: true)])
    }

    /// Delivers the buffered rows of a stage to its readers.
    func release(_ batch: Batch, heldBy stage: Int) throws(DaybookError) -> WorkResult {
        var result = StageResult(stages[stage])
        result.line.rowsOut = batch.count
        return try flow(deliveries(batch, nil, from: stage), after: [WorkResult.Entry(result: result)])
    }

    /// Takes rows through the later stages, depth first, so that the entries are in the order of the branches.
    private func flow(
        _ first: [Delivery],
        after entries: [WorkResult.Entry] = [],
        of source: SourceItem? = nil
    ) throws(DaybookError) -> WorkResult {
        var work = WorkResult(entries: entries, source: source, rest: first.reversed())
        var (made, text) = (0, 0)
        while made < BatchWork.mostMadeRows, text < mostText, let next = work.rest.popLast() {
            text += next.textBytes
            made += try run(next, &work)
        }
        work.rejectLines = rejectLines(of: work.entries)
        return work
    }

    /// Passes on results, and then those of the deliveries that remain after them, part by part.
    func parts(
        of work: WorkResult,
        _ body: (WorkResult) throws(DaybookError) -> Void
    ) throws(DaybookError) {
        var work = work
        try body(work)
        while !work.rest.isEmpty {
            work = try flow(work.rest.reversed())
            try body(work)
        }
    }

    private func deliveries(_ batch: Batch?, _ rejects: RejectRows?, from stage: Int) -> [Delivery] {
        let stage = stages[stage]
        var deliveries = batch.map { self.deliveries($0, to: stage.consumers, from: stage) } ?? []
        if !stage.rejectConsumers.isEmpty, let rejects, rejects.batch.count > 0 {
            // A reject file has further columns beside the ones that stages read.
            let rows = rejects.batch.selecting(.some(Set(stage.readRejectSchema.names)))
            deliveries += self.deliveries(rows, to: stage.rejectConsumers, from: stage)
        }
        return deliveries
    }

    /// Splits rows whose texts would be too large when copied.
    private func deliveries(
        _ batch: Batch,
        to consumers: [PlannedStage.Consumer],
        from stage: PlannedStage
    ) -> [Delivery] {
        guard !consumers.isEmpty, case .transform(let transform) = stage.role,
            batch.mayHoldMuchText(mostText, isMultiplied: transform.makesRows || transform.asJoining != nil)
        else { return consumers.map { Delivery(consumer: $0, batch: batch) } }
        let pieces = batch.cut(toText: mostText)
        return consumers.flatMap { consumer in
            pieces.map { Delivery(consumer: consumer, batch: $0.rows, textBytes: $0.textBytes) }
        }
    }

    /// Lines of stages with the same reject file are in the order of the input, not stage by stage.
    private func rejectLines(of entries: [WorkResult.Entry]) -> [(file: Int, lines: RejectLines)] {
        var files: [(number: Int, parts: [RejectRows])] = []
        for entry in entries {
            guard let rows = entry.rejects, rows.batch.count > 0, let number = rejectFiles[entry.result.stage] else {
                continue
            }
            if let file = files.firstIndex(where: { $0.number == number }) {
                files[file].parts.append(rows)
            } else {
                files.append((number, [rows]))
            }
        }
        return files.flatMap { file in rejectWriter.lines(file.parts).map { (file.number, $0) } }
    }

    /// Takes rows through one stage: adds its entry to `work`, and its output rows to the remaining deliveries.
    ///
    /// - Returns: the number of rows made, if more follow.
    private func run(_ delivery: Delivery, _ work: inout WorkResult) throws(DaybookError) -> Int {
        let (stage, batch) = (stages[delivery.consumer.stage], delivery.batch)
        let input = stage.inputs[delivery.consumer.input]
        var result = StageResult(stage)
        // Rows that the stage keeps enter its ledger when they pass through.
        if let side = input.side {
            let rows = Batch.take(stage.binding.map { needed(batch, of: $0.sides[side]) } ?? batch)
            work.entries.append(WorkResult.Entry(result: result, product: .side(rows, number: side)))
            return 0
        }
        if input.isHeld, !delivery.isReleased {
            let product = WorkResult.Product.waiting(Batch.take(batch), input: delivery.consumer.input)
            work.entries.append(WorkResult.Entry(result: result, product: product))
            return 0
        }
        let clock = Stopwatch()
        var findings = Findings()
        var product = WorkResult.Product.nothing
        var out = batch
        result.line.rowsIn = batch.count
        var passesOn = true
        var keepsRows = true
        var rest: Delivery?
        guard let operation = stage.operation else { preconditionFailure("a stage runs before it knows what it reads") }
        if delivery.parts == nil, let gathering = operation.finishing {
            result.partial = try gathering.partial(of: batch, reporting: &findings)
        }
        switch operation {
        case .transform(let transform):
            if var parts = delivery.parts ?? transform.parts(of: batch) {
                let part = try parts.next(reporting: &findings)
                out = part.rows
                result.line.rowsIn = part.parents
                rest = part.isLast ? nil : delivery
                rest?.parts = parts
            } else {
                out = try transform.process(batch, of: delivery.consumer.input, reporting: &findings)
            }
            keepsRows = !stage.makesRows
        case .fold: passesOn = stage.passesRows && !stage.holdsRows
        case .sink(let sink):
            let input = delivery.consumer.input
            product = .piece(sink.piece(of: batch, from: input, reporting: &findings), input: input)
        }
        let (kept, rejects) = takeOut(findings, batch, out, nil, keepsRows: keepsRows, &result)
        if stage.holdsRows {
            let kept = WorkResult.Held(
                rows: Batch.take(kept),
                count: batch.count,
                kept: findings.keptRows(of: batch.count)
            )
            product = .held(kept)
        }
        if !passesOn { result.line.rowsOut = 0 }
        result.line.nanoseconds = clock.elapsed
        work.entries.append(WorkResult.Entry(result: result, rejects: rejects, product: product))
        if let rest { work.rest.append(rest) }
        work.rest += deliveries(passesOn ? kept : nil, rejects, from: stage.index).reversed()
        return rest == nil ? 0 : result.line.made
    }

    /// Columns of build side rows that the stage needs.
    private func needed(_ batch: Batch, of side: Binding.Side) -> Batch {
        var rows = batch.selecting(side.columns)
        if !side.needsOrigins { rows.provenance = .made }
        return rows
    }

    /// Removes the rejected and dropped rows and counts them in the ledger.
    ///
    /// A stage whose row counts do not add up has violated its contract. This function repairs nothing, so the ledger
    /// shows the difference.
    private func takeOut(
        _ findings: Findings,
        _ input: Batch,
        _ output: Batch,
        _ morsel: Morsel?,
        keepsRows: Bool,
        _ result: inout StageResult
    ) -> (kept: Batch, rejects: RejectRows?) {
        if !keepsRows {
            result.line.folded = findings.unfolded.rows
            result.line.made = findings.unfolded.into
        }
        for (column, count) in findings.filled { result.line.filled[column, default: 0] += count }
        for (column, count) in findings.mended { result.line.mended[column, default: 0] += count }
        for (name, count) in findings.droppedRecords { result.line.dropped[name, default: 0] += count }
        for (_, name) in findings.droppedRows { result.line.dropped[findings.dropNames[Int(name)], default: 0] += 1 }
        guard !findings.isEmpty || !findings.looks.isEmpty else {
            result.line.rowsOut = output.count
            return (output, nil)
        }
        let rejects = reporters[result.stage].report(findings, input, morsel, to: &result)
        guard keepsRows else {
            result.line.rowsOut = output.count
            return (output, rejects)
        }
        let kept = findings.keptRows(of: input.count)
        guard output.count == input.count else {
            // The rows to remove may or may not be gone; in both cases the counts do not balance.
            result.line.rowsOut = output.count - (input.count - (kept?.count ?? input.count))
            return (output, rejects)
        }
        result.line.rowsOut = kept?.count ?? output.count
        // Without readers, the remaining rows are not needed.
        let isRead = !stages[result.stage].consumers.isEmpty
        return (isRead ? kept.map(output.keeping) ?? output : output, rejects)
    }
}

/// Result of one stage for some rows: its line of the ledger, its findings and its partial.
///
/// The results of morsels are merged in the order of the input. The ledger, gates and rules use the merged result.
package struct StageResult: Sendable {
    /// Number of the stage in the plan.
    package let stage: Int
    package var line: LedgerLine
    package var findings = FindingSummary()
    /// Partial of the fold; nil without rows.
    package var partial: (any PartialResult)?
    /// Whether a batch did not balance, which sums over all batches could hide.
    var hasUnbalancedBatch = false

    package init(_ stage: PlannedStage) {
        self.stage = stage.index
        line = LedgerLine(id: stage.id, stage: stage.typeName, isSource: stage.isSource)
    }

    /// Adds the result of later rows.
    mutating func merge(_ later: StageResult, of stage: PlannedStage, _ scratch: any Scratch) throws(DaybookError) {
        line.add(later.line)
        findings.merge(later.findings)
        hasUnbalancedBatch = hasUnbalancedBatch || later.hasUnbalancedBatch
        if let gathered = later.partial {
            try stage.binding?.merger?.merge(erased: gathered, into: &partial, scratch: scratch)
        }
        // The rows of a fold are accounted for only at its end.
        if case .fold = stage.role { return }
        if later.line.unaccounted != 0 { hasUnbalancedBatch = true }
    }
}

extension Plan {
    /// Results of all stages before the first row.
    package var emptyResults: [StageResult] { stages.map { StageResult($0) } }
}
