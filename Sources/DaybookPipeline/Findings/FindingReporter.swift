import DaybookCore

/// Finds the places of findings and writes them down. A class, since every finding asks it.
final class FindingReporter: Sendable {
    let stage: String
    let place: SourcePlace
    let isSource: Bool
    let writesLines: Bool
    /// The columns of the rejects that a later stage reads, or nil when none reads them.
    let rejectSchema: Schema?
    let archive: SourceArchive
    let mask: SecretMask
    /// The rules of the stage, by number.
    let rules: [Rule]
    /// Whether every finding is put into words, for a baseline has to know each.
    let tellsAll: Bool

    /// - Parameter rejectSchema: the columns of the rejects that a later stage reads, or nil when none reads them.
    init(
        of stage: PlannedStage,
        writesLines: Bool,
        rejectSchema: Schema?,
        archive: SourceArchive,
        mask: SecretMask,
        tellsAll: Bool
    ) {
        self.stage = mask.masking(stage.id)
        place = stage.place
        isSource = { if case .source = stage.role { true } else { false } }()
        self.writesLines = writesLines
        self.rejectSchema = rejectSchema
        self.archive = archive
        self.mask = mask
        rules = stage.rules
        self.tellsAll = tellsAll
    }

    /// - Parameters:
    ///   - batch: the rows that the findings speak of; for a source, the rows that it made.
    ///   - morsel: what a source read, for records that never became rows.
    ///   - room: how many findings to put into words, by rule; what no rule asked for comes first.
    func report(_ findings: Findings, _ batch: Batch, _ morsel: Morsel?, room: [Int]) -> FindingReport {
        var report = FindingReport()
        let counts = FindingCounts(findings, rows: batch.count)
        report.rejected = counts.rejected
        report.looks = findings.looks
        report.judgements = findings.verdicts.compactMap { verdict in
            findings.subjects[findings.index(of: verdict.token)].rule.map { ($0, mask.masking(verdict.message)) }
        }
        for (index, subject) in findings.subjects.enumerated() where counts.bySubject[index] > 0 {
            report.tallies.append(
                FindingReport.Tally(
                    code: subject.kind.code,
                    severity: subject.kind.severity,
                    column: subject.column,
                    rule: subject.rule,
                    count: counts.bySubject[index]
                )
            )
        }
        let rooms = findings.subjects.map { room[($0.rule ?? -1) + 1] }
        let wantsRejects = (writesLines || rejectSchema != nil) && counts.rejected > 0
        guard wantsRejects || zip(rooms, counts.bySubject).contains(where: { $0 > 0 && $1 > 0 }) else { return report }
        let phrases = findings.subjects.map { FindingPhrase($0) }
        let masked = mask.isEmpty ? [] : findings.subjects.map { FindingPhrase($0, maskedBy: mask) }
        var finder = PlaceFinder(batch: batch, morsel: morsel, archive: archive)
        var notes = Notes(self, room: room, rejects: counts.rejected)
        let events = FindingOrder.events(
            findings,
            finder,
            rows: batch.count,
            room: rooms,
            wantsRejects: wantsRejects,
            wantsAll: tellsAll
        )
        for event in events {
            let rule = findings.subjects[event.token].rule
            guard notes.wants(event, rule) else { continue }
            finder.withFacts(event, findings, phrases[event.token], readsSource: isSource) { facts in
                guard !mask.isEmpty else { return notes.note(facts, event, rule) }
                facts.masked(by: mask, as: masked[event.token]) { notes.note($0, event, rule) }
            }
        }
        report.samples = notes.samples
        report.lines = notes.lines
        report.rows = notes.rows?.batch(rejectSchema ?? RejectColumns.schema)
        return report
    }

    /// What is kept of findings: all rejects where somebody reads them, and the first findings in words.
    private struct Notes {
        let reporter: FindingReporter
        var writer: RejectLine
        /// How many findings may still be put into words, by rule; what no rule asked for comes first.
        var room: [Int]
        var samples: [FindingReport.Sample] = []
        var lines: RejectLines?
        var rows: RejectColumns?

        init(_ reporter: FindingReporter, room: [Int], rejects: Int) {
            self.reporter = reporter
            self.room = room
            writer = RejectLine(stage: reporter.stage, jobLine: reporter.place.line)
            if reporter.writesLines { lines = RejectLines(capacity: 320 * rejects) }
            if reporter.rejectSchema != nil {
                rows = RejectColumns(stage: reporter.stage, jobLine: reporter.place.line)
            }
        }

        func wants(_ event: FindingEvent, _ rule: Int?) -> Bool {
            room[(rule ?? -1) + 1] > 0 || (event.isReject && (lines != nil || rows != nil))
        }

        mutating func note(_ facts: FindingFacts, _ event: FindingEvent, _ rule: Int?) {
            let key = (rule ?? -1) + 1
            if room[key] > 0 {
                room[key] -= 1
                let asked = rule.map { reporter.rules[$0] }
                let finding = RenderedFinding(facts, stage: reporter.stage, rule: asked, jobPlace: reporter.place)
                var sample = FindingReport.Sample(rule: rule, finding: finding)
                sample.isReject = event.isReject
                sample.isTold = event.isTold
                if case .verdict = event.subject { sample.isJudgement = true }
                samples.append(sample)
            }
            guard event.isReject else { return }
            if let bytes = lines?.bytes {
                writer.append(facts, rule: rule.map { reporter.rules[$0].id }, to: bytes)
                lines?.endLine(at: event.position)
            }
            rows?.append(facts, rule: rule.map { reporter.rules[$0].id })
        }
    }
}
