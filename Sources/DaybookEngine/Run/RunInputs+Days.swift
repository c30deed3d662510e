import DaybookBytes

extension RunInputs {
    /// The days that the rows of a file hold, for an import that reads its days from a column.
    ///
    /// Reads the file once, with that column alone. Throws at a row without a day: it would belong to no day, and stay in
    /// no output.
    func days(of path: InputPath, _ stage: PlannedStage, _ plan: Plan) throws(DaybookError) -> Set<CalendarDay> {
        guard let source = stage.source, let day = stage.day else { return [] }
        let opened = try open(source, [path])
        if let error = opened.missing.first { throw error }
        try opened.schema.requiringDays(of: day)
        let schema = opened.schema.selecting(.some([day.column.text]))
        let feed = try opened.feed(schema, morselSize: settings.morselSize, registry)
        var days: Set<CalendarDay> = []
        var last: Int32?
        while let item = try feed.next() {
            if settings.isCancelled() { throw .interrupted }
            var findings = Findings()
            let batch = item.read(reporting: &findings)
            guard case .days(let values) = batch.column(day.column) else { continue }
            let rejected = Set(findings.rejectedRows.map(\.row))
            let numbers = values.elements.span
            for row in numbers.indices where !rejected.contains(UInt32(truncatingIfNeeded: row)) {
                if values.missing.isMissing(row) { throw withoutDay(row, batch, item, stage, plan) }
                if numbers[row] != last {
                    last = numbers[row]
                    days.insert(CalendarDay(number: numbers[row]))
                }
            }
        }
        return days
    }

    /// The error about a row without a day, at its place.
    private func withoutDay(
        _ row: Int,
        _ batch: Batch,
        _ item: SourceItem,
        _ stage: PlannedStage,
        _ plan: Plan
    ) -> DaybookError {
        let column = stage.day?.column.text ?? ""
        var findings = Findings()
        let kind = Finding.Kind("no-day", "a row without a day", namesRow: true)
        findings.reject(row, findings.token(kind, in: stage.day?.column))
        let reporter = FindingReporter(
            of: stage,
            writesRejects: false,
            sharesRecords: false,
            registry: registry,
            mask: SecretMask(plan.job.secrets),
            limits: FindingLimits(1, rules: [0], wordsAll: true)
        )
        var result = StageResult(stage)
        _ = reporter.report(findings, batch, item.records, to: &result)
        let found = result.findings.samples.first?.finding
        return .data(
            "no-day",
            "a row has no day in '\(column)', so no day of the output would have it",
            at: found?.source.map { SourcePlace(file: $0, line: found?.line ?? 1, column: found?.column ?? 1) },
            hint: "give it a day; or take such rows out of the file"
        )
    }
}

extension RunInputs.File {
    /// The file, whose rows have some days.
    ///
    /// - Parameter scanned: the file in which they were found; nil for days that were known.
    func holding(_ days: DaysOfFile?, as scanned: InputIdentity?) -> RunInputs.File {
        guard let days else { return self }
        return RunInputs.File(path: path, version: version) { [path] () throws(DaybookError) in
            var input = try summary()
            // What was read is what is there now; other rows may be of other days.
            if let scanned, (try? path.identity()) != scanned {
                throw .machine(
                    "input-changed",
                    "'\(path.shown)' became another file between the look at its days and the read of its rows",
                    hint: "run again"
                )
            }
            input.days = days
            return input
        }
    }
}
