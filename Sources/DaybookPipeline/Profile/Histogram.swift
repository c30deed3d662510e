import DaybookCore

/// How the values of a column spread, in a few bars.
struct Histogram: Sendable, Hashable {
    /// One bar; its label says which values it counts.
    struct Bar: Sendable, Hashable {
        var label: String
        /// The first value that the bar counts, as a row would write it.
        var from: String
        var count: Int
    }

    var bars: [Bar]

    private static let mostBars = 12

    /// Bars of equal width, whose bounds are round numbers.
    ///
    /// A number within a 1,024th of the range of a bound may be counted by the bar before it.
    init?(numbers spread: NumberSpread, isWhole: Bool) {
        let span = spread.most - spread.least
        guard spread.total > 1, span > 0, span.isFinite else { return nil }
        let step = Histogram.step(atLeast: span / 10, isWhole: isWhole)
        let first = (spread.least / step).rounded(.down)
        let last = (spread.most / step).rounded(.down)
        // Where the numbers are so large that steps cannot be told apart, bars would say nothing.
        guard last - first <= 24, first.magnitude < 1e15 else { return nil }
        var counts = [Int](repeating: 0, count: Int(last - first) + 1)
        for (index, count) in spread.counts.enumerated() where count > 0 {
            let bar = Int((spread.start(of: index) / step).rounded(.down) - first)
            counts[min(max(0, bar), counts.count - 1)] += count
        }
        bars = counts.enumerated().map { index, count in
            let from = (first + Double(index)) * step
            let next = (first + Double(index + 1)) * step
            let start = Spoken.number(from)
            let label =
                isWhole
                ? (step == 1 ? start : "\(start) to \(Spoken.number(next - 1))")
                : "\(start) to < \(Spoken.number(next))"
            return Bar(label: label, from: start, count: count)
        }
    }

    /// Bars of days, months, quarters, years, decades or centuries, whichever are few enough.
    init?(days spread: NumberSpread) {
        guard spread.total > 1, spread.most > spread.least else { return nil }
        let (first, last) = (ColumnFacts.day(spread.least), ColumnFacts.day(spread.most))
        guard let unit = Unit.allCases.first(where: { $0.index(of: last) - $0.index(of: first) < Histogram.mostBars })
        else { return nil }
        let start = unit.index(of: first)
        var counts = [Int](repeating: 0, count: unit.index(of: last) - start + 1)
        for (index, count) in spread.counts.enumerated() where count > 0 {
            counts[unit.index(of: ColumnFacts.day(spread.start(of: index))) - start] += count
        }
        bars = counts.enumerated().map { index, count in
            Bar(label: unit.label(start + index), from: unit.label(start + index), count: count)
        }
    }

    /// 1, 2 or 5 times a power of ten.
    private static func step(atLeast least: Double, isWhole: Bool) -> Double {
        var power = 1.0
        while power > least { power /= 10 }
        while power * 10 <= least { power *= 10 }
        let step = [power, power * 2, power * 5, power * 10].first { $0 >= least } ?? power * 10
        return isWhole ? max(1, step) : step
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

        func label(_ index: Int) -> String {
            switch self {
            case .day: CalendarDay(number: Int32(index)).description
            case .month: "\(Unit.padded(index / 12))-\(index % 12 < 9 ? "0" : "")\(index % 12 + 1)"
            case .quarter: "\(Unit.padded(index / 4)) Q\(index % 4 + 1)"
            case .year: Unit.padded(index)
            case .decade: "\(Unit.padded(index * 10))s"
            case .century: "\(Unit.padded(index * 100)) to \(Unit.padded(index * 100 + 99))"
            }
        }

        private static func padded(_ year: Int) -> String {
            let digits = String(year)
            return String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
        }
    }
}

extension Spoken {
    /// Digits as a row would have them, with at most four after the point: `3526`, `2.4127`, `1e+300`.
    static func number(_ number: Double) -> String {
        let size = number.magnitude
        if size < 1e15, number == number.rounded() { return String(Int64(number)) }
        guard size < 1e11, size >= 1e-3 else { return number.description }
        let scaled = Int64((number * 10_000).rounded())
        let digits = String(scaled.magnitude % 10_000 + 10_000).dropFirst()
        var fraction = digits
        while fraction.last == "0" { fraction.removeLast() }
        let whole = "\(scaled < 0 ? "-" : "")\(scaled.magnitude / 10_000)"
        return fraction.isEmpty ? whole : "\(whole).\(fraction)"
    }
}
