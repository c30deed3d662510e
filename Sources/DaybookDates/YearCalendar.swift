/// The calendar by which a locale counts years. Months and days are Gregorian in all of them.
public enum YearCalendar: String, Sendable, Hashable, CaseIterable, BitwiseCopyable {
    case gregorian, buddhist, roc
    /// Years of an emperor, which are ambiguous without their era.
    case japanese

    /// How many years it is ahead of the Gregorian calendar; nil if that depends on the era.
    var shift: Int32? {
        switch self {
        case .gregorian: 0
        case .buddhist: 543
        case .roc: -1_911
        case .japanese: nil
        }
    }
}

/// The era that years are counted from. The raw value is the index of its name among the eras of a language.
enum CalendarEra: Int32, CaseIterable {
    case beforeChrist = 1
    case common, buddhist, minguo, meiji, taisho, showa, heisei, reiwa

    /// The year before its first, and where the era begins for one that follows another.
    private var start: (before: Int32, first: (month: Int32, day: Int32)?) {
        switch self {
        case .beforeChrist, .common: (0, nil)
        case .buddhist: (-543, nil)
        case .minguo: (1_911, nil)
        // Japan has the Gregorian calendar since 1873.
        case .meiji: (1_867, (1, 25))
        case .taisho: (1_911, (7, 30))
        case .showa: (1_925, (12, 25))
        case .heisei: (1_988, (1, 8))
        case .reiwa: (2_018, (5, 1))
        }
    }

    private var begin: (Int32, Int32, Int32)? { start.first.map { (start.before + 1, $0.month, $0.day) } }

    /// The Gregorian year; nil if the era does not have the date. The day on which an emperor died is in both eras.
    func gregorian(_ year: Int32, month: Int32, day: Int32) -> Int32? {
        guard self != .beforeChrist, year >= 1 else { return nil }
        let result = start.before + year
        if let begin, (result, month, day) < begin { return nil }
        if begin != nil, let next = CalendarEra(rawValue: rawValue + 1)?.begin, (result, month, day) > next {
            return nil
        }
        return result
    }

    /// The era of a Gregorian date in a calendar, and the year of that era.
    static func of(_ date: CivilDate, in calendar: YearCalendar) -> (era: CalendarEra, year: Int32) {
        switch calendar {
        case .gregorian: return date.year > 0 ? (.common, date.year) : (.beforeChrist, 1 - date.year)
        case .buddhist: return (.buddhist, date.year + 543)
        case .roc: return (.minguo, date.year - 1_911)
        case .japanese:
            let era = [reiwa, heisei, showa, taisho, meiji].first { era in
                era.begin.map { (date.year, date.month, date.day) >= $0 } ?? false
            }
            return era.map { ($0, date.year - $0.start.before) } ?? (.common, date.year)
        }
    }
}

extension DateFields {
    /// Converts the year to a Gregorian one.
    @inline(never)
    mutating func settleYear(_ calendar: YearCalendar) -> DateOutcome {
        if era != 0 {
            guard let known = CalendarEra(rawValue: era), let gregorian = known.gregorian(year, month: month, day: day)
            else { return .impossible }
            year = gregorian
            return .read
        }
        guard let shift = calendar.shift else { return .unreadable }
        year -= shift
        // A year before 1700 is one that was written in the other calendar.
        return year < 1_700 || year > 2_400 ? .unlikelyYear : .read
    }
}
