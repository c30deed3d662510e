import Synchronization

/// Finds the places of findings and reports them. A class, since every finding uses it.
final class FindingReporter: Sendable {
    private let stage: PlannedStage
    /// Id of the stage, without secrets.
    private let id: String
    private let writesRejects: Bool
    /// Whether one record may be several rows, so that a reject names its record.
    private let sharesRecords: Bool
    /// Columns of the rejects: all columns of a reject file, or the columns that later stages read; nil without a
    /// reader.
    private let rejectSchema: Schema?
    private let registry: SourceRegistry
    private let mask: SecretMask
    /// The rules of the stage, by number.
    private let rules: [Rule]
    let limits: FindingLimits

    /// - Parameters:
    ///   - writesRejects: whether the rejects of the stage go to a file.
    ///   - sharesRecords: whether one record may be several rows of the stage.
    ///   - limits: limits of findings with messages.
    init(
        of stage: PlannedStage,
        writesRejects: Bool,
        sharesRecords: Bool,
        registry: SourceRegistry,
        mask: SecretMask,
        limits: FindingLimits
    ) {
        (self.stage, id, rules) = (stage, mask.masking(stage.id), stage.rules)
        rejectSchema =
            writesRejects ? RejectRows.schema : stage.rejectConsumers.isEmpty ? nil : stage.readRejectSchema
        (self.writesRejects, self.sharesRecords) = (writesRejects, sharesRecords)
        (self.registry, self.mask, self.limits) = (registry, mask, limits)
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
        let allowance = limits.allowance(of: stage.index)
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
                readsSource: stage.isSource
            )
            let masked = mask.isEmpty ? nil : MaskedFinding(mask, findings.subjects.map { MessageTemplate($0) })
            var sorted: [FindingEvent]?
            /// Findings in the order of the input. They are sorted only if a file, a stage or a sample needs them.
            func events(_ finder: PlaceFinder) -> [FindingEvent] {
                if let sorted { return sorted }
                let order = FindingOrder(
                    finder: finder,
                    room: limitBySubject,
                    wantsRejects: rejectSchema != nil,
                    wantsAll: limits.wordsAll
                )
                let events = order.events()
                sorted = events
                return events
            }
            if hasWords {
                result.findings.samples = samples(events(finder), templates, allowance, &finder, masked)
            }
            if let rejectSchema {
                let subjects = zip(templates, findings.subjects).map { template, subject in
                    (template: template, rule: subject.rule.map { rules[$0].id })
                }
                let columns = RejectColumns(
                    rejectSchema,
                    subjects,
                    stage: id,
                    jobLine: stage.place.line,
                    sharesRecords: sharesRecords
                )
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

    /// Counts that need no access to rows.
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

    /// First findings with their messages, within the limits of each rule.
    private func samples(
        _ events: [FindingEvent],
        _ templates: [MessageTemplate],
        _ allowance: FindingAllowance,
        _ finder: inout PlaceFinder,
        _ masked: MaskedFinding?
    ) -> [FindingSummary.Sample] {
        var left = allowance
        var samples: [FindingSummary.Sample] = []
        var facts = ResolvedFinding(about: 0)
        for event in events {
            let subject = finder.findings.subjects[event.subject]
            let (rule, once) = (subject.rule, FindingSummary.ToldOnce(subject))
            guard left.take(of: rule, once: once) else { continue }
            finder.find(event, &facts)
            masked?.mask(&facts)
            let template = templates[event.subject]
            let (broken, place) = (rule.map { rules[$0] }, stage.place)
            let finding = RenderedFinding(facts, template, stage: id, rule: broken, jobPlace: place)
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

    private struct Left: Sendable {
        var stages: [FindingAllowance]
        var ofAll: Int
    }

    /// By stage, and for all.
    private let left: Mutex<Left>
    /// Whether every finding gets a text until it is committed, since a baseline has to know each.
    let wordsAll: Bool

    /// - Parameters:
    ///   - most: how many of each rule.
    ///   - rules: the number of rules of each stage.
    ///   - tellsEach: whether findings of which the first stands for all get a text each, as in a shard, whose merge chooses.
    init(_ most: Int, rules: [Int], wordsAll: Bool, tellsEach: Bool = false) {
        let stages = rules.map { FindingAllowance(most, rules: $0, tellsEach: tellsEach) }
        left = Mutex(Left(stages: stages, ofAll: max(FindingLimits.mostOfRun, most)))
        self.wordsAll = wordsAll
    }

    /// The limits of a stage as far as is known by now.
    func allowance(of stage: Int) -> FindingAllowance {
        let allowance = left.withLock { left in
            left.stages[stage].ofAll = left.ofAll
            return left.stages[stage]
        }
        guard wordsAll else { return allowance }
        return FindingAllowance(.max, rules: allowance.left.count - 1, ofAll: .max, tellsEach: true)
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

/// Remaining messages of findings.
struct FindingAllowance: Sendable {
    /// By rule; index 0 is for findings without a rule.
    private(set) var left: [Int]
    /// Reserve for the first findings of each rule, independent of the limit of the run.
    private var first: [Int]
    /// Remaining messages of the run.
    var ofAll: Int
    /// Kinds of findings that one sample represents, and that have this sample already.
    private var told: Set<FindingSummary.ToldOnce> = []
    /// Whether findings that one sample represents get a message each.
    private let tellsEach: Bool

    private static let firstOfEachRule = 10

    init(_ most: Int, rules: Int, ofAll: Int = 0, tellsEach: Bool = false) {
        left = [Int](repeating: most, count: rules + 1)
        first = [Int](repeating: min(most, FindingAllowance.firstOfEachRule), count: rules + 1)
        (self.ofAll, self.tellsEach) = (ofAll, tellsEach)
    }

    /// Remaining messages about a subject, apart from the limit of the run.
    func room(for subject: Finding.Subject) -> Int {
        if let once = FindingSummary.ToldOnce(subject), !tellsEach { return told.contains(once) ? 0 : 1 }
        return left[(subject.rule ?? -1) + 1]
    }

    /// Whether one more message is allowed. If so, subtracts it from the limits.
    ///
    /// - Parameter once: kind of the finding, if one sample represents the kind.
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

/// One finding with its position in the input.
package struct FindingEvent: BitwiseCopyable {
    /// The list that `index` counts.
    package enum Object: BitwiseCopyable {
        /// Index in `rejectedRows`, `warnedRows`, `rejectedRecords`, `warnedRecords` or `verdicts`.
        case rejectedRow, warnedRow, rejectedRecord, warnedRecord, verdict
        /// Row that breaks a rule.
        case failedRow
    }

    /// Start of the record in its morsel; row number for rows from elsewhere.
    package var position: Int
    private let place: UInt32
    private let number: UInt32
    package var object: Object
    /// Whether the finding is the reason of a reject. A row has one reason and may break further rules.
    var isReject: Bool
    /// False for a row that is only counted.
    var isTold: Bool

    package init(
        _ object: Object,
        _ index: Int,
        at position: Int,
        about subject: Int,
        isReject: Bool,
        isTold: Bool = true
    ) {
        (self.object, self.position, self.isReject, self.isTold) = (object, position, isReject, isTold)
        place = UInt32(truncatingIfNeeded: index)
        number = UInt32(truncatingIfNeeded: subject)
    }

    package var index: Int { Int(place) }
    /// Index of the subject among the subjects of the findings.
    package var subject: Int { Int(number) }
}

/// Sorts findings into the order of the input, so that reports depend neither on the size of morsels nor on the method
/// of a stage. A row that is rejected twice keeps its first reason.
struct FindingOrder {
    let finder: PlaceFinder
    /// Limit of findings per subject; `wantsRejects` adds all rejects regardless.
    let room: [Int]
    let wantsRejects: Bool
    /// Whether to include rows that are only counted.
    let wantsAll: Bool

    func events() -> [FindingEvent] {
        let findings = finder.findings
        var events: [FindingEvent] = []
        events.reserveCapacity(findings.rejectedRows.count + findings.rejectedRecords.count)
        var rejected = Mask(count: finder.batch.count)
        func add(_ object: FindingEvent.Object, _ index: Int, at place: Int, _ token: Finding.Token, isReject: Bool) {
            let subject = findings.index(of: token)
            events.append(FindingEvent(object, index, at: place, about: subject, isReject: isReject))
        }
        for (index, verdict) in findings.verdicts.enumerated() {
            add(.verdict, index, at: -1, verdict.token, isReject: false)
        }
        for (index, finding) in findings.rejectedRows.enumerated() {
            let row = Int(finding.row)
            let isFirst = !rejected[row]
            if !isFirst, findings.subjects[findings.index(of: finding.token)].rule == nil { continue }
            rejected.insert(row)
            add(.rejectedRow, index, at: finder.position(of: row), finding.token, isReject: isFirst)
        }
        addFailures(rejected, to: &events)
        for (index, finding) in findings.rejectedRecords.enumerated() {
            add(.rejectedRecord, index, at: Int(finding.span.start), finding.token, isReject: true)
        }
        for (index, finding) in findings.warnedRows.enumerated() {
            add(.warnedRow, index, at: finder.position(of: Int(finding.row)), finding.token, isReject: false)
        }
        for (index, finding) in findings.warnedRecords.enumerated() {
            add(.warnedRecord, index, at: Int(finding.span.start), finding.token, isReject: false)
        }
        let isSorted = zip(events, events.dropFirst()).allSatisfy { $0.position <= $1.position }
        if isSorted { return events }
        // The sort is stable, so that the first finding of a stage about a record stays first.
        return events.enumerated().sorted { ($0.element.position, $0.offset) < ($1.element.position, $1.offset) }
            .map(\.element)
    }

    /// Adds the rows that break rules, row by row, so that the events stay in order. A row that several rules reject
    /// has one reject, and one event per rule while the limits allow.
    private func addFailures(_ rejected: Mask, to events: inout [FindingEvent]) {
        let failures = finder.findings.failures.filter { $0.fate != .counted || wantsAll }
        guard !failures.isEmpty else { return }
        if wantsRejects { events.reserveCapacity(events.count + finder.batch.count) }
        let subjects = failures.map { finder.findings.index(of: $0.token) }
        // Plain integers avoid a reference count per row.
        let bits = failures.flatMap(\.rows.words)
        let words = rejected.words.count
        var left = subjects.map { room[$0] }
        // For 64 rows, by failure: the rows that it rejects first, and the rows that need an event.
        var first = [UInt64](repeating: 0, count: failures.count)
        var wanted = first
        for word in 0..<words {
            var gone = rejected.words[word]
            var rest: UInt64 = 0
            for failure in failures.indices {
                let broken = bits[failure * words + word]
                first[failure] = failures[failure].fate == .rejected ? broken & ~gone : 0
                gone |= first[failure]
                wanted[failure] = left[failure] > 0 ? broken : wantsRejects ? first[failure] : 0
                rest |= wanted[failure]
            }
            while rest != 0 {
                let bit = rest & (~rest + 1)
                let row = word << 6 | rest.trailingZeroBitCount
                rest &= rest - 1
                for failure in failures.indices where wanted[failure] & bit != 0 {
                    let isFirst = first[failure] & bit != 0
                    guard left[failure] > 0 || (isFirst && wantsRejects) else { continue }
                    if left[failure] > 0 { left[failure] -= 1 }
                    events.append(
                        FindingEvent(
                            .failedRow,
                            row,
                            at: finder.position(of: row),
                            about: subjects[failure],
                            isReject: isFirst,
                            isTold: failures[failure].fate != .counted
                        )
                    )
                }
            }
        }
    }
}
