import Synchronization

/// Finds the places of findings and writes them down. A class, since every finding asks it.
final class FindingReporter: Sendable {
    private let stage: String
    private let index: Int
    private let place: SourcePlace
    private let isSource: Bool
    private let writesRejects: Bool
    /// The columns of rejects that somebody takes: all that a file has, or what later stages read; nil when nobody does.
    private let rejectSchema: Schema?
    private let registry: SourceRegistry
    private let mask: SecretMask
    /// The rules of the stage, by number.
    private let rules: [Rule]
    let limits: FindingLimits

    /// - Parameters:
    ///   - writesRejects: whether the rejects of the stage go to a file.
    ///   - limits: how many findings of the run get a text.
    init(
        of stage: PlannedStage,
        writesRejects: Bool,
        registry: SourceRegistry,
        mask: SecretMask,
        limits: FindingLimits
    ) {
        self.stage = mask.masking(stage.id)
        place = stage.place
        (index, isSource, self.writesRejects) = (stage.index, stage.isSource, writesRejects)
        rejectSchema =
            writesRejects ? RejectRows.schema : stage.rejectConsumers.isEmpty ? nil : stage.readRejectSchema
        (self.registry, self.mask, self.limits) = (registry, mask, limits)
        rules = stage.rules
    }

    /// Adds the findings about a batch to the result of its stage, and returns the rejects if a file or a stage takes them.
    ///
    /// - Parameters:
    ///   - batch: the rows of the findings; for a source, the rows that it made.
    ///   - morsel: the input of a source, for records that became no rows.
    func report(_ findings: Findings, _ batch: Batch, _ morsel: Morsel?, to result: inout StageResult) -> RejectRows? {
        let counts = FindingCounts(findings, rows: batch.count)
        result.findings = summary(findings, counts)
        result.line.rejected = counts.rejected
        if counts.rejected > 0 { result.findings.rejectedBySource = counts.bySource(findings, batch, morsel) }
        let allowance = limits.allowance(of: index)
        let limitBySubject = findings.subjects.map(allowance.room)
        let hasWords = zip(limitBySubject, counts.bySubject).contains { $0 > 0 && $1 > 0 }
        let rejectSchema = counts.rejected > 0 ? rejectSchema : nil
        guard rejectSchema != nil || hasWords else { return nil }
        var rejects: RejectRows?
        let templates = findings.subjects.map { MessageTemplate($0, maskedBy: mask) }
        batch.withCellPointers { cells in
            var finder = PlaceFinder(
                findings,
                about: batch,
                Array(cells),
                morsel: morsel,
                registry: registry,
                readsSource: isSource
            )
            let masked = mask.isEmpty ? nil : MaskedFinding(mask, findings.subjects.map { MessageTemplate($0) })
            var sorted: [FindingEvent]?
            /// The findings in the order of the input, which are only sorted where somebody needs them.
            func events(_ finder: PlaceFinder) -> [FindingEvent] {
                if let sorted { return sorted }
                let events = FindingOrder.events(
                    findings,
                    finder,
                    rows: batch.count,
                    room: limitBySubject,
                    wantsRejects: rejectSchema != nil,
                    wantsAll: self.limits.wordsAll
                )
                sorted = events
                return events
            }
            if hasWords {
                result.findings.samples = samples(events(finder), findings, templates, allowance, &finder, masked)
            }
            if let rejectSchema {
                let subjects = zip(templates, findings.subjects).map { template, subject in
                    (template: template, rule: subject.rule.map { rules[$0].id })
                }
                let columns = RejectColumns(rejectSchema, subjects, stage: stage, jobLine: place.line)
                let failed = finder.isInOrder && !finder.showsValues ? Rejects(failedIn: findings) : nil
                rejects = RejectRows(
                    batch: columns.batch(of: failed ?? Rejects(events(finder), findings), &finder, masked, events),
                    positions: writesRejects ? events(finder).filter(\.isReject).map(\.position) : []
                )
            }
            withExtendedLifetime((finder, masked)) {}
        }
        return rejects
    }

    /// What can be counted without a look at any row.
    private func summary(_ findings: Findings, _ counts: FindingCounts) -> FindingSummary {
        var summary = FindingSummary()
        for look in findings.looks { summary.checkedRows[look.rule, default: 0] += look.rows }
        for verdict in findings.verdicts {
            guard let rule = findings.subjects[findings.index(of: verdict.token)].rule else { continue }
            summary.judgements[rule] = FindingSummary.Judgement(message: mask.masking(verdict.message))
        }
        for (rule, observation) in findings.observations {
            summary.observations[rule] = observation
            summary.observations[rule]?.comparison = observation.comparison.map(mask.masking)
        }
        for (subject, count) in zip(findings.subjects, counts.bySubject) where count > 0 {
            summary.tallies.append(
                FindingSummary.Tally(
                    code: subject.kind.code,
                    severity: subject.kind.severity,
                    column: subject.column,
                    rule: subject.rule,
                    count: count,
                    mend: subject.kind.mend
                )
            )
        }
        return summary
    }

    /// The first findings in words, as many of each rule as the limits allow.
    private func samples(
        _ events: [FindingEvent],
        _ findings: Findings,
        _ templates: [MessageTemplate],
        _ allowance: FindingAllowance,
        _ finder: inout PlaceFinder,
        _ masked: MaskedFinding?
    ) -> [FindingSummary.Sample] {
        var left = allowance
        var samples: [FindingSummary.Sample] = []
        var facts = ResolvedFinding(about: 0)
        for event in events {
            let subject = findings.subjects[event.subject]
            let (rule, once) = (subject.rule, FindingSummary.ToldOnce(subject))
            guard left.take(of: rule, once: once) else { continue }
            finder.find(event, &facts)
            masked?.mask(&facts)
            let template = templates[event.subject]
            let finding = RenderedFinding(facts, template, stage: stage, rule: rule.map { rules[$0] }, jobPlace: place)
            samples.append(
                FindingSummary.Sample(
                    rule: rule,
                    toldOnce: once,
                    finding: finding,
                    example: template.values(in: finding.message),
                    isReject: event.isReject,
                    isShown: event.isTold,
                    isJudgement: event.object == .verdict
                )
            )
        }
        return samples
    }
}

/// How many findings of a run still get a text: a number for each rule of each stage, one for other findings of the
/// stage, and one for all, since with hundreds of rules a thousand of each are too many to keep and to read.
///
/// Workers read the limits and make no texts beyond them; the committing thread lowers them.
final class FindingLimits: Sendable {
    /// The most findings with a text in one run; more only where more of each rule are requested.
    static let mostOfRun = 10_000

    /// By stage, and for all.
    private let left: Mutex<(stages: [FindingAllowance], ofAll: Int)>
    /// Whether every finding gets a text until it is committed, since a baseline has to know each.
    let wordsAll: Bool

    /// - Parameters:
    ///   - most: how many of each rule.
    ///   - rules: the number of rules of each stage.
    ///   - tellsEach: whether findings of which the first stands for all get a text each, as in a shard, whose merge chooses.
    init(_ most: Int, rules: [Int], wordsAll: Bool, tellsEach: Bool = false) {
        let stages = rules.map { FindingAllowance(most, rules: $0, tellsEach: tellsEach) }
        left = Mutex((stages, max(FindingLimits.mostOfRun, most)))
        self.wordsAll = wordsAll
    }

    /// The limits of a stage as far as is known by now.
    func allowance(of stage: Int) -> FindingAllowance {
        var (allowance, ofAll) = left.withLock { ($0.stages[stage], $0.ofAll) }
        if wordsAll { return FindingAllowance(.max, rules: allowance.left.count - 1, ofAll: .max, tellsEach: true) }
        allowance.ofAll = ofAll
        return allowance
    }

    /// Leaves the samples that the limits of a stage still allow, and lowers the limits by them.
    func apply(to findings: inout FindingSummary, of stage: Int) {
        guard !findings.samples.isEmpty else { return }
        left.withLock { left in
            left.stages[stage].ofAll = left.ofAll
            findings.samples.removeAll { !left.stages[stage].take(of: $0.rule, once: $0.toldOnce) }
            left.ofAll = left.stages[stage].ofAll
        }
    }
}

/// How many findings may still be put into words.
struct FindingAllowance: Sendable {
    /// By rule, what no rule asked for first.
    private(set) var left: [Int]
    /// The same for the first few of each rule, which are told whatever else there is.
    private var first: [Int]
    /// How many of all.
    var ofAll: Int
    /// Of which one is told and stands for all: these have been.
    private var told: Set<FindingSummary.ToldOnce> = []
    /// Whether even of those each is told.
    private let tellsEach: Bool

    private static let firstOfEachRule = 10

    init(_ most: Int, rules: Int, ofAll: Int = 0, tellsEach: Bool = false) {
        left = [Int](repeating: most, count: rules + 1)
        first = [Int](repeating: min(most, FindingAllowance.firstOfEachRule), count: rules + 1)
        (self.ofAll, self.tellsEach) = (ofAll, tellsEach)
    }

    /// How many findings about a subject may still be put into words, whatever else there is.
    func room(for subject: Finding.Subject) -> Int {
        if let once = FindingSummary.ToldOnce(subject), !tellsEach { return told.contains(once) ? 0 : 1 }
        return left[(subject.rule ?? -1) + 1]
    }

    /// Whether one more may be put into words, which is then taken off.
    ///
    /// - Parameter once: what it is one of, where only the first of those is told.
    mutating func take(of rule: Int?, once: FindingSummary.ToldOnce? = nil) -> Bool {
        let key = (rule ?? -1) + 1
        guard left[key] > 0, ofAll > 0 || first[key] > 0 else { return false }
        if let once, !tellsEach, !told.insert(once).inserted { return false }
        left[key] -= 1
        first[key] = max(0, first[key] - 1)
        ofAll = max(0, ofAll - 1)
        return true
    }
}
