/// Finds rules about several columns, or about order and number of rows, that the rows of a table may pass.
///
/// A profile sees each column alone, so these rules are only likely, and a trial run decides.
struct TableRuleFinder {
    private let rows: Int
    private let facts: [ColumnFacts]
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

    init(rows: Int, _ columns: [(facts: ColumnFacts, isDay: Bool, isNumber: Bool)]) {
        self.rows = rows
        facts = columns.map(\.facts)
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
        return keys + orders + gaps + pairs
    }

    // MARK: - How many rows

    /// The number of rows, less a quarter or more by half.
    static func rowCount(_ rows: Int) -> FoundRule {
        guard rows >= someRows else {
            let least = SuggestedOption("min", .plain(rows > 0 ? "1" : "0"))
            return FoundRule(type: "row_count", value: .map([least]), reason: "today \(DisplayText.count(rows))")
        }
        let step = Int(Histogram.step(atLeast: Double(rows) / 100, isWhole: true))
        let (low, high) = (rows / 4 * 3 / step * step, (rows / 2 * 3 + step - 1) / step * step)
        return FoundRule(
            type: "row_count",
            value: .map([SuggestedOption("min", .plain(String(low))), SuggestedOption("max", .plain(String(high)))]),
            reason: "today \(DisplayText.count(rows)); a quarter less and half as many again"
        )
    }

    // MARK: - Keys and days

    /// One row per day, or per day and value of another column, if most of these exist.
    private var keys: [FoundRule] {
        days.flatMap { day -> [FoundRule] in
            guard let span = span(day) else { return [] }
            if day.isUnique {
                return [trial("unique", .text(day.name), "\(DisplayText.count(day.present, "day")), no two alike")]
            }
            return sets.filter { isGrid($0, span) }.map { set in
                let reason = "none of \(DisplayText.count(set.distinct.count)) has two rows of a day"
                return trial("unique", .texts([set.name, day.name]), reason)
            }
        }
    }

    private var gaps: [FoundRule] {
        days.flatMap { day -> [FoundRule] in
            guard let span = span(day) else { return [] }
            let by = sets.filter { !day.isUnique && isGrid($0, span) }.map { Optional($0.name) }
            return (by.isEmpty ? [nil] : by).flatMap { by in
                [false, true].map { weekdays in
                    var options = [SuggestedOption("column", .text(day.name))]
                    if let by { options.append(SuggestedOption("by", .text(by))) }
                    if weekdays { options.append(SuggestedOption("weekdays", .plain("true"))) }
                    let value = options.count == 1 ? SuggestedValue.text(day.name) : .map(options)
                    let days = weekdays ? "every day from Monday to Friday" : "every day"
                    let range = day.days.map { " from \($0.first) to \($0.last)" } ?? ""
                    var rule = trial("no_gaps", value, "\(days)\(range) is there\(by == nil ? "" : " for each")")
                    rule.group = "no_gaps \(day.name) \(by ?? "")"
                    return rule
                }
            }
        }
    }

    /// The number of days between the first and the last; nil for few days, or if many are missing.
    private func span(_ day: ColumnFacts) -> Int? {
        guard let days = day.days, day.distinct.isExact else { return nil }
        let span = Int(days.last.number) - Int(days.first.number) + 1
        return span >= 14 && day.distinct.count * 2 > span ? span : nil
    }

    /// Whether most pairs of day and value have a row, and hardly any has two.
    private func isGrid(_ set: ColumnFacts, _ span: Int) -> Bool {
        let cells = set.distinct.count * span
        return rows * 2 > cells && rows <= cells + cells / 10
    }

    // MARK: - Order

    private var orders: [FoundRule] {
        let rising = numbers.filter(\.isRising).map { column in
            let options = [("column", SuggestedValue.text(column.name)), ("strictly", .plain("true"))]
            let value = SuggestedValue.map(options.map { SuggestedOption($0, $1) })
            return trial("increasing", value, "each is more than the one before it")
        }
        return rising
            + days.flatMap { column in
                [("increasing", "before"), ("decreasing", "after")].map { type, side in
                    trial(type, .text(column.name), "no day is \(side) the one above it")
                }
            }
    }

    /// Columns of one kind with one order: `low <= mean`, `mean <= high`.
    private var pairs: [FoundRule] {
        var rules: [FoundRule] = []
        let ordered = numbers.filter { !isKey($0) }.sorted { mean($0) < mean($1) }
        for (place, low) in ordered.enumerated() {
            for high in ordered[(place + 1)...] where areAlike(low.name, high.name) && mayBeOrdered(low, high) {
                rules.append(order(low, high))
            }
        }
        let first = days.sorted {
            ($0.days?.first.number ?? 0, $0.days?.last.number ?? 0) < (
                $1.days?.first.number ?? 0, $1.days?.last.number ?? 0
            )
        }
        for (place, low) in first.enumerated() {
            for high in first[(place + 1)...] { rules.append(order(low, high)) }
        }
        return rules.count > TableRuleFinder.mostPairs ? [] : rules
    }

    private func isKey(_ column: ColumnFacts) -> Bool { column.isRising || KeyWords.are(in: column.name) }
    private func mean(_ column: ColumnFacts) -> Double { column.numbers?.mean ?? 0 }

    private func mayBeOrdered(_ low: ColumnFacts, _ high: ColumnFacts) -> Bool {
        guard let one = low.numbers, let other = high.numbers else { return false }
        return one.least <= other.least && one.most <= other.most && one.mean < other.mean
    }

    private func order(_ low: ColumnFacts, _ high: ColumnFacts) -> FoundRule {
        var rule = trial(
            "holds",
            .text("\(ExpressionName.of(low.name)) <= \(ExpressionName.of(high.name))"),
            "in each of \(DisplayText.count(min(low.present, high.present), "row"))"
        )
        rule.order = (low.name, high.name)
        return rule
    }

    /// Whether two names share a word, or both have a rank: `t_min` and `t_max`, `low` and `high`.
    private func areAlike(_ one: String, _ other: String) -> Bool {
        let (words, others) = (NameWords.of(one), NameWords.of(other))
        let areRanked = !words.isDisjoint(with: Self.ranks) && !others.isDisjoint(with: Self.ranks)
        return areRanked || !words.subtracting(Self.ranks).isDisjoint(with: others.subtracting(Self.ranks))
    }

    private static let ranks: Set<String> = [
        "net", "gross", "netto", "brutto", "min", "minimum", "low", "lowest", "least", "lower", "mean", "avg",
        "average", "median", "max", "maximum", "high", "highest", "most", "upper", "open", "close", "p5", "p25", "p50",
        "p75", "p90", "p95", "p99", "최저", "평균", "최고", "최소", "최대",
    ]

    private func trial(_ type: String, _ value: SuggestedValue, _ reason: String) -> FoundRule {
        var rule = FoundRule(type: type, value: value, reason: reason)
        rule.isTrial = true
        return rule
    }
}

extension [FoundRule] {
    /// Keeps only the first rule of each group, and no order that follows from two others.
    var withoutRepeats: [FoundRule] {
        var groups: Set<String> = []
        let orders = compactMap(\.order)
        func follows(_ order: (low: String, high: String)) -> Bool {
            orders.contains { first in
                first.low == order.low && first.high != order.high
                    && orders.contains { $0.low == first.high && $0.high == order.high }
            }
        }
        return filter { rule in
            if let order = rule.order, follows(order) { return false }
            return rule.group.map { groups.insert($0).inserted } ?? true
        }
    }
}

/// The words of a column's name.
enum NameWords {
    static func of(_ name: String) -> Set<String> {
        // `tMin` is two words as `t_min` is.
        var words: [String] = [""]
        var before: Character = " "
        for letter in name {
            if !letter.isLetter && !letter.isNumber {
                words.append("")
            } else {
                if letter.isUppercase, before.isLowercase { words.append("") }
                words[words.count - 1].append(letter)
            }
            before = letter
        }
        return Set(words.filter { !$0.isEmpty }.map { $0.lowercased() })
    }
}

/// Words in the names of keys.
enum KeyWords {
    private static let words: Set<String> = [
        "id", "ids", "key", "code", "no", "nr", "num", "number", "uuid", "ref", "index", "serial", "번호", "아이디", "코드",
    ]

    static func are(in name: String) -> Bool { !NameWords.of(name).isDisjoint(with: words) }
}

/// A column's name in an expression.
enum ExpressionName {
    static func of(_ name: String) -> String {
        let isPlain = name.utf8.allSatisfy {
            (97...122).contains($0) || (65...90).contains($0) || (48...57).contains($0) || $0 == 95
        }
        let isWord = name.utf8.contains(95) || name.utf8.contains { (48...57).contains($0) } || name.utf8.count == 1
        let beginsWell = name.utf8.first.map { !(48...57).contains($0) } ?? false
        // A word may be a keyword of the language: `in`, `between`.
        return isPlain && isWord && beginsWell ? name : "`\(name.replacingScalars("`", with: "``"))`"
    }
}
