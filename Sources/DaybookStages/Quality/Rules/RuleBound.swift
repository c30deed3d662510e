/// A bound of a rule: a number or a day.
struct RuleBound: OptionValue {
    /// What the job wrote.
    let written: String
    let place: SourcePlace?
    private let value: Double
    /// The number exactly, where it is written as a whole one.
    private let whole: Int128?
    private let calendarDay: CalendarDay?

    static var kind: OptionKind { .either([.decimal, .day]) }
    static var placeholder: RuleBound { RuleBound("0", at: nil, 0, nil) }

    private init(_ written: String, at place: SourcePlace?, _ value: Double, _ calendarDay: CalendarDay?) {
        (self.written, self.place, self.value, self.calendarDay) = (written, place, value, calendarDay)
        whole = Int128(written)
    }

    init(reading node: OptionNode) throws(DaybookError) {
        let text = node.text ?? ""
        let (day, number) = (CalendarDay(iso: text), Double(text))
        guard day != nil || number?.isFinite == true else {
            throw node.expected("a number, or a day such as 2026-11-21")
        }
        self.init(text, at: node.place, number ?? 0, day)
    }

    var isDay: Bool { calendarDay != nil }
    var day: Int32 { Int32(truncatingIfNeeded: calendarDay?.number ?? 0) }

    /// The least whole number that is not below the bound.
    var wholeMin: Int128 { whole ?? RuleBound.clamped(value.rounded(.up)) }
    /// The greatest whole number that is not above the bound.
    var wholeMax: Int128 { whole ?? RuleBound.clamped(value.rounded(.down)) }
    /// The least decimal that is not below the bound.
    var decimalMin: Double { RuleBound.clamped(value) < wholeMin && whole != nil ? value.nextUp : value }
    /// The greatest decimal that is not above the bound.
    var decimalMax: Double { RuleBound.clamped(value) > wholeMax && whole != nil ? value.nextDown : value }

    private static func clamped(_ value: Double) -> Int128 {
        value >= 0x1p127 ? .max : value < -0x1p127 ? .min : Int128(value)
    }

    private func isMore(than other: RuleBound) -> Bool {
        if isDay { return day > other.day }
        if let whole, let limit = other.whole { return whole > limit }
        return value > other.value
    }

    /// `between 0 and 1000`, `at least 0`, `at most 1000`.
    static func spoken(_ min: (some OptionValue)?, _ max: (some OptionValue)?) -> String {
        switch (min?.written, max?.written) {
        case (let min?, let max?): "between \(min) and \(max)"
        case (let min?, nil): "at least \(min)"
        case (nil, let max?): "at most \(max)"
        case (nil, nil): "bounded"
        }
    }

    /// Refuses bounds that are not there, are of two kinds, or let nothing through.
    static func check(
        _ min: RuleBound?,
        _ max: RuleBound?,
        _ against: PastLimits? = nil,
        of rule: String,
        _ options: inout OptionReader
    ) {
        if let min, let max, min.isDay != max.isDay {
            return options.refuse("max", "'min' is \(min.spokenKind) and 'max' \(max.spokenKind)")
        }
        check(min, max, against, of: rule, &options) { $0.isMore(than: $1) }
    }

    /// Refuses bounds that are not there, or let nothing through.
    ///
    /// - Parameter against: limits that may stand in the place of bounds; nil for a rule that has none.
    static func check<Bound: OptionValue>(
        _ min: Bound?,
        _ max: Bound?,
        _ against: PastLimits? = nil,
        of rule: String,
        _ options: inout OptionReader,
        isMore: (Bound, Bound) -> Bool
    ) {
        if min == nil, max == nil, against?.isEmpty != false {
            let others = against == nil ? "'min', 'max' or both" : "'min', 'max', 'change' or 'anomaly'"
            options.refuse("min", "'\(rule)' needs \(others)")
        }
        guard let min, let max, isMore(min, max) else { return }
        options.refuse("min", "'min' is \(min.written), more than 'max', \(max.written)")
    }

    var spokenKind: String { isDay ? "a day" : "a number" }

    /// The whole numbers of a column that are not between the bounds.
    static func outside(_ values: Values<Int64>, _ min: RuleBound?, _ max: RuleBound?) -> Mask {
        let (low, high) = (min?.wholeMin, max?.wholeMax)
        // A bound beyond 64 bits lets every number through, or none.
        if let low, low > Int64.max { return outside(values, Int64.max, Int64.min) }
        if let high, high < Int64.min { return outside(values, Int64.max, Int64.min) }
        return outside(values, low.map { Int64(clamping: $0) }, high.map { Int64(clamping: $0) })
    }

    /// The rows whose value is not between the bounds. What compares with nothing lies between none.
    static func outside<Element: Comparable>(_ values: Values<Element>, _ min: Element?, _ max: Element?) -> Mask {
        let elements = values.elements.span
        var broken =
            switch (min, max) {
            case (let min?, let max?): Mask(count: elements.count) { !(elements[$0] >= min && elements[$0] <= max) }
            case (let min?, nil): Mask(count: elements.count) { !(elements[$0] >= min) }
            case (nil, let max?): Mask(count: elements.count) { !(elements[$0] <= max) }
            case (nil, nil): Mask(count: elements.count)
            }
        if let missing = values.missing { broken.subtract(missing) }
        return broken
    }
}

/// A bound that is a number.
struct NumberBound: OptionValue {
    let bound: RuleBound

    static var kind: OptionKind { .decimal }
    static var placeholder: NumberBound { NumberBound(bound: .placeholder) }

    init(bound: RuleBound) { self.bound = bound }

    init(reading node: OptionNode) throws(DaybookError) {
        guard let bound = try? RuleBound(reading: node), !bound.isDay else { throw node.expected("a number") }
        self.bound = bound
    }

    var written: String { bound.written }
}
