import DaybookBytes

/// Start of a run: opens outputs, each with its writer.
extension Runner {
    func openOutputs(_ transaction: OutputTransaction) throws(DaybookError) {
        results = plan.emptyResults
        open = plan.stages.map { _ in OpenStage() }
        if let publish = plan.job.publish { try inputs?.refuseInputs(in: publish, settings) }
        let checks = OutputChecks(stages: plan.stages, rejects: plan.rejectPaths) { [settings] in
            FilePath.canonical(FilePath.join(settings.directory, $0))
        }
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
                try inputs?.refuse(path, isExtended: isExtended, settings)
            }
            return try transaction.open(path.text, from: settings.directory) { [weak self] written in
                self?.outputLength(after: written)
            }
        } catch {
            throw error.located(at: path.place)
        }
    }

    private func parts(of path: PathText, _ transaction: OutputTransaction) throws(DaybookError) -> PartedOutput {
        do { try inputs?.refuse(path, settings) } catch { throw error.located(at: path.place) }
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
            scratchPath: transaction.scratchPaths,
            join: { participant throws(DaybookError) in try transaction.join(participant) }
        )
    }
}
