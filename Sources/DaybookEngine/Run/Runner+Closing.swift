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
            if baseline.isFull { throw .tooManyFindings }
            outcome.fixed = baseline.fixed
            if case .record = settings.baseline { outcome.baseline = Baseline(baseline.found) }
        }
        outcome.rules = results.flatMap { $0.ruleOutcomes(of: plan.stages[$0.stage]) }
        outcome.errors = faults
        outcome.isPartial = !faults.isEmpty
        outcome.idleStages = plan.stages.filter { $0.isIdle && $0.leftAlone == nil }.map(\.id)
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
        let ofJob = settings.jobWarnings.map { (plan.stage(at: $0.place), RenderedFinding($0)) }
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

extension DaybookError {
    fileprivate static var tooManyFindings: DaybookError {
        DaybookError(
            "baseline-too-large",
            "there are more than \(DisplayText.count(Baseline.mostEntries)) different findings, too many for a baseline",
            hint: "give the rules that nearly all rows break limits, or leave them out until the data is better",
            blame: .data
        )
    }
}
