/// The places of a drawing from left to right: months and days without a break, numbers, instants, or names.
package struct ChartAxis {
    package enum Kind { case months, days, numbers, instants, names }

    package struct Label: Hashable {
        package var text: String
        /// The position of its middle, between 0 and 1.
        package var at: Double

        package init(_ text: String, _ at: Double) { (self.text, self.at) = (text, at) }
    }

    package let kind: Kind
    /// What each place is; for names their number.
    package let keys: [Double]
    private let names: [String]
    /// Whether places are positioned by their numbers, rather than side by side.
    package let isScaled: Bool
    private let signs: NumberSigns
    /// Whether its numbers may be years, and so have no groups.
    private let hasYears: Bool

    package init(
        _ kind: Kind,
        keys: [Double],
        names: [String] = [],
        isScaled: Bool = false,
        signs: NumberSigns = NumberSigns(language: "")
    ) {
        (self.kind, self.keys, self.names, self.signs) = (kind, keys, names, signs)
        hasYears = kind == .numbers && Figure.mayBeYears(keys)
        self.isScaled = isScaled && keys.count > 1 && keys[keys.count - 1] > keys[0]
    }

    package var count: Int { keys.count }

    /// The full text of the place.
    package func text(_ index: Int) -> String {
        let key = keys[index]
        return switch kind {
        case .months: CalendarDay.monthText(Int32(clamping: Int(key)))
        case .days: CalendarDay(number: Int32(clamping: Int(key))).description
        case .numbers: number(key)
        case .instants: ChartAxis.instant(key)
        case .names: names[Int(key)]
        }
    }

    private func number(_ key: Double) -> String {
        hasYears ? String(Int(key)) : signs.localised(Figure.displayText(key))
    }

    /// The places from the first to the last: `2026-01 to 2026-03`.
    func span(_ words: PageWords) -> String { count == 1 ? text(0) : words("{0} to {1}", text(0), text(count - 1)) }

    /// `36 months`, `5 values of region`.
    func counted(_ name: String, _ words: PageWords) -> String {
        switch kind {
        case .months: words.count(count, "month")
        case .days: words.count(count, "day")
        default: words("{0} of {1}", words.count(count, "value"), name)
        }
    }

    /// The place whose period holds `day` and is not over.
    func unfinished(on day: CalendarDay) -> Int? {
        guard kind == .months else { return nil }
        let month = CalendarDay.month(of: day.number)
        guard CalendarDay.month(of: day.number + 1) == month else { return nil }
        return keys.firstIndex(of: Double(month))
    }

    // MARK: Positions

    /// The position of a place, between 0 and 1.
    func position(_ index: Int) -> Double {
        isScaled ? (keys[index] - keys[0]) / (keys[count - 1] - keys[0]) : (Double(index) + 0.5) / Double(count)
    }

    // MARK: Labels

    /// Labels below the axis, if all places are `space` wide, each as wide as it needs.
    func labels(space: Double) -> (first: [Label], second: [Label]) {
        switch kind {
        case .months: monthLabels(space)
        case .days: (dayLabels(space), [])
        case .instants where !isScaled, .numbers where !isScaled:
            (fitted(keys.indices.map { Label(text($0), position($0)) }, space), [])
        case .instants: (instantLabels(space), [])
        case .numbers: (numberLabels(space), [])
        case .names: (nameLabels(space), [])
        }
    }

    /// Every month, quarter or half-year, and below the years.
    private func monthLabels(_ space: Double) -> (first: [Label], second: [Label]) {
        let slot = space / Double(count)
        if slot >= 52 { return (keys.indices.map { Label(text($0), position($0)) }, []) }
        let step = [1, 3, 6].first { slot * Double($0) >= 20 }
        let first = keys.indices.filter { index in step.map { Int(keys[index]) % 12 % $0 == 0 } ?? false }
            .map { Label(String(Int(keys[$0]) % 12 + 1), position($0)) }
        var second: [Label] = []
        let years = Dictionary(grouping: keys.indices) { Int(keys[$0]) / 12 }
        let every = [1, 2, 5, 10, 20, 50, 100].first { slot * 12 * Double($0) >= 44 } ?? 100
        for year in years.keys.sorted() where year % every == 0 {
            let places = years[year]!
            let middle = (position(places[0]) + position(places[places.count - 1])) / 2
            // A year with a single month at the edge may not fit.
            let hasSpace = second.last.map { (middle - $0.at) * space >= 40 } ?? true
            if hasSpace, middle * space >= 12, (1 - middle) * space >= 12 { second.append(Label(String(year), middle)) }
        }
        if second.isEmpty { second = [Label(String(Int(keys[0]) / 12), min(max(position(0), 16 / space), 0.5))] }
        return (first, second)
    }

    /// Days, weeks, months or years, whichever fit.
    private func dayLabels(_ space: Double) -> [Label] {
        let slot = space / Double(count)
        if slot >= 74 { return keys.indices.map { Label(text($0), position($0)) } }
        func days(_ width: Double, _ gap: Double, _ isLabelled: (CalendarDay) -> String?) -> [Label]? {
            guard gap * slot >= width else { return nil }
            return keys.indices.compactMap { index in
                isLabelled(CalendarDay(number: Int32(keys[index]))).map { Label($0, position(index)) }
            }
        }
        func short(_ day: CalendarDay) -> String { String(day.description.dropFirst(5)) }
        let attempts: [() -> [Label]?] = [
            { days(40, 1) { short($0) } }, { days(40, 7) { $0.weekday == 1 ? short($0) : nil } },
            { days(56, 28) { $0.components.day == 1 ? String($0.description.prefix(7)) : nil } },
            {
                days(56, 90) {
                    $0.components.day == 1 && $0.components.month % 3 == 1 ? String($0.description.prefix(7)) : nil
                }
            },
        ]
        let labels = attempts.lazy.compactMap { $0() }.first { $0.count > 1 }
        return fitted(labels ?? [0, count - 1].map { Label(text($0), position($0)) }, space)
    }

    private func numberLabels(_ space: Double) -> [Label] {
        let scale = ChartScale(
            low: keys[0],
            high: keys[count - 1],
            whole: false,
            ticks: max(2, Int(space / 70)),
            fromZero: false
        )
        let texts =
            hasYears && scale.ticks.allSatisfy { $0 == $0.rounded() } ? scale.ticks.map(number) : signs.texts(of: scale)
        return zip(scale.ticks, texts).filter { tick, _ in tick >= keys[0] && tick <= keys[count - 1] }
            .map { tick, text in Label(text, (tick - keys[0]) / (keys[count - 1] - keys[0])) }
    }

    /// Round times, or days where those are many.
    private func instantLabels(_ space: Double) -> [Label] {
        let span = keys[count - 1] - keys[0]
        let steps: [Double] = [
            1, 10, 60, 300, 900, 3_600, 10_800, 21_600, 43_200, 86_400, 172_800, 604_800, 2_592_000, 31_536_000,
        ]
        let step = steps.first { space / (span / $0) >= 84 } ?? span
        var labels: [Label] = []
        var time = (keys[0] / step).rounded(.up) * step
        while time <= keys[count - 1], labels.count < 40 {
            let text = ChartAxis.instant(time)
            let shown =
                step >= 86_400 ? String(text.prefix(10)) : String(text.dropFirst(11).dropLast(step >= 60 ? 4 : 1))
            labels.append(Label(shown, (time - keys[0]) / span))
            time += step
        }
        return fitted(labels, space)
    }

    private func nameLabels(_ space: Double) -> [Label] {
        let slot = space / Double(count)
        guard slot < 34 else { return keys.indices.map { Label(Drawing.fitted(text($0), to: slot - 4), position($0)) } }
        let every = Int((60 / slot).rounded(.up))
        return keys.indices.filter { $0 % every == 0 }
            .map { Label(Drawing.fitted(text($0), to: slot * Double(every) - 4), position($0)) }
    }

    /// The labels that fit, from the first on.
    private func fitted(_ labels: [Label], _ space: Double) -> [Label] {
        var end = -Double.infinity
        return labels.compactMap { label in
            let half = Drawing.width(of: label.text) / 2
            guard label.at * space - half >= end else { return nil }
            end = label.at * space + half + 8
            return label
        }
    }

    /// `2026-03-01T12:00:00Z`.
    private static func instant(_ seconds: Double) -> String {
        let bytes = Bytes()
        bytes.count += ISOText.write(instant: Int64(seconds * 1e6), to: bytes.reserve(ISOText.maximumLength))
        return bytes.text(0..<bytes.count)
    }
}
