/// The value that a rule measured over all rows it checked, whether the rule passed or failed.
///
/// A share is a part of 1, a day is its number since 1970-01-01. A sum that no decimal holds is the nearest decimal.
public struct ObservedValue: Sendable, Hashable, Codable {
    public enum Measure: String, Sendable, Hashable, Codable {
        case rows, sum, mean, minimum, maximum, median, quantile, deviation, share, distinct
        case missingShare = "missing_share"
        case newestDay = "newest_day"

        /// `the number of rows`, without its article.
        public var displayText: String {
            switch self {
            case .rows: "number of rows"
            case .sum, .mean, .minimum, .maximum, .median, .quantile, .share: rawValue
            case .deviation: "standard deviation"
            case .distinct: "number of different values"
            case .missingShare: "share of missing values"
            case .newestDay: "newest day"
            }
        }

        /// A value of this measure as people read it: `4,183`, `12.5 %`, `2026-11-20`.
        public func displayText(_ value: Double) -> String {
            switch self {
            case .share, .missingShare:
                let hundredths = (value * 10_000).rounded() / 100
                return "\((hundredths > 0 ? hundredths : value * 100).brief) %"
            case .newestDay: return Int32(exactly: value).map { "\(CalendarDay(number: $0))" } ?? value.brief
            default: return Int(exactly: value).map(\.displayText) ?? value.brief
            }
        }
    }

    public var measure: Measure
    public var value: Double

    /// Nil for values other than numbers, such as the sum of numbers that no decimal holds.
    public init?(_ measure: Measure, _ value: Double) {
        guard value.isFinite else { return nil }
        (self.measure, self.value) = (measure, value)
    }

    /// The value as people read it.
    public var displayText: String { measure.displayText(value) }
}

/// A figure of the rows of one day of the data.
public struct DayFigure: Sendable, Hashable, Codable {
    public var day: CalendarDay
    /// Nil where the rows have no value; an earlier one of the day then counts no more.
    public var value: Double?
    /// Whether its rule passed on that day; true for a measure.
    public var passed: Bool

    public init(_ day: CalendarDay, _ value: Double?, passed: Bool = true) {
        (self.day, self.value, self.passed) = (day, value.flatMap { $0.isFinite ? $0 : nil }, passed)
    }
}

/// A figure of one of the groups of rows that a rule judges.
public struct GroupFigure: Sendable, Hashable, Codable {
    /// The values of the columns that tell the groups apart, by their names.
    public var group: [String: String]
    public var value: Double

    public init(_ group: [String: String], _ value: Double) { (self.group, self.value) = (group, value) }
}

/// The observation of a rule about all rows, beside its verdict.
public struct RuleObservation: Sendable, Hashable, Codable {
    /// The value; of rows that belong to days, that of the last day.
    public var value: ObservedValue?
    /// The values by day, in order; empty for rows that belong to no days.
    public var days: [DayFigure] = []
    /// The values by group, of a rule that compares those of each group with earlier runs.
    public var groups: [GroupFigure] = []
    /// How the value compares with the values of earlier runs, in words; nil without a comparison.
    public var comparison: String?
    /// Whether it was to be compared with earlier runs, and there were none, or too few.
    public var lacksPast: Bool
    /// The remark of a row rule about all rows, such as how many it did not judge.
    public var remark: String?

    public init(_ value: ObservedValue?, comparison: String? = nil, lacksPast: Bool = false, remark: String? = nil) {
        (self.value, self.comparison, self.lacksPast, self.remark) = (value, comparison, lacksPast, remark)
    }
}
