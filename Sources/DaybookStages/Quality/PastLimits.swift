/// A rule that comes to one figure, which can be held against those of earlier runs.
protocol MeasuringRule: MemoryRule {
    var measure: ObservedValue.Measure { get }
    /// What it measures, in words: `the sum of 'price'`.
    var figureName: String { get }
    var against: PastLimits { get }
    /// What is expected by bounds of its own; nil where there are none.
    var bounded: String? { get }
}

/// How far the figure of a rule may lie from those of earlier runs.
struct PastLimits: Sendable {
    let change: ChangeLimit?
    let anomaly: AnomalyLimit?

    init(reading options: inout OptionReader) {
        change = options.optional(
            "change",
            help:
                "How much it may differ from earlier runs, such as { max: 20%, from: last }. The first run is not judged."
        )
        anomaly = options.optional(
            "anomaly",
            help: "How many deviations it may lie from the median of earlier runs: { of: 28 runs, deviations: 4 }."
        )
    }

    var isEmpty: Bool { change == nil && anomaly == nil }

    /// `changed by at most 20%, at most 4 deviations from the median of earlier runs`.
    fileprivate var spoken: String {
        let parts = [
            change.map { "changed by at most \($0.most.written)" },
            anomaly.map { "at most \($0.deviations.brief) deviations from the median of earlier runs" },
        ]
        return parts.compactMap(\.self).joined(separator: ", ")
    }

    /// What has to be known of earlier runs.
    func request(for measure: ObservedValue.Measure) -> PastRequest? {
        guard let days = [change?.from.reach, anomaly?.runs].compactMap(\.self).max() else { return nil }
        return PastRequest(measure, days: days)
    }
}

/// What came of holding a figure against earlier runs.
struct PastComparison {
    /// What is wrong with it.
    var broken: [String] = []
    /// How it stands to them where nothing is wrong.
    var passed: [String] = []
    /// Whether there were none, or too few.
    var lacksPast = false

    /// Notes that there is nothing to compare with, which the job may take for a failure.
    mutating func lacks(_ told: String, _ first: FirstRuns) {
        switch first {
        case .notJudged:
            lacksPast = true
            passed.append(told)
        case .fail: broken.append("\(told), and 'first: fail' is set")
        }
    }
}

/// What becomes of a comparison for which there are too few earlier runs.
enum FirstRuns: String, OptionChoice {
    case notJudged = "not_judged"
    case fail

    static let spec = OptionSpec(
        key: "first",
        kind: kind,
        help: "What becomes of a run with too few earlier ones: the rule is not judged, or fails.",
        fallback: notJudged.rawValue
    )
}

extension MeasuringRule {
    var expectation: String {
        guard let bounded else { return "\(figureName) is near that of earlier runs: \(against.spoken)" }
        return against.isEmpty ? bounded : "\(bounded), and near that of earlier runs: \(against.spoken)"
    }

    /// - Parameter day: the day of this run.
    func comparison(of observed: ObservedValue?, with past: FigurePast, on day: CalendarDay) -> PastComparison {
        var comparison = PastComparison()
        guard let observed else {
            comparison.broken.append(
                "\(figureName) cannot be told: there are no values, or it is too large for a decimal"
            )
            return comparison
        }
        against.change?.judge(observed, figureName, past, day, &comparison)
        against.anomaly?.judge(observed, figureName, past, &comparison)
        return comparison
    }
}

/// Which runs of the past are meant.
enum IncludedRuns: String, OptionChoice {
    case passed, failed

    /// 'held' is what 'passed' was called first.
    init(reading node: OptionNode) throws(DaybookError) {
        if node.text == "held" { self = .passed } else { self = try Self.choice(reading: node) }
    }

    static let spec = OptionSpec(
        key: "include",
        kind: kind,
        help: "Which earlier runs count: those that passed, or also those that failed.",
        fallback: passed.rawValue
    )
}

extension FigurePast {
    func last(_ count: Int, _ include: IncludedRuns) -> [Entry] {
        lastOfDays(count, includesFailed: include == .failed)
    }
}

extension Double {
    /// With one decimal, or as many as show anything of it.
    var toOneDecimal: String {
        guard self < 1e9 else { return "more than 1,000,000,000" }
        let rounded = (self * 10).rounded() / 10
        return (rounded > 0 ? rounded : self).brief
    }
}
