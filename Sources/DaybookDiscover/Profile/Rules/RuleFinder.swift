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
    private static let mostNames = 2_000

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
            let value: SuggestedValue = ["are": .texts(names), "extra": .plain("warn"), "order": .plain("any")]
            let reason = "a column that is gone fails the gate, a new one is told"
            rules.append(FoundRule("columns", value, because: reason))
        }
        var columns: [TableRuleFinder.Column] = []
        var texts: [String] = []
        for (look, column) in zip(profile.look.columns, profile.columns) {
            let facts = ColumnFacts(look, column, in: profile.look)
            let own = self.rules(of: facts, look, column)
            rules += own
            if own.contains(where: { $0.type == "text_hygiene" }), facts.gaps.isEmpty { texts.append(facts.name) }
            let isDay = isKind(.day, facts)
            columns.append(TableRuleFinder.Column(facts, column, isDay: isDay, isNumber: isNumber(facts)))
        }
        return rules + [placeholder(in: texts, rows)].compactMap(\.self) + TableRuleFinder(rows: rows, columns).rules
    }

    /// Words that stand for a missing value and for nothing else.
    private static let placeholders = ["N/A", "n/a", "#N/A", "null", "NULL", "NaN", "-", "?"]

    /// Free texts have no other rule that such a word would break.
    private func placeholder(in columns: [String], _ rows: Int) -> FoundRule? {
        guard rows >= RuleFinder.someRows, !columns.isEmpty else { return nil }
        let value: SuggestedValue = ["column": .names(columns), "values": .texts(RuleFinder.placeholders)]
        return FoundRule("not_in_set", value, because: "no word stands for a missing value")
    }

    // MARK: - One column

    private func rules(of facts: ColumnFacts, _ look: ColumnInference, _ column: ColumnProfile) -> [FoundRule] {
        let name = facts.name
        let gaps = facts.gaps.filter { missingWords.contains($0.word) }
        let missing = facts.missing + gaps.reduce(0) { $0 + $1.count }
        let present = facts.rows - missing
        var rules = [notMissing(name, missing, facts.rows) ?? missingShare(name, missing, facts.rows)]
            .compactMap(\.self)
        guard present >= RuleFinder.fewRows else { return rules }
        let distinct = facts.distinct.count - gaps.count
        let isUnique = facts.isUnique || (facts.distinct.isExact && distinct == present)
        let isKey = isUnique && isKey(facts)
        if let rule = unique(facts, isUnique, isKey, present) { rules.append(rule) }
        if let rule = number(facts, column, isKey) ?? day(facts) { return rules + [rule] }
        // The following rules are about texts as in the file.
        guard facts.declared == .text, !isDeclared(name) else { return rules }
        if let rule = date(look) ?? colour(look) { return rules + [rule] }
        if let (set, all) = set(facts, column, present, distinct) { return rules + [set] + (all.map { [$0] } ?? []) }
        if gaps.isEmpty, let rule = form(facts, present) { return rules + [rule] }
        let reason = "no odd blanks, unseen characters or broken letters"
        return rules + [FoundRule("text_hygiene", of: name, because: reason)]
    }

    private func all(_ count: Int) -> String { "all \(DisplayText.count(count)) are" }

    private func notMissing(_ name: String, _ missing: Int, _ rows: Int) -> FoundRule? {
        guard rows >= RuleFinder.fewRows, RuleFinder.isFew(missing, of: rows) else { return nil }
        let reason = missing == 0 ? "none is missing today" : "of \(DisplayText.count(rows, "row"))"
        return FoundRule("not_missing", of: name, because: reason, allowed: missing)
    }

    /// A column that is emptied, or is a key of JSON that no record has any more, has no value at all.
    private func missingShare(_ name: String, _ missing: Int, _ rows: Int) -> FoundRule? {
        guard rows >= RuleFinder.someRows, rows - missing >= RuleFinder.fewRows else { return nil }
        // A tenth of the values of today are left.
        let least = Double(rows - missing) / Double(rows) * 10
        let unit = least < 0.1 ? 1_000.0 : 10
        let most = (100 - (least * unit).rounded(.down) / unit).brief
        guard most != "100" else { return nil }
        let today = FoundRule.percent(Double(missing) / Double(rows), rounded: .toNearestOrEven)
        let value: SuggestedValue = ["column": .text(name), "max": .plain("\(most)%")]
        return FoundRule("missing_share", value, because: "today \(today)")
    }

    /// Few enough to be slips rather than another form.
    static func isFew(_ part: Int, of whole: Int) -> Bool { part * 50 <= whole }

    private func unique(_ facts: ColumnFacts, _ isUnique: Bool, _ isKey: Bool, _ present: Int) -> FoundRule? {
        guard present >= RuleFinder.someRows, facts.mayBeKey, facts.declared != .json else { return nil }
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
    private func isKind(_ kind: ColumnKind, _ facts: ColumnFacts) -> Bool {
        let declared = guess.columns.declared
        return facts.declared == kind
            || guess.cellsAreText && declared.contains { $0.name == facts.name && $0.kind == kind.rawValue }
    }

    private func isNumber(_ facts: ColumnFacts) -> Bool { isKind(.integer, facts) || isKind(.decimal, facts) }

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
            let least = SuggestedValue.plain(numbers.least >= 1 ? "1" : "0")
            return FoundRule("between", ["column": .text(facts.name), "min": least], because: today)
        }
        guard bounds.low < bounds.high else { return nil }
        let (low, high) = (DisplayText.number(bounds.low), DisplayText.number(bounds.high))
        let value: SuggestedValue = ["column": .text(facts.name), "min": .plain(low), "max": .plain(high)]
        let odd = bounds.odd == 0 ? "" : ", of which \(DisplayText.count(bounds.odd, "lies", "lie")) far off"
        return FoundRule("between", value, because: today + odd, allowed: bounds.odd)
    }

    private func date(_ look: ColumnInference) -> FoundRule? {
        guard let verdict = profile.look.dateVerdict(of: look), verdict.choices.isEmpty, !verdict.hasTwoDigitYears,
            verdict.count >= RuleFinder.fewRows, RuleFinder.isFew(verdict.unread, of: verdict.count)
        else { return nil }
        let range = "\(verdict.first) to \(verdict.last)" + RuleFinder.but(verdict.misfit)
        let (min, max) = RuleFinder.bounds(verdict.first, verdict.last)
        let formats = SuggestedValue.texts(verdict.formats.map(\.text))
        let value: SuggestedValue = ["column": .text(look.name), "formats": formats, "min": min, "max": max]
        return FoundRule("date_format", value, because: range, allowed: verdict.unread)
    }

    /// The bounds for a column that the import reads as days.
    private func day(_ facts: ColumnFacts) -> FoundRule? {
        guard isKind(.day, facts), let days = facts.days else { return nil }
        let (min, max) = RuleFinder.bounds(days.first, days.last)
        let value: SuggestedValue = ["column": .text(facts.name), "min": min, "max": max]
        return FoundRule("between", value, because: "today \(days.first) to \(days.last)")
    }

    /// Bounds for days, to catch a wrong digit of a year: as long as today's range before and after it, but at least a year before
    /// and ten years after, and whole years.
    private static func bounds(_ first: CalendarDay, _ last: CalendarDay) -> (SuggestedValue, SuggestedValue) {
        func day(_ year: Int, _ month: Int, _ day: Int) -> SuggestedValue {
            .plain("\(CalendarDay(number: CalendarDay.number(year: year, month: month, day: day)))")
        }
        let years = last.components.year - first.components.year + 1
        let low = max(1, first.components.year - years)
        let high = min(9999, last.components.year + max(years, 10))
        return (day(low, 1, 1), day(high, 12, 31))
    }

    private func colour(_ look: ColumnInference) -> FoundRule? {
        let values = look.present - look.text.gapCount
        let misfits = values - look.text.colours.fitting
        // Gap words that the import keeps are no colours.
        let words = look.text.gaps.reduce(0) { $0 + (missingWords.contains($1.key) ? 0 : $1.value) }
        let others = misfits + words
        guard values > 0, RuleFinder.isFew(others, of: values) else { return nil }
        let reason = others == 0 ? all(values) : "nearly all are" + RuleFinder.but(look.text.colours.misfit)
        return FoundRule("hex_colour", of: look.name, because: reason, allowed: others)
    }

    /// An example that breaks the rule.
    private static func but(_ misfit: InferenceSample?) -> String { misfit.map { "; \($0.quoted) is not" } ?? "" }

    /// How often a value must occur to be expected tomorrow.
    private static let oftenEnough = 20
    /// The most values of a set, and of one whose values may each be rare.
    private static let mostWords = 100
    private static let fewWords = 20

    /// The rules for a column with a few texts: the set, and the texts that always occur.
    private func set(_ facts: ColumnFacts, _ column: ColumnProfile, _ present: Int, _ distinct: Int)
        -> (set: FoundRule, all: FoundRule?)?
    {
        guard facts.distinct.isExact, column.frequent.isExact, distinct <= RuleFinder.mostWords,
            present >= RuleFinder.someRows, distinct * 10 <= present
        else { return nil }
        let values = column.frequent.sorted.filter { !missingWords.contains(column.frequent.text(of: $0)) }
        guard values.allSatisfy({ $0.isWhole && $0.length <= 100 }) else { return nil }
        // Of many values, a further one is not expected only if none is rare.
        let isLong = distinct > RuleFinder.fewWords
        if isLong, values.contains(where: { $0.count < 10 }) { return nil }
        // Among very many values, a unique one is more often a slip than a word.
        let rare = values.filter { $0.count == 1 }
        let slips = rare.count < values.count && RuleFinder.isFew(rare.count, of: present) ? rare : []
        let words = values.filter { word in slips.isEmpty || word.count > 1 }.map { column.frequent.text(of: $0) }
        let named = DisplayText.list(slips.map { "'\(column.frequent.text(of: $0))'" })
        let frequent = values.filter { $0.count >= RuleFinder.oftenEnough }
        let least = frequent.last.map { DisplayText.count($0.count, "time") } ?? ""
        func rule(_ type: String, _ values: [String], _ reason: String, allowed: Int = 0) -> FoundRule {
            let value: SuggestedValue = ["column": .text(facts.name), "values": .texts(values)]
            return FoundRule(type, value, because: reason, allowed: allowed)
        }
        let once = slips.count == 1 ? "comes once, and may be a slip" : "come once, and may be slips"
        let first = "the most frequent first"
        let order = slips.isEmpty ? "all there are, \(first)" : "\(first); only \(named) \(once)"
        let all = rule("contains_all", frequent.map(column.frequent.text), "each of them \(least) or more")
        return (rule("in_set", words, order, allowed: slips.count), frequent.count > 1 && !isLong ? all : nil)
    }

    /// The rule for texts of one shape, or of one length.
    private func form(_ facts: ColumnFacts, _ present: Int) -> FoundRule? {
        guard present >= RuleFinder.someRows, let lengths = facts.lengths else { return nil }
        let name = SuggestedValue.text(facts.name)
        if let shape = lengths.shape.pattern {
            return FoundRule("matches", ["column": name, "pattern": .text(shape)], because: all(present))
        }
        guard lengths.least == lengths.most, lengths.most > 1 else { return nil }
        let length = SuggestedValue.plain(String(lengths.most))
        return FoundRule("length", ["column": name, "min": length, "max": length], because: "every one today")
    }
}

/// Words in the names of keys.
enum KeyWords {
    private static let words: Set<String> = [
        "id", "ids", "key", "code", "no", "nr", "num", "number", "uuid", "ref", "index", "serial", "번호", "아이디", "코드",
    ]

    /// Words that end with `id` and name no key, as `geonameid` does.
    private static let others: Set<String> = [
        "acid", "bid", "covid", "fluid", "grid", "humid", "hybrid", "invalid", "lipid", "liquid", "mid", "paid",
        "prepaid", "repaid", "solid", "unpaid", "valid", "void",
    ]

    static func are(in name: String) -> Bool {
        NameWords.of(name).contains { words.contains($0) || ($0.hasSuffix("id") && !others.contains($0)) }
    }
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
