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
        addFailures(findings, finder, &rejected, room, wantsRejects, wantsAll, to: &events)
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

    /// Adds the rows that break rules, row by row, so that what follows finds them in order. A row that several reject has
    /// one reject, and an event for each while somebody wants them.
    private static func addFailures(
        _ findings: Findings,
        _ finder: PlaceFinder,
        _ rejected: inout Mask,
        _ room: [Int],
        _ wantsRejects: Bool,
        _ wantsAll: Bool,
        to events: inout [FindingEvent]
    ) {
        let failures = findings.failures.filter { $0.fate != .counted || wantsAll }
        guard let words = failures.first?.rows.words.count else { return }
        // Plain numbers, so that a row costs no look at what holds them.
        let bits = failures.flatMap(\.rows.words)
        let tokens = failures.map { findings.index(of: $0.token) }
        let rejects = failures.map { $0.fate == .rejected }
        let told = failures.map { $0.fate != .counted }
        var left = tokens.map { room[$0] }
        for word in 0..<words {
            var rest: UInt64 = 0
            for failure in tokens.indices where left[failure] > 0 || rejects[failure] {
                rest |= bits[failure * words + word]
            }
            while rest != 0 {
                let bit = UInt64(rest.trailingZeroBitCount)
                rest &= rest - 1
                let row = word << 6 | Int(bit)
                for failure in tokens.indices where bits[failure * words + word] >> bit & 1 == 1 {
                    let isFirst = rejects[failure] && !rejected[row]
                    if isFirst { rejected.insert(row) }
                    guard left[failure] > 0 || (isFirst && wantsRejects) else { continue }
                    if left[failure] > 0 { left[failure] -= 1 }
                    events.append(
                        FindingEvent(
                            position: finder.position(of: row),
                            subject: .failedRow(row),
                            token: tokens[failure],
                            isReject: isFirst,
                            isTold: told[failure]
                        )
                    )
                }
            }
        }
    }
}
