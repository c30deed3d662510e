import Synchronization

/// Finds the places of findings and writes them down. A class, since every finding asks it.
final class FindingReporter: Sendable {
    private let stage: String
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
    ///   - limits: how many findings are put into words.
    init(
        of stage: PlannedStage,
        writesRejects: Bool,
        registry: SourceRegistry,
        mask: SecretMask,
        limits: FindingLimits
    ) {
        self.stage = mask.masking(stage.id)
        place = stage.place
        (isSource, self.writesRejects) = (stage.isSource, writesRejects)
        rejectSchema =
            writesRejects ? RejectRows.schema : stage.rejectConsumers.isEmpty ? nil : stage.readRejectSchema
        (self.registry, self.mask, self.limits) = (registry, mask, limits)
        rules = stage.rules
    }

    /// - Parameters:
    ///   - batch: the rows that the findings speak of; for a source, the rows that it made.
    ///   - morsel: what a source read, for records that never became rows.
    func report(_ findings: Findings, _ batch: Batch, _ morsel: Morsel?) -> FindingReport {
        let counts = FindingCounts(findings, rows: batch.count)
        var report = FindingReport(summary: summary(findings, counts), rejected: counts.rejected)
        if counts.rejected > 0 { report.summary.rejectedBySource = counts.bySource(findings, batch, morsel) }
        let allowance = limits.allowance
        let limitBySubject = findings.subjects.map(allowance.room)
        let hasWords = zip(limitBySubject, counts.bySubject).contains { $0 > 0 && $1 > 0 }
        let rejectSchema = counts.rejected > 0 ? rejectSchema : nil
        guard rejectSchema != nil || hasWords else { return report }
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
                report.summary.samples = samples(events(finder), findings, templates, allowance, &finder, masked)
            }
            if let rejectSchema {
                let subjects = zip(templates, findings.subjects).map { template, subject in
                    (template: template, rule: subject.rule.map { rules[$0].id })
                }
                let columns = RejectColumns(rejectSchema, subjects, stage: stage, jobLine: place.line)
                let failed = finder.isInOrder && !finder.showsValues ? Rejects(failedIn: findings) : nil
                report.rejects = RejectRows(
                    batch: columns.batch(of: failed ?? Rejects(events(finder), findings), &finder, masked, events),
                    positions: writesRejects ? events(finder).filter(\.isReject).map(\.position) : []
                )
            }
            withExtendedLifetime((finder, masked)) {}
        }
        return report
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
            let finding = RenderedFinding(
                facts,
                template,
                stage: stage,
                rule: rule.map { rules[$0] },
                jobPlace: place
            )
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

/// How many findings of a whole run may still be put into words: with hundreds of rules, a thousand of each are too many to keep and to read.
final class FindingBudget: Sendable {
    private let left: Mutex<Int>

    /// The most findings in words of one run, whatever it is that they are about; more only where more of each rule are asked for.
    static let most = 10_000

    init(ofEachRule most: Int) { left = Mutex(max(FindingBudget.most, most)) }

    var current: Int { left.withLock { $0 } }

    /// Only the committing thread does so.
    func set(_ count: Int) { left.withLock { $0 = count } }
}

/// How many findings of one stage may still be put into words: a number for each rule, and one for what no rule asked for.
///
/// Workers read the limits to spare themselves words that nobody will read; the committing thread lowers them.
final class FindingLimits: Sendable {
    private let left: Mutex<FindingAllowance>
    private let budget: FindingBudget
    /// Whether all findings have to be in words until they are committed, since a baseline has to know each.
    let wordsAll: Bool

    /// - Parameter tellsEach: whether each of those is put into words of which one stands for all, as in a shard, whose merge chooses.
    init(_ most: Int, rules: Int, wordsAll: Bool, tellsEach: Bool = false, budget: FindingBudget) {
        left = Mutex(FindingAllowance(most, rules: rules, tellsEach: tellsEach))
        (self.wordsAll, self.budget) = (wordsAll, budget)
    }

    /// By rule, what no rule asked for first.
    var current: [Int] { allowance.left }

    /// What may be put into words as far as is known by now.
    var allowance: FindingAllowance {
        var allowance = left.withLock { $0 }
        if wordsAll { return FindingAllowance(.max, rules: allowance.left.count - 1, ofAll: .max, tellsEach: true) }
        allowance.ofAll = budget.current
        return allowance
    }

    /// Leaves the samples that the limits still allow, and lowers the limits by them.
    func apply(to findings: inout FindingSummary) {
        guard !findings.samples.isEmpty else { return }
        left.withLock { left in
            left.ofAll = budget.current
            findings.samples.removeAll { !left.take(of: $0.rule, once: $0.toldOnce) }
            budget.set(left.ofAll)
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
