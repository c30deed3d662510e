/// What `count_streaks` gives of the days of a group.
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
        // The days of each group, one group behind the other.
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
