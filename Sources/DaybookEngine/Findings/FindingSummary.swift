/// Findings in the rows of one stage: their counts, and the first of them with messages.
///
/// Summaries are merged in the order of the input. They do not depend on batch boundaries.
package struct FindingSummary: Sendable, Codable {
    /// Count of one kind of finding, by code and column.
    package struct Tally: Sendable, Codable {
        package var code: String
        package var severity: Finding.Severity
        package var column: String?
        /// Index of the broken rule in the stage.
        package var rule: Int?
        package var count: Int
        /// Option by which the job can read such values, if there is one.
        package var mend: String?
        /// Number of findings in the baseline.
        package var known = 0
    }

    /// Kind of findings that one sample represents.
    struct ToldOnce: Sendable, Codable, Hashable {
        var code: String
        var column: String?

        init?(_ subject: Finding.Subject) {
            guard subject.kind.isToldOnce else { return nil }
            (code, column) = (subject.kind.code, subject.column)
        }
    }

    /// One finding with its message, and the index of the broken rule.
    package struct Sample: Sendable, Codable {
        package var rule: Int?
        /// Set if the sample represents all findings of its kind.
        var toldOnce: ToldOnce?
        package var finding: RenderedFinding
        /// The values that the message shows after the problem.
        package var example: String?
        /// Whether the finding is the reason of a reject.
        var isReject = false
        /// False for a finding that is only counted, and has a message for the baseline alone.
        var isShown = true
        /// Whether the finding is about all rows together.
        var isJudgement = false
    }

    /// Result of a rule about all rows together.
    package struct Judgement: Sendable, Codable {
        var message: String
        /// Whether the baseline has it.
        var isKnown = false
    }

    package var tallies: [Tally] = []
    /// First findings with messages, within the limits.
    package var samples: [Sample] = []
    /// Number of rejected rows and records by source; nil for rows that a stage made.
    var rejectedBySource: [Int?: Int] = [:]
    /// Number of these rejects in the baseline, by the name of the source.
    private(set) var knownRejectsBySource: [String?: Int] = [:]
    /// Number of rows that each rule checked, by rule index.
    package var checkedRows: [Int: Int] = [:]
    /// Results of rules about all rows together, by rule index.
    var judgements: [Int: Judgement] = [:]
    /// Measurements of rules, by rule index.
    var observations: [Int: RuleObservation] = [:]

    /// Index of tallies by subject, for the tallies compared so far.
    private var places: [Int: [Int]] = [:]
    private var placed = 0

    private enum CodingKeys: CodingKey {
        case tallies, samples, rejectedBySource, knownRejectsBySource, checkedRows, judgements, observations
    }

    var knownRejects: Int { knownRejectsBySource.values.reduce(0, +) }

    /// Independent of batch boundaries: findings without a rule first, then by code and column.
    var sortedTallies: [Tally] {
        tallies.sorted { one, other in
            if one.rule != other.rule { return one.rule ?? -1 < other.rule ?? -1 }
            if one.code != other.code { return one.code < other.code }
            if one.column != other.column { return one.column ?? "" < other.column ?? "" }
            return one.severity.rawValue < other.severity.rawValue
        }
    }

    /// Adds the findings of later rows.
    package mutating func merge(_ later: FindingSummary) {
        for tally in later.tallies {
            guard let same = place(of: tally) else {
                tallies.append(tally)
                continue
            }
            tallies[same].count += tally.count
            tallies[same].known += tally.known
        }
        samples += later.samples
        rejectedBySource.merge(later.rejectedBySource, uniquingKeysWith: +)
        knownRejectsBySource.merge(later.knownRejectsBySource, uniquingKeysWith: +)
        checkedRows.merge(later.checkedRows, uniquingKeysWith: +)
        judgements.merge(later.judgements) { $1 }
        observations.merge(later.observations) { $1 }
    }

    /// Index of the tally with the same subject. A table may have tens of thousands of columns, with a tally each.
    private mutating func place(of tally: Tally) -> Int? {
        guard tallies.count > 32 else { return tallies.firstIndex { $0.isOfSame(as: tally) } }
        for place in placed..<tallies.count { places[tallies[place].subject, default: []].append(place) }
        placed = tallies.count
        return places[tally.subject]?.first { tallies[$0].isOfSame(as: tally) }
    }

    /// Raises record numbers, which count within a morsel, by the records of all earlier morsels.
    mutating func countRecords(from first: Int) {
        guard first > 0 else { return }
        for index in samples.indices { samples[index].finding.record? += first }
    }

    /// Raises record numbers by the name of the source.
    mutating func countRecords(from first: [String: Int]) {
        guard !first.isEmpty else { return }
        for index in samples.indices {
            guard let source = samples[index].finding.source, let before = first[source] else { continue }
            samples[index].finding.record? += before
        }
    }

    /// Removes findings that a baseline has, and counts them. Every finding needs its message.
    mutating func takeOut(knownTo baseline: BaselineLedger) {
        samples.removeAll { sample in
            let finding = sample.finding
            guard baseline.knows(finding) else { return false }
            let tally = tallies.firstIndex {
                $0.code == finding.code && $0.column == finding.field && $0.rule == sample.rule
            }
            if let tally { tallies[tally].known += 1 }
            if sample.isReject { knownRejectsBySource[finding.source, default: 0] += 1 }
            if sample.isJudgement, let rule = sample.rule { judgements[rule]?.isKnown = true }
            return true
        }
        samples.removeAll { !$0.isShown }
    }
}

extension FindingSummary.Tally {
    fileprivate func isOfSame(as other: Self) -> Bool {
        code == other.code && column == other.column && severity == other.severity && rule == other.rule
    }

    /// Hash that tallies of the same subject share.
    fileprivate var subject: Int {
        var hasher = Hasher()
        hasher.combine(code)
        hasher.combine(column)
        hasher.combine(rule)
        return hasher.finalize()
    }
}

/// How often each subject of some findings was found, and how many rows they take out. Needs no places.
struct FindingCounts {
    /// By index of the subject.
    let bySubject: [Int]
    /// Rejected rows and records, each counted once.
    let rejected: Int
    /// Rejected rows; nil if there are none.
    private let gone: Mask?

    init(_ findings: Findings, rows count: Int) {
        var found = [Int](repeating: 0, count: findings.subjects.count)
        var gone: Mask?
        if !findings.rejectedRows.isEmpty || findings.failures.contains(where: { $0.fate == .rejected }) {
            var mask = Mask(count: count)
            for finding in findings.rejectedRows {
                let token = findings.index(of: finding.token)
                // A row that is rejected twice keeps its first reason, but each rule that it breaks counts the row.
                if !mask[Int(finding.row)] || findings.subjects[token].rule != nil { found[token] += 1 }
                mask.insert(Int(finding.row))
            }
            gone = mask
        }
        for failure in findings.failures {
            found[findings.index(of: failure.token)] += failure.rows.setCount
            if failure.fate == .rejected { gone?.formUnion(failure.rows) }
        }
        for finding in findings.warnedRows { found[findings.index(of: finding.token)] += 1 }
        for finding in findings.rejectedRecords { found[findings.index(of: finding.token)] += 1 }
        for finding in findings.warnedRecords { found[findings.index(of: finding.token)] += 1 }
        for verdict in findings.verdicts { found[findings.index(of: verdict.token)] += 1 }
        for (token, count) in findings.untold { found[findings.index(of: token)] += count }
        (bySubject, self.gone) = (found, gone)
        rejected = (gone?.setCount ?? 0) + findings.rejectedRecords.count
    }

    /// Number of rejected rows and records by source; nil for rows that a stage made.
    func bySource(_ findings: Findings, _ batch: Batch, _ morsel: Morsel?) -> [Int?: Int] {
        let rows = rejected - findings.rejectedRecords.count
        var counts: [Int?: Int] = [:]
        if rows < rejected { counts[morsel?.source.index, default: 0] += rejected - rows }
        guard rows > 0 else { return counts }
        switch batch.provenance {
        case .morsel(let morsel, _, _): counts[morsel.source.index, default: 0] += rows
        case .store(let source, _): counts[source.index, default: 0] += rows
        case .made: counts[nil, default: 0] += rows
        case .gathered(let provenance):
            gone?.forEachRow { counts[Int(provenance[$0].source), default: 0] += 1 }
        }
        return counts
    }
}
