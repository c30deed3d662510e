import DaybookBytes
import DaybookEngine

/// Finds rules that the rows of a table pass.
struct RuleFinder {
    private let profile: TableProfile
    private let guess: GuessedImport
    /// Words that the import reads as missing.
    private let missingWords: Set<String>

    /// The fewest rows for any rule.
    private static let fewRows = 10
    /// The fewest rows for rules on uniqueness and length, which fewer rows may pass by chance.
    private static let someRows = 50
    private static let mostNames = 60

    init(_ profile: TableProfile, _ guess: GuessedImport) {
        self.profile = profile
        self.guess = guess
        missingWords = guess.options.filter { $0.key == "missing" }.reduce(into: []) { words, option in
            guard case .list(let values) = option.value else { return }
            for case .text(let word) in values { words.insert(word) }
        }
    }

    var rules: [FoundRule] {
        let rows = profile.look.rows
        var rules = [TableRuleFinder.rowCount(rows)]
        let names = profile.look.schema.names
        if !names.isEmpty, names.count <= RuleFinder.mostNames {
            let options = [
                SuggestedOption("are", .texts(names)), SuggestedOption("extra", .plain("warn")),
                SuggestedOption("order", .plain("any")),
            ]
            let reason = "a column that is gone fails the gate, a new one is told"
            rules.append(FoundRule(type: "columns", value: .map(options), reason: reason))
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
        // The following rules are about texts as in the file.
        guard facts.declared == .text, !isDeclared(name) else { return rules }
        if let rule = date(look) ?? colour(look) { return rules + [rule] }
        if let (set, all) = set(facts, column, present, distinct) { return rules + [set] + (all.map { [$0] } ?? []) }
        if gaps.isEmpty, let rule = form(facts, present) { rules.append(rule) }
        return rules
    }

    private func all(_ count: Int) -> String { "all \(DisplayText.count(count)) are" }

    private func notMissing(_ name: String, _ missing: Int, _ rows: Int) -> FoundRule? {
        guard rows >= RuleFinder.fewRows, RuleFinder.isFew(missing, of: rows) else { return nil }
        let reason = missing == 0 ? "none is missing today" : "of \(DisplayText.count(rows, "row"))"
        return FoundRule("not_missing", of: name, because: reason, allowed: missing)
    }

    /// Few enough to be slips rather than another form.
    static func isFew(_ part: Int, of whole: Int) -> Bool { part * 50 <= whole }

    private func unique(_ facts: ColumnFacts, _ isUnique: Bool, _ isKey: Bool, _ present: Int) -> FoundRule? {
        guard present >= RuleFinder.someRows, facts.mayBeKey else { return nil }
        if isUnique {
            let reason = "\(DisplayText.count(present, "value")), no two alike"
            return isKey ? FoundRule("unique", of: facts.name, because: reason) : nil
        }
        // Too many to count, and about as many as values.
        guard !facts.distinct.isExact, !isNumber(facts) || KeyWords.are(in: facts.name),
            Double(facts.distinct.count) > Double(present) * (1 - 4 * DistinctCount.error)
        else { return nil }
        var rule = FoundRule("unique", of: facts.name, because: "perhaps; there are too many values to count them all")
        rule.isLeft = true
        return rule
    }

    /// Whether unique values identify rows, rather than being amounts that differ by chance: texts, and numbers that rise, are
    /// close together or have such a name.
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
        // Numbers that are dates become instants in the import.
        let isDate = guess.columns.dates.contains { $0.column == facts.name } || facts.days != nil
        guard isNumber(facts), !isDate, facts.present >= RuleFinder.someRows, let numbers = facts.numbers,
            let bounds = NumberBounds(column.numbers, isWhole: numbers.fractions == 0)
        else { return nil }
        let today = "today \(ProfileText.range(of: facts) ?? "")"
        if isKey {
            // New keys will be greater.
            guard numbers.least >= 0 else { return nil }
            let least = SuggestedOption("min", .plain(numbers.least >= 1 ? "1" : "0"))
            return FoundRule("between", of: facts.name, [least], because: today)
        }
        guard bounds.low < bounds.high else { return nil }
        let limits = [("min", bounds.low), ("max", bounds.high)].map { key, bound in
            SuggestedOption(key, .plain(DisplayText.number(bound)))
        }
        let odd = bounds.odd == 0 ? "" : ", of which \(DisplayText.count(bounds.odd, "lies", "lie")) far off"
        return FoundRule("between", of: facts.name, limits, because: today + odd, allowed: bounds.odd)
    }

    private func date(_ look: ColumnInference) -> FoundRule? {
        guard let verdict = profile.look.dateVerdict(of: look), verdict.choices.isEmpty, !verdict.hasTwoDigitYears,
            verdict.count >= RuleFinder.fewRows, RuleFinder.isFew(verdict.unread, of: verdict.count)
        else { return nil }
        let formats = SuggestedOption("formats", .texts(verdict.formats.map(\.text)))
        let range = "\(verdict.first) to \(verdict.last)" + RuleFinder.but(verdict.misfit)
        return FoundRule("date_format", of: look.name, [formats], because: range, allowed: verdict.unread)
    }

    private func colour(_ look: ColumnInference) -> FoundRule? {
        let values = look.present - look.text.gapCount
        let misfits = values - look.text.colours.fitting
        // Gap words that the import keeps are no colours.
        let words = look.text.gaps.reduce(0) { $0 + (missingWords.contains($1.key) ? 0 : $1.value) }
        guard values > 0, RuleFinder.isFew(misfits + words, of: values) else { return nil }
        let others = misfits + words
        let reason = others == 0 ? all(values) : "nearly all are" + RuleFinder.but(look.text.colours.misfit)
        return FoundRule("hex_colour", of: look.name, because: reason, allowed: others)
    }

    /// An example that breaks the rule.
    private static func but(_ misfit: InferenceSample?) -> String { misfit.map { "; \($0.quoted) is not" } ?? "" }

    /// How often a value must occur to be expected tomorrow.
    private static let oftenEnough = 20

    /// The rules for a column with a few texts: the set, and the texts that always occur.
    private func set(_ facts: ColumnFacts, _ column: ColumnProfile, _ present: Int, _ distinct: Int)
        -> (set: FoundRule, all: FoundRule?)?
    {
        guard facts.distinct.isExact, column.frequent.isExact, distinct <= 20, present >= RuleFinder.someRows,
            distinct * 10 <= present
        else { return nil }
        let values = column.frequent.sorted.filter { !missingWords.contains(column.frequent.text(of: $0)) }
        guard values.allSatisfy({ $0.isWhole && $0.length <= 100 }) else { return nil }
        // Among very many values, a unique one is more often a slip than a word.
        let rare = values.filter { $0.count == 1 }
        let slips = rare.count < values.count && RuleFinder.isFew(rare.count, of: present) ? rare : []
        let words = values.filter { word in slips.isEmpty || word.count > 1 }.map { column.frequent.text(of: $0) }
        let named = DisplayText.list(slips.map { "'\(column.frequent.text(of: $0))'" })
        let frequent = values.filter { $0.count >= RuleFinder.oftenEnough }
        let least = frequent.last.map { DisplayText.count($0.count, "time") } ?? ""
        func rule(_ type: String, _ values: [String], _ reason: String, allowed: Int = 0) -> FoundRule {
            let values = SuggestedOption("values", .texts(values))
            return FoundRule(type, of: facts.name, [values], because: reason, allowed: allowed)
        }
        let once = slips.count == 1 ? "comes once, and may be a slip" : "come once, and may be slips"
        let first = "the most frequent first"
        let order = slips.isEmpty ? "all there are, \(first)" : "\(first); only \(named) \(once)"
        let all = rule("contains_all", frequent.map(column.frequent.text), "each of them \(least) or more")
        return (rule("in_set", words, order, allowed: slips.count), frequent.count > 1 ? all : nil)
    }

    /// The rule for texts of one length, digits or others.
    private func form(_ facts: ColumnFacts, _ present: Int) -> FoundRule? {
        guard present >= RuleFinder.someRows, let lengths = facts.lengths, lengths.least == lengths.most,
            lengths.most > 1
        else { return nil }
        guard lengths.digits < lengths.count else {
            let pattern = SuggestedOption("pattern", .text("^[0-9]{\(lengths.most)}$"))
            return FoundRule("matches", of: facts.name, [pattern], because: all(present))
        }
        let limits = ["min", "max"].map { SuggestedOption($0, .plain(String(lengths.most))) }
        return FoundRule("length", of: facts.name, limits, because: "every one today")
    }
}

/// A rule that the rows pass, or may pass.
struct FoundRule {
    /// The type of the rule: `not_missing`.
    var type: String
    var value: SuggestedValue
    /// The evidence.
    var reason: String
    /// How many rows break it today, which are allowed.
    var allowed = 0
    /// Whether it is a comment, for the person to decide.
    var isLeft = false
    /// Whether it is only likely, so that one breaking row disproves it.
    var isTrial = false
    /// Only the first passed rule of a group is kept.
    var group: String?
    /// Two columns of which the first is never greater.
    var order: (low: String, high: String)?

    init(type: String, value: SuggestedValue, reason: String) {
        (self.type, self.value, self.reason) = (type, value, reason)
    }

    /// A rule about one column, in the short form if it has no further options.
    init(_ type: String, of column: String, _ options: [SuggestedOption] = [], because reason: String, allowed: Int = 0)
    {
        let named = SuggestedOption("column", .text(column))
        self.init(type: type, value: options.isEmpty ? .text(column) : .map([named] + options), reason: reason)
        self.allowed = allowed
    }

    /// The id of a rule in a trial.
    static func id(_ number: Int) -> String { "rule-\(number)" }

    /// Adds the place of the first breaking row to the reason.
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

    /// - Parameter id: the id in the outcome.
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

/// Bounds for the numbers of a column: wide enough for tomorrow, but close enough to catch a wrong digit.
///
/// The margin is the distance between the 5th and the 95th percentile, half on either side, and above at least the length of the
/// upper quarter; the sign of all numbers is kept. A few outliers do not widen the bounds.
struct NumberBounds {
    let low: Double
    let high: Double
    /// The range of nine in ten numbers.
    let core: ClosedRange<Double>
    /// How many numbers are outside the bounds.
    let odd: Int

    /// Nil for numbers too large to judge.
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
        // Equal numbers may differ by a half.
        let width = core > 0 ? core : max(most - least, least.magnitude, isWhole ? 2 : 0.001)
        let (below, above) = (max(width / 2, lower - least), max(width / 2, most - upper))
        let step = Histogram.step(atLeast: min(below, above) / 10, isWhole: isWhole)
        func rounded(_ number: Double, _ rule: FloatingPointRoundingRule) -> Double {
            // A step below 1 is not exact, but its inverse is.
            step < 1
                ? (number * (1 / step).rounded()).rounded(rule) / (1 / step).rounded()
                : (number / step).rounded(rule) * step
        }
        let (outerLow, outerHigh) = (rounded(least - below, .down), rounded(most + above, .up))
        low = least >= 0 ? max(0, outerLow) : outerLow
        // A maximum just below 100 indicates percentages.
        let isPercentage = least >= 0 && (95...100).contains(most)
        high = most <= 0 ? min(0, outerHigh) : isPercentage ? 100 : outerHigh
    }

    private typealias Inner = (least: Double, most: Double, odd: Int)

    /// The range without outliers, and their number; nil for none, or for more than one in a thousand.
    private static func inner(_ spread: NumberSpread, _ low: Double, _ high: Double) -> Inner? {
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

/// Very few numbers that are far from all others.
struct NumberOutliers: Sendable, Hashable {
    let count: Int
    /// The minimum and the maximum, if they are outliers.
    let least: Double?
    let most: Double?
    /// The range of nine in ten numbers.
    let core: ClosedRange<Double>

    /// The fewest numbers to judge.
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
