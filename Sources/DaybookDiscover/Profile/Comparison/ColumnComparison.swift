import DaybookReports

/// The facts of a column in two profiles.
struct ColumnComparison: Sendable {
    /// One fact in both.
    struct Fact: Sendable {
        /// The name in JSON, and in words.
        var key: String
        var name: String
        var old: (text: String, value: JSONValue)
        var new: (text: String, value: JSONValue)
        /// The difference in words; empty for none.
        var change: String
        /// The size of the change; about 100 if everything changed.
        var weight: Double
    }

    let name: String
    let holds: String
    private(set) var facts: [Fact] = []
    /// Values that are frequent only now, and values that were frequent only before.
    private(set) var came: [StoredProfile.Column.Top] = []
    private(set) var went: [StoredProfile.Column.Top] = []
    /// The size of the largest change.
    private(set) var weight = 0.0

    var isChanged: Bool { weight > 0 }
    /// Whether the values differ though all facts are equal.
    private(set) var hasOtherValues = false

    init(_ old: StoredProfile.Column, of oldRows: Int, _ new: StoredProfile.Column, of newRows: Int) {
        name = new.name
        holds = new.holds
        add("holds", old.holds, new.holds, "another kind", 100) { ($0, .text($0)) }
        formats(old.formats, new.formats)
        if let one = old.digest, let other = new.digest { hasOtherValues = one != other }
        missing((old.missing, oldRows), (new.missing, newRows))
        distinct(old.distinct, new.distinct)
        if let one = old.numbers, let other = new.numbers { numbers(one, other) }
        if let one = old.days, let other = new.days { days(one, other) }
        // The lengths of numbers and days say nothing.
        let isText = [old, new].allSatisfy { $0.numbers == nil && $0.days == nil }
        if isText, let one = old.length, let other = new.length { length(one, other) }
        values((old, oldRows), (new, newRows))
        weight = max(weight, facts.map(\.weight).max() ?? 0)
    }

    private mutating func add<Value>(
        _ key: String,
        name: String? = nil,
        _ old: Value,
        _ new: Value,
        _ change: String,
        _ weight: Double,
        shown: (Value) -> (String, JSONValue)
    ) {
        let (old, new) = (shown(old), shown(new))
        let isChanged = old.1 != new.1
        // Any change has some weight.
        let weight = isChanged ? max(0.01, min(weight.isFinite ? weight : 100, 100)) : 0
        let change = isChanged ? change : ""
        facts.append(Fact(key: key, name: name ?? key, old: old, new: new, change: change, weight: weight))
    }

    /// The formats of dates; another program may no longer read them.
    private mutating func formats(_ old: [StoredProfile.Column.Format]?, _ new: [StoredProfile.Column.Format]?) {
        guard let old, let new, !old.isEmpty || !new.isEmpty else { return }
        add("date_formats", name: "written", old, new, "another way", 90) { formats in
            let text = formats.isEmpty ? "no dates" : formats.map(\.format).joined(separator: ", ")
            return (text, .text(text))
        }
    }

    private mutating func missing(_ old: (part: Int, whole: Int), _ new: (part: Int, whole: Int)) {
        func share(_ one: (part: Int, whole: Int)) -> Double {
            one.whole > 0 ? Double(one.part) / Double(one.whole) : 0
        }
        let points = (share(new) - share(old)) * 100
        let words = points.magnitude < 0.01 ? "less than 0.01" : ColumnComparison.signed((points * 100).rounded() / 100)
        add("missing_share", name: "missing", old, new, "\(words) points", points.magnitude) {
            ($0.whole > 0 ? DisplayText.share($0.part, of: $0.whole) : "–", .decimal(share($0)))
        }
    }

    private mutating func distinct(_ old: StoredProfile.Column.Distinct, _ new: StoredProfile.Column.Distinct) {
        let (one, other) = (Double(old.count), Double(new.count))
        let weight = ColumnComparison.ratio(one, other) * 10
        add("distinct", old, new, ColumnComparison.relative(one, other), weight) {
            let count = $0.exact ? $0.count : ProfileText.rounded($0.count)
            return (($0.exact ? "" : "≈ ") + DisplayText.count(count), .number($0.count))
        }
    }

    private mutating func numbers(_ old: StoredProfile.Numbers, _ new: StoredProfile.Numbers) {
        // Relative to the earlier span; halves first, so that it cannot overflow.
        let half = old.most / 2 - old.least / 2
        let span = half > 0 ? half : max(old.most.magnitude / 2, 0.5)
        func add(_ key: String, _ name: String, _ one: (Double, Bool), _ other: (Double, Bool), _ share: Double) {
            let difference = other.0 / 2 - one.0 / 2
            let change = difference.magnitude < 8e307 ? ColumnComparison.signed(difference * 2) : "very much"
            self.add(key, name: name, one, other, change, difference.magnitude / span * share) { value, isExact in
                let isExact = isExact && value.magnitude < WholeRange.exactLimit
                return ((isExact ? "" : "≈ ") + DisplayText.number(value), .decimal(value))
            }
        }
        func quantile(_ share: Double, _ numbers: StoredProfile.Numbers) -> (Double, Bool)? {
            numbers.quantiles?.first { $0.share == share }.map { ($0.least / 2 + $0.most / 2, $0.least == $0.most) }
        }
        add("least", "least", (old.least, true), (new.least, true), 30)
        for (share, key) in [(0.05, "p05"), (0.25, "p25"), (0.5, "median"), (0.75, "p75"), (0.95, "p95")] {
            if share == 0.5 {
                let (one, other) = (old.median, new.median)
                add(key, "median", (one.value, one.exact), (other.value, other.exact), 60)
            } else if let one = quantile(share, old), let other = quantile(share, new) {
                add(key, "\(Int((share * 100).rounded())) % are below", one, other, 60)
            }
        }
        add("most", "most", (old.most, true), (new.most, true), 30)
        add("mean", "mean", (old.mean, true), (new.mean, true), 60)
    }

    private mutating func days(_ old: StoredProfile.Column.Days, _ new: StoredProfile.Column.Days) {
        let span = ColumnComparison.distance(old.first, old.last) ?? 0
        for (key, name, one, other) in [
            ("first_day", "first day", old.first, new.first), ("last_day", "last day", old.last, new.last),
        ] {
            let days = ColumnComparison.distance(one, other)
            let change = days.map { "\($0 < 0 ? "−" : "+")\(DisplayText.count(Int($0.magnitude), "day"))" } ?? ""
            let weight = days.map { $0.magnitude / max(span.magnitude, 1) * 20 } ?? 20
            add(key, name: name, one, other, change, weight) { ($0, .text($0)) }
        }
    }

    private static func distance(_ first: String, _ last: String) -> Double? {
        guard let first = CalendarDay(iso: first), let last = CalendarDay(iso: last) else { return nil }
        return Double(last.number) - Double(first.number)
    }

    private mutating func length(_ old: StoredProfile.Column.Length, _ new: StoredProfile.Column.Length) {
        for (key, name, one, other) in [
            ("length_least", "shortest", old.least, new.least), ("length_most", "longest", old.most, new.most),
        ] {
            let change = ColumnComparison.relative(Double(one), Double(other))
            let weight = ColumnComparison.ratio(Double(one), Double(other)) * 5
            add(key, name: name, one, other, change, weight) { (DisplayText.count($0, "character"), .number($0)) }
        }
    }

    private typealias Counted = (column: StoredProfile.Column, rows: Int)

    /// Finds frequent values that came or went. Unique values may be anything, and do not count.
    private mutating func values(_ old: Counted, _ new: Counted) {
        func share(_ tops: [StoredProfile.Column.Top], of rows: Int) -> Double {
            tops.reduce(0) { $0 + Double($1.count) } / Double(max(rows, 1))
        }
        func missing(from one: Counted, of other: Counted) -> [StoredProfile.Column.Top] {
            let top = one.column.top
            let known = Set(top.map(\.value))
            // If only the most frequent values are known, any other is less frequent.
            let isCut = !one.column.distinct.exact || top.count < one.column.distinct.count
            let least = isCut ? share(top.suffix(1), of: one.rows) * 1.5 : 0
            return other.column.top.filter {
                $0.count > 1 && !known.contains($0.value) && share([$0], of: other.rows) > least
            }
        }
        came = missing(from: old, of: new)
        went = missing(from: new, of: old)
        let most = max(share(came, of: new.rows), share(went, of: old.rows))
        if most > 0 { weight = max(0.01, min(most * 60, 60)) }
    }

    // MARK: Words

    /// `+1.5`, `−3`.
    static func signed(_ value: Double) -> String { (value < 0 ? "−" : "+") + DisplayText.number(value.magnitude) }

    /// `+3.04 %`, or a factor.
    static func relative(_ old: Double, _ new: Double) -> String {
        guard old > 0 else { return new > 0 ? "from none" : "" }
        let share = new / old
        if share >= 10 { return "\(DisplayText.number((share * 10).rounded() / 10)) times as many" }
        let percent = (share - 1) * 100
        if percent.magnitude < 0.01 { return "\(signed(new - old))" }
        return "\(signed((percent * 100).rounded() / 100)) %"
    }

    /// The distance of two counts; double is as far as half.
    private static func ratio(_ old: Double, _ new: Double) -> Double {
        var (less, more) = (min(old, new) + 1, max(old, new) + 1)
        var steps = 0.0
        while more > less * 2, steps < 10 {
            less *= 2
            steps += 1
        }
        more = min(more, less * 2)
        return steps + (more - less) / less
    }
}
