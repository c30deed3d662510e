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
        isSource = stage.isSource
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
        if counts.rejected > 0 { report.rejectedBySource = counts.bySource(findings, batch, morsel) }
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
                    count: counts.bySubject[index],
                    mend: subject.kind.mend
                )
            )
        }
        let rooms = findings.subjects.map { room[($0.rule ?? -1) + 1] }
        let hasWords = zip(rooms, counts.bySubject).contains { $0 > 0 && $1 > 0 }
        let rejectSchema = counts.rejected > 0 ? rejectSchema : nil
        let writesLines = writesLines && counts.rejected > 0
        guard writesLines || rejectSchema != nil || hasWords else { return report }
        let phrases = findings.subjects.map { FindingPhrase($0, maskedBy: mask) }
        let subjects = zip(phrases, findings.subjects).map { phrase, subject in
            (phrase: phrase, rule: subject.rule.map { rules[$0].id })
        }
        batch.withCellPointers { cells in
            var finder = PlaceFinder(
                findings,
                about: batch,
                cells,
                morsel: morsel,
                archive: archive,
                readsSource: isSource
            )
            func events(_ finder: PlaceFinder) -> [FindingEvent] {
                FindingOrder.events(
                    findings,
                    finder,
                    rows: batch.count,
                    room: rooms,
                    wantsRejects: writesLines || rejectSchema != nil,
                    wantsAll: tellsAll
                )
            }
            let masked = mask.isEmpty ? nil : MaskedFacts(mask, findings.subjects.map { FindingPhrase($0) })
            if writesLines || hasWords {
                var notes = Notes(self, findings.subjects, phrases, room: room)
                if writesLines {
                    notes.writer = RejectWriter(subjects, stage: stage, jobLine: place.line, lines: counts.rejected)
                }
                var facts = FindingFacts(about: 0)
                for event in events(finder) where notes.wants(event) {
                    finder.find(event, &facts)
                    masked?.mask(&facts)
                    notes.note(facts, event)
                }
                report.samples = notes.samples
                report.lines = notes.writer?.finish()
            }
            if let rejectSchema {
                let failed = finder.isInOrder && !finder.showsValues ? Rejects(failedIn: findings) : nil
                let columns = RejectColumns(rejectSchema, subjects, stage: stage, jobLine: place.line)
                report.rows = columns.batch(of: failed ?? Rejects(events(finder), findings), &finder, masked, events)
            }
            withExtendedLifetime((finder, masked)) {}
        }
        return report
    }

    /// What is put down of findings one by one: the first of them in words, and all rejects where they are written to a file.
    private struct Notes {
        let reporter: FindingReporter
        /// By subject.
        let phrases: [FindingPhrase]
        let rules: [Int?]
        let keys: [Int]
        /// How many findings may still be put into words, by rule; what no rule asked for comes first.
        var room: [Int]
        var samples: [FindingReport.Sample] = []
        var writer: RejectWriter?

        init(_ reporter: FindingReporter, _ subjects: [Finding.Subject], _ phrases: [FindingPhrase], room: [Int]) {
            (self.reporter, self.phrases, self.room) = (reporter, phrases, room)
            rules = subjects.map(\.rule)
            keys = rules.map { ($0 ?? -1) + 1 }
        }

        func wants(_ event: FindingEvent) -> Bool {
            room[keys[event.subject]] > 0 || (event.isReject && writer != nil)
        }

        mutating func note(_ facts: FindingFacts, _ event: FindingEvent) {
            let key = keys[event.subject]
            if room[key] > 0 {
                room[key] -= 1
                samples.append(sample(facts, event))
            }
            if event.isReject { writer?.append(facts, at: event.position) }
        }

        private func sample(_ facts: FindingFacts, _ event: FindingEvent) -> FindingReport.Sample {
            let asked = rules[event.subject].map { reporter.rules[$0] }
            let finding = RenderedFinding(
                facts,
                phrases[event.subject],
                stage: reporter.stage,
                rule: asked,
                jobPlace: reporter.place
            )
            var sample = FindingReport.Sample(rule: rules[event.subject], finding: finding)
            sample.example = phrases[event.subject].values(in: finding.message)
            sample.isReject = event.isReject
            sample.isTold = event.isTold
            sample.isJudgement = event.object == .verdict
            return sample
        }
    }
}
