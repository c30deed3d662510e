/// What a figure is compared with: that of an earlier run, or of several.
enum PastReference: OptionValue, Hashable {
    case last, sameWeekday
    case median(of: Int)

    /// The figure of earlier runs, and the runs that it is of, the latest first.
    struct Found {
        let value: Double
        let runs: [FigurePast.Entry]
    }

    static let kind = OptionKind.text
    static let placeholder = PastReference.last

    init(reading node: OptionNode) throws(DaybookError) {
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

    var written: String {
        switch self {
        case .last: "last"
        case .sameWeekday: "same weekday"
        case .median(let count): "median of \(count)"
        }
    }

    /// On how many days there has to have been a run. The same weekday is looked for in five weeks.
    var reach: Int {
        switch self {
        case .last: 1
        case .sameWeekday: 35
        case .median(let count): count
        }
    }

    /// Whether it is the figure of one run.
    var isOneRun: Bool { if case .median = self { false } else { true } }

    /// Nil where there is no such run.
    ///
    /// - Parameter day: the day of this run.
    func find(in past: FigurePast, on day: CalendarDay, includesFailed: Bool = false) -> Found? {
        let runs = past.lastOfDays(reach, includesFailed: includesFailed)
        switch self {
        case .last: return runs.first.map { Found(value: $0.value, runs: [$0]) }
        case .sameWeekday:
            return runs.first { $0.day.weekday == day.weekday }.map { Found(value: $0.value, runs: [$0]) }
        case .median: return runs.isEmpty ? nil : Found(value: runs.median, runs: runs)
        }
    }

    /// Of which runs a figure is: `that of 2026-11-20`, `the median of 7 runs from 2026-11-14 to 2026-11-20`.
    func spoken(_ runs: [FigurePast.Entry]) -> String {
        switch self {
        case .last: "that of \(runs[0].day)"
        case .sameWeekday: "that of the same weekday, \(runs[0].day)"
        case .median: "the median of \(runs.spoken)"
        }
    }
}

extension [FigurePast.Entry] {
    /// Of values that are there.
    var median: Double { map(\.value).median }

    /// `7 runs from 2026-11-14 to 2026-11-20`, the latest being the first.
    var spoken: String {
        guard let latest = first, let earliest = last, count > 1 else { return "1 run of \(self[0].day)" }
        return "\(count) runs from \(earliest.day) to \(latest.day)"
    }
}

extension [Double] {
    var median: Double {
        let sorted = sorted()
        let middle = sorted.count / 2
        if sorted.count % 2 == 1 { return sorted[middle] }
        return sorted[middle - 1] / 2 + sorted[middle] / 2
    }
}
