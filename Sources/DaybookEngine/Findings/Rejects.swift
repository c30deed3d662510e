/// Rejects of one stage and one batch. Each reject has a place in the order of the input, from 0.
package struct Rejects {
    /// Rejects about one subject.
    package struct Group {
        /// Index among the subjects of the findings.
        package var subject: Int
        /// Range of their places in `places`.
        package var range: Range<Int>
    }

    package let count: Int
    package let groups: [Group]
    /// Places of the rejects, group after group, ascending in each.
    package let places: [UInt32]
    /// By place, the row; nil if some rejects are records that did not become rows.
    package let rows: [UInt32]?

    package init(_ events: [FindingEvent], _ findings: Findings) {
        let events = events.filter(\.isReject)
        count = events.count
        var bySubject = [[UInt32]](repeating: [], count: findings.subjects.count)
        for (place, event) in events.enumerated() { bySubject[event.subject].append(UInt32(place)) }
        var start = 0
        groups = bySubject.indices.map { subject in
            defer { start += bySubject[subject].count }
            return Group(subject: subject, range: start..<start + bySubject[subject].count)
        }
        places = bySubject.flatMap { $0 }
        guard events.allSatisfy({ $0.object != .rejectedRecord }) else {
            rows = nil
            return
        }
        rows = events.map { event in
            event.object == .failedRow
                ? UInt32(truncatingIfNeeded: event.index) : findings.rejectedRows[event.index].row
        }
    }

    /// Rows that rules reject, in the order of the batch; nil if other rows are rejected, too.
    package init?(failedIn findings: Findings) {
        guard findings.rejectedRows.isEmpty, findings.rejectedRecords.isEmpty else { return nil }
        let failures = findings.failures.filter { $0.fate == .rejected }
        // Plain integers avoid a reference count per row. The first failed rule rejects a row.
        var bits = failures.flatMap(\.rows.words)
        let words = failures.first?.rows.words.count ?? 0
        var gone = [UInt64](repeating: 0, count: words)
        var start = 0
        var groups: [Group] = []
        for (number, failure) in failures.enumerated() {
            let first = start
            for word in 0..<words {
                bits[number * words + word] &= ~gone[word]
                gone[word] |= bits[number * words + word]
                start += bits[number * words + word].nonzeroBitCount
            }
            groups.append(Group(subject: findings.index(of: failure.token), range: first..<start))
        }
        let count = start
        var allRows = [UInt32](repeating: 0, count: count)
        var allPlaces = allRows
        var rows = allRows.mutableSpan
        var places = allPlaces.mutableSpan
        var filled = 0
        var next = groups.map(\.range.lowerBound)
        var own = InlineArray<64, UInt32>(repeating: 0)
        for word in 0..<words {
            var rest = gone[word]
            if rest == .max {
                // Fast path for words in which every row is bad: no result depends on earlier rows.
                for bit in 0..<64 {
                    own[bit] = UInt32(truncatingIfNeeded: filled &+ bit)
                    rows[filled &+ bit] = UInt32(truncatingIfNeeded: word << 6 | bit)
                }
                filled &+= 64
                rest = 0
            }
            while rest != 0 {
                let bit = rest.trailingZeroBitCount
                rest &= rest - 1
                own[bit] = UInt32(truncatingIfNeeded: filled)
                rows[filled] = UInt32(truncatingIfNeeded: word << 6 | bit)
                filled &+= 1
            }
            for number in next.indices {
                var rest = bits[number * words + word]
                var place = next[number]
                while rest != 0 {
                    places[place] = own[rest.trailingZeroBitCount]
                    rest &= rest - 1
                    place &+= 1
                }
                next[number] = place
            }
        }
        (self.count, self.groups, self.rows, self.places) = (count, groups, allRows, allPlaces)
    }
}
