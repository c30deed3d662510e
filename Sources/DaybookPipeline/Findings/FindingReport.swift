import DaybookCore

/// What the findings of one stage about one batch come to.
struct FindingReport: Sendable {
    /// How often each kind was found, by code and column.
    struct Tally: Sendable {
        var code: String
        var severity: Finding.Severity
        var column: String?
        var count: Int
    }

    var tallies: [Tally] = []
    /// The first findings in words, as many as were asked for.
    var samples: [RenderedFinding] = []
    /// The rejects as NDJSON, when they are to be written.
    var lines: Bytes?
    /// The rejects as rows, when a stage reads them.
    var rows: Batch?
    /// How many rows and records are rejected, each once.
    var rejected = 0
}

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
        let phrases = findings.subjects.map(FindingPhrase.init)
        var counts = [Int](repeating: 0, count: phrases.count)
        let lines = writesLines ? Bytes(capacity: 512 * findings.rejectedRows.count) : nil
        var rows = rejectSchema.map { _ in RejectColumns(stage: stage, jobLine: place.line) }
        let writer = RejectLine(stage: stage, jobLine: place.line)
        func note(_ facts: FindingFacts, isReject: Bool) {
            if !mask.isEmpty { return facts.masked(by: mask) { write($0, isReject: isReject) } }
            write(facts, isReject: isReject)
        }
        func write(_ facts: FindingFacts, isReject: Bool) {
            if report.samples.count < sampleLimit {
                report.samples.append(RenderedFinding(facts, stage: stage, jobPlace: place))
            }
            guard isReject else { return }
            if let lines { writer.append(facts, to: lines) }
            rows?.append(facts)
        }
        let isWritten = writesLines || rejectSchema != nil
        var finder = PlaceFinder(batch: batch, morsel: morsel, archive: archive)

        // Record findings and row findings of one morsel are merged by place, so that the reject file follows the input.
        var nextRecord = 0
        func noteRecords(before limit: Int) {
            while nextRecord < findings.rejectedRecords.count {
                let record = findings.rejectedRecords[nextRecord]
                guard Int(record.span.start) < limit else { return }
                counts[findings.index(of: record.token)] += 1
                report.rejected += 1
                if isWritten || report.samples.count < sampleLimit {
                    finder.withRecord(record, phrases[findings.index(of: record.token)]) { facts in
                        var facts = facts
                        facts.ownMessage = findings.message(ofRejectedRecord: nextRecord)
                        note(facts, isReject: true)
                    }
                }
                nextRecord += 1
            }
        }
        var rejected = [Bool](repeating: false, count: findings.rejectedRows.isEmpty ? 0 : batch.count)
        let order = findings.rejectedRows.indices.sorted {
            (findings.rejectedRows[$0].row, $0) < (findings.rejectedRows[$1].row, $1)
        }
        for index in order {
            let finding = findings.rejectedRows[index]
            let row = Int(finding.row)
            guard !rejected[row] else { continue }
            noteRecords(before: finder.start(of: row))
            rejected[row] = true
            let token = findings.index(of: finding.token)
            counts[token] += 1
            report.rejected += 1
            guard isWritten || report.samples.count < sampleLimit else { continue }
            finder.withRow(row, phrases[token], readsSource: isSource) { facts in
                var facts = facts
                facts.ownMessage = findings.message(ofRejectedRow: index)
                note(facts, isReject: true)
            }
        }
        noteRecords(before: .max)
        for (index, finding) in findings.warnedRows.enumerated() {
            let token = findings.index(of: finding.token)
            counts[token] += 1
            guard report.samples.count < sampleLimit else { continue }
            finder.withRow(Int(finding.row), phrases[token], readsSource: isSource) { facts in
                var facts = facts
                facts.ownMessage = findings.message(ofWarnedRow: index)
                note(facts, isReject: false)
            }
        }
        for record in findings.warnedRecords {
            let token = findings.index(of: record.token)
            counts[token] += 1
            guard report.samples.count < sampleLimit else { continue }
            finder.withRecord(record, phrases[token]) { note($0, isReject: false) }
        }
        report.lines = lines
        report.rows = rejectSchema.flatMap { rows?.batch($0) }
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
}
