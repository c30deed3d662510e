import DaybookCore

/// What a stage rejects of one batch, in the order of the input.
struct Rejects {
    /// The numbers of what each is rejected for, among the subjects of the findings.
    private(set) var subjects: [UInt16]
    /// The row that each is; nil where some are records that became no rows.
    private(set) var rows: [UInt32]?

    var count: Int { subjects.count }

    init(_ events: [FindingEvent], _ findings: Findings) {
        let events = events.filter(\.isReject)
        subjects = events.map { UInt16(truncatingIfNeeded: $0.subject) }
        guard events.allSatisfy({ $0.object != .rejectedRecord }) else { return }
        rows = events.map { event in
            event.object == .failedRow
                ? UInt32(truncatingIfNeeded: event.index) : findings.rejectedRows[event.index].row
        }
    }

    /// The rows that rules reject, in the order of the batch; nil where others are rejected, too.
    ///
    /// - Parameter count: how many there are.
    init?(failedIn findings: Findings, count: Int) {
        guard findings.rejectedRows.isEmpty, findings.rejectedRecords.isEmpty else { return nil }
        let failures = findings.failures.filter { $0.fate == .rejected }
        let subjects = failures.map { UInt16(truncatingIfNeeded: findings.index(of: $0.token)) }
        // Plain numbers, so that a row costs no look at what holds them.
        let bits = failures.flatMap(\.rows.words)
        let words = failures.first?.rows.words.count ?? 0
        var numbers = [UInt16](repeating: 0, count: count)
        let rows = [UInt32](unsafeUninitializedCapacity: count) { rows, filled in
            numbers.withUnsafeMutableBufferPointer { numbers in
                withUnsafeTemporaryAllocation(of: UInt16.self, capacity: 64) { reasons in
                    for word in 0..<words {
                        var gone: UInt64 = 0
                        for failure in failures.indices {
                            var new = bits[failure * words + word] & ~gone
                            gone |= new
                            while new != 0 {
                                reasons[new.trailingZeroBitCount] = subjects[failure]
                                new &= new - 1
                            }
                        }
                        precondition(filled + gone.nonzeroBitCount <= count, "more rows are rejected than were counted")
                        while gone != 0 {
                            let bit = gone.trailingZeroBitCount
                            gone &= gone - 1
                            rows.initializeElement(at: filled, to: UInt32(truncatingIfNeeded: word << 6 | bit))
                            numbers[filled] = reasons[bit]
                            filled += 1
                        }
                    }
                }
            }
        }
        precondition(rows.count == count, "\(count) rejects were counted, and \(rows.count) came")
        self.rows = rows
        self.subjects = numbers
    }
}
