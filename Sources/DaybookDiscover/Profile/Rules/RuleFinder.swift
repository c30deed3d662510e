import DaybookBytes
import DaybookEngine

/// Finds the rules that the rows of a table pass, and that say something.
struct RuleFinder {
    private let profile: TableProfile
    private let guess: GuessedImport
    /// Words that the import reads as no value.
    private let missingWords: Set<String>

    /// Rows below which a column says too little.
    private static let fewRows = 10
    /// Rows below which it may be chance that a column never repeats a value, or never changes its length.
    private static let someRows = 50
    private static let mostNames = 60

    init(_ profile: TableProfile, _ guess: GuessedImport) {
        self.profile = profile
        self.guess = guess
        var words: Set<String> = []
        for option in guess.options where option.key == "missing" {
            if case .list(let values) = option.value {
                for case .text(let word) in values { words.insert(word) }
            }
        }
        missingWords = words
    }

    var rules: [FoundRule] {
        let rows = profile.look.rows
        var rules = [TableRuleFinder.rowCount(rows)]
        let names = profile.look.schema.names
        if !names.isEmpty, names.count <= RuleFinder.mostNames {
            rules.append(
                FoundRule(
                    type: "columns",
                    value: .map([
                        SuggestedOption("are", .list(names.map { .text($0) })),
                        SuggestedOption("extra", .plain("warn")), SuggestedOption("order", .plain("any")),
                    ]),
                    reason: "a column that is gone fails the gate, a new one is told"
                )
            )
        }
        var columns: [(facts: ColumnFacts, isDay: Bool, isNumber: Bool)] = []
        for (look, column) in zip(profile.look.columns, profile.columns) {
            let facts = ColumnFacts(look, column, in: profile.look)
            rules += self.rules(of: facts, look, column)
            columns.append((facts, isKind("day", .day, facts), isNumber(facts)))
        }
        return rules + TableRuleFinder(rows: rows, columns).rules
    }

    // MARK: - One column

    private func rules(of facts: ColumnFacts, _ look: ColumnInference, _ column: ColumnProfile) -> [FoundRule] {
        let name = facts.name
        let gaps = facts.gaps.filter { missingWords.contains($0.word) }
        let missing = facts.missing + gaps.reduce(0) { $0 + $1.count }
        let present = facts.rows - missing
        var rules: [FoundRule] = []
        if let rule = notMissing(name, missing, facts.rows) { rules.append(rule) }
        guard present >= RuleFinder.fewRows else { return rules }
        let distinct = facts.distinct.count - gaps.count
        let isUnique = facts.isUnique || (facts.distinct.isExact && distinct == present)
        let isKey = isUnique && isKey(facts)
        if let rule = unique(facts, isUnique, isKey, present) { rules.append(rule) }
        if let rule = number(facts, column, isKey) { return rules + [rule] }
        // What follows is about texts as they stand in the file.
        guard facts.declared == .text, !isDeclared(name) else { return rules }
        if let rule = date(look) ?? colour(look) { return rules + [rule] }
        if let (set, all) = set(facts, column, present, distinct) { return rules + [set] + (all.map { [$0] } ?? []) }
        if gaps.isEmpty, let rule = form(facts, present) { rules.append(rule) }
        return rules
    }

    private func all(_ count: Int) -> String { "all \(DisplayText.count(count)) are" }

    private func notMissing(_ name: String, _ missing: Int, _ rows: Int) -> FoundRule? {
        guard rows >= RuleFinder.fewRows else { return nil }
        if missing == 0 {
            return FoundRule(type: "not_missing", value: .text(name), reason: "none is missing today")
        }
        guard RuleFinder.isFew(missing, of: rows) else { return nil }
        return FoundRule(
            type: "not_missing",
            value: .text(name),
            reason: "of \(DisplayText.count(rows, "row"))",
            allowed: missing
        )
    }

    /// Few enough that they are slips, and not another way of saying something.
    static func isFew(_ part: Int, of whole: Int) -> Bool { part * 50 <= whole }

    private func unique(_ facts: ColumnFacts, _ isUnique: Bool, _ isKey: Bool, _ present: Int) -> FoundRule? {
        let mayBeKey =
            ["integer", "digits", "text"].contains(facts.holds) && facts.lengths.map { $0.most <= 40 } ?? true
        guard present >= RuleFinder.someRows, mayBeKey, facts.days == nil else { return nil }
        if isUnique {
            guard isKey else { return nil }
            return FoundRule(
                type: "unique",
                value: .text(facts.name),
                reason: "\(DisplayText.count(present, "value")), no two alike"
            )
        }
        // More than can be counted, and about as many as there are values.
        guard !facts.distinct.isExact, !isNumber(facts) || KeyWords.are(in: facts.name),
            Double(facts.distinct.count) > Double(present) * (1 - 4 * DistinctCount.error)
        else { return nil }
        return FoundRule(
            type: "unique",
            value: .text(facts.name),
            reason: "perhaps; there are too many values to count them all",
            isLeft: true
        )
    }

    /// Whether values that differ tell rows apart, and are no amounts that happen to differ: texts, and numbers that are counted up, stand
    /// close together or are called so.
    private func isKey(_ facts: ColumnFacts) -> Bool {
        guard isNumber(facts) else { return true }
        guard let numbers = facts.numbers, numbers.fractions == 0 else { return false }
        return facts.isRising || numbers.most - numbers.least < Double(facts.present) * 2
            || KeyWords.are(in: facts.name)
    }

    /// Whether the import reads the column as another kind than text.
    private func isDeclared(_ name: String) -> Bool {
        guess.cellsAreText && guess.columns.declared.contains { $0.name == name }
    }

    /// Whether the import reads the column as a kind.
    private func isKind(_ word: String, _ kind: ColumnKind, _ facts: ColumnFacts) -> Bool {
        facts.declared == kind
            || (guess.cellsAreText && guess.columns.declared.contains { $0.name == facts.name && $0.kind == word })
    }

    private func isNumber(_ facts: ColumnFacts) -> Bool {
        isKind("integer", .integer, facts) || isKind("decimal", .decimal, facts)
    }

    private func number(_ facts: ColumnFacts, _ column: ColumnProfile, _ isKey: Bool) -> FoundRule? {
        // Numbers that are dates become instants where the import can read them.
        let isDate = guess.columns.dates.contains { $0.column == facts.name } || facts.days != nil
        guard isNumber(facts), !isDate, facts.present >= RuleFinder.someRows, let numbers = facts.numbers,
            let bounds = NumberBounds(column.numbers, isWhole: numbers.fractions == 0)
        else { return nil }
        let today = "today \(ProfileText.range(of: facts) ?? "")"
        var options = [SuggestedOption("column", .text(facts.name))]
        if isKey {
            // They go on tomorrow.
            guard numbers.least >= 0 else { return nil }
            options.append(SuggestedOption("min", .plain(numbers.least >= 1 ? "1" : "0")))
            return FoundRule(type: "between", value: .map(options), reason: today)
        }
        guard bounds.low < bounds.high else { return nil }
        options.append(SuggestedOption("min", .plain(DisplayText.number(bounds.low))))
        options.append(SuggestedOption("max", .plain(DisplayText.number(bounds.high))))
        let odd =
            bounds.odd > 0
            ? ", of which \(DisplayText.count(bounds.odd)) \(bounds.odd == 1 ? "lies" : "lie") far off" : ""
        return FoundRule(type: "between", value: .map(options), reason: today + odd, allowed: bounds.odd)
    }

    private func date(_ look: ColumnInference) -> FoundRule? {
        guard let verdict = profile.look.dateVerdict(of: look), verdict.choices.isEmpty, !verdict.hasTwoDigitYears,
            verdict.count >= RuleFinder.fewRows, RuleFinder.isFew(verdict.unread, of: verdict.count)
        else { return nil }
        return FoundRule(
            type: "date_format",
            value: .map([
                SuggestedOption("column", .text(look.name)),
                SuggestedOption("formats", .list(verdict.formats.map { .text($0.text) })),
            ]),
            reason: "\(verdict.first) to \(verdict.last)" + RuleFinder.but(verdict.misfit),
            allowed: verdict.unread
        )
    }

    private func colour(_ look: ColumnInference) -> FoundRule? {
        let values = look.present - look.text.gapCount
        let misfits = values - look.text.colours.fitting
        // Gap words that the import keeps are no colours either.
        let words = look.text.gaps.reduce(0) { $0 + (missingWords.contains($1.key) ? 0 : $1.value) }
        guard values > 0, RuleFinder.isFew(misfits + words, of: values) else { return nil }
        return FoundRule(
            type: "hex_colour",
            value: .text(look.name),
            reason: misfits + words == 0 ? all(values) : "nearly all are" + RuleFinder.but(look.text.colours.misfit),
            allowed: misfits + words
        )
    }

    /// An example of what breaks the rule.
    private static func but(_ misfit: InferenceSample?) -> String {
        misfit.map { "; \($0.quoted) is not" } ?? ""
    }

    /// How often a value occurs that is expected to occur tomorrow as well.
    private static let oftenEnough = 20

    /// The texts that a column holds, where these are a few, and those that are never left out.
    private func set(
        _ facts: ColumnFacts,
        _ column: ColumnProfile,
        _ present: Int,
        _ distinct: Int
    ) -> (set: FoundRule, all: FoundRule?)? {
        guard facts.distinct.isExact, column.frequent.isExact, distinct <= 20, present >= RuleFinder.someRows,
            distinct * 10 <= present
        else { return nil }
        let values = column.frequent.sorted.filter { !missingWords.contains(column.frequent.text(of: $0)) }
        guard values.allSatisfy({ $0.isWhole && $0.length <= 100 }) else { return nil }
        // Of very many values, one that comes once is a slip more often than a word.
        let rare = values.filter { $0.count == 1 }
        let slips = rare.count < values.count && RuleFinder.isFew(rare.count, of: present) ? rare : []
        let words = values.filter { word in slips.isEmpty || word.count > 1 }.map { column.frequent.text(of: $0) }
        let named = DisplayText.list(slips.map { "'\(column.frequent.text(of: $0))'" })
        let frequent = values.filter { $0.count >= RuleFinder.oftenEnough }
        let least = frequent.last.map { DisplayText.count($0.count, "time") } ?? ""
        let all = FoundRule(
            type: "contains_all",
            value: .map([
                SuggestedOption("column", .text(facts.name)),
                SuggestedOption("values", .list(frequent.map { .text(column.frequent.text(of: $0)) })),
            ]),
            reason: "each of them \(least) or more"
        )
        let set = FoundRule(
            type: "in_set",
            value: .map([
                SuggestedOption("column", .text(facts.name)), SuggestedOption("values", .list(words.map { .text($0) })),
            ]),
            reason: slips.isEmpty
                ? "all there are, the most frequent first"
                : "the most frequent first; only \(named) \(slips.count == 1 ? "comes once, and may be a slip" : "come once, and may be slips")",
            allowed: slips.count
        )
        return (set, frequent.count > 1 ? all : nil)
    }

    /// What all texts have in common that always have the same length.
    private func form(_ facts: ColumnFacts, _ present: Int) -> FoundRule? {
        guard present >= RuleFinder.someRows, let lengths = facts.lengths, lengths.least == lengths.most,
            lengths.most > 1
        else { return nil }
        guard lengths.digits < lengths.count else {
            return FoundRule(
                type: "matches",
                value: .map([
                    SuggestedOption("column", .text(facts.name)),
                    SuggestedOption("pattern", .text("^[0-9]{\(lengths.most)}$")),
                ]),
                reason: all(present)
            )
        }
        return length(facts, lengths)
    }

    private func length(_ facts: ColumnFacts, _ lengths: TextLengths) -> FoundRule {
        let length = SuggestedValue.plain(String(lengths.most))
        return FoundRule(
            type: "length",
            value: .map([
                SuggestedOption("column", .text(facts.name)), SuggestedOption("min", length),
                SuggestedOption("max", length),
            ]),
            reason: "every one today"
        )
    }
}

/// One rule that the rows pass, or one that they may.
struct FoundRule {
    /// The type of the rule: `not_missing`.
    var type: String
    var value: SuggestedValue
    /// What speaks for it.
    var reason: String
    /// How many rows break it today, and so may.
    var allowed = 0
    /// Whether it is left to the person, as a comment.
    var isLeft = false
    /// Whether it is only likely, so that a single row that breaks it speaks against it.
    var isTrial = false
    /// Of rules of one group the first one that holds is enough.
    var group: String?
    /// The columns of which the first is never more than the second.
    var order: (low: String, high: String)?

    /// What a rule is called in a trial, by its place.
    static func id(_ number: Int) -> String { "rule-\(number)" }

    /// Says where the first of the rows stands that break it.
    mutating func show(_ finding: RenderedFinding) {
        guard let line = finding.line, !reason.contains("(line ") else { return }
        let place = "line \(DisplayText.count(line))"
        guard let value = finding.value.map({ "'\($0.shortened(to: 60))'" }) else {
            reason += "; the first on \(place)"
            return
        }
        if let named = reason.firstRange(of: value) {
            reason.replaceSubrange(named, with: "\(value) (\(place))")
        } else {
            reason += "; the first that breaks it is \(value) (\(place))"
        }
    }

    /// - Parameter id: what outcomes are to call it.
    func write(to job: inout JobText, indent: Int, id: String?) {
        let margin = String(repeating: " ", count: indent)
        let line = "\(type): \(YAMLScalar.of(value))"
        guard !isLeft else { return job.add("\(margin)# - \(line)", reason) }
        let isWide = Prose.width(of: line) > 76
        if case .map(let options) = value, isWide {
            job.remark("\(reason):", indent: indent)
            job.add("\(margin)- \(type):")
            for option in options { job.add(option, indent: indent + 4) }
        } else if Prose.width(of: line) > 40 {
            job.remark("\(reason):", indent: indent)
            job.add("\(margin)- \(line)")
        } else {
            job.add("\(margin)- \(line)", reason)
        }
        if let id { job.add("\(margin)  id: \(id)") }
        if allowed > 0 {
            job.add("\(margin)  fail: \(YAMLScalar.of("> \(allowed)"))", "so many today; one more fails the gate")
        }
    }
}

/// Bounds for the numbers of a column: wide enough for those of tomorrow, and close enough that a slip by a digit does not pass.
///
/// They leave as much room as the numbers spread between their 5th and 95th percentile, half of it on either side, and as much above the
/// upper quarter as that quarter is long; the sign of all numbers is kept. A few numbers far off from all others do not widen them.
struct NumberBounds {
    let low: Double
    let high: Double
    /// Between which nine in ten numbers lie.
    let core: ClosedRange<Double>
    /// How many numbers lie beyond the bounds.
    let odd: Int

    /// Nil where the numbers are too large to say anything of.
    init?(_ numbers: NumberSummary, isWhole: Bool) {
        let spread = numbers.spread
        guard spread.total > 0, numbers.unbounded == 0, max(spread.least.magnitude, spread.most.magnitude) < 1e12
        else { return nil }
        func quantile(_ share: Double) -> ClosedRange<Double> {
            let rank = Int(share * Double(spread.total - 1))
            let even = spread.bounds(ofRank: rank)
            guard let sized = numbers.octaves.bounds(ofRank: rank), sized.overlaps(even) else { return even }
            return sized.clamped(to: even)
        }
        let (lowest, highest) = (quantile(0.05).lowerBound, quantile(0.95).upperBound)
        self.core = lowest...max(lowest, highest)
        let (lower, upper) = (quantile(0.25).lowerBound, quantile(0.75).upperBound)
        let core = highest - lowest
        let far = NumberBounds.inner(spread, lowest - 5 * core, highest + 5 * core)
        let (least, most) = (far?.least ?? spread.least, far?.most ?? spread.most)
        odd = far?.odd ?? 0
        // Numbers that are all alike may differ by a half.
        let width = core > 0 ? core : max(most - least, least.magnitude, isWhole ? 2 : 0.001)
        let (below, above) = (max(width / 2, lower - least), max(width / 2, most - upper))
        let step = Histogram.step(atLeast: min(below, above) / 10, isWhole: isWhole)
        func rounded(_ number: Double, _ rule: FloatingPointRoundingRule) -> Double {
            // A step below 1 is not exact, its inverse is.
            step < 1
                ? (number * (1 / step).rounded()).rounded(rule) / (1 / step).rounded()
                : (number / step).rounded(rule) * step
        }
        let (outerLow, outerHigh) = (rounded(least - below, .down), rounded(most + above, .up))
        low = least >= 0 ? max(0, outerLow) : outerLow
        // What comes close to 100 and is never more is a percentage.
        let isPercentage = least >= 0 && (95...100).contains(most)
        high = most <= 0 ? min(0, outerHigh) : isPercentage ? 100 : outerHigh
    }

    /// The least and the most number that are not far off, where no more than one in a thousand is, and how many are; nil where none is.
    private static func inner(
        _ spread: NumberSpread,
        _ low: Double,
        _ high: Double
    ) -> (least: Double, most: Double, odd: Int)? {
        guard low < high, spread.least < low || spread.most > high else { return nil }
        let steps = spread.counts.indices.filter {
            spread.counts[$0] > 0 && spread.end(of: $0) > low && spread.start(of: $0) < high
        }
        guard let first = steps.first, let last = steps.last else { return nil }
        let odd = spread.total - steps.reduce(0) { $0 + spread.counts[$1] }
        guard odd > 0, odd <= max(1, spread.total / 1000) else { return nil }
        return (spread.start(of: first), min(spread.most, spread.end(of: last)), odd)
    }
}

/// Numbers that lie far from all others, where they are very few.
struct NumberOutliers: Sendable, Hashable {
    let count: Int
    /// The least of all numbers where it is one of them, and the most.
    let least: Double?
    let most: Double?
    /// Between which nine in ten numbers lie.
    let core: ClosedRange<Double>

    /// Numbers below which a distance may be chance.
    private static let someNumbers = 50

    init?(_ numbers: NumberSummary, isWhole: Bool) {
        let spread = numbers.spread
        guard spread.total >= NumberOutliers.someNumbers, let bounds = NumberBounds(numbers, isWhole: isWhole),
            bounds.odd > 0
        else { return nil }
        let width = bounds.core.upperBound - bounds.core.lowerBound
        count = bounds.odd
        core = bounds.core
        least = spread.least < bounds.core.lowerBound - 5 * width ? spread.least : nil
        most = spread.most > bounds.core.upperBound + 5 * width ? spread.most : nil
    }
}
