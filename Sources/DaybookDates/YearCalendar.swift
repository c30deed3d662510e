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

/// A date of the Korean lunar calendar, such as 음력 2020년 윤4월 1일.
public struct LunarDate: Sendable, Hashable, BitwiseCopyable {
    /// The Gregorian year in which the lunar year begins.
    public var year: Int32
    /// 1 to 12; a leap month has the number of the month before it.
    public var month: Int32
    /// 1 to 30.
    public var day: Int32
    public var isLeapMonth: Bool
}

extension LunarDate: CustomStringConvertible {
    /// `2020-04-01`, and `2020-04-01 (leap)` in a leap month.
    public var description: String {
        "\(year)-\(month.padded(to: 2))-\(day.padded(to: 2))\(isLeapMonth ? " (leap)" : "")"
    }
}

/// The lunar calendar by which Seollal, Chuseok and many birthdays are kept in Korea, for the lunar years 1900 to 2100.
///
/// The table has one word per year, so a lookup costs a few instructions and gives the same on every machine. Outside
/// these years every function returns nil.
public enum KoreanLunarCalendar {
    public static let years: ClosedRange<Int32> = 1900...2100
    /// The days of those years: 1900-01-31 to 2101-01-28.
    public static let days: ClosedRange<Int32> = -25_537...47_874

    /// The lunar date of a day.
    public static func date(ofDay number: Int32) -> LunarDate? {
        guard days.contains(number) else { return nil }
        var year = CivilDate(day: number).year
        // The lunar year begins in January or February; before that it is still last year's.
        if !years.contains(year) || number < newYear(of: year) { year -= 1 }
        let word = word(of: year)
        var rest = number - newYear(of: year)
        var index: Int32 = 0
        while rest >= length(ofMonthAt: index, word) {
            rest -= length(ofMonthAt: index, word)
            index += 1
        }
        let leap = leapMonth(word)
        let isPastLeap = leap != 0 && index >= leap
        return LunarDate(
            year: year,
            month: isPastLeap ? index : index + 1,
            day: rest + 1,
            isLeapMonth: isPastLeap && index == leap
        )
    }

    /// The day of a lunar date; nil if the date does not exist, such as the thirtieth of a short month.
    public static func day(of date: LunarDate) -> Int32? {
        guard let month = month(date.month, isLeap: date.isLeapMonth, in: date.year), date.day >= 1,
            date.day <= month.length
        else { return nil }
        return month.start + date.day - 1
    }

    /// The day on which a yearly date is kept in a lunar year.
    ///
    /// The thirtieth is kept on the twenty-ninth of a short month, and a date of a leap month in the ordinary month of
    /// that number if the year has no such leap month. Nil only outside the known years.
    public static func day(keeping date: LunarDate, in year: Int32) -> Int32? {
        let found = month(date.month, isLeap: date.isLeapMonth, in: year) ?? month(date.month, isLeap: false, in: year)
        guard let found, date.day >= 1, date.day <= 30 else { return nil }
        return found.start + min(date.day, found.length) - 1
    }

    /// The number of the month that a year has twice, or nil if it has none or is unknown.
    public static func leapMonth(of year: Int32) -> Int32? {
        guard years.contains(year) else { return nil }
        let leap = leapMonth(word(of: year))
        return leap == 0 ? nil : leap
    }

    private static func month(_ month: Int32, isLeap: Bool, in year: Int32) -> (start: Int32, length: Int32)? {
        guard years.contains(year), month >= 1, month <= 12 else { return nil }
        let word = word(of: year)
        let leap = leapMonth(word)
        guard !isLeap || month == leap else { return nil }
        let place = isLeap || (leap != 0 && month > leap) ? month : month - 1
        var start = newYear(of: year)
        var index: Int32 = 0
        while index < place {
            start += length(ofMonthAt: index, word)
            index += 1
        }
        return (start, length(ofMonthAt: place, word))
    }

    // A word holds, from its lowest bit: 13 bits, set where the month in that place has 30 days and not 29; four bits with
    // the number of the leap month, 0 for none; and how many days after 1 January the year begins.

    private static func word(of year: Int32) -> UInt32 { table[Int(year - years.lowerBound)] }

    private static func length(ofMonthAt index: Int32, _ word: UInt32) -> Int32 {
        29 + Int32(bitPattern: word >> UInt32(bitPattern: index) & 1)
    }

    private static func leapMonth(_ word: UInt32) -> Int32 { Int32(bitPattern: word >> 13 & 0xF) }

    private static func newYear(of year: Int32) -> Int32 {
        CivilDate.number(year: year, month: 1, day: 1) + Int32(bitPattern: word(of: year) >> 17)
    }

    /// Drawn from Foundation's `dangi` calendar, which agrees with the Korea Astronomy and Space Science Institute,
    /// 1900 to 2050. A test draws it again. One month is corrected: Foundation calls 2097-01-13 the day 0 of the
    /// twelfth month of 2096; the moon is new on that day, half a minute before midnight, so here it is day 1.
    static let table: [UInt32] = [
        0x3D16D2, 0x620752, 0x4C0EA5, 0x38B64A, 0x5C064B, 0x440A9B, 0x309556, 0x56056A, 0x400B59, 0x2A5752,
        0x500752, 0x3ADB25, 0x600B25, 0x480A4B, 0x32B29B, 0x580AAD, 0x44056A, 0x2C4B69, 0x520BA9, 0x3EFB52,
        0x640D92, 0x4C0D25, 0x36BA4D, 0x5C0956, 0x4602B5, 0x2E95AD, 0x5606D4, 0x400DA9, 0x2C5D92, 0x500E92,
        0x3ACD26, 0x5E0527, 0x480A57, 0x32B2B6, 0x580ADA, 0x4406D4, 0x2E6EA9, 0x520749, 0x3CF693, 0x620A93,
        0x4C052B, 0x34CA5B, 0x5A096D, 0x460B6A, 0x329B54, 0x560BA4, 0x400B49, 0x2A5A93, 0x500A95, 0x38F52B,
        0x5E052D, 0x480AAD, 0x34B56A, 0x580DB2, 0x440DA4, 0x2E7D49, 0x540D4A, 0x3D1A95, 0x620A96, 0x4C0556,
        0x36CAB5, 0x5A0AD5, 0x4606D2, 0x308EA5, 0x560EA5, 0x400E4A, 0x2A6C96, 0x4E0A9B, 0x3AF556, 0x5E056A,
        0x480B59, 0x34B752, 0x5A0752, 0x420725, 0x2C964B, 0x520A4B, 0x3D12AB, 0x6002AD, 0x4A056B, 0x36CB69,
        0x5C0DA9, 0x460D92, 0x309B25, 0x560D25, 0x415A4D, 0x640A56, 0x4E02B6, 0x38D5AD, 0x6006D4, 0x480DA9,
        0x34BD92, 0x5A0E92, 0x440D26, 0x2C6A56, 0x500A57, 0x3D12B6, 0x620B5A, 0x4C06D4, 0x36AEC9, 0x5C0749,
        0x460693, 0x2E9527, 0x54052B, 0x3E0A5B, 0x2A555A, 0x4E036A, 0x38FB55, 0x600BA4, 0x4A0B49, 0x32BA93,
        0x580A95, 0x42052D, 0x2C6A5D, 0x500AAD, 0x3D35AA, 0x6205D2, 0x4C0DA5, 0x36BD4A, 0x5C0D4A, 0x460A95,
        0x30952D, 0x540556, 0x3E0AB5, 0x2A55AA, 0x5006D2, 0x38CEA5, 0x5E0EA5, 0x4A0E4A, 0x34AC96, 0x560C9B,
        0x42055A, 0x2C6AD5, 0x520B69, 0x3D7752, 0x620752, 0x4C0B25, 0x36D64B, 0x5A0A4B, 0x4404AB, 0x2EA55B,
        0x54056D, 0x3E0B69, 0x2A5B52, 0x500D92, 0x3AFD25, 0x5E0D25, 0x480A4D, 0x32B4AD, 0x5802B6, 0x4005B5,
        0x2C6DA9, 0x520EA9, 0x3F1D92, 0x620E92, 0x4C0D26, 0x36CA56, 0x5A0A57, 0x4404D6, 0x2E86B5, 0x5406D5,
        0x400EC9, 0x2A6E92, 0x4E0693, 0x38F52B, 0x5E052B, 0x460A5B, 0x32B55A, 0x58056A, 0x420B55, 0x2C9749,
        0x520B49, 0x3D1A93, 0x620A95, 0x4A052D, 0x34CAAD, 0x5A0AB5, 0x4605AA, 0x2E8BA5, 0x540DA5, 0x400D4A,
        0x2A7A95, 0x4E0C95, 0x38F52E, 0x5E0556, 0x480AB5, 0x32B5B2, 0x5806D2, 0x420EA5, 0x2E9E4A, 0x52064A,
        0x3B0C97, 0x600CAB, 0x4C055A, 0x34CAD5, 0x5A0B69, 0x460752, 0x3096A5, 0x540B25, 0x3E064B, 0x287497,
        0x4E04AB,
    ]
}

/// Finds the occurrences of a yearly day, by the Gregorian or the Korean lunar calendar.
public struct YearlyDay: Sendable, BitwiseCopyable {
    /// Where 29 February falls in years that have none.
    public enum LeapDay: String, OptionChoice, BitwiseCopyable { case feb28, mar1 }

    public let leapDay: LeapDay

    @inlinable
    public init(leapDay: LeapDay) { self.leapDay = leapDay }

    /// The first occurrence of `day` on or after `anchor`; the first of all is the day itself.
    @inlinable
    @inline(__always)
    public func occurrence(of day: Int32, onOrAfter anchor: Int32) -> Int32 {
        guard day < anchor else { return day }
        let year = CivilDate(day: anchor).year
        let date = CivilDate(day: day)
        let occurrence = number(of: date, in: year)
        return occurrence >= anchor ? occurrence : number(of: date, in: year &+ 1)
    }

    /// The same by the Korean lunar calendar; nil outside its table.
    public static func lunarOccurrence(of day: Int32, onOrAfter anchor: Int32) -> Int32? {
        guard day < anchor else { return day }
        guard let date = KoreanLunarCalendar.date(ofDay: day),
            let year = KoreanLunarCalendar.date(ofDay: anchor)?.year,
            let occurrence = KoreanLunarCalendar.day(keeping: date, in: year)
        else { return nil }
        return occurrence >= anchor ? occurrence : KoreanLunarCalendar.day(keeping: date, in: year + 1)
    }

    /// Where a date falls in a year.
    @inlinable
    @inline(__always)
    public func number(of date: CivilDate, in year: Int32) -> Int32 {
        if date.month == 2, date.day == 29, !CalendarDay.isLeap(Int(year)) {
            return leapDay == .feb28
                ? CivilDate.number(year: year, month: 2, day: 28) : CivilDate.number(year: year, month: 3, day: 1)
        }
        return CivilDate.number(year: year, month: date.month, day: date.day)
    }
}
