import DaybookCore

/// Finds the places of findings and writes them down.
struct FindingReporter: Sendable {
    let stage: String
    let place: SourcePlace
    let isSource: Bool
    let writesLines: Bool
    /// The columns of the rejects that a later stage reads, or nil when none reads them.
    let rejectSchema: Schema?
    let archive: SourceArchive
    let mask: SecretMask

    /// - Parameters:
    ///   - batch: the rows that the findings speak of; for a source, the rows that it made.
    ///   - morsel: what a source read, for records that never became rows.
    ///   - sampleLimit: how many findings to put into words.
    func report(_ findings: Findings, _ batch: Batch, _ morsel: Morsel?, sampleLimit: Int) -> FindingReport {
        var report = FindingReport()
        let phrases = findings.subjects.map { FindingPhrase($0) }
        let masked = mask.isEmpty ? [] : findings.subjects.map { FindingPhrase($0, maskedBy: mask) }
        var counts = [Int](repeating: 0, count: phrases.count)
        var finder = PlaceFinder(batch: batch, morsel: morsel, archive: archive)
        var notes = Notes(self, sampleLimit: sampleLimit, rejects: findings.rejectedRows.count)
        for event in FindingOrder.events(findings, finder) {
            let token = event.token(in: findings)
            counts[token] += 1
            if event.isReject { report.rejected += 1 }
            guard notes.wants(event) else { continue }
            finder.withFacts(event, findings, phrases[token], readsSource: isSource) { facts in
                guard !mask.isEmpty else { return notes.note(facts, event) }
                facts.masked(by: mask, as: masked[token]) { notes.note($0, event) }
            }
        }
        report.samples = notes.samples
        report.lines = notes.lines
        report.rows = notes.rows?.batch(rejectSchema ?? RejectColumns.schema)
        for (index, subject) in findings.subjects.enumerated() where counts[index] > 0 {
            report.tallies.append(
                FindingReport.Tally(
                    code: subject.kind.code,
                    severity: subject.kind.severity,
                    column: subject.column,
                    count: counts[index]
                )
            )
        }
        return report
    }

    /// What is kept of findings: all rejects where somebody reads them, and the first findings in words.
    private struct Notes {
        let reporter: FindingReporter
        var writer: RejectLine
        let sampleLimit: Int
        var samples: [RenderedFinding] = []
        var lines: RejectLines?
        var rows: RejectColumns?

        init(_ reporter: FindingReporter, sampleLimit: Int, rejects: Int) {
            self.reporter = reporter
            self.sampleLimit = sampleLimit
            writer = RejectLine(stage: reporter.stage, jobLine: reporter.place.line)
            if reporter.writesLines { lines = RejectLines(capacity: 320 * rejects) }
            if reporter.rejectSchema != nil {
                rows = RejectColumns(stage: reporter.stage, jobLine: reporter.place.line)
            }
        }

        func wants(_ event: FindingEvent) -> Bool {
            samples.count < sampleLimit || (event.isReject && (lines != nil || rows != nil))
        }

        mutating func note(_ facts: FindingFacts, _ event: FindingEvent) {
            if samples.count < sampleLimit {
                samples.append(RenderedFinding(facts, stage: reporter.stage, jobPlace: reporter.place))
            }
            guard event.isReject else { return }
            if let bytes = lines?.bytes {
                writer.append(facts, to: bytes)
                lines?.endLine(at: event.position)
            }
            rows?.append(facts)
        }
    }
}
