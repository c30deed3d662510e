/// One part of a date pattern.
public enum PatternPiece: Sendable, Hashable {
    /// How an offset from UTC is written.
    public enum OffsetStyle: UInt8, Sendable, Hashable, BitwiseCopyable {
        /// `+0900`, and `+0000` for UTC: `Z`, `ZZ`, `ZZZ`, `xx`.
        case basic
        /// `+09`, `+0930`, and `Z` for UTC: `X`.
        case short
        /// `+0900`, and `Z` for UTC: `XX`.
        case basicOrZ
        /// `+09:00`, and `Z` for UTC: `XXX`, `ZZZZZ`.
        case extendedOrZ
        /// `+09:00`, and `+00:00` for UTC: `xxx`.
        case extended
        /// `GMT+09:00`, and `GMT` for UTC: `ZZZZ`.
        case named
    }

    case literal([UInt8])
    /// Decimal digits, at least `minimum` and at most `maximum` of them.
    case number(DateField, minimum: Int, maximum: Int)
    /// The last two digits of a year.
    case shortYear
    case hour(HourClock, minimum: Int)
    /// Exactly that many digits of a fraction of a second.
    case fraction(digits: Int)
    case monthName(isWide: Bool)
    case weekdayName(isWide: Bool)
    case dayPeriodName
    case eraName(isWide: Bool)
    case offset(OffsetStyle)

    /// The field that the piece stands for, or nil for a literal.
    public var field: DateField? {
        switch self {
        case .literal: nil
        case .number(let field, _, _): field
        case .shortYear: .year
        case .hour: .hour
        case .fraction: .micros
        case .monthName: .month
        case .weekdayName: .weekday
        case .dayPeriodName: .dayPeriod
        case .eraName: .era
        case .offset: .offset
        }
    }

    /// Whether the piece takes more or fewer digits as it finds them.
    var isElastic: Bool {
        switch self {
        case .number(_, let minimum, let maximum): minimum != maximum
        case .hour(_, let minimum): minimum != 2
        case .offset: true
        default: false
        }
    }

    /// Whether the text of the piece may start with a digit.
    var mayStartWithDigit: Bool {
        switch self {
        case .literal(let bytes): bytes.first.map { $0 >= 0x30 && $0 <= 0x39 } ?? false
        case .number, .shortYear, .hour, .fraction, .monthName: true
        case .weekdayName, .dayPeriodName, .eraName, .offset: false
        }
    }

    var isName: Bool {
        switch self {
        case .monthName, .weekdayName, .dayPeriodName, .eraName: true
        default: false
        }
    }
}
