/// All numbers of each group, each number once with its count: the input of a median.
///
/// It takes 16 bytes for each distinct number of a group. Numbers are stored as whole numbers that sort alike.
package struct ValueRuns: GroupValues {
    package static let code = GroupValuesCode.runs

    private struct Run: Sendable, BitwiseCopyable {
        var value: Int64
        var group: UInt32
        var count: UInt32
    }

    private var runs: [Run] = []
    /// How many of the runs are sorted, each value of a group once.
    private var compacted = 0
    private static let slack = 1 << 14

    /// Whether the numbers are whole, and not decimals.
    private let isWhole: Bool

    package var parameter: UInt8 { isWhole ? 1 : 0 }

    package init(isWhole: Bool) { self.isWhole = isWhole }

    package mutating func grow(to groups: Int) {}

    package mutating func add(_ column: ColumnName?, of batch: Batch, _ groups: [Int32]) {
        guard let column else { preconditionFailure("a median is that of a column") }
        batch[column].sortable.forEachValue(groups) { _, group, value in
            runs.append(Run(value: value, group: UInt32(truncatingIfNeeded: group), count: 1))
        }
        compact()
    }

    package mutating func merge(_ reader: inout ByteReader, _ places: [Int32]) throws(DaybookError) {
        let later: [Run] = try reader.array()
        guard later.allSatisfy({ $0.group < places.count }) else { throw ByteReader.damaged }
        for run in later {
            let group = UInt32(truncatingIfNeeded: places[Int(run.group)])
            runs.append(Run(value: run.value, group: group, count: run.count))
        }
        // Sorting only after the runs have doubled keeps the work in proportion to the input.
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

    /// The range of the compacted runs of some groups.
    private func range(of groups: Range<Int>) -> Range<Int> {
        func first(of group: Int) -> Int { runs.partitioningIndex { Int($0.group) >= group } }
        return first(of: groups.lowerBound)..<first(of: groups.upperBound)
    }

    /// The two middle values of a group, equal if the count is odd; nil for an empty group.
    private func middle(of group: Int) -> (low: Int64, high: Int64)? {
        let mine = runs[range(of: group..<group + 1)]
        let count = mine.reduce(0) { $0 + Int($1.count) }
        return count == 0 ? nil : (Self.value((count - 1) / 2, mine), Self.value(count / 2, mine))
    }

    private static func value(_ place: Int, _ runs: ArraySlice<Run>) -> Int64 {
        var place = place
        for run in runs {
            place -= Int(run.count)
            if place < 0 { return run.value }
        }
        preconditionFailure("the middle of some values lies among them")
    }

    package mutating func finish() { if compacted < runs.count { compact() } }

    package func fill(_ column: ResultColumn, _ result: GroupResult) {
        column.fill { group in
            guard let middle = middle(of: group) else { return nil }
            if isWhole, !Self.isExact(middle) {
                let both = middle.low == middle.high ? "\(middle.low)" : "between \(middle.low) and \(middle.high)"
                column.reject(group, "the median, \(both), has more digits than a decimal holds")
            }
            return Self.median(middle, isWhole: isWhole).sortable
        }
    }

    /// Whether a decimal holds the median of whole numbers, beyond 2^53 too.
    private static func isExact(_ middle: (low: Int64, high: Int64)) -> Bool {
        let sum = Int128(middle.low) + Int128(middle.high)
        return Int128(exactly: Double(sum)) == sum
    }

    private static func median(_ middle: (low: Int64, high: Int64), isWhole: Bool) -> Double {
        // The sum of two whole numbers is exact in 128 bits, and so rounded only once.
        if isWhole { return Double(Int128(middle.low) + Int128(middle.high)) / 2 }
        let (low, high) = (Double(sortable: middle.low), Double(sortable: middle.high))
        // Halved first, two large numbers stay finite; halving is exact but for the very smallest.
        let sum = low + high
        return sum.isFinite ? sum / 2 : low / 2 + high / 2
    }

    package func write(_ groups: Range<Int>, to bytes: Bytes) {
        // Uncompacted runs are written as a whole.
        let written = compacted < runs.count ? runs[...] : runs[range(of: groups)]
        let first = UInt32(truncatingIfNeeded: groups.lowerBound)
        bytes.append(array: written.map { Run(value: $0.value, group: $0.group - first, count: $0.count) })
    }
}
