/// Days that follow one another without a gap.
package struct DayRun: Sendable, Hashable, BitwiseCopyable {
    package var first: Int32
    package var last: Int32

    package init(first: Int32, last: Int32) { (self.first, self.last) = (first, last) }

    package var length: Int64 { Int64(last) - Int64(first) + 1 }
}

/// A set of days as runs: sorted, and with at least one day between two.
package struct DayRuns: Sendable, Hashable {
    package private(set) var runs: [DayRun] = []

    package init() {}

    /// The days of a part of an array, which is put in order for it.
    package init(sorting days: inout ArraySlice<Int32>) {
        days.sort()
        for day in days { add(DayRun(first: day, last: day)) }
    }

    /// Adds a run that begins no earlier than the last one.
    private mutating func add(_ run: DayRun) {
        guard let last = runs.last, Int64(run.first) <= Int64(last.last) + 1 else { return runs.append(run) }
        runs[runs.count - 1].last = max(last.last, run.last)
    }

    package mutating func formUnion(_ other: DayRuns) {
        guard let first = other.runs.first else { return }
        // Most input is in order, so most of what comes later lies behind.
        if let last = runs.last, first.first < last.first {
            let mine = runs
            runs = []
            runs.reserveCapacity(mine.count + other.runs.count)
            var (place, otherPlace) = (0, 0)
            while place < mine.count || otherPlace < other.runs.count {
                let isMine =
                    otherPlace == other.runs.count
                    || (place < mine.count && mine[place].first <= other.runs[otherPlace].first)
                if isMine {
                    add(mine[place])
                    place += 1
                } else {
                    add(other.runs[otherPlace])
                    otherPlace += 1
                }
            }
        } else {
            for run in other.runs { add(run) }
        }
    }

    package var days: Int64 { runs.reduce(0) { $0 + $1.length } }

    /// The first of the longest runs.
    package var longest: DayRun? { runs.max { $0.length < $1.length } }

    /// The run that ends on `day` or on the day before, as long as the day itself is not over.
    package func current(on day: CalendarDay) -> DayRun? {
        runs.last.flatMap { Int64($0.last) >= Int64(day.number) - 1 ? $0 : nil }
    }

    package func write(to bytes: Bytes) { bytes.append(array: runs) }

    package init(reading reader: inout ByteReader) throws(DaybookError) { runs = try reader.array() }
}
