import DaybookCore

/// What `count_streaks` gives of the days of a group.
package enum StreakFigure: CaseIterable, Sendable {
    case current, longest, longestFrom, longestTo, days, entries, gaps
}

/// The days of each group, each day once, and how many entries they have.
package struct DaySets: GroupValues {
    package static let code = GroupValuesCode.days

    private var sets: [DayRuns] = []
    private var entries: [Int64] = []
    /// How many runs the groups have in all.
    private var runCount = 0

    package init() {}

    package mutating func grow(to groups: Int) {
        sets.append(contentsOf: repeatElement(DayRuns(), count: groups - sets.count))
        entries.extend(to: groups, with: 0)
    }

    package mutating func add(_ column: ColumnName?, of batch: Batch, _ groups: RowCodes) {
        guard let column else { preconditionFailure("days are those of a column") }
        let days = batch.days(in: column).elements
        // The days of each group, one group behind the other.
        var ends = [Int](repeating: 0, count: sets.count)
        for group in groups.codes { ends[Int(group)] += 1 }
        var end = 0
        for group in ends.indices {
            entries[group] += Int64(ends[group])
            end += ends[group]
            ends[group] = end - ends[group]
        }
        var sorted = [Int32](repeating: 0, count: end)
        for (row, group) in groups.codes.enumerated() {
            sorted[ends[Int(group)]] = days[row]
            ends[Int(group)] += 1
        }
        var start = 0
        for group in sets.indices {
            unite(DayRuns(sorting: &sorted[start..<ends[group]]), with: group)
            start = ends[group]
        }
    }

    private mutating func unite(_ days: DayRuns, with group: Int) {
        runCount -= sets[group].runs.count
        sets[group].formUnion(days)
        runCount += sets[group].runs.count
    }

    package mutating func merge(_ later: DaySets, _ places: [Int32]) {
        for (group, place) in places.enumerated() {
            unite(later.sets[group], with: Int(place))
            entries[Int(place)] += later.entries[group]
        }
    }

    package var emptied: DaySets { DaySets() }

    package func taking(_ groups: [Int32]) -> DaySets {
        var result = DaySets()
        result.sets = groups.map { sets[Int($0)] }
        result.entries = entries.taking(groups)
        result.runCount = result.sets.reduce(0) { $0 + $1.runs.count }
        return result
    }

    package func fill(_ column: ResultColumn, _ result: GroupResult, _ groups: [Int32], _ rows: [Int32]) {
        guard case .streak(let figure, let asOf) = result else { preconditionFailure("of days streaks are asked") }
        column.fill(groups, rows) { group in
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

    /// The runs of a group are an array of their own.
    package var footprint: Int { sets.capacity * 8 + sets.count * 48 + entries.footprint + runCount * 8 }

    package func write(_ groups: Range<Int>, to bytes: Bytes) {
        bytes.append(packed: entries[groups])
        for days in sets[groups] { days.write(to: bytes) }
    }

    package init(reading reader: inout ByteReader, groups: Int) throws(DaybookError) {
        entries = try reader.packed(groups)
        for _ in 0..<groups {
            let days = try DayRuns(reading: &reader)
            runCount += days.runs.count
            sets.append(days)
        }
    }
}
