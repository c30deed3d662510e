/// Figures added up by month and series, in bounded memory.
///
/// Series stand in the order in which they first appear. Beyond `seriesLimit` series the rest is one, `others`; beyond
/// `monthLimit` months the latest are kept. Neither depends on how the rows were cut into batches: the first series stay
/// the first, and a month that ever gave way to later ones gives way to them at the end too.
package struct MonthSums: Sendable, Codable {
    package static let monthLimit = 600
    static let seriesLimit = 24
    /// Numbers further from 0 are not drawn, so that no sum of a page overflows.
    static let valueLimit = 1e300
    package static let missingName = "(missing)"

    package struct Month: Sendable, Codable {
        package var rows = 0
        /// By series; nil where no row had a number.
        package var sums: [ExactSum?] = []
    }

    package private(set) var names: [String] = []
    package private(set) var months: [Int: Month] = [:]
    /// Rows whose month cannot be read.
    private(set) var unreadableRows = 0
    /// Rows of months that gave way to later ones.
    private(set) var earlierRows = 0
    /// Numbers that are beyond `valueLimit`, infinite or none at all.
    private(set) var endlessValues = 0
    /// True when the last series stands for all those that came too late.
    private(set) var hasOthers = false
    private var indices: [String: Int] = [:]

    /// The place of a series. Unbounded, so that a batch keeps all it has until it is merged.
    package mutating func index(of name: String) -> Int {
        if let index = indices[name] { return index }
        names.append(name)
        indices[name] = names.count - 1
        return names.count - 1
    }

    package mutating func leaveOut(_ rows: Int) { unreadableRows += rows }

    package mutating func count(rows: Int, in month: Int) { months[month, default: Month()].rows += rows }

    package mutating func add(_ value: Double, to series: Int, in month: Int) {
        guard value.magnitude <= MonthSums.valueLimit else {
            endlessValues += 1
            return
        }
        var sum = ExactSum()
        sum.add(value)
        months[month, default: Month()].add(sum, to: series)
    }

    /// Adds what a later batch came to.
    package mutating func merge(_ later: MonthSums) {
        let places = later.names.map { boundedIndex(of: $0) }
        for (number, month) in later.months {
            months[number, default: Month()].rows += month.rows
            for (index, sum) in month.sums.enumerated() {
                if let sum { months[number]!.add(sum, to: places[index]) }
            }
        }
        unreadableRows += later.unreadableRows
        endlessValues += later.endlessValues
        guard months.count > MonthSums.monthLimit else { return }
        for number in months.keys.sorted().dropLast(MonthSums.monthLimit) {
            earlierRows += months.removeValue(forKey: number)!.rows
        }
    }

    private mutating func boundedIndex(of name: String) -> Int {
        if let index = indices[name] { return index }
        if names.count < MonthSums.seriesLimit { return index(of: name) }
        if !hasOthers {
            // Not in `indices`: a series that is itself called so must not find it.
            names.append("others")
            hasOthers = true
        }
        return MonthSums.seriesLimit
    }
}

extension MonthSums.Month {
    package mutating func add(_ sum: ExactSum, to series: Int) {
        while sums.count <= series { sums.append(nil) }
        if sums[series] == nil { sums[series] = sum } else { sums[series]!.add(sum) }
    }
}
