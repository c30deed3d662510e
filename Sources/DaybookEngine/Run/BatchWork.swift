import DaybookCore

/// What one morsel or batch came to on its way through the stages, to be committed in the order of the input.
struct WorkResult: Sendable {
    /// Rows that are held back, and which they are of the rows that came.
    struct Held: Sendable {
        var rows: Batch
        var count: Int
        /// Nil for all.
        var kept: [Int32]?
    }

    enum Product: Sendable {
        case nothing
        case piece(any Sendable, input: Int)
        /// What a fold remembers of a batch, and the rows themselves where they are held back.
        case partial(any PartialResult, held: Held?)
        /// Rows of an input that wait until others have come.
        case waiting(Batch, input: Int)
        /// Rows that are looked things up in.
        case side(Batch, number: Int)
    }

    package struct Entry: Sendable {
        var stage: Int
        var line: LedgerLine
        var report: FindingReport?
        var product: Product
    }

    var entries: [Entry] = []
    /// Rejects as NDJSON, by the stage whose reject file takes them.
    var rejects: [(stage: Int, bytes: Bytes)] = []
    var source: (any SourceItem)?

    /// Adds rows that a stage is to keep before anything of theirs enters its book.
    mutating func add(_ product: Product, to stage: PlannedStage) {
        let line = LedgerLine(id: stage.id, stage: stage.typeName)
        entries.append(Entry(stage: stage.index, line: line, report: nil, product: product))
    }
}

/// Takes one morsel or batch through every stage that it reaches before a fold or an output.
struct BatchWork: Sendable {
    let stages: [PlannedStage]
    let states: [StageState]
    let reporters: [FindingReporter]

    func run(_ item: any SourceItem, source: Int) throws(DaybookError) -> WorkResult {
        var result = WorkResult()
        let clock = Stopwatch()
        var findings = Findings()
        let batch = item.read(reporting: &findings)
        var line = LedgerLine(id: stages[source].id, stage: stages[source].typeName)
        line.rowsIn = findings.recordsSeen
        for (name, count) in findings.skipped { line.skipped[name, default: 0] += count }
        let made = settle(source, batch, batch, item.records, findings, keepsRows: true, &line)
        line.nanoseconds = clock.elapsed + item.nanoseconds
        result.source = item
        result.entries.append(WorkResult.Entry(stage: source, line: line, report: made.report, product: .nothing))
        try deliver(made.kept, made.report?.rows, from: source, &result)
        mergeRejects(&result)
        return result
    }

    /// Hands rows that a fold has finished to the stages behind it, but for those that it refuses at the end.
    ///
    /// The rows of a check have gone on long before, or are held back; they are only spoken of here.
    func run(_ batch: Batch, _ findings: Findings, madeBy fold: Int) throws(DaybookError) -> WorkResult {
        var result = WorkResult()
        var line = LedgerLine(id: stages[fold].id, stage: stages[fold].typeName)
        guard case .fold(let node) = stages[fold].role else { preconditionFailure("only a fold finishes") }
        if !type(of: node).keepsRows { line.made = batch.count }
        let settled = settle(fold, batch, batch, nil, findings, keepsRows: true, &line)
        if type(of: node).passesRows { line.rowsOut = stages[fold].holdsRows ? 0 : -line.rejected }
        result.entries.append(WorkResult.Entry(stage: fold, line: line, report: settled.report, product: .nothing))
        try deliver(type(of: node).passesRows ? nil : settled.kept, settled.report?.rows, from: fold, &result)
        mergeRejects(&result)
        return result
    }

    /// Hands rows that waited to the stage for which they did.
    func release(_ batch: Batch, waitingFor consumer: PlannedStage.Consumer) throws(DaybookError) -> WorkResult {
        var result = WorkResult()
        try run(consumer, batch, isReleased: true, &result)
        mergeRejects(&result)
        return result
    }

    /// Hands rows that were held back to the stages that wait for them.
    func release(_ batch: Batch, heldBy stage: Int) throws(DaybookError) -> WorkResult {
        var result = WorkResult()
        var line = LedgerLine(id: stages[stage].id, stage: stages[stage].typeName)
        line.rowsOut = batch.count
        result.entries.append(WorkResult.Entry(stage: stage, line: line, report: nil, product: .nothing))
        try deliver(batch, nil, from: stage, &result)
        mergeRejects(&result)
        return result
    }

    /// Stages that write to one reject file do so in the order of the input, not stage by stage.
    private func mergeRejects(_ result: inout WorkResult) {
        var groups: [(output: OutputSink, stage: Int, parts: [RejectLines])] = []
        for entry in result.entries {
            guard let lines = entry.report?.lines, let output = states[entry.stage].rejectsOutput else { continue }
            if let group = groups.firstIndex(where: { $0.output === output }) {
                groups[group].parts.append(lines)
            } else {
                groups.append((output, entry.stage, [lines]))
            }
        }
        result.rejects = groups.map { ($0.stage, RejectLines.merged($0.parts)) }
    }

    private func deliver(
        _ batch: Batch?,
        _ rejects: Batch?,
        from stage: Int,
        _ result: inout WorkResult
    ) throws(DaybookError) {
        if let batch { for consumer in stages[stage].consumers { try run(consumer, batch, &result) } }
        guard let rejects, rejects.count > 0 else { return }
        for consumer in stages[stage].rejectConsumers { try run(consumer, rejects, &result) }
    }

    private func run(
        _ consumer: PlannedStage.Consumer,
        _ batch: Batch,
        isReleased: Bool = false,
        _ result: inout WorkResult
    ) throws(DaybookError) {
        let stage = stages[consumer.stage]
        let input = stage.inputs[consumer.input]
        if let side = input.side {
            let needed = stage.joining.map { batch.selecting($0.columns(neededOfSide: side)) } ?? batch
            return result.add(.side(Batch.gathering(needed), number: side), to: stage)
        }
        if input.isHeld, !isReleased {
            return result.add(.waiting(Batch.gathering(batch), input: consumer.input), to: stage)
        }
        let clock = Stopwatch()
        var findings = Findings()
        var product = WorkResult.Product.nothing
        var out = batch
        var line = LedgerLine(id: stage.id, stage: stage.typeName)
        line.rowsIn = batch.count
        var passesOn = true
        var keepsRows = true
        switch stage.role {
        case .source: preconditionFailure("a source reads no other stage")
        case .transform(let transform):
            out = transform.process(batch, of: consumer.input, reporting: &findings)
            keepsRows = type(of: transform).keepsRows
        case .fold(let fold):
            product = .partial(try fold.partial(of: batch, reporting: &findings), held: nil)
            passesOn = type(of: fold).passesRows && !stage.holdsRows
        case .sink(let sink): product = .piece(sink.piece(of: batch, reporting: &findings), input: consumer.input)
        }
        let settled = settle(consumer.stage, batch, out, nil, findings, keepsRows: keepsRows, &line)
        if stage.holdsRows, case .partial(let partial, _) = product {
            let held = WorkResult.Held(
                rows: Batch.gathering(settled.kept),
                count: batch.count,
                kept: findings.keptRows(of: batch.count)
            )
            product = .partial(partial, held: held)
        }
        if !passesOn { line.rowsOut = 0 }
        line.nanoseconds = clock.elapsed
        result.entries.append(
            WorkResult.Entry(stage: consumer.stage, line: line, report: settled.report, product: product)
        )
        if passesOn {
            try deliver(settled.kept, settled.report?.rows, from: consumer.stage, &result)
        } else if let rejects = settled.report?.rows, rejects.count > 0 {
            for consumer in stage.rejectConsumers { try run(consumer, rejects, &result) }
        }
    }

    /// Takes the rejected and dropped rows out and writes them into the ledger.
    ///
    /// A stage that returned another number of rows than it was given has broken its promise; nothing is repaired
    /// here, so the ledger shows it.
    private func settle(
        _ index: Int,
        _ input: Batch,
        _ output: Batch,
        _ morsel: Morsel?,
        _ findings: Findings,
        keepsRows: Bool,
        _ line: inout LedgerLine
    ) -> (kept: Batch, report: FindingReport?) {
        if !keepsRows {
            line.folded = findings.unfolded.rows
            line.made = findings.unfolded.into
        }
        for (column, count) in findings.filled { line.filled[column, default: 0] += count }
        for (name, count) in findings.droppedRecords { line.dropped[name, default: 0] += count }
        for (_, name) in findings.droppedRows { line.dropped[findings.dropNames[Int(name)], default: 0] += 1 }
        guard !findings.isEmpty || !findings.looks.isEmpty else {
            line.rowsOut = output.count
            return (output, nil)
        }
        let report = reporters[index].report(findings, input, morsel, room: states[index].roomForFindings)
        line.rejected = report.rejected
        guard keepsRows else {
            line.rowsOut = output.count
            return (output, report)
        }
        let kept = findings.keptRows(of: input.count)
        guard output.count == input.count else {
            // What was to be taken out may or may not be gone; either way the rows do not add up.
            line.rowsOut = output.count - (input.count - (kept?.count ?? input.count))
            return (output, report)
        }
        line.rowsOut = kept?.count ?? output.count
        // Where nobody reads on, nobody needs the rows that are left.
        let isRead = !stages[index].consumers.isEmpty
        return (isRead ? kept.map(output.keeping) ?? output : output, report)
    }
}
