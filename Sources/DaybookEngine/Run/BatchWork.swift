/// What one morsel or batch became on its way through the stages, to be committed in the order of the input.
struct WorkResult: Sendable {
    /// Rows that are held back, and which they are of the rows that came.
    struct Held: Sendable {
        var rows: Batch
        var count: Int
        /// Nil for all.
        var kept: [Int32]?
    }

    /// What the committing thread does with rows, beside merging the results.
    enum Product: Sendable {
        case nothing
        case piece(any Sendable, input: Int)
        /// Rows that a shard has written for an output in parts.
        case part(OutputPart)
        /// The rows of a fold that holds them back.
        case held(Held)
        /// Rows of an input that wait until others have come.
        case waiting(Batch, input: Int)
        /// Rows that are looked things up in.
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
    /// The rows that are still on their way, where these became so many that what they have become so far is committed first.
    fileprivate var rest: [BatchWork.Delivery] = []

    init(entries: [Entry] = [], rejectLines: [(file: Int, lines: RejectLines)] = [], source: SourceItem? = nil) {
        (self.entries, self.rejectLines, self.source) = (entries, rejectLines, source)
    }
}

/// Takes one morsel or batch through every stage that it reaches before a fold or an output.
struct BatchWork: Sendable {
    let stages: [PlannedStage]
    let reporters: [FindingReporter]
    /// By stage, the number of the reject file that it writes to.
    let rejectFiles: [Int?]
    private let rejectWriter = RejectLineWriter()

    init(stages: [PlannedStage], reporters: [FindingReporter], rejectFiles: [Int?], threads: Int) {
        (self.stages, self.reporters, self.rejectFiles) = (stages, reporters, rejectFiles)
        mostText = min(4 << 20, (12 << 20) / (threads + 2))
    }

    /// Rows on their way to a stage.
    fileprivate struct Delivery: Sendable {
        var consumer: PlannedStage.Consumer
        var batch: Batch
        /// Bytes of text that the rows point to, where that was counted.
        var textBytes = 0
        /// Whether they have waited already.
        var isReleased = false
        /// What the stage has not yet made of them, where it makes rows part by part.
        var parts: (any BatchParts)?
    }

    /// About how many rows may be made part by part before they are committed.
    private static let mostMadeRows = 1 << 16
    /// The most bytes of text that rows point to before they are cut, and before what they became is committed. A text of 10 kB that
    /// 100,000 rows share is 1 GB for whoever copies it. With more threads it is less, as more rows are on their way.
    private let mostText: Int

    func run(_ item: SourceItem, source: Int) throws(DaybookError) -> WorkResult {
        let clock = Stopwatch()
        var findings = Findings()
        let batch = item.read(reporting: &findings)
        var result = StageResult(stages[source])
        result.line.rowsIn = findings.recordsSeen
        for (name, count) in findings.skipped { result.line.skipped[name, default: 0] += count }
        let (kept, rejects) = takeOut(findings, batch, batch, item.records, keepsRows: true, &result)
        if let error = result.findings.unlearnt { throw error }
        result.line.nanoseconds = clock.elapsed + item.nanoseconds
        var work = WorkResult(entries: [WorkResult.Entry(result: result, rejects: rejects)], source: item)
        try flow(deliveries(kept, rejects, from: source), &work)
        return work
    }

    /// Hands rows that a stage gives at its end to those behind it, but for those that it refuses then.
    ///
    /// The rows of a check have gone on long before, or are held back; here they only have findings.
    func run(_ batch: Batch, _ findings: Findings, madeBy stage: Int) throws(DaybookError) -> WorkResult {
        let fold = if case .fold(let fold) = stages[stage].role { type(of: fold) } else { nil as (any Fold.Type)? }
        let passesRows = fold?.passesRows ?? false
        var result = StageResult(stages[stage])
        if fold?.keepsRows != true { result.line.made = batch.count }
        let (kept, rejects) = takeOut(findings, batch, batch, nil, keepsRows: true, &result)
        if passesRows { result.line.rowsOut = stages[stage].holdsRows ? 0 : -result.line.rejected }
        var work = WorkResult(entries: [WorkResult.Entry(result: result, rejects: rejects)])
        try flow(deliveries(passesRows ? nil : kept, rejects, from: stage), &work)
        return work
    }

    /// Hands rows that waited to the stage for which they did.
    func release(_ batch: Batch, waitingFor consumer: PlannedStage.Consumer) throws(DaybookError) -> WorkResult {
        var work = WorkResult()
        try flow([Delivery(consumer: consumer, batch: batch, isReleased: true)], &work)
        return work
    }

    /// Hands rows that were held back to the stages that wait for them.
    func release(_ batch: Batch, heldBy stage: Int) throws(DaybookError) -> WorkResult {
        var result = StageResult(stages[stage])
        result.line.rowsOut = batch.count
        var work = WorkResult(entries: [WorkResult.Entry(result: result)])
        try flow(deliveries(batch, nil, from: stage), &work)
        return work
    }

    /// Takes rows through the stages behind, depth first, so that the entries stand in the order of the branches.
    private func flow(_ first: [Delivery], _ work: inout WorkResult) throws(DaybookError) {
        work.rest = first.reversed()
        var (made, text) = (0, 0)
        while made < BatchWork.mostMadeRows, text < mostText, let next = work.rest.popLast() {
            text += next.textBytes
            made += try run(next, &work)
        }
        work.rejectLines = rejectLines(of: work.entries)
    }

    /// What becomes of the rows that were left on their way when `work` was done; nil when there are none.
    func rest(of work: WorkResult) throws(DaybookError) -> WorkResult? {
        guard !work.rest.isEmpty else { return nil }
        var next = WorkResult()
        try flow(work.rest.reversed(), &next)
        return next
    }

    private func deliveries(_ batch: Batch?, _ rejects: RejectRows?, from stage: Int) -> [Delivery] {
        let stage = stages[stage]
        var deliveries = batch.map { self.deliveries($0, to: stage.consumers, from: stage) } ?? []
        if !stage.rejectConsumers.isEmpty, let rejects, rejects.batch.count > 0 {
            // A file has columns beside those that stages read.
            let rows = rejects.batch.selecting(.some(Set(stage.readRejectSchema.names)))
            deliveries += self.deliveries(rows, to: stage.rejectConsumers, from: stage)
        }
        return deliveries
    }

    /// Cuts rows whose texts come to much when they are copied.
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

    /// Stages that write to one reject file do so in the order of the input, not stage by stage.
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

    /// Takes rows through one stage: adds its entry to `work` and what becomes of the rows to the rest of it.
    ///
    /// - Returns: how many rows it made, if more are to come.
    private func run(_ delivery: Delivery, _ work: inout WorkResult) throws(DaybookError) -> Int {
        let (stage, batch) = (stages[delivery.consumer.stage], delivery.batch)
        let input = stage.inputs[delivery.consumer.input]
        var result = StageResult(stage)
        // Rows that the stage is to keep enter its ledger when they flow.
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

    /// What a stage has to know of rows of a build side.
    private func needed(_ batch: Batch, of side: Binding.Side) -> Batch {
        var rows = batch.selecting(side.columns)
        if !side.needsOrigins { rows.provenance = .made }
        return rows
    }

    /// Takes the rejected and dropped rows out and writes them into the ledger.
    ///
    /// A stage that returned another number of rows than it was given has broken its promise; nothing is repaired
    /// here, so the ledger shows it.
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
            // What was to be taken out may or may not be gone; either way the rows do not add up.
            result.line.rowsOut = output.count - (input.count - (kept?.count ?? input.count))
            return (output, rejects)
        }
        result.line.rowsOut = kept?.count ?? output.count
        // Where nobody reads on, nobody needs the rows that are left.
        let isRead = !stages[result.stage].consumers.isEmpty
        return (isRead ? kept.map(output.keeping) ?? output : output, rejects)
    }
}

/// What one stage made of some rows: its line of the ledger, what it found and what it gathered.
///
/// The results of morsels are merged in the order of the input; the merge of all is what the ledger, gates and rules are judged by.
package struct StageResult: Sendable {
    /// The number of the stage in the plan.
    package let stage: Int
    package var line: LedgerLine
    package var findings = FindingSummary()
    /// What it has gathered of the rows; nil when none came.
    package var partial: (any PartialResult)?
    /// Whether some batch did not balance in itself, which the sums over all batches could hide.
    var hasUnbalancedBatch = false

    package init(_ stage: PlannedStage) {
        self.stage = stage.index
        line = LedgerLine(id: stage.id, stage: stage.typeName, isSource: stage.isSource)
    }

    /// Adds what the stage made of later rows.
    mutating func merge(_ later: StageResult, of stage: PlannedStage, _ scratch: any Scratch) throws(DaybookError) {
        line.add(later.line)
        findings.merge(later.findings)
        hasUnbalancedBatch = hasUnbalancedBatch || later.hasUnbalancedBatch
        if let gathered = later.partial {
            try stage.binding?.merger?.merge(erased: gathered, into: &partial, scratch: scratch)
        }
        // What becomes of the rows of a fold is only known at its end.
        if case .fold = stage.role { return }
        if later.line.unaccounted != 0 { hasUnbalancedBatch = true }
    }
}

extension Plan {
    /// The results of all stages before any row came.
    package var emptyResults: [StageResult] { stages.map { StageResult($0) } }
}
