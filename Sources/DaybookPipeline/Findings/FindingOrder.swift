import DaybookCore

/// One finding in its turn.
struct FindingEvent {
    enum Subject {
        /// The place in `rejectedRows`, `warnedRows`, `rejectedRecords`, `warnedRecords` or `verdicts`.
        case rejectedRow(Int)
        case warnedRow(Int)
        case rejectedRecord(Int)
        case warnedRecord(Int)
        case verdict(Int)
        /// A row that breaks a rule.
        case failedRow(Int)
    }

    /// Where the record starts in its morsel; for rows from elsewhere, the number of the row.
    var position: Int
    var subject: Subject
    /// The number of what the finding is about, among the subjects of the findings.
    var token: Int
    /// Whether it is why its row or record is rejected; a row has one reason, and may break further rules.
    var isReject: Bool
    /// False for a row that is only counted.
    var isTold = true
}

/// Brings findings into the order of the input, so that neither the size of morsels nor the way a stage goes about its
/// work shows in a report. A row that is rejected twice keeps its first reason.
enum FindingOrder {
    /// - Parameters:
    ///   - room: how many findings about each subject are wanted; rejects come all the same with `wantsRejects`.
    ///   - wantsAll: whether rows come too that are only counted.
    static func events(
        _ findings: Findings,
        _ finder: PlaceFinder,
        rows count: Int,
        room: [Int],
        wantsRejects: Bool,
        wantsAll: Bool = false
    ) -> [FindingEvent] {
        var events: [FindingEvent] = []
        events.reserveCapacity(findings.rejectedRows.count + findings.rejectedRecords.count)
        var rejected = Mask(count: count)
        for (index, verdict) in findings.verdicts.enumerated() {
            let token = findings.index(of: verdict.token)
            events.append(FindingEvent(position: -1, subject: .verdict(index), token: token, isReject: false))
        }
        for (index, finding) in findings.rejectedRows.enumerated() {
            let row = Int(finding.row)
            let token = findings.index(of: finding.token)
            let isFirst = !rejected[row]
            if !isFirst, findings.subjects[token].rule == nil { continue }
            rejected.insert(row)
            events.append(
                FindingEvent(
                    position: finder.position(of: row),
                    subject: .rejectedRow(index),
                    token: token,
                    isReject: isFirst
                )
            )
        }
        for failure in findings.failures where failure.fate != .counted || wantsAll {
            let token = findings.index(of: failure.token)
            var left = failure.fate == .rejected && wantsRejects ? Int.max : room[token]
            for row in failure.rows.rows {
                let isFirst = failure.fate == .rejected && !rejected[row]
                if isFirst { rejected.insert(row) }
                guard left > 0 else { continue }
                left -= 1
                events.append(
                    FindingEvent(
                        position: finder.position(of: row),
                        subject: .failedRow(row),
                        token: token,
                        isReject: isFirst,
                        isTold: failure.fate != .counted
                    )
                )
            }
        }
        for (index, finding) in findings.rejectedRecords.enumerated() {
            events.append(
                FindingEvent(
                    position: Int(finding.span.start),
                    subject: .rejectedRecord(index),
                    token: findings.index(of: finding.token),
                    isReject: true
                )
            )
        }
        for (index, finding) in findings.warnedRows.enumerated() {
            events.append(
                FindingEvent(
                    position: finder.position(of: Int(finding.row)),
                    subject: .warnedRow(index),
                    token: findings.index(of: finding.token),
                    isReject: false
                )
            )
        }
        for (index, finding) in findings.warnedRecords.enumerated() {
            events.append(
                FindingEvent(
                    position: Int(finding.span.start),
                    subject: .warnedRecord(index),
                    token: findings.index(of: finding.token),
                    isReject: false
                )
            )
        }
        let isSorted = zip(events, events.dropFirst()).allSatisfy { $0.position <= $1.position }
        if isSorted { return events }
        // Stable, so that what a stage said first about a record stays first.
        return events.enumerated().sorted { ($0.element.position, $0.offset) < ($1.element.position, $1.offset) }
            .map(\.element)
    }
}
