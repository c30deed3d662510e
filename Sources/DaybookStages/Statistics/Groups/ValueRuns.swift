import DaybookCore

/// All numbers of each group, each number once with how often it stands there: what a median needs.
///
/// It takes 16 bytes for each number that differs from the others of its group. Numbers are kept as whole numbers that sort as they do.
struct ValueRuns: GroupValues {
    static let code = GroupValuesCode.runs

    private struct Run: Sendable, BitwiseCopyable {
        var value: Int64
        var group: UInt32
        var count: UInt32
    }

    private var runs: [Run] = []
    /// How many of the runs are sorted, each value of a group once.
    private var compacted = 0
    private static let slack = 1 << 14

    init() {}

    mutating func grow(to groups: Int) {}

    mutating func add(_ column: ColumnName?, of batch: Batch, _ groups: RowCodes) {
        guard let column else { preconditionFailure("a median is that of a column") }
        batch[column].sortable.forEachValue(groups.codes) { _, group, value in
            runs.append(Run(value: value, group: UInt32(truncatingIfNeeded: group), count: 1))
        }
        compact()
    }

    mutating func merge(_ later: ValueRuns, _ places: [Int32]) {
        for run in later.runs {
            let group = UInt32(truncatingIfNeeded: places[Int(run.group)])
            runs.append(Run(value: run.value, group: group, count: run.count))
        }
        // Sorting only what has doubled keeps the work in proportion to the input.
        if runs.count > 2 * compacted + Self.slack { compact() }
    }

    private mutating func compact() {
        runs.sort { $0.group != $1.group ? $0.group < $1.group : $0.value < $1.value }
        var end = 0
        for place in runs.indices {
            let run = runs[place]
            if end > 0, runs[end - 1].group == run.group, runs[end - 1].value == run.value {
                let (count, overflowed) = runs[end - 1].count.addingReportingOverflow(run.count)
                if !overflowed {
                    runs[end - 1].count = count
                    continue
                }
            }
            runs[end] = run
            end += 1
        }
        runs.removeSubrange(end...)
        compacted = end
    }

    /// The two values in the middle of each group, the same one where their number is odd; nil for a group without any.
    func middles(_ groups: Int) -> [(low: Int64, high: Int64)?] {
        var sorted = self
        sorted.compact()
        var result = [(low: Int64, high: Int64)?](repeating: nil, count: groups)
        var rest = sorted.runs[...]
        while let first = rest.first {
            let mine = rest.prefix { $0.group == first.group }
            let count = mine.reduce(0) { $0 + Int($1.count) }
            result[Int(first.group)] = (Self.value((count - 1) / 2, mine), Self.value(count / 2, mine))
            rest = rest[mine.endIndex...]
        }
        return result
    }

    private static func value(_ place: Int, _ runs: ArraySlice<Run>) -> Int64 {
        var place = place
        for run in runs {
            place -= Int(run.count)
            if place < 0 { return run.value }
        }
        preconditionFailure("the middle of some values lies among them")
    }

    var emptied: ValueRuns { ValueRuns() }

    func split(_ split: GroupSplit) -> [ValueRuns] {
        var parts = [ValueRuns](repeating: ValueRuns(), count: split.sizes.count)
        for run in runs {
            let group = UInt32(truncatingIfNeeded: split.places[Int(run.group)])
            parts[Int(split.parts[Int(run.group)])].runs.append(Run(value: run.value, group: group, count: run.count))
        }
        return parts
    }

    var footprint: Int { runs.count * MemoryLayout<Run>.stride }

    func write(to bytes: Bytes) { bytes.append(array: runs) }

    init(reading reader: inout ByteReader, groups: Int) throws(DaybookError) {
        runs = try reader.array()
        compact()
    }
}
