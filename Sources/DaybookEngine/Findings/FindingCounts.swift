/// How often each subject of some findings was found, and how many rows they take out. Needs no places.
struct FindingCounts {
    /// By the number of the subject.
    private(set) var bySubject: [Int]
    /// Rows and records that are rejected, each once.
    private(set) var rejected = 0

    init(_ findings: Findings, rows count: Int) {
        var found = [Int](repeating: 0, count: findings.subjects.count)
        var gone: Mask?
        if !findings.rejectedRows.isEmpty || findings.failures.contains(where: { $0.fate == .rejected }) {
            var mask = Mask(count: count)
            for finding in findings.rejectedRows {
                let token = findings.index(of: finding.token)
                // A row that is rejected twice keeps its first reason, but each rule that it breaks counts it.
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
        bySubject = found
        rejected = (gone?.setCount ?? 0) + findings.rejectedRecords.count
    }
    /// How many of the rejected rows and records were read from each source; nil stands for rows that a stage made.
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
            var isGone = Mask(count: batch.count)
            for finding in findings.rejectedRows { isGone.insert(Int(finding.row)) }
            for failure in findings.failures where failure.fate == .rejected { isGone.formUnion(failure.rows) }
            for row in 0..<batch.count where isGone[row] { counts[Int(provenance[row].source), default: 0] += 1 }
        }
        return counts
    }
}
