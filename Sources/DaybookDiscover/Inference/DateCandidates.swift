import DaybookDates

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
