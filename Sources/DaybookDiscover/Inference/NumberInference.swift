import DaybookDates

/// The range of a column's numbers, and counts that indicate dates.
public struct NumberInference: Sendable, Hashable {
    public private(set) var count = 0
    public private(set) var least = Double.infinity
    public private(set) var most = -Double.infinity
    /// The range of whole numbers of 64 bits.
    public private(set) var wholes = WholeRange()
    /// Numbers with a fraction.
    public private(set) var fractions = 0
    /// Numbers below 100,000,000; as seconds they are within three years of any epoch.
    public private(set) var small = 0
    /// Instants of the years 2005 to 2034 as seconds since 1970, as milliseconds since then, and as seconds since 2001. No
    /// number is in two of the ranges.
    public private(set) var recentSeconds = 0
    public private(set) var recentMillis = 0
    public private(set) var recentAppleSeconds = 0
    /// Whole multiples of 3,600, as midnights in most zones are.
    public private(set) var wholeHours = 0
    /// Whole multiples of 3,600,000.
    public private(set) var wholeMilliHours = 0

    @inline(__always)
    package mutating func add(whole number: Int64, times: Int = 1) {
        wholes.add(number)
        add(Double(number), times: times)
    }

    @inline(__always)
    package mutating func add(_ number: Double, times: Int = 1) {
        count &+= times
        if number < least { least = number }
        if number > most { most = number }
        let size = number.magnitude
        if size < 1e8 { small &+= times }
        if number >= 126_230_400, number < 1_072_915_200 { recentAppleSeconds &+= times }
        if number >= 1_104_537_600, number < 2_051_222_400 { recentSeconds &+= times }
        if number >= 1_104_537_600_000, number < 2_051_222_400_000 { recentMillis &+= times }
        guard size < 1e15 else { return }
        let whole = Int64(number)
        if Double(whole) != number {
            fractions &+= times
        } else if whole % 3_600 == 0 {
            wholeHours &+= times
            if whole % 3_600_000 == 0 { wholeMilliHours &+= times }
        }
    }

    /// How many numbers are instants of the years 2005 to 2034 in a unit.
    func recent(in unit: EpochUnit) -> Int {
        switch unit {
        case .epochSeconds: recentSeconds
        case .epochMillis: recentMillis
        case .appleSeconds: recentAppleSeconds
        }
    }

    package mutating func merge(_ later: NumberInference) {
        count += later.count
        least = min(least, later.least)
        most = max(most, later.most)
        wholes.merge(later.wholes)
        fractions += later.fractions
        small += later.small
        recentSeconds += later.recentSeconds
        recentMillis += later.recentMillis
        recentAppleSeconds += later.recentAppleSeconds
        wholeHours += later.wholeHours
        wholeMilliHours += later.wholeMilliHours
    }
}

/// The number formats of a column of text, as far as its texts show.
public struct NumberFormatInference: Sendable, Hashable {
    /// Texts that are numbers in some format, and keep their digits.
    public private(set) var fitting = 0
    /// By mark: texts in which it can only begin decimals, can only group, and can do either.
    var decimals = NumberMark.allCases.map { _ in SampledCount() }
    var thousands = NumberMark.allCases.map { _ in SampledCount() }
    var either = NumberMark.allCases.map { _ in SampledCount() }
    /// Texts with groups of three only, and with Indian groups only.
    var onlyThree = SampledCount()
    var onlyIndian = SampledCount()
    /// Decimals without a digit before the mark.
    private(set) var bare = 0
    var percents = SampledCount()
    var currency = SampledCount()
    /// The texts beside the digits, with counts; nil for too many to be one or two currencies.
    private(set) var currencies: [String: Int]? = [:]

    private static let mostCurrencies = 4

    @inline(__always)
    mutating func add(_ cell: Cell, isPlain: Bool, row: Int, times: Int) {
        if isPlain { fitting &+= times } else { look(at: cell, row, times) }
    }

    private mutating func look(at cell: Cell, _ row: Int, _ times: Int) {
        guard let evidence = NumberEvidence(cell), !evidence.isCode else { return }
        fitting += times
        if let mark = evidence.decimal { decimals[Int(mark.rawValue)].add(cell, row: row, times: times) }
        if let mark = evidence.thousands { thousands[Int(mark.rawValue)].add(cell, row: row, times: times) }
        if let mark = evidence.either { either[Int(mark.rawValue)].add(cell, row: row, times: times) }
        if !evidence.mayBeIndian { onlyThree.add(cell, row: row, times: times) }
        if !evidence.mayBeThree { onlyIndian.add(cell, row: row, times: times) }
        if evidence.isBare { bare += times }
        if evidence.hasPercent { percents.add(cell, row: row, times: times) }
        if let range = evidence.currency {
            currency.add(cell, row: row, times: times)
            merge([String(decoding: cell[range], as: UTF8.self): times])
        }
    }

    private mutating func merge(_ others: [String: Int]?) {
        guard let others, currencies != nil else {
            currencies = nil
            return
        }
        currencies?.merge(others, uniquingKeysWith: +)
        if let found = currencies, found.count > NumberFormatInference.mostCurrencies { currencies = nil }
    }

    mutating func merge(_ later: NumberFormatInference) {
        fitting += later.fitting
        for mark in decimals.indices {
            decimals[mark].merge(later.decimals[mark])
            thousands[mark].merge(later.thousands[mark])
            either[mark].merge(later.either[mark])
        }
        bare += later.bare
        onlyThree.merge(later.onlyThree)
        onlyIndian.merge(later.onlyIndian)
        percents.merge(later.percents)
        currency.merge(later.currency)
        merge(later.currencies)
    }

    /// Calls `body` with every sample, to fill in its place.
    mutating func forEachSample(_ body: (inout InferenceSample?) -> Void) {
        for mark in decimals.indices {
            body(&decimals[mark].sample)
            body(&thousands[mark].sample)
            body(&either[mark].sample)
        }
        body(&onlyThree.sample)
        body(&onlyIndian.sample)
        body(&percents.sample)
        body(&currency.sample)
    }
}

/// The number format of a column, or why there is none.
package enum NumberVerdict: Sendable {
    /// One format reads all texts in one way; the sample is the first text that shows it.
    case format(NumberFormat, told: InferenceSample, isWhole: Bool, isGrouped: Bool)
    /// All texts are numbers, but a mark such as the point of `1.234` may group or begin decimals.
    case ambiguous(InferenceSample, NumberMark)
    /// All texts are amounts in several currencies, or spellings of one, the commonest first; empty for very many. As
    /// numbers, dollars would be added to euros.
    case currencies([String], InferenceSample)
    /// All texts are numbers with a percent sign, whose meaning only a person knows.
    case percent(InferenceSample)

    /// - Parameter values: how many texts the column has, gap words excluded.
    package init?(_ look: NumberFormatInference, values: Int) {
        guard values > 0, look.fitting == values else { return nil }
        let currencies = look.currencies?.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map(\.key) ?? []
        if look.currencies?.count != currencies.prefix(1).count, let sample = look.currency.sample {
            self = .currencies(currencies, sample)
            return
        }
        guard look.onlyThree.count == 0 || look.onlyIndian.count == 0 else { return nil }
        // If all values begin with the mark, it is rather the rest of another delimiter.
        guard look.bare == 0 || look.bare < look.decimals.reduce(0, { $0 + $1.count }) else { return nil }
        let decimals = NumberVerdict.marks(look.decimals)
        let thousands = NumberVerdict.marks(look.thousands)
        guard decimals.count <= 1, thousands.count <= 1 else { return nil }
        var (decimal, group) = (decimals.first?.mark, thousands.first?.mark)
        var told = [decimals.first?.sample, thousands.first?.sample].compactMap { $0 }
        for (mark, sample) in NumberVerdict.marks(look.either) where mark != decimal && mark != group {
            switch (decimal, group) {
            case (nil, nil):
                self = .ambiguous(sample, mark)
                return
            case (_, nil): group = mark
            case (nil, _): decimal = mark
            default: return nil
            }
        }
        guard decimal == nil || decimal != group else { return nil }
        if let sample = look.percents.sample {
            self = .percent(sample)
            return
        }
        told += [look.currency.sample].compactMap { $0 }
        guard let first = told.first else { return nil }
        // One comma among very many whole numbers is likelier a slip than a decimal mark.
        let commas = look.decimals[Int(NumberMark.comma.rawValue)].count
        if decimal == .comma, group == nil, currencies.isEmpty, commas * 20 < values { return nil }
        let format = NumberFormat(
            decimal: decimal ?? (group == .point ? .comma : .point),
            thousands: group,
            groups: look.onlyIndian.count > 0 ? .indian : .three,
            currency: currencies
        )
        self = .format(format, told: first, isWhole: decimal == nil, isGrouped: group != nil)
    }

    private static func marks(_ signs: [SampledCount]) -> [(mark: NumberMark, sample: InferenceSample)] {
        NumberMark.allCases.compactMap { mark in signs[Int(mark.rawValue)].sample.map { (mark, $0) } }
    }
}

/// The exact range of whole numbers. Beyond 2^53 a double is only near them.
public struct WholeRange: Sendable, Hashable {
    public private(set) var least = Int64.max
    public private(set) var most = Int64.min

    /// Below this limit a double stands for one whole number, above for several.
    static let exactLimit = 0x1p53

    var isEmpty: Bool { least > most }

    @inline(__always)
    mutating func add(_ number: Int64) {
        least = min(least, number)
        most = max(most, number)
    }

    mutating func merge(_ later: WholeRange) {
        least = min(least, later.least)
        most = max(most, later.most)
    }
}
