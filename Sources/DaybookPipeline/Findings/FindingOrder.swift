import DaybookCore

/// One finding in its turn.
struct FindingEvent {
    enum Subject {
        /// The place in `rejectedRows`, `warnedRows`, `rejectedRecords` or `warnedRecords`.
        case rejectedRow(Int)
        case warnedRow(Int)
        case rejectedRecord(Int)
        case warnedRecord(Int)
    }

    /// Where the record starts in its morsel; for rows from elsewhere, the number of the row.
    var position: Int
    var subject: Subject

    var isReject: Bool {
        switch subject {
        case .rejectedRow, .rejectedRecord: true
        case .warnedRow, .warnedRecord: false
        }
    }

    func token(in findings: Findings) -> Int {
        switch subject {
        case .rejectedRow(let index): findings.index(of: findings.rejectedRows[index].token)
        case .warnedRow(let index): findings.index(of: findings.warnedRows[index].token)
        case .rejectedRecord(let index): findings.index(of: findings.rejectedRecords[index].token)
        case .warnedRecord(let index): findings.index(of: findings.warnedRecords[index].token)
        }
    }
}

/// Brings findings into the order of the input, so that neither the size of morsels nor the way a stage goes about its
/// work shows in a report. A row that is rejected twice keeps its first reason.
enum FindingOrder {
    static func events(_ findings: Findings, _ finder: PlaceFinder) -> [FindingEvent] {
        var events: [FindingEvent] = []
        events.reserveCapacity(findings.rejectedRows.count + findings.rejectedRecords.count)
        var rejected: Set<UInt32> = []
        let hasSeveralReasons = Set(findings.rejectedRows.map(\.row)).count < findings.rejectedRows.count
        for (index, finding) in findings.rejectedRows.enumerated() {
            if hasSeveralReasons, !rejected.insert(finding.row).inserted { continue }
            events.append(FindingEvent(position: finder.position(of: Int(finding.row)), subject: .rejectedRow(index)))
        }
        for (index, finding) in findings.rejectedRecords.enumerated() {
            events.append(FindingEvent(position: Int(finding.span.start), subject: .rejectedRecord(index)))
        }
        for (index, finding) in findings.warnedRows.enumerated() {
            events.append(FindingEvent(position: finder.position(of: Int(finding.row)), subject: .warnedRow(index)))
        }
        for (index, finding) in findings.warnedRecords.enumerated() {
            events.append(FindingEvent(position: Int(finding.span.start), subject: .warnedRecord(index)))
        }
        let isSorted = zip(events, events.dropFirst()).allSatisfy { $0.position <= $1.position }
        if isSorted { return events }
        // Stable, so that what a stage said first about a record stays first.
        return events.enumerated().sorted { ($0.element.position, $0.offset) < ($1.element.position, $1.offset) }
            .map(\.element)
    }
}
