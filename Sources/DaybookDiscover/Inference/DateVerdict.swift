import DaybookDates

/// The date formats that a column of texts needs, and the choices left to a person.
public struct DateVerdict: Sendable {
    /// A format with its evidence.
    public struct Format: Sendable, Hashable {
        public var text: String
        /// How many texts it reads that no earlier format reads.
        public var count: Int
        public var sample: InferenceSample
    }

    /// One way to read texts that may mean two dates.
    public struct Choice: Sendable, Hashable {
        /// `the day first`.
        public var order: String
        public var format: String
    }

    /// Certain formats, which read nearly all texts except those of the choices.
    public private(set) var formats: [Format] = []
    /// The ways to choose from; empty if all formats are certain.
    public private(set) var choices: [Choice] = []
    /// How many texts the choices concern, and an ambiguous one.
    public private(set) var doubtfulCount = 0
    public private(set) var doubtful: InferenceSample?
    /// The text that decided between two orders: `25/12/2026 has no month 25`.
    public private(set) var decider: InferenceSample?
    public private(set) var count = 0
    public private(set) var unread = 0
    public private(set) var misfit: InferenceSample?
    /// Some texts have a time of day.
    public private(set) var isTimed = false
    public private(set) var hasTwoDigitYears = false
    public private(set) var first = CalendarDay(number: 0)
    public private(set) var last = CalendarDay(number: 0)

    private let candidates: DateCandidates

    /// Nil for texts that are no dates: fewer than nine in ten are read, or of a few more than one is not.
    public init?(_ look: DateInference, _ candidates: DateCandidates) {
        self.candidates = candidates
        count = look.read + look.unread.count
        unread = look.unread.count
        misfit = look.unread.sample
        guard look.read > 0, unread * 10 <= count || (unread == 1 && count >= 4) else { return nil }
        let chosen = choose(look)
        guard !chosen.isEmpty else { return nil }
        let used = look.tallies.filter { mask, _ in chosen.contains { mask.has($0) } }
        // The days read by the first chosen format of each text.
        let ranges = used.compactMap { mask, tally -> ClosedRange<Int32>? in
            guard let format = chosen.first(where: { mask.has($0) }) else { return nil }
            return tally.ranges[(mask & (1 << FormatMask(format) - 1)).nonzeroBitCount]
        }
        first = CalendarDay(number: ranges.map(\.lowerBound).min() ?? 0)
        last = CalendarDay(number: ranges.map(\.upperBound).max() ?? 0)
        isTimed = used.contains { $0.value.timed > 0 }
        hasTwoDigitYears = chosen.contains { candidates.all[$0].isShortYear }
        weigh(chosen, look)
    }

    /// Chooses the formats greedily by how many of the remaining texts they read.
    private mutating func choose(_ look: DateInference) -> [Int] {
        var rest = look.tallies
        var chosen: [Int] = []
        while !rest.isEmpty {
            var best: (format: Int, count: Int)?
            for format in candidates.all.indices {
                let count = rest.reduce(0) { $1.key.has(format) ? $0 + $1.value.count : $0 }
                if count > best?.count ?? 0 { best = (format, count) }
            }
            guard let best else { break }
            let read = rest.filter { $0.key.has(best.format) }
            guard let sample = read.values.map(\.sample).min(by: InferenceSample.isEarlier) else { break }
            chosen.append(best.format)
            add(Format(text: candidates.all[best.format].format.text, count: best.count, sample: sample))
            rest = rest.filter { !$0.key.has(best.format) }
        }
        return chosen
    }

    /// Adds a format; the two forms of `iso` count as one.
    private mutating func add(_ format: Format) {
        guard let known = formats.firstIndex(where: { $0.text == format.text }) else { return formats.append(format) }
        formats[known].count += format.count
    }

    /// Checks whether another order of day and month is possible.
    private mutating func weigh(_ chosen: [Int], _ look: DateInference) {
        var doubted: Set<String> = []
        for family in Set(chosen.compactMap { candidates.all[$0].family }).sorted() {
            // The texts that each order reads, and whether these are all texts of the family.
            let members = candidates.all.indices.filter { candidates.all[$0].family == family }
            let orders = DateCandidates.Order.allCases.filter { order in
                members.contains { candidates.all[$0].order == order }
            }
            let masks = orders.map { order in
                members.filter { candidates.all[$0].order == order }.reduce(FormatMask(0)) { $0 | 1 << FormatMask($1) }
            }
            let all = masks.reduce(0, |)
            let texts = look.tallies.filter { $0.key & all != 0 }
            let whole = texts.values.reduce(0) { $0 + $1.count }
            let reads = masks.map { mask in texts.reduce(0) { $1.key & mask != 0 ? $0 + $1.value.count : $0 } }
            let complete = orders.indices.filter { reads[$0] == whole }
            if complete.count == 1 {
                decider = texts.filter { tally in
                    masks.indices.contains { $0 != complete[0] && tally.key & masks[$0] == 0 && reads[$0] > 0 }
                }.map(\.value.sample).min(by: InferenceSample.isEarlier)
                continue
            }
            let contradictory = texts.values.filter { $0.contradictory > 0 }.map(\.sample)
            guard let doubt = contradictory.min(by: InferenceSample.isEarlier) else { continue }
            doubted.insert(family)
            doubtful = doubtful ?? doubt
            let possible = complete.isEmpty ? orders.indices.filter { reads[$0] > 0 } : complete
            for index in possible { addChoice(orders[index], masks[index], texts) }
        }
        guard !doubted.isEmpty else { return }
        formats.removeAll { format in
            candidates.all.contains { $0.format.text == format.text && $0.family.map(doubted.contains) == true }
        }
        doubtfulCount = look.read - formats.reduce(0) { $0 + $1.count }
    }

    /// Adds the strictest format of an order among those that read most.
    private mutating func addChoice(
        _ order: DateCandidates.Order,
        _ mask: FormatMask,
        _ texts: [FormatMask: DateInference.Tally]
    ) {
        let formats = candidates.all.indices.filter { mask.has($0) }
        let reads = formats.map { format in texts.reduce(0) { $1.key.has(format) ? $0 + $1.value.count : $0 } }
        guard let most = reads.max(), most > 0, let best = reads.firstIndex(of: most) else { return }
        choices.append(Choice(order: order.rawValue, format: candidates.all[formats[best]].format.text))
    }
}

extension FormatMask {
    fileprivate func has(_ format: Int) -> Bool { self >> FormatMask(format) & 1 == 1 }
}

extension DateCandidates.Candidate {
    var isShortYear: Bool {
        if case .pattern(let pattern) = format.kind { pattern.needsPivotYear } else { false }
    }
}

extension InferenceSample {
    /// By line, so that the choice of a sample does not depend on the order of a set.
    static func isEarlier(_ first: InferenceSample, _ second: InferenceSample) -> Bool {
        (first.line ?? .max, first.text) < (second.line ?? .max, second.text)
    }
}

/// The date formats to try.
public struct DateCandidates: Sendable {
    /// The order of year, month and day in a format whose texts may have another order.
    package enum Order: String, Sendable, Hashable, CaseIterable {
        case yearFirst = "the year first"
        case dayFirst = "the day first"
        case monthFirst = "the month first"
    }

    package struct Candidate: Sendable {
        package var format: DateFormat
        /// Formats of one family read the same texts as different dates, by their orders; nil for an unambiguous format.
        var family: String?
        package var order: Order?
    }

    package let all: [Candidate]
    let probe: FormatProbe
    /// The pivot of two-digit years.
    static let pivotYear: Int32 = 1970

    /// No formats, for a look at numbers only.
    package static let none = DateCandidates([])

    private init(_ all: [Candidate]) {
        self.all = all
        probe = FormatProbe(all.map(\.format))
    }

    /// Reads names of months and weekdays in `names`, the default of `normalise_dates`.
    public init(names: [LocaleNames]) {
        var all = [Candidate(format: .iso)]
        for (text, family, order) in DateCandidates.patterns {
            guard let pattern = try? DatePattern(text),
                let format = try? DateFormat(pattern, names: names, pivotYear: DateCandidates.pivotYear)
            else { preconditionFailure("'\(text)' is a pattern that can be read") }
            all.append(Candidate(format: format, family: family, order: order))
        }
        // After yyyyMMdd, which says more about a column without times.
        all.append(Candidate(format: .isoBasic))
        precondition(all.count <= FormatMask.bitWidth, "there are more formats than bits")
        self.init(all)
    }

    /// Strict forms before lenient ones, since the first of equals is chosen.
    private static let patterns: [(String, String?, Order?)] =
        plain.map { ($0, nil, nil) }
        + withEachMark([
            ("dd-MM-yyyy", .dayFirst), ("d-M-yyyy", .dayFirst), ("MM-dd-yyyy", .monthFirst), ("M-d-yyyy", .monthFirst),
        ])
        + withEachMark([("yy-MM-dd", .yearFirst), ("dd-MM-yy", .dayFirst), ("MM-dd-yy", .monthFirst)], family: "yy")
        + timed

    private static let plain = [
        "yyyy/MM/dd", "yyyy/M/d", "yyyy.MM.dd", "yyyy.M.d", "yyyy-M-d", "yyyy. M. d.", "yyyy. M. d", "yyyyMMdd",
        "yyyy년 M월 d일", "yyyy년M월d일", "yyyy년\nM월d일", "yyyy년 M월 d일 EEEE", "yyyy-MM-dd (EEE)", "yyyy.MM.dd (EEE)",
        "yyyy年M月d日", "d MMM yyyy", "d. MMM yyyy", "dd-MMM-yyyy", "MMM d, yyyy", "EEE, d MMM yyyy",
        "yyyy/MM/dd HH:mm", "yyyy/MM/dd HH:mm:ss", "yyyy.MM.dd HH:mm", "yyyy.MM.dd HH:mm:ss", "yyyy-MM-dd HH:mm:ss Z",
        "yyyy. M. d. a h:mm", "yyyy. M. d. a h:mm:ss", "yyyy년 M월 d일 a h:mm", "yyyy년 M월 d일 HH:mm", "yyyyMMddHHmmss",
        "EEE, d MMM yyyy HH:mm:ss Z", "EEE, dd MMM yyyy HH:mm:ss ZZZZ", "yyyy-MM-dd HH:mm:ss ZZZZ",
        "MMM d yyyy", "MMM d, yyyy h:mm a", "MMM d, yyyy h:mm:ss a", "d MMM yyyy HH:mm", "d MMM yyyy HH:mm:ss",
        "yyyy-MM-dd a h:mm", "yyyy-MM-dd a h:mm:ss",
    ]

    /// Forms with each mark in the place of `-`, which with the mark are one family.
    private static func withEachMark(
        _ forms: [(text: String, order: Order)],
        family: String = ""
    ) -> [(String, String?, Order?)] {
        ["/", ".", "-"].flatMap { mark in
            forms.map { ($0.text.replacingScalars("-", with: mark), mark + family, $0.order) }
        }
    }

    private static let timed: [(String, String?, Order?)] = [
        ("dd/MM/yyyy HH:mm", "/ HH:mm", .dayFirst), ("MM/dd/yyyy HH:mm", "/ HH:mm", .monthFirst),
        ("dd/MM/yyyy HH:mm:ss", "/ HH:mm:ss", .dayFirst), ("MM/dd/yyyy HH:mm:ss", "/ HH:mm:ss", .monthFirst),
        ("d/M/yyyy h:mm a", "/ a", .dayFirst), ("M/d/yyyy h:mm a", "/ a", .monthFirst),
        ("d/M/yyyy h:mm:ss a", "/ ss a", .dayFirst), ("M/d/yyyy h:mm:ss a", "/ ss a", .monthFirst),
        ("dd.MM.yyyy HH:mm", nil, nil), ("dd.MM.yyyy HH:mm:ss", nil, nil),
        ("d/M/yy", "/yy", .dayFirst), ("M/d/yy", "/yy", .monthFirst),
    ]
}
