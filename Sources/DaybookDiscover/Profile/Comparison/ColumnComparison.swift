import DaybookReports

/// What a column held before, and what it holds now.
struct ColumnComparison: Sendable {
    /// One fact of both, beside each other.
    struct Fact: Sendable {
        /// What it is called in documents for programs, and by people.
        var key: String
        var name: String
        var old: String
        var new: String
        var oldValue: JSONValue
        var newValue: JSONValue
        /// By how much they differ, in words; empty where they do not.
        var change = ""
        /// How much that is, where a change of everything is about 100.
        var weight = 0.0
    }

    let name: String
    let holds: String
    private(set) var facts: [Fact] = []
    /// Values that are among the most frequent ones only now, and those that only were.
    private(set) var came: [StoredProfile.Column.Top] = []
    private(set) var went: [StoredProfile.Column.Top] = []
    /// How large its largest change is.
    private(set) var weight = 0.0

    var isChanged: Bool { weight > 0 }
    /// Whether the values are others, though all that is known of them is the same.
    private(set) var hasOtherValues = false

    init(_ old: StoredProfile.Column, of oldRows: Int, _ new: StoredProfile.Column, of newRows: Int) {
        name = new.name
        holds = new.holds
        kind(old.holds, new.holds)
        formats(old.formats, new.formats)
        if let one = old.digest, let other = new.digest { hasOtherValues = one != other }
        missing((old.missing, oldRows), (new.missing, newRows))
        distinct(old.distinct, new.distinct)
        if let one = old.numbers, let other = new.numbers { numbers(one, other) }
        if let one = old.days, let other = new.days { days(one, other) }
        // How long numbers and days are written says nothing.
        let isText = [old, new].allSatisfy { $0.numbers == nil && $0.days == nil }
        if isText, let one = old.length, let other = new.length { length(one, other) }
        values(old, oldRows, new, newRows)
        weight = max(weight, facts.map(\.weight).max() ?? 0)
    }

    private mutating func add(
        _ key: String,
        _ name: String,
        _ old: (String, JSONValue),
        _ new: (String, JSONValue),
        change: String,
        weight: Double
    ) {
        let isChanged = old.1 != new.1
        facts.append(
            Fact(
                key: key,
                name: name,
                old: old.0,
                new: new.0,
                oldValue: old.1,
                newValue: new.1,
                change: isChanged ? change : "",
                // Whatever has changed is worth something.
                weight: isChanged ? max(0.01, min(weight.isFinite ? weight : 100, 100)) : 0
            )
        )
    }

    private mutating func kind(_ old: String, _ new: String) {
        add("holds", "holds", (old, .text(old)), (new, .text(new)), change: "another kind", weight: 100)
    }

    /// How dates are written; what another program reads by their format it no longer reads.
    private mutating func formats(_ old: [StoredProfile.Column.Format]?, _ new: [StoredProfile.Column.Format]?) {
        guard let old, let new, !old.isEmpty || !new.isEmpty else { return }
        func displayText(_ formats: [StoredProfile.Column.Format]) -> String {
            formats.isEmpty ? "no dates" : formats.map(\.format).joined(separator: ", ")
        }
        let (one, other) = (displayText(old), displayText(new))
        add("date_formats", "written", (one, .text(one)), (other, .text(other)), change: "another way", weight: 90)
    }

    private mutating func missing(_ old: (part: Int, whole: Int), _ new: (part: Int, whole: Int)) {
        func share(_ one: (part: Int, whole: Int)) -> Double {
            one.whole > 0 ? Double(one.part) / Double(one.whole) : 0
        }
        let points = (share(new) - share(old)) * 100
        add(
            "missing_share",
            "missing",
            (old.whole > 0 ? DisplayText.share(old.part, of: old.whole) : "–", .decimal(share(old))),
            (new.whole > 0 ? DisplayText.share(new.part, of: new.whole) : "–", .decimal(share(new))),
            change: points.magnitude < 0.01
                ? "less than 0.01 points" : "\(ColumnComparison.signed((points * 100).rounded() / 100)) points",
            weight: points.magnitude
        )
    }

    private mutating func distinct(_ old: StoredProfile.Column.Distinct, _ new: StoredProfile.Column.Distinct) {
        func displayText(_ one: StoredProfile.Column.Distinct) -> String {
            one.exact ? DisplayText.count(one.count) : "≈ \(DisplayText.count(ProfileText.rounded(one.count)))"
        }
        add(
            "distinct",
            "distinct",
            (displayText(old), .number(old.count)),
            (displayText(new), .number(new.count)),
            change: ColumnComparison.relative(Double(old.count), Double(new.count)),
            weight: ColumnComparison.ratio(Double(old.count), Double(new.count)) * 10
        )
    }

    private mutating func numbers(_ old: StoredProfile.Numbers, _ new: StoredProfile.Numbers) {
        // Against the span of the numbers before; halves first, so that it cannot overflow.
        let half = old.most / 2 - old.least / 2
        let span = half > 0 ? half : max(old.most.magnitude / 2, 0.5)
        func displayText(_ number: (value: Double, isExact: Bool)) -> String {
            let isExact = number.isExact && number.value.magnitude < WholeRange.exactLimit
            return (isExact ? "" : "≈ ") + DisplayText.number(number.value)
        }
        func add(_ key: String, _ name: String, _ one: (Double, Bool), _ other: (Double, Bool), _ share: Double) {
            let difference = other.0 / 2 - one.0 / 2
            self.add(
                key,
                name,
                (displayText(one), .decimal(one.0)),
                (displayText(other), .decimal(other.0)),
                change: difference.magnitude < 8e307 ? ColumnComparison.signed(difference * 2) : "very much",
                weight: difference.magnitude / span * share
            )
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
            add(
                key,
                name,
                (one, .text(one)),
                (other, .text(other)),
                change: days.map { "\($0 < 0 ? "−" : "+")\(DisplayText.count(Int($0.magnitude), "day"))" } ?? "",
                weight: days.map { $0.magnitude / max(span.magnitude, 1) * 20 } ?? 20
            )
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
            add(
                key,
                name,
                (DisplayText.count(one, "character"), .number(one)),
                (DisplayText.count(other, "character"), .number(other)),
                change: ColumnComparison.relative(Double(one), Double(other)),
                weight: ColumnComparison.ratio(Double(one), Double(other)) * 5
            )
        }
    }

    /// Values that come once may be anything, and are no news.
    private mutating func values(
        _ old: StoredProfile.Column,
        _ oldRows: Int,
        _ new: StoredProfile.Column,
        _ newRows: Int
    ) {
        func missing(
            from tops: StoredProfile.Column,
            of rows: Int,
            _ others: [StoredProfile.Column.Top],
            of otherRows: Int
        )
            -> [StoredProfile.Column.Top]
        {
            let known = Set(tops.top.map(\.value))
            // Where only the most frequent values are known, one that is not among them comes less often than they do.
            let isCut = !tops.distinct.exact || tops.top.count < tops.distinct.count
            let least = isCut ? share(Array(tops.top.suffix(1)), of: rows) * 1.5 : 0
            return others.filter { $0.count > 1 && !known.contains($0.value) && share([$0], of: otherRows) > least }
        }
        came = missing(from: old, of: oldRows, new.top, of: newRows)
        went = missing(from: new, of: newRows, old.top, of: oldRows)
        func share(_ tops: [StoredProfile.Column.Top], of rows: Int) -> Double {
            tops.reduce(0) { $0 + Double($1.count) } / Double(max(rows, 1))
        }
        let most = max(share(came, of: newRows), share(went, of: oldRows))
        if most > 0 { weight = max(0.01, min(most * 60, 60)) }
    }

    // MARK: Words

    /// `+1.5`, `−3`.
    static func signed(_ value: Double) -> String { (value < 0 ? "−" : "+") + DisplayText.number(value.magnitude) }

    /// `+3.04 %`, or how many times as much it is.
    static func relative(_ old: Double, _ new: Double) -> String {
        guard old > 0 else { return new > 0 ? "from none" : "" }
        let share = new / old
        if share >= 10 { return "\(DisplayText.number((share * 10).rounded() / 10)) times as many" }
        let percent = (share - 1) * 100
        if percent.magnitude < 0.01 { return "\(signed(new - old))" }
        return "\(signed((percent * 100).rounded() / 100)) %"
    }

    /// How far apart two counts are; twice as much is as far as half as much.
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
