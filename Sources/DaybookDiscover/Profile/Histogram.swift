import DaybookPages

/// The spread of a column's values in a few bars.
struct Histogram: Sendable, Hashable {
    /// One bar; its label says which values it counts.
    struct Bar: Sendable, Hashable {
        var label: String
        /// The first value of the bar, as in a row.
        var from: String
        var count: Int
    }

    var bars: [Bar]
    /// The axis below the bars.
    var axis: SpreadChart.Axis
    /// Whether the counts are exact; otherwise values near a bound may count in the neighbouring bar.
    var isExact = true

    /// About how many bars there are: few for a list, more for a drawing.
    enum Detail: Int, Sendable {
        case list = 12
        case drawing = 60
    }

    /// Bars of equal width with round bounds.
    init?(numbers spread: NumberSpread, isWhole: Bool, _ detail: Detail = .list) {
        let span = spread.most - spread.least
        guard spread.total > 1, span > 0, span.isFinite else { return nil }
        let wanted = detail == .list ? 10 : 24
        let step = ChartScale.step(atLeast: span / Double(wanted), isWhole: isWhole)
        let first = (spread.least / step).rounded(.down)
        let last = (spread.most / step).rounded(.down)
        // For numbers too large to tell steps apart, bars say nothing.
        guard last - first <= Double(2 * wanted + 4), first.magnitude < 1e15 else { return nil }
        let bounds = (0...Int(last - first)).map { (first + Double($0)) * step }
        let counts: [Int]
        (counts, isExact) = Histogram.counts(spread, from: bounds)
        axis = .numbers(low: bounds[0], high: bounds[bounds.count - 1] + step)
        bars = zip(bounds, counts).map { from, count in
            let next = from + step
            let start = DisplayText.number(from)
            let label =
                isWhole && next.magnitude < WholeRange.exactLimit
                ? (step == 1 ? start : "\(start) to \(DisplayText.number(next - 1))")
                : "\(start) to < \(DisplayText.number(next))"
            return Bar(label: label, from: start, count: count)
        }
    }

    /// The numbers between the bounds, and whether the counts are certain.
    ///
    /// A step of the spread with a bound inside is assumed to be filled evenly. The last bound is not above the maximum.
    private static func counts(_ spread: NumberSpread, from bounds: [Double]) -> ([Int], isExact: Bool) {
        var below: [Int] = []
        var isExact = true
        var (step, before) = (0, 0)
        for bound in bounds {
            while step < spread.counts.count, spread.end(of: step) <= bound {
                before += spread.counts[step]
                step += 1
            }
            guard step < spread.counts.count, bound > spread.start(of: step), spread.counts[step] > 0 else {
                below.append(before)
                continue
            }
            isExact = false
            let (start, end) = (spread.start(of: step), min(spread.end(of: step), spread.most))
            let share = end > start ? (bound - start) / (end - start) : 0
            let part = Int((Double(spread.counts[step]) * share).rounded())
            below.append(before + min(part, spread.counts[step]))
        }
        // The maximum is in the last bar, and the minimum in the first.
        below = below.map { min($0, spread.total - 1) }
        below[0] = 0
        return (zip(below, below.dropFirst() + [spread.total]).map { $1 - $0 }, isExact)
    }

    /// Bars of days, months, quarters, years, decades or centuries, whichever are few enough.
    init?(days spread: NumberSpread, _ detail: Detail = .list) {
        guard spread.total > 1, spread.most > spread.least else { return nil }
        let (first, last) = (ColumnFacts.day(spread.least), ColumnFacts.day(spread.most))
        guard let unit = Unit.allCases.first(where: { $0.index(of: last) - $0.index(of: first) < detail.rawValue })
        else { return nil }
        let indices = Array(unit.index(of: first)...unit.index(of: last))
        let counts: [Int]
        (counts, isExact) = Histogram.counts(spread, from: indices.map { Double(unit.first($0).number) })
        axis = unit.axis(indices)
        bars = zip(indices, counts).map { Bar(label: unit.label($0), from: unit.label($0), count: $1) }
    }

    private enum Unit: CaseIterable {
        case day, month, quarter, year, decade, century

        func index(of day: CalendarDay) -> Int {
            let (year, month, _) = day.components
            return switch self {
            case .day: Int(day.number)
            case .month: year * 12 + month - 1
            case .quarter: year * 4 + (month - 1) / 3
            case .year: year
            case .decade: year / 10
            case .century: year / 100
            }
        }

        /// The first day of the unit.
        func first(_ index: Int) -> CalendarDay {
            func day(_ year: Int, _ month: Int = 1) -> CalendarDay {
                CalendarDay(number: CalendarDay.number(year: year, month: month, day: 1))
            }
            return switch self {
            case .day: CalendarDay(number: Int32(index))
            case .month: day(index / 12, index % 12 + 1)
            case .quarter: day(index / 4, index % 4 * 3 + 1)
            case .year: day(index)
            case .decade: day(index * 10)
            case .century: day(index * 100)
            }
        }

        func label(_ index: Int) -> String {
            switch self {
            case .day: CalendarDay(number: Int32(index)).description
            case .month: "\((index / 12).padded(to: 4))-\((index % 12 + 1).padded(to: 2))"
            case .quarter: "\((index / 4).padded(to: 4)) Q\(index % 4 + 1)"
            case .year: index.padded(to: 4)
            case .decade: "\((index * 10).padded(to: 4))s"
            case .century: "\((index * 100).padded(to: 4)) to \((index * 100 + 99).padded(to: 4))"
            }
        }

        func axis(_ indices: [Int]) -> SpreadChart.Axis {
            func years(_ each: Double) -> SpreadChart.Axis {
                .numbers(low: Double(indices[0]) * each, high: Double(indices[indices.count - 1] + 1) * each)
            }
            return switch self {
            case .day: .days(first: Int32(clamping: indices[0]))
            case .month: .months(first: Int32(clamping: indices[0]))
            case .quarter: years(0.25)
            case .year: years(1)
            case .decade: years(10)
            case .century: years(100)
            }
        }
    }
}

extension DisplayText {
    /// A number with at most four decimals, as in a row: `3526`, `2.4127`, `1e+300`.
    package static func number(_ number: Double) -> String {
        let size = number.magnitude
        if size < 1e15, number == number.rounded() { return String(Int64(number)) }
        guard size < 1e11, size >= 1e-3 else { return number.description }
        let scaled = Int64((number * 10_000).rounded())
        var fraction = String(scaled.magnitude % 10_000 + 10_000).dropFirst()
        while fraction.last == "0" { fraction.removeLast() }
        let whole = "\(scaled < 0 ? "-" : "")\(scaled.magnitude / 10_000)"
        return fraction.isEmpty ? whole : "\(whole).\(fraction)"
    }
}
