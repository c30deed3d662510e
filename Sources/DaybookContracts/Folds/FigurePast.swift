/// The values of a rule or an output's measure in earlier runs: latest day first, and the latest run of each day.
///
/// Plain data, read once before a run: every participant of the run receives the same.
public struct FigurePast: Sendable, Hashable, Codable {
    public struct Entry: Sendable, Hashable, Codable {
        /// The day that the run called `as_of`.
        public var day: CalendarDay
        /// The name of the run; empty for the run that asks.
        public var run: String
        public var value: Double
        /// Whether the run finished and all gates passed.
        public var passed: Bool

        public init(day: CalendarDay, run: String, value: Double, passed: Bool) {
            (self.day, self.run, self.value, self.passed) = (day, run, value, passed)
        }
    }

    public var entries: [Entry]
    /// The values for days of the data, as imports with `day` name them: the day of an entry is that of its rows.
    public var ofData: [Entry]
    /// The values of groups of rows, each known by its values in the columns that tell groups apart.
    public var ofGroups: [[String: String]: [Entry]] = [:]

    public init(_ entries: [Entry] = [], ofData: [Entry] = []) { (self.entries, self.ofData) = (entries, ofData) }

    /// The past of one of the groups.
    public func ofGroup(_ group: [String: String]) -> FigurePast { FigurePast(ofGroups[group] ?? []) }

    /// The groups of the last run that some entries are of, in the order of their values in the columns that tell them apart.
    package func lastGroups(by columns: [String], where counts: (Entry) -> Bool) -> [[String: String]] {
        let last = ofGroups.filter { Set($0.key.keys) == Set(columns) }
            .compactMapValues { entries in entries.first(where: counts) }
        // Runs have names that grow with time.
        guard let latest = last.values.max(by: { ($0.day, $0.run) < ($1.day, $1.run) }) else { return [] }
        return last.filter { $0.value.run == latest.run }.keys.sorted { one, other in
            let texts = { (group: [String: String]) in columns.map { group[$0] ?? "" } }
            return texts(one).lexicographicallyPrecedes(texts(other))
        }
    }

    /// The past of one of the days that a run makes: the days before it, and those of them that the run makes by the
    /// figures of the run.
    ///
    /// - Parameter own: the figures of this run, in the order of their days.
    public func before(_ day: CalendarDay, making days: [CalendarDay], _ own: [DayFigure]) -> FigurePast {
        let new = own.filter { $0.day < day }.compactMap { figure in
            figure.value.map { Entry(day: figure.day, run: "", value: $0, passed: figure.passed) }
        }
        let old = ofData.filter { $0.day < day && !days.contains($0.day) }
        return FigurePast((new + old).sorted { $0.day > $1.day })
    }

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

/// A request of a rule or an output for its earlier values, on so many days with a passed run.
public struct PastRequest: Sendable, Hashable {
    /// The measure of a rule; nil for a measure of an output.
    public var measure: ObservedValue.Measure?
    public var days: Int
    /// Whether each group of rows has a value of its own.
    public var isByGroup: Bool

    public init(_ measure: ObservedValue.Measure? = nil, days: Int, isByGroup: Bool = false) {
        (self.measure, self.days, self.isByGroup) = (measure, days, isByGroup)
    }

    /// Whether each day of the data has a value of its own, and is compared with the days before it. The newest day is that of
    /// all data that the job has read; it has a past only where a run reads some days of them.
    package var isByDay: Bool { measure != .newestDay }
}

/// The reference of a comparison: the figure of an earlier run, or of several.
package enum PastReference: OptionValue, Hashable {
    case last, sameWeekday
    case median(of: Int)

    /// The figure of earlier runs, and the runs that it is of, the latest first.
    package struct Found {
        package let value: Double
        package let runs: [FigurePast.Entry]
    }

    package static let kind = OptionKind.text
    package static let placeholder = PastReference.last

    package init(reading node: OptionNode) throws(DaybookError) {
        let words = (node.text ?? "").split(separator: " ")
        switch words {
        case ["last"], ["last_run"]: self = .last
        case ["same", "weekday"]: self = .sameWeekday
        default:
            guard words.count == 3, words[0] == "median", words[1] == "of", let count = Int(words[2]),
                (2...366).contains(count)
            else { throw node.expected("'last', 'same weekday', or a median of 2 to 366 runs such as 'median of 7'") }
            self = .median(of: count)
        }
    }

    package var written: String {
        switch self {
        case .last: "last"
        case .sameWeekday: "same weekday"
        case .median(let count): "median of \(count)"
        }
    }

    /// How many days with a run are searched: for the same weekday, five weeks.
    package var reach: Int {
        switch self {
        case .last: 1
        case .sameWeekday: 35
        case .median(let count): count
        }
    }

    /// Whether runs of a day count for one of another day.
    package func counts(_ day: CalendarDay, for other: CalendarDay) -> Bool {
        self != .sameWeekday || day.weekday == other.weekday
    }

    /// Whether it is the figure of one run.
    package var isOneRun: Bool { if case .median = self { false } else { true } }

    /// The figure and its runs; nil if there is no such run.
    ///
    /// - Parameter day: the day of this run.
    package func find(in past: FigurePast, on day: CalendarDay, includesFailed: Bool = false) -> Found? {
        let runs = past.lastOfDays(reach, includesFailed: includesFailed)
        switch self {
        case .last, .sameWeekday:
            return runs.first { counts($0.day, for: day) }.map { Found(value: $0.value, runs: [$0]) }
        case .median: return runs.isEmpty ? nil : Found(value: runs.median, runs: runs)
        }
    }

    /// The runs of a figure: `that of 2026-11-20`, `the median of 7 runs from 2026-11-14 to 2026-11-20`.
    package func displayText(_ runs: [FigurePast.Entry]) -> String {
        switch self {
        case .last: "that of \(runs[0].day)"
        case .sameWeekday: "that of the same weekday, \(runs[0].day)"
        case .median: "the median of \(runs.displayText)"
        }
    }
}

extension [FigurePast.Entry] {
    /// The median of values that exist.
    package var median: Double { map(\.value).median }

    /// `7 runs from 2026-11-14 to 2026-11-20`, the latest being the first.
    package var displayText: String {
        guard let latest = first, let earliest = last, count > 1 else { return "1 run of \(self[0].day)" }
        return "\(count) runs from \(earliest.day) to \(latest.day)"
    }
}

extension [Double] {
    package var median: Double {
        let sorted = sorted()
        let middle = sorted.count / 2
        if sorted.count % 2 == 1 { return sorted[middle] }
        return sorted[middle - 1] / 2 + sorted[middle] / 2
    }
}
