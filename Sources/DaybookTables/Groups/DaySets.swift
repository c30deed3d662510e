/// A result of `count_streaks` over the days of a group.
package enum StreakFigure: CaseIterable, Sendable {
    case current, longest, longestFrom, longestTo, days, entries, gaps
}

/// The days of each group, each day once, and how many entries they have.
package struct DaySets: GroupValues {
    package static let code = GroupValuesCode.days

    private(set) var sets: [DayRuns] = []
    private var entries: [Int64] = []

    package init() {}

    package mutating func grow(to groups: Int) {
        sets.append(contentsOf: repeatElement(DayRuns(), count: groups - sets.count))
        entries.extend(to: groups, with: 0)
    }

    package mutating func add(_ column: ColumnName?, of batch: Batch, _ groups: [Int32]) {
        guard let column else { preconditionFailure("days are those of a column") }
        let days = batch.days(in: column).elements
        // The days of each group, group by group.
        var ends = [Int](repeating: 0, count: sets.count)
        for group in groups { ends[Int(group)] += 1 }
        var end = 0
        for group in ends.indices {
            entries[group] += Int64(ends[group])
            end += ends[group]
            ends[group] = end - ends[group]
        }
        var sorted = [Int32](repeating: 0, count: end)
        for (row, group) in groups.enumerated() {
            sorted[ends[Int(group)]] = days[row]
            ends[Int(group)] += 1
        }
        var start = 0
        for group in sets.indices {
            sets[group].formUnion(DayRuns(sorting: &sorted[start..<ends[group]]))
            start = ends[group]
        }
    }

    package func write(_ groups: Range<Int>, to bytes: Bytes) {
        bytes.append(packed: entries[groups])
        for days in sets[groups] { days.write(to: bytes) }
    }

    package mutating func merge(_ reader: inout ByteReader, _ places: [Int32]) throws(DaybookError) {
        try reader.forEachPacked(places.count) { (group, count: Int64) in entries[Int(places[group])] += count }
        for place in places { sets[Int(place)].formUnion(try DayRuns(reading: &reader)) }
    }

    package func fill(_ column: ResultColumn, _ result: GroupResult) {
        guard case .streak(let figure, let asOf) = result else { preconditionFailure("of days streaks are asked") }
        column.fill { group in
            let days = sets[group]
            // A group has an entry, and so a run.
            return switch figure {
            case .current: days.current(on: asOf)?.length ?? 0
            case .longest: days.longest?.length
            case .longestFrom: days.longest.map { Int64($0.first) }
            case .longestTo: days.longest.map { Int64($0.last) }
            case .days: days.days
            case .entries: entries[group]
            case .gaps: Int64(days.runs.count) - 1
            }
        }
    }
}

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

    /// The days of a part of an array, which is sorted in place.
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
        // Most input is in order, so later days mostly belong at the end.
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
