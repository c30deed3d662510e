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
enum FindingOrder {
    /// - Parameters:
    ///   - room: limit of findings per subject; `wantsRejects` adds all rejects regardless.
    ///   - wantsAll: whether to include rows that are only counted.
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
            let subject = findings.index(of: verdict.token)
            events.append(FindingEvent(.verdict, index, at: -1, about: subject, isReject: false))
        }
        for (index, finding) in findings.rejectedRows.enumerated() {
            let row = Int(finding.row)
            let subject = findings.index(of: finding.token)
            let isFirst = !rejected[row]
            if !isFirst, findings.subjects[subject].rule == nil { continue }
            rejected.insert(row)
            let position = finder.position(of: row)
            events.append(FindingEvent(.rejectedRow, index, at: position, about: subject, isReject: isFirst))
        }
        addFailures(findings, finder, rows: count, rejected, room, wantsRejects, wantsAll, to: &events)
        for (index, finding) in findings.rejectedRecords.enumerated() {
            let subject = findings.index(of: finding.token)
            let position = Int(finding.span.start)
            events.append(FindingEvent(.rejectedRecord, index, at: position, about: subject, isReject: true))
        }
        for (index, finding) in findings.warnedRows.enumerated() {
            let subject = findings.index(of: finding.token)
            let position = finder.position(of: Int(finding.row))
            events.append(FindingEvent(.warnedRow, index, at: position, about: subject, isReject: false))
        }
        for (index, finding) in findings.warnedRecords.enumerated() {
            let subject = findings.index(of: finding.token)
            let position = Int(finding.span.start)
            events.append(FindingEvent(.warnedRecord, index, at: position, about: subject, isReject: false))
        }
        let isSorted = zip(events, events.dropFirst()).allSatisfy { $0.position <= $1.position }
        if isSorted { return events }
        // The sort is stable, so that the first finding of a stage about a record stays first.
        return events.enumerated().sorted { ($0.element.position, $0.offset) < ($1.element.position, $1.offset) }
            .map(\.element)
    }

    /// Adds the rows that break rules, row by row, so that the events stay in order. A row that several rules reject
    /// has one reject, and one event per rule while the limits allow.
    private static func addFailures(
        _ findings: Findings,
        _ finder: PlaceFinder,
        rows count: Int,
        _ rejected: Mask,
        _ room: [Int],
        _ wantsRejects: Bool,
        _ wantsAll: Bool,
        to events: inout [FindingEvent]
    ) {
        let failures = findings.failures.filter { $0.fate != .counted || wantsAll }
        guard !failures.isEmpty else { return }
        if wantsRejects { events.reserveCapacity(events.count + count) }
        let subjects = failures.map { findings.index(of: $0.token) }
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
