import DaybookDates

/// The date formats that a column of texts needs, and what only a person can decide.
public struct DateVerdict: Sendable {
    /// One format with what speaks for it.
    public struct Format: Sendable, Hashable {
        public var text: String
        /// The texts that it reads and no format before it in the list.
        public var count: Int
        public var sample: InferenceSample
    }

    /// One way to read texts that may mean two dates.
    public struct Choice: Sendable, Hashable {
        /// `the day first`.
        public var order: String
        public var format: String
    }

    /// Formats that are beyond doubt and together read nearly all texts, but for those that there are choices for.
    public private(set) var formats: [Format] = []
    /// The ways to choose from; empty when the formats are beyond doubt.
    public private(set) var choices: [Choice] = []
    /// How many texts the choices are about, and one that could be either.
    public private(set) var doubtfulCount = 0
    public private(set) var doubtful: InferenceSample?
    /// What decided between two orders: `25/12/2026 has no month 25`.
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

    /// Nil when the texts are no dates: fewer than nine in ten are read, or of a few more than one is not.
    public init?(_ look: DateInference, _ candidates: DateCandidates) {
        self.candidates = candidates
        count = look.read + look.unread.count
        unread = look.unread.count
        misfit = look.unread.sample
        guard look.read > 0, unread * 10 <= count || (unread == 1 && count >= 4) else { return nil }
        let chosen = choose(look)
        guard !chosen.isEmpty else { return nil }
        let used = look.tallies.filter { mask, _ in chosen.contains { mask.has($0) } }
        // The days that the first of the chosen formats reads which reads a text.
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

    /// The formats that read most of what is left, one after the other.
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

    /// Adds a format; the two forms of `iso` are one to the reader of the verdict.
    private mutating func add(_ format: Format) {
        guard let known = formats.firstIndex(where: { $0.text == format.text }) else { return formats.append(format) }
        formats[known].count += format.count
    }

    /// Finds out whether another order of day and month would do as well.
    private mutating func weigh(_ chosen: [Int], _ look: DateInference) {
        var doubted: Set<String> = []
        for family in Set(chosen.compactMap { candidates.all[$0].family }).sorted() {
            // What each order reads, and whether it reads all that the family reads.
            let orders = DateCandidates.Order.allCases.filter { order in
                candidates.all.contains { $0.family == family && $0.order == order }
            }
            let masks = orders.map { order in
                candidates.all.indices.reduce(FormatMask(0)) { mask, index in
                    let one = candidates.all[index]
                    return one.family == family && one.order == order ? mask | 1 << FormatMask(index) : mask
                }
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
            guard
                let doubt = texts.filter({ $0.value.contradictory > 0 }).map(\.value.sample).min(
                    by: InferenceSample.isEarlier
                )
            else { continue }
            doubted.insert(family)
            doubtful = doubtful ?? doubt
            let possible = complete.isEmpty ? Array(orders.indices.filter { reads[$0] > 0 }) : complete
            addChoices(possible.map { (orders[$0], masks[$0]) }, texts)
        }
        guard !doubted.isEmpty else { return }
        formats.removeAll { format in
            candidates.all.contains { $0.format.text == format.text && $0.family.map(doubted.contains) == true }
        }
        doubtfulCount = look.read - formats.reduce(0) { $0 + $1.count }
    }

    private mutating func addChoices(
        _ orders: [(order: DateCandidates.Order, mask: FormatMask)],
        _ texts: [FormatMask: DateInference.Tally]
    ) {
        for (order, mask) in orders {
            // The strictest format of the order that reads as much as any of them.
            let formats = candidates.all.indices.filter { mask.has($0) }
            let reads = formats.map { format in
                texts.reduce(0) { $1.key.has(format) ? $0 + $1.value.count : $0 }
            }
            guard let most = reads.max(), most > 0, let best = reads.firstIndex(of: most) else { continue }
            choices.append(Choice(order: order.rawValue, format: candidates.all[formats[best]].format.text))
        }
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
    /// By line, so that the first of several samples does not depend on the order of a set.
    static func isEarlier(_ first: InferenceSample, _ second: InferenceSample) -> Bool {
        (first.line ?? .max, first.text) < (second.line ?? .max, second.text)
    }
}

/// The ways of writing dates that are looked for.
public struct DateCandidates: Sendable {
    /// In which order a format gives year, month and day, where that could be taken for another order.
    package enum Order: String, Sendable, Hashable, CaseIterable {
        case yearFirst = "the year first"
        case dayFirst = "the day first"
        case monthFirst = "the month first"
    }

    package struct Candidate: Sendable {
        package var format: DateFormat
        /// Formats of one family and different orders read the same texts as different dates; nil for a format that is
        /// beyond doubt.
        var family: String?
        package var order: Order?
    }

    package let all: [Candidate]
    let probe: FormatProbe
    /// What the pivot of two-digit years is.
    static let pivotYear: Int32 = 1970

    /// No formats at all, for a look that asks about numbers only.
    package static let none = DateCandidates([])

    private init(_ all: [Candidate]) {
        self.all = all
        probe = FormatProbe(all.map(\.format))
    }

    /// Month and weekday names are read in `names`, those that `normalise_dates` reads when it is not told others.
    public init(names: [LocaleNames]) {
        var all = [Candidate(format: .iso)]
        for (text, family, order) in DateCandidates.patterns {
            guard let pattern = try? DatePattern(text),
                let format = try? DateFormat(pattern, names: names, pivotYear: DateCandidates.pivotYear)
            else { preconditionFailure("'\(text)' is a pattern that can be read") }
            all.append(Candidate(format: format, family: family, order: order))
        }
        // Behind yyyyMMdd, which says more of a column that has no times.
        all.append(Candidate(format: .isoBasic))
        precondition(all.count <= FormatMask.bitWidth, "there are more formats than bits")
        self.all = all
        probe = FormatProbe(all.map(\.format))
    }

    /// Strict forms before lenient ones, since of two that read all the first is taken.
    private static let patterns: [(String, String?, Order?)] =
        plain.map { ($0, nil, nil) } + swapped(["/", ".", "-"]) + short(["/", ".", "-"]) + timed

    private static let plain = [
        "yyyy/MM/dd", "yyyy/M/d", "yyyy.MM.dd", "yyyy.M.d", "yyyy-M-d", "yyyy. M. d.", "yyyy. M. d", "yyyyMMdd",
        "yyyy년 M월 d일", "yyyy년M월d일", "yyyy년\nM월d일", "yyyy년 M월 d일 EEEE", "yyyy-MM-dd (EEE)", "yyyy.MM.dd (EEE)",
        "yyyy年M月d日",
        "d MMM yyyy", "d. MMM yyyy", "dd-MMM-yyyy", "MMM d, yyyy", "EEE, d MMM yyyy",
        "yyyy/MM/dd HH:mm", "yyyy/MM/dd HH:mm:ss", "yyyy.MM.dd HH:mm", "yyyy.MM.dd HH:mm:ss", "yyyy-MM-dd HH:mm:ss Z",
        "yyyy. M. d. a h:mm", "yyyy. M. d. a h:mm:ss", "yyyy년 M월 d일 a h:mm", "yyyy년 M월 d일 HH:mm", "yyyyMMddHHmmss",
        "EEE, d MMM yyyy HH:mm:ss Z", "EEE, dd MMM yyyy HH:mm:ss ZZZZ", "yyyy-MM-dd HH:mm:ss ZZZZ",
        "MMM d yyyy", "MMM d, yyyy h:mm a", "MMM d, yyyy h:mm:ss a", "d MMM yyyy HH:mm", "d MMM yyyy HH:mm:ss",
        "yyyy-MM-dd a h:mm", "yyyy-MM-dd a h:mm:ss",
    ]

    private static func swapped(_ separators: [String]) -> [(String, String?, Order?)] {
        separators.flatMap { mark -> [(String, String?, Order?)] in
            [
                ("dd\(mark)MM\(mark)yyyy", mark, .dayFirst), ("d\(mark)M\(mark)yyyy", mark, .dayFirst),
                ("MM\(mark)dd\(mark)yyyy", mark, .monthFirst), ("M\(mark)d\(mark)yyyy", mark, .monthFirst),
            ]
        }
    }

    private static func short(_ separators: [String]) -> [(String, String?, Order?)] {
        separators.flatMap { mark -> [(String, String?, Order?)] in
            [
                ("yy\(mark)MM\(mark)dd", mark + "yy", .yearFirst), ("dd\(mark)MM\(mark)yy", mark + "yy", .dayFirst),
                ("MM\(mark)dd\(mark)yy", mark + "yy", .monthFirst),
            ]
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
