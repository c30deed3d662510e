/// The facts of a profile about one column.
struct ColumnFacts: Sendable {
    /// One of the most frequent values, and whether its text is cut.
    typealias Top = (text: String, isCut: Bool, count: Int)

    var name: String
    /// The kind that the importer declares.
    var declared: ColumnKind
    /// The kind of the values, or of most of them.
    var holds: String
    /// Rows of the table.
    var rows: Int
    var missing: Int
    /// Kinds that occur, the most frequent first.
    var kinds: [(kind: ValueForm.Kind, count: Int)]
    var distinct: (count: Int, isExact: Bool)
    /// A digest of the values, in any order.
    var digest: UInt64
    /// Whether every value comes once, beyond doubt.
    var isUnique: Bool
    /// Whether every value is greater than the one before it.
    var isRising: Bool
    var top: [Top]
    /// By how much a count of `top` may be too low.
    var undercount: Int
    /// Of texts, in characters.
    var lengths: TextLengths?
    var numbers: NumberFacts?
    /// The first and the last day of values that are dates.
    var days: (first: CalendarDay, last: CalendarDay)?
    /// Formats of dates, and how many values have each.
    var formats: [DateVerdict.Format]
    var histogram: Histogram?
    /// The histogram with more bars, for a page.
    var drawn: Histogram?
    /// Numbers far from all others.
    var outliers: NumberOutliers?
    /// Words that often mean a missing value, the most frequent first.
    var gaps: [(word: String, count: Int)]
    /// Notes on oddities; one clause each.
    var notes: [String]

    var present: Int { rows - missing }

    /// How many top values are kept.
    static let mostTop = 12

    init(_ look: ColumnInference, _ profile: ColumnProfile, in table: TableInference) {
        name = look.name
        declared = look.kind
        rows = look.count
        missing = look.missing
        kinds = ValueForm.Kind.allCases.map { (kind: $0, count: profile.count($0)) }.filter { $0.count > 0 }
            .sorted { ($1.count, $0.kind.rawValue) < ($0.count, $1.kind.rawValue) }
        isRising = profile.order?.isRising == true && look.present > 1
        // Rising values never repeat, however many there are.
        distinct = isRising ? (look.present, true) : profile.distinct.result
        digest = profile.digest
        isUnique = look.present > 0 && distinct.isExact && distinct.count == look.present
        undercount = profile.frequent.undercount
        // A count within the error bound means nothing.
        top = profile.frequent.sorted.prefix(ColumnFacts.mostTop).filter { $0.count > profile.frequent.undercount }
            .map { (profile.frequent.text(of: $0), !$0.isWhole, $0.count) }
        lengths = look.kind == .text && profile.lengths.count > 0 ? profile.lengths : nil
        gaps = look.text.frequentGaps
        let verdict = ColumnFacts.verdict(look, table)
        formats = verdict?.formats ?? []
        if let verdict {
            days = (verdict.first, verdict.last)
        } else if profile.days.total > 0, look.kind == .day || look.kind == .instant {
            days = (ColumnFacts.day(profile.days.least), ColumnFacts.day(profile.days.most))
        }
        holds = ColumnFacts.holds(kinds, isTimed: verdict.map(\.isTimed))
        // Digits that a number would lose are no amounts, and the numbers among them say nothing about the others.
        let isCode = holds == ValueForm.Kind.code.displayText
        numbers = isCode ? nil : NumberFacts(profile, of: look.present - look.text.gapCount, isText: look.kind == .text)
        let isDoubtful = verdict.map { !$0.choices.isEmpty } ?? false
        if days != nil, !isDoubtful, profile.days.total > 0 {
            histogram = Histogram(days: profile.days)
            drawn = Histogram(days: profile.days, .drawing)
        } else if days == nil, let numbers {
            histogram = Histogram(numbers: profile.numbers.spread, isWhole: numbers.fractions == 0)
            drawn = Histogram(numbers: profile.numbers.spread, isWhole: numbers.fractions == 0, .drawing)
            outliers = NumberOutliers(profile.numbers, isWhole: numbers.fractions == 0)
        }
        notes = ColumnNotes.notes(of: look, verdict) + (look.kind == .text ? ColumnNotes.twins(profile.frequent) : [])
    }

    static func day(_ number: Double) -> CalendarDay {
        let (first, last) = (CalendarDay.range.lowerBound, CalendarDay.range.upperBound)
        return CalendarDay(number: Int32(max(Double(first), min(Double(last), number.rounded(.down)))))
    }

    /// The date formats of the column, by the rule for guessed jobs.
    private static func verdict(_ look: ColumnInference, _ table: TableInference) -> DateVerdict? {
        guard let verdict = table.dateVerdict(of: look) else { return nil }
        let values = look.present - look.text.gapCount
        let isWhole = look.kind != .text || look.text.integers.fitting == values
        let isSure = verdict.unread == 0 && verdict.count == values && (values >= 5 || DateWords.are(in: look.name))
        return isSure || !isWhole ? verdict : nil
    }

    /// Whether the values only identify rows: all differ, and they are no measurements.
    var isIdentifier: Bool { isUnique && present > 1 && days == nil && numbers.map { $0.fractions == 0 } ?? true }

    private static func holds(_ kinds: [(kind: ValueForm.Kind, count: Int)], isTimed: Bool?) -> String {
        if let isTimed { return isTimed ? ValueForm.Kind.instant.displayText : ValueForm.Kind.day.displayText }
        let kinds = kinds.filter { $0.kind != .gap && $0.kind != .empty }
        guard let first = kinds.first else { return "nothing" }
        let found = Set(kinds.map(\.kind))
        if found.count == 1 { return first.kind.displayText }
        if found == [.integer, .decimal] { return ValueForm.Kind.decimal.displayText }
        if found.isSubset(of: [.integer, .decimal, .code]) { return ValueForm.Kind.code.displayText }
        if found == [.day, .instant] { return ValueForm.Kind.instant.displayText }
        let all = kinds.reduce(0) { $0 + $1.count }
        return first.kind != .text && first.count * 10 >= all * 9 ? "mostly \(first.kind.displayText)" : "text"
    }

    /// Whether the column may be a key: short texts, longer ones without blanks, or whole numbers, and no dates.
    var mayBeKey: Bool {
        ["integer", "digits", "text"].contains(holds) && days == nil
            && lengths.map { $0.most <= 40 || ($0.most <= 200 && !$0.shape.hasBlanks) } ?? true
    }
}

extension ValueForm.Kind {
    /// The kind in words.
    package var displayText: String {
        switch self {
        case .gap: "gap word"
        case .empty: "empty text"
        case .integer: "integer"
        case .decimal: "decimal"
        case .code: "digits"
        case .flag: "flag"
        case .colour: "hex colour"
        case .day: "day"
        case .instant: "instant"
        case .text: "text"
        case .json: "json"
        }
    }

    /// The kind in JSON.
    package var key: String { displayText.replacingScalars(" ", with: "_") }
}

/// The facts of a profile about the numbers of a column.
struct NumberFacts: Sendable {
    var count: Int
    /// Values that are no numbers, gap words excluded.
    var others: Int
    var least: Double
    var most: Double
    /// The exact bounds of whole numbers of 64 bits.
    var leastWhole: Int64?
    var mostWhole: Int64?
    var mean: Double
    var median: Double
    /// The bounds of the median; equal if it is exact.
    var medianBounds: ClosedRange<Double>
    var fractions: Int
    var unbounded: Int

    /// The bounds of quantiles.
    var quantiles: [(share: Double, bounds: ClosedRange<Double>)]

    var medianIsExact: Bool { medianBounds.lowerBound == medianBounds.upperBound }

    var displayLeast: String { leastWhole.map { String($0) } ?? DisplayText.number(least) }
    var displayMost: String { mostWhole.map { String($0) } ?? DisplayText.number(most) }

    /// - Parameter values: how many values there are, numbers or not.
    init?(_ profile: ColumnProfile, of values: Int, isText: Bool) {
        let numbers = profile.numbers
        count = numbers.spread.total
        guard count > 0 else { return nil }
        least = numbers.spread.least
        most = numbers.spread.most
        let wholes = numbers.wholes
        if !wholes.isEmpty {
            leastWhole = Double(wholes.least) == least ? wholes.least : nil
            mostWhole = Double(wholes.most) == most ? wholes.most : nil
        }
        mean = numbers.sum.mean(of: count)
        fractions = numbers.fractions
        unbounded = numbers.unbounded
        others = values - count - unbounded
        let all = profile.frequent.numbers { isText ? NumberForm($0).number : CellReading.decimal($0) }
        let (low, high) = ((count - 1) / 2, count / 2)
        let isWhole = numbers.fractions == 0
        let one = NumberFacts.bounds(ofRank: low, numbers, all, isWhole)
        let other = low == high ? one : NumberFacts.bounds(ofRank: high, numbers, all, isWhole)
        // Halves first, so that no sum overflows.
        let lower = one.lowerBound / 2 + other.lowerBound / 2
        medianBounds = lower...max(lower, one.upperBound / 2 + other.upperBound / 2)
        median = medianBounds.lowerBound / 2 + medianBounds.upperBound / 2
        let last = count - 1
        quantiles = [0.05, 0.25, 0.75, 0.95].map { share in
            (share, NumberFacts.bounds(ofRank: Int((share * Double(last)).rounded()), numbers, all, isWhole))
        }
    }

    /// The bounds of the number of a rank, as narrow as possible.
    private static func bounds(
        ofRank rank: Int,
        _ numbers: NumberSummary,
        _ all: [(number: Double, count: Int)]?,
        _ isWhole: Bool
    ) -> ClosedRange<Double> {
        if let all, all.reduce(0, { $0 + $1.count }) == numbers.spread.total {
            var seen = 0
            for one in all {
                seen += one.count
                guard seen > rank else { continue }
                let isNear = !numbers.wholes.isEmpty && one.number.magnitude >= WholeRange.exactLimit
                return isNear ? one.number.nextDown...one.number.nextUp : one.number...one.number
            }
        }
        let even = numbers.spread.bounds(ofRank: rank)
        let sized = numbers.octaves.bounds(ofRank: rank) ?? even
        var low = max(even.lowerBound, sized.lowerBound)
        var high = min(even.upperBound, sized.upperBound)
        if isWhole { (low, high) = (low.rounded(.up), high.rounded(.down)) }
        // The upper bound of a step is the beginning of the next one, which a whole number may be.
        return low <= high ? low...high : (isWhole ? high...high : even)
    }
}

/// Notes about oddities of a column, each with the place of an example.
enum ColumnNotes {
    static func notes(of look: ColumnInference, _ verdict: DateVerdict?) -> [String] {
        var notes: [String] = []
        if let verdict {
            if let misfit = verdict.misfit {
                let others = DisplayText.count(verdict.unread, "value is no date", "values are no dates")
                notes.append("\(others), such as \(misfit.quoted)")
            }
            if !verdict.choices.isEmpty, let doubtful = verdict.doubtful {
                let orders = DisplayText.list(verdict.choices.map { "\($0.order) (\($0.format))" })
                let dates = "\(DisplayText.count(verdict.doubtfulCount, "date")) such as \(doubtful.quoted)"
                notes.append(
                    "nothing tells how \(dates) \(verdict.doubtfulCount == 1 ? "is" : "are") meant: with \(orders)"
                )
            }
        } else {
            notes += almost(look)
            if let evidence = EpochEvidence(look.numbers, column: look.name), evidence.isClear {
                notes.append("looks like dates: \(evidence.displayText)")
            } else if let days = SpreadsheetDays(look.numbers, column: look.name) {
                notes.append(days.displayText)
            }
        }
        if let odd = look.dates.oddYears, verdict != nil || look.kind == .day { notes.append(odd) }
        if verdict != nil, let sample = look.dates.impossible.sample {
            notes.append("\(sample.quoted) names a day that does not exist")
        }
        if let gap = look.text.gapped.sample {
            let words = look.text.frequentGaps.map { "'\($0.word)' \(DisplayText.count($0.count, "time"))" }
            notes.append("\(DisplayText.list(words)), which often means no value\(gap.place)")
        }
        return notes
    }

    /// A note about values that look alike; empty unless all values are known.
    static func twins(_ values: FrequentValues) -> [String] {
        guard values.isExact else { return [] }
        let texts = values.sorted.filter(\.isWhole).map(values.text)
        let pairs = LookAlikes.pairs(among: texts)
        guard let first = pairs.first else { return [] }
        let rest = pairs.count > 1 ? "; so it is with \(DisplayText.count(pairs.count - 1, "more value"))" : ""
        return ["'\(texts[first.place])' with \(first.oddity) looks like '\(first.twin)' and is another value\(rest)"]
    }

    /// A note about a column with nearly one kind of values.
    private static func almost(_ look: ColumnInference) -> [String] {
        let text = look.text
        let values = look.present - text.gapCount
        guard look.kind == .text, values > 0, text.integers.fitting < values else { return [] }
        switch look.numberVerdict {
        case .format(let format, let told, _, _): return ["numbers written as \(told.quoted): '\(format.option)'"]
        case .ambiguous(let sample, _):
            return ["numbers; the mark in \(sample.quoted), and in every other, may group thousands or begin decimals"]
        case .currencies(_, let sample):
            return ["amounts in several currencies, or several spellings of one, as \(sample.quoted)"]
        case .percent(let sample): return ["numbers with a percent sign, as \(sample.quoted)"]
        case nil: break
        }
        if let lossy = text.lossySample(of: values) {
            return ["as a number, \(lossy.quoted) would not come out as it went in"]
        }
        let forms = [
            (text.integers, "whole numbers"), (text.decimals, "numbers"), (text.flags, "true or false"),
            (text.colours, "hex colours"),
        ]
        let nearly = forms.first { $0.0.fitting < values && $0.0.fitting * 10 >= values * 9 && $0.0.misfit != nil }
        guard let (form, what) = nearly, let misfit = form.misfit else { return [] }
        return ["\(DisplayText.count(form.fitting)) are \(what); \(misfit.quoted) is not"]
    }
}
