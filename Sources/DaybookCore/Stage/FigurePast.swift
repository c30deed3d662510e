/// What a rule measured in runs of earlier days, or what a measure of an output came to: the latest day first, and of one day the latest run.
///
/// Plain data, read once before a run: whoever takes part in the run is handed the same.
public struct FigurePast: Sendable, Hashable, Codable {
    public struct Entry: Sendable, Hashable, Codable {
        /// The day that the run called `as_of`.
        public var day: CalendarDay
        public var run: String
        public var value: Double
        /// Whether the run came to its end and all gates passed.
        public var passed: Bool

        public init(day: CalendarDay, run: String, value: Double, passed: Bool) {
            (self.day, self.run, self.value, self.passed) = (day, run, value, passed)
        }
    }

    public var entries: [Entry]

    public init(_ entries: [Entry] = []) { self.entries = entries }

    /// The last run of each of the latest days.
    ///
    /// - Parameter includesFailed: whether runs count that did not hold.
    public func lastOfDays(_ count: Int, includesFailed: Bool) -> [Entry] {
        var last: [Entry] = []
        for entry in entries where (entry.passed || includesFailed) && entry.day != last.last?.day {
            if last.count == count { break }
            last.append(entry)
        }
        return last
    }
}

/// What a rule or an output wants to know of earlier runs: its figure on so many days that had a run which passed.
public struct PastRequest: Sendable, Hashable {
    /// What a rule measures; nil for a measure of an output.
    public var measure: ObservedValue.Measure?
    public var days: Int

    public init(_ measure: ObservedValue.Measure? = nil, days: Int) { (self.measure, self.days) = (measure, days) }
}

extension CalendarDay: Codable {
    /// As `2026-11-21`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let day = CalendarDay(iso: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "expected a day such as 2026-11-21")
        }
        self = day
    }
}
