/// What the drawings show: months from left to right, and for each series a value a month, or none.
package struct MonthTable {
    package struct Series {
        package var name: String
        package var values: [Double?]
        package var total: Double { values.lazy.compactMap { $0 }.reduce(0, +) }
    }

    /// Months since the year 0, ascending. Without a break, unless that would be more than `MonthSums.monthLimit`.
    package let months: [Int]
    let series: [Series]
    let hasOthers: Bool
    /// Months of several rows whose figures do not add up, and so are left out.
    private(set) var leftOut = 0

    /// Nil when there is nothing to draw.
    ///
    /// - Parameter addsUp: whether several rows of a month add up; where they do not, such a month has no values.
    package init?(_ sums: MonthSums, addsUp: Bool = true) {
        guard let first = sums.months.keys.min(), let last = sums.months.keys.max(), !sums.names.isEmpty else {
            return nil
        }
        let isDense = last - first < MonthSums.monthLimit
        let months = isDense ? Array(first...last) : sums.months.keys.sorted()
        self.months = months
        func isLeftOut(_ month: MonthSums.Month) -> Bool { !addsUp && month.rows > 1 }
        leftOut = sums.months.values.count(where: isLeftOut)
        series = sums.names.enumerated().map { index, name in
            Series(
                name: MonthTable.short(name),
                values: months.map { number in
                    guard let month = sums.months[number], !isLeftOut(month), index < month.sums.count else {
                        return nil
                    }
                    return month.sums[index].map { max(-MonthSums.valueLimit, min($0.value, MonthSums.valueLimit)) }
                }
            )
        }
        hasOthers = sums.hasOthers
    }

    package init(months: [Int], series: [Series], hasOthers: Bool) {
        self.months = months
        self.series = series
        self.hasOthers = hasOthers
    }

    /// The months from the first to the last: `2026-01 to 2026-03`.
    package var span: String {
        let (first, last) = (MonthTable.text(months[0]), MonthTable.text(months[months.count - 1]))
        return first == last ? first : "\(first) to \(last)"
    }

    /// One of the series by itself.
    package func alone(_ index: Int) -> MonthTable {
        MonthTable(months: months, series: [series[index]], hasOthers: false)
    }

    package var total: Double { series.lazy.map(\.total).reduce(0, +) }

    /// The sum of a month, or nil when no series has a value in it.
    package func sum(of month: Int) -> Double? {
        let values = series.compactMap { $0.values[month] }
        return values.isEmpty ? nil : values.reduce(0, +)
    }

    /// True when months without rows were left out.
    var hasBreaks: Bool { zip(months, months.dropFirst()).contains { $1 - $0 > 1 } }

    /// A name of at most 80 characters, since it is said many times.
    private static func short(_ name: String) -> String {
        let start = name.prefix(80)
        return start.endIndex == name.endIndex ? name : start + "…"
    }

    /// `2026-03`.
    package static func text(_ month: Int) -> String { CalendarDay.monthText(Int32(month)) }

    /// The same figures in at most `limit` series: the largest, in their order, and then `others`.
    func condensed(to limit: Int) -> MonthTable {
        let named = hasOthers ? series.dropLast() : series[...]
        guard named.count > limit else { return self }
        // Ties go to the series that came first.
        let bySize = named.indices.sorted { first, second in
            let (one, two) = (named[first].total.magnitude, named[second].total.magnitude)
            return one == two ? first < second : one > two
        }
        let kept = Set(bySize.prefix(limit))
        let rest = series.indices.filter { !kept.contains($0) }
        let others = months.indices.map { month in
            let values = rest.compactMap { series[$0].values[month] }
            return values.isEmpty ? nil : values.reduce(0, +)
        }
        let shown = named.indices.filter(kept.contains).map { series[$0] }
        return MonthTable(months: months, series: shown + [Series(name: "others", values: others)], hasOthers: true)
    }
}

extension HTMLPalette {
    /// The class of a series: `s1` to `s9`, and `s0` for what is drawn together as others.
    package static func style(ofSeries index: Int, in table: MonthTable) -> String {
        table.hasOthers && index == table.series.count - 1 ? "s0" : "s\(index % seriesCount + 1)"
    }
}
