/// A bound of a rule: a number or a day.
struct RuleBound: OptionValue {
    /// The bound as the job wrote it.
    let written: String
    let place: SourcePlace?
    private let value: Double
    /// The exact number, for a bound written as a whole number.
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
    static func displayText(_ min: (some OptionValue)?, _ max: (some OptionValue)?) -> String {
        switch (min?.written, max?.written) {
        case (let min?, let max?): "between \(min) and \(max)"
        case (let min?, nil): "at least \(min)"
        case (nil, let max?): "at most \(max)"
        case (nil, nil): "bounded"
        }
    }

    /// Refuses bounds that are missing, have two kinds, or exclude every value.
    static func check(
        _ min: RuleBound?,
        _ max: RuleBound?,
        _ against: PastLimits? = nil,
        of rule: String,
        _ options: inout OptionReader
    ) {
        if let min, let max, min.isDay != max.isDay {
            return options.refuse("max", "'min' is \(min.displayKind) and 'max' \(max.displayKind)")
        }
        check(min, max, against, of: rule, &options) { $0.isMore(than: $1) }
    }

    /// Refuses bounds that are missing, or exclude every value.
    ///
    /// - Parameter against: limits that may replace bounds; nil for a rule without such limits.
    static func check<Bound: OptionValue>(
        _ min: Bound?,
        _ max: Bound?,
        _ against: PastLimits? = nil,
        of rule: String,
        _ options: inout OptionReader,
        others named: String? = nil,
        isMore: (Bound, Bound) -> Bool
    ) {
        if min == nil, max == nil, against?.isEmpty != false {
            let others = against == nil ? "'min', 'max' or both" : "'min', 'max', 'change' or 'anomaly'"
            options.refuse("min", "'\(rule)' needs \(named ?? others)")
        }
        guard let min, let max, isMore(min, max) else { return }
        options.refuse("min", "'min' is \(min.written), more than 'max', \(max.written)")
    }

    var displayKind: String { isDay ? "a day" : "a number" }

    /// The whole numbers of a column outside the bounds.
    static func outside(_ values: Values<Int64>, _ min: RuleBound?, _ max: RuleBound?) -> Mask {
        let (low, high) = (min?.wholeMin, max?.wholeMax)
        // A bound beyond 64 bits includes every number, or none.
        if let low, low > Int64.max { return outside(values, Int64.max, Int64.min) }
        if let high, high < Int64.min { return outside(values, Int64.max, Int64.min) }
        return outside(values, low.map { Int64(clamping: $0) }, high.map { Int64(clamping: $0) })
    }

    /// The rows whose value lies outside the bounds. NaN, which compares with nothing, lies outside.
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

/// A numeric bound.
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

/// A share as an option: `20%` or `0.5%`. A plain number is refused, since it is ambiguous.
struct Percentage: OptionValue {
    private let allowance: Allowance
    let written: String

    static var kind: OptionKind { .text }
    static var placeholder: Percentage { Percentage(0) }

    init(_ percent: Int) {
        allowance = .share(parts: percent, of: 100)
        written = "\(percent)%"
    }

    init(reading node: OptionNode) throws(DaybookError) {
        let text = (node.text ?? "").filter { $0 != " " }
        guard let allowance = Allowance(text), case .share = allowance else {
            throw node.expected("a percentage such as 20% or 0.5%", hint: Allowance.hint(forPlainShare: text))
        }
        self.allowance = allowance
        written = allowance.written
    }

    /// Whether `count` is at most this share of `total`.
    func permits(_ count: Int, of total: Int) -> Bool { allowance.permits(count, of: total) }

    /// Whether `count` is at least this share of `total`.
    func isReached(by count: Int, of total: Int) -> Bool { allowance.isReached(by: count, of: total) }
}

/// A bound that is a count, or a share of another count: `25`, `90%`. A share may exceed the whole: `110%`.
struct CountOrShare: OptionValue {
    private enum Amount: Sendable {
        case count(Int)
        /// In millionths.
        case share(Int)
    }

    private let amount: Amount
    let written: String

    static var kind: OptionKind { .either([.integer, .text]) }
    static var placeholder: CountOrShare { CountOrShare(.count(0), "0") }
    static let all = CountOrShare(.share(1_000_000), "100%")

    private init(_ amount: Amount, _ written: String) { (self.amount, self.written) = (amount, written) }

    init(reading node: OptionNode) throws(DaybookError) {
        let text = node.text ?? ""
        if let count = Int(text), String(count) == text {
            self.init(.count(count), text)
        } else if let share = CountOrShare.millionths(text) {
            self.init(.share(share), text)
        } else {
            let hint = Allowance.hint(forPlainShare: text, orCount: true)
            throw node.expected("a count such as 25, or a percentage such as 90%", hint: hint)
        }
    }

    /// Reads `90%` or `0.5%`, with at most four decimals.
    private static func millionths(_ text: String) -> Int? {
        guard text.utf8.last == UInt8(ascii: "%") else { return nil }
        let parts = text.dropLast().split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let decimals = parts.count == 2 ? parts[1] : "0"
        let areDigits = parts.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy { (48...57).contains($0) } }
        guard areDigits, parts[0].utf8.count <= 7, decimals.utf8.count <= 4, let whole = Int(parts[0]),
            let fraction = Int(decimals + String(repeating: "0", count: 4 - decimals.utf8.count))
        else { return nil }
        return whole * 10_000 + fraction
    }

    var isShare: Bool { if case .share = amount { true } else { false } }
    /// The share in millionths.
    var millionths: Double { if case .share(let parts) = amount { Double(parts) } else { 0 } }

    /// Whether `count` is at least the bound.
    func isReached(by count: Int, of whole: Int) -> Bool { compare(count, of: whole) { $0 >= $1 } }
    /// Whether `count` is at most the bound.
    func permits(_ count: Int, of whole: Int) -> Bool { compare(count, of: whole) { $0 <= $1 } }

    private func compare(_ count: Int, of whole: Int, _ holds: (Int128, Int128) -> Bool) -> Bool {
        switch amount {
        case .count(let bound): holds(Int128(count), Int128(bound))
        case .share(let bound): holds(Int128(count) * 1_000_000, Int128(whole) * Int128(bound))
        }
    }

    /// Whether a bound exceeds another of its sort; as a minimum above that maximum it would exclude every count.
    static func isMore(_ one: CountOrShare, _ other: CountOrShare) -> Bool {
        switch (one.amount, other.amount) {
        case (.count(let one), .count(let other)), (.share(let one), .share(let other)): one > other
        default: false
        }
    }
}
