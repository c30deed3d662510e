import DaybookPages

/// Finds rules about several columns, or about order and number of rows, that the rows of a table may pass.
///
/// A profile sees each column alone, so these rules are only likely, and a trial run decides.
struct TableRuleFinder {
    /// A column, and what the job reads it as.
    struct Column {
        let facts: ColumnFacts
        let isDay: Bool
        let isNumber: Bool
        /// The probability that two rows have the same value.
        let likeness: Double

        init(_ facts: ColumnFacts, _ profile: ColumnProfile, isDay: Bool, isNumber: Bool) {
            (self.facts, self.isDay, self.isNumber) = (facts, isDay, isNumber)
            let present = Double(max(1, facts.present))
            // The shares of equally frequent values are the least that they can be.
            likeness =
                profile.frequent.isExact
                ? profile.frequent.values.reduce(0) { $0 + (Double($1.count) / present) * (Double($1.count) / present) }
                : 1 / Double(max(1, facts.distinct.count))
        }
    }

    private let rows: Int
    private let columns: [Column]
    /// Columns of days in the job.
    private let days: [ColumnFacts]
    /// Columns of a few texts.
    private let sets: [ColumnFacts]
    /// Columns of numbers in the job.
    private let numbers: [ColumnFacts]

    /// The fewest rows for rules on order.
    private static let someRows = 50
    /// How many pairs of columns are tried.
    private static let mostPairs = 60
    /// The fewest rows for an order between columns whose names do not say it, and for rows that differ as wholes.
    private static let manyRows = 500
    /// How often chance would have broken a rule, if it were none: then it has not come by chance.
    private static let evidence = 30.0
    /// How many columns may be parts of a key, and how many keys are tried.
    private static let mostParts = 20
    private static let mostKeys = 16

    init(rows: Int, _ columns: [Column]) {
        self.rows = rows
        self.columns = columns
        days = columns.filter(\.isDay).map(\.facts)
        numbers = columns.filter { $0.isNumber && !$0.isDay && $0.facts.present > 0 }.map(\.facts)
        sets = columns.map(\.facts).filter {
            $0.declared == .text && $0.days == nil && $0.distinct.isExact && (2...200).contains($0.distinct.count)
                && $0.missing == 0
        }
    }

    /// The rules to try.
    var rules: [FoundRule] {
        guard rows >= TableRuleFinder.someRows else { return [] }
        return keys + orders + dependencies + gaps + pairs
    }

    // MARK: - How many rows

    /// The number of rows, less a quarter or more by half.
    static func rowCount(_ rows: Int) -> FoundRule {
        let today = "today \(DisplayText.count(rows))"
        guard rows >= someRows else {
            return FoundRule("row_count", ["min": .plain(rows > 0 ? "1" : "0")], because: today)
        }
        let step = Int(ChartScale.step(atLeast: Double(rows) / 100, isWhole: true))
        let (low, high) = (rows / 4 * 3 / step * step, (rows / 2 * 3 + step - 1) / step * step)
        let value: SuggestedValue = ["min": .plain(String(low)), "max": .plain(String(high))]
        return FoundRule("row_count", value, because: "\(today); a quarter less and half as many again")
    }

    // MARK: - Keys and days

    /// The columns that identify a row: one with days, two or three, or else all.
    private var keys: [FoundRule] {
        let single = days.filter { $0.isUnique && periods(of: $0) != nil }
        guard single.isEmpty else {
            return single.map {
                trial("unique", .text($0.name), "\(DisplayText.count($0.present, "day")), no two alike")
            }
        }
        guard !columns.contains(where: { $0.facts.isUnique && ($0.facts.mayBeKey || $0.facts.days != nil) })
        else { return [] }
        let parts = columns.filter(mayBePart).prefix(TableRuleFinder.mostParts)
        var keys: [FoundRule] = []
        for count in 2...3 {
            for key in parts.combinations(of: count) where keys.count < TableRuleFinder.mostKeys {
                let values = key.reduce(1) { $0 * Double($1.facts.distinct.count) }
                let repeats = key.reduce(Double(rows) * Double(rows - 1) / 2) { $0 * $1.likeness }
                guard values >= Double(rows), repeats >= TableRuleFinder.evidence else { continue }
                let names = SuggestedValue.texts(key.map(\.facts.name))
                keys.append(trial("unique", names, "no two rows are alike in these", group: "key"))
            }
        }
        // Values of JSON are not compared.
        guard rows >= TableRuleFinder.manyRows, !columns.contains(where: { $0.facts.declared == .json })
        else { return keys }
        return keys + [trial("unique", .text("*"), "no two rows are alike", group: "key")]
    }

    /// Whether a column may belong to a key: it is always there, and says what a row is about rather than how much.
    private func mayBePart(_ column: Column) -> Bool {
        let facts = column.facts
        guard facts.missing == 0, facts.distinct.isExact, facts.distinct.count > 1, !facts.isUnique
        else { return false }
        if column.isDay || facts.days != nil { return true }
        return column.isNumber ? KeyWords.are(in: facts.name) : facts.mayBeKey
    }

    private var gaps: [FoundRule] {
        days.flatMap { day -> [FoundRule] in
            guard let periods = periods(of: day) else { return [] }
            let groups = (1...2).flatMap { sets.prefix(8).combinations(of: $0) }.filter { isGrid($0, periods.count) }
            let by = day.isUnique || groups.isEmpty ? [[]] : groups.map { $0.map(\.name) }
            return by.flatMap { by in
                (periods.every.map { [$0] } ?? [nil, "weekday"]).map { every in
                    let isWeekday = every == "weekday"
                    let whole: SuggestedValue = [
                        "column": .text(day.name), "by": by.isEmpty ? nil : .names(by),
                        "weekdays": isWeekday ? .plain("true") : nil,
                        "every": isWeekday ? nil : every.map { .plain($0) },
                    ]
                    let value = every == nil && by.isEmpty ? .text(day.name) : whole
                    let what = isWeekday ? "day from Monday to Friday" : every ?? "day"
                    let range = day.days.map { " from \($0.first) to \($0.last)" } ?? ""
                    let reason = "every \(what)\(range) is there\(by.isEmpty ? "" : " for each")"
                    return trial("no_gaps", value, reason, group: "no_gaps \(day.name)")
                }
            }
        }
    }

    /// `week`, `month` or nil for days; and how many there are from the first day to the last.
    private typealias Periods = (every: String?, count: Int)

    /// The periods of which a column has most, each with one day; nil for few of them, or if many are missing.
    private func periods(of day: ColumnFacts) -> Periods? {
        guard let days = day.days, day.distinct.isExact else { return nil }
        let span = Int(days.last.number) - Int(days.first.number) + 1
        let found = day.distinct.count
        if span >= 14, found * 2 > span { return (nil, span) }
        for (every, length) in [("week", 7.0), ("month", 30.44)] {
            let count = Int((Double(span - 1) / length).rounded()) + 1
            if count >= 8, found * 2 > count, found <= count { return (every, count) }
        }
        return nil
    }

    /// Whether most combinations of periods and values have a row, and hardly any has two.
    private func isGrid(_ sets: [ColumnFacts], _ periods: Int) -> Bool {
        let cells = sets.reduce(periods) { $0 * $1.distinct.count }
        return rows * 2 > cells && rows <= cells + cells / 10
    }

    // MARK: - Order

    private var orders: [FoundRule] {
        let rising = numbers.filter(\.isRising).map { column in
            let value: SuggestedValue = ["column": .text(column.name), "strictly": .plain("true")]
            return trial("increasing", value, "each is more than the one before it")
        }
        return rising + days.filter { $0.distinct.count > 10 }.flatMap(orders)
    }

    /// The orders in which the days of a column may stand: in all rows, else in the rows of each value of another column.
    private func orders(of day: ColumnFacts) -> [FoundRule] {
        let sets = sets.filter { Double(rows - $0.distinct.count) / 2 >= TableRuleFinder.evidence }.prefix(8)
        return ([nil] + sets.map(\.name)).flatMap { set in
            [("increasing", "before"), ("decreasing", "after")].map { type, side in
                let value = set.map { ["column": .text(day.name), "by": .text($0)] } ?? SuggestedValue.text(day.name)
                let reason = "no day\(set.map { " of a \($0)" } ?? "") is \(side) the one above it"
                return trial(type, value, reason, group: "order \(day.name)")
            }
        }
    }

    // MARK: - Columns that decide others

    /// Texts of two columns that may name the same things, such as a code and its country: as many of each, and one for one. Chance
    /// would have broken that often.
    private var dependencies: [FoundRule] {
        let texts = columns.filter { column in
            sets.contains { $0.name == column.facts.name } && column.facts.distinct.count * 4 <= rows
        }
        return texts.combinations(of: 2).compactMap { pair -> FoundRule? in
            let (first, second) = (pair[0].facts, pair[1].facts)
            let count = first.distinct.count
            let breaks = Double(rows - count) * (1 - pair[1].likeness)
            guard count == second.distinct.count, breaks >= TableRuleFinder.evidence else { return nil }
            let value: SuggestedValue = ["column": .text(second.name), "by": .text(first.name)]
            let reason = "one \(second.name) for each \(first.name)"
            return trial("depends_on", value, reason, group: "name \(second.name)")
        }.prefix(TableRuleFinder.mostKeys).map(\.self)
    }

    /// Columns of one kind with one order: `low <= mean`, `mean <= high`.
    private var pairs: [FoundRule] {
        func mean(_ column: ColumnFacts) -> Double { column.numbers?.mean ?? 0 }
        func span(_ column: ColumnFacts) -> (Int32, Int32) {
            (column.days?.first.number ?? 0, column.days?.last.number ?? 0)
        }
        let ordered = numbers.filter { !$0.isRising && !KeyWords.are(in: $0.name) }.sorted { mean($0) < mean($1) }
        let likely = ordered.combinations(of: 2).filter { mayBeOrdered($0[0], $0[1]) }
        let pairs = likely + days.sorted { span($0) < span($1) }.combinations(of: 2)
        return pairs.count > TableRuleFinder.mostPairs ? [] : pairs.map { order($0[0], $0[1]) }
    }

    /// Whether the first of two columns may be at most the second in every row, and not only because its numbers are small: chance
    /// would have broken the order often, or the names say it.
    private func mayBeOrdered(_ low: ColumnFacts, _ high: ColumnFacts) -> Bool {
        guard let one = low.numbers, let other = high.numbers, one.least <= other.least, one.most <= other.most,
            one.mean < other.mean
        else { return false }
        if areRanked(low.name, high.name) { return true }
        return rows >= TableRuleFinder.manyRows && shareWords(low.name, high.name)
            && one.chance(ofMoreThan: other) * Double(rows) >= TableRuleFinder.evidence
    }

    private func order(_ low: ColumnFacts, _ high: ColumnFacts) -> FoundRule {
        let rows = DisplayText.count(min(low.present, high.present), "row")
        let order = SuggestedValue.text("\(ExpressionName.of(low.name)) <= \(ExpressionName.of(high.name))")
        var rule = trial("holds", order, "in each of \(rows)")
        rule.order = (low.name, high.name)
        return rule
    }

    /// Whether both names have a rank: `t_min` and `t_max`, `low` and `high`.
    private func areRanked(_ one: String, _ other: String) -> Bool {
        [one, other].allSatisfy { !NameWords.of($0).isDisjoint(with: Self.ranks) }
    }

    /// Whether two names share a word that is no rank.
    private func shareWords(_ one: String, _ other: String) -> Bool {
        !NameWords.of(one).subtracting(Self.ranks).isDisjoint(with: NameWords.of(other).subtracting(Self.ranks))
    }

    private static let ranks: Set<String> = [
        "net", "gross", "netto", "brutto", "min", "minimum", "low", "lowest", "least", "lower", "mean", "avg",
        "average", "median", "max", "maximum", "high", "highest", "most", "upper", "open", "close", "p5", "p25", "p50",
        "p75", "p90", "p95", "p99", "최저", "평균", "최고", "최소", "최대",
    ]

    private func trial(_ type: String, _ value: SuggestedValue, _ reason: String, group: String? = nil) -> FoundRule {
        FoundRule(type: type, value: value, reason: reason, isTrial: true, group: group)
    }
}

extension NumberFacts {
    /// The probability that a number is more than one of another column, if neither depended on the other.
    func chance(ofMoreThan other: NumberFacts) -> Double {
        let (mine, others) = (spaced, other.spaced)
        let more = mine.reduce(0) { sum, number in sum + others.count { $0 < number } }
        return Double(more) / Double(mine.count * others.count)
    }

    /// Numbers as spread as those of the column: evenly between its quantiles.
    private var spaced: [Double] {
        let inner = quantiles.map { ($0.share, $0.bounds.lowerBound / 2 + $0.bounds.upperBound / 2) } + [(0.5, median)]
        let points = [(0, least)] + inner.sorted { $0.0 < $1.0 } + [(1, most)]
        return (0..<40).map { step in
            let share = (Double(step) + 0.5) / 40
            let after = points.firstIndex { $0.0 >= share } ?? points.count - 1
            let (low, high) = (points[max(0, after - 1)], points[after])
            guard high.0 > low.0 else { return high.1 }
            return low.1 + (high.1 - low.1) * (share - low.0) / (high.0 - low.0)
        }
    }
}

extension Collection {
    /// Every choice of that many elements, in order.
    fileprivate func combinations(of count: Int) -> [[Element]] {
        guard count > 0 else { return [[]] }
        return indices.flatMap { index in
            self[self.index(after: index)...].combinations(of: count - 1).map { [self[index]] + $0 }
        }
    }
}
