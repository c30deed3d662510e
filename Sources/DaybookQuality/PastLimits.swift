/// A rule that measures one value, which can be compared with earlier runs.
protocol MeasuringRule: GroupedRule {
    var measure: ObservedValue.Measure { get }
    /// The measured value in words: `the sum of 'price'`.
    var figureName: String { get }
    var against: PastLimits { get }
    /// The requirement of the rule's own bounds; nil without bounds.
    var bounded: String? { get }
}

/// Limits on the distance of a measured value from earlier runs.
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
    fileprivate var displayText: String {
        let parts = [
            change.map { "changed by at most \($0.most.written)" },
            anomaly.map { "at most \($0.deviations.brief) deviations from the median of earlier runs" },
        ]
        return parts.compactMap(\.self).joined(separator: ", ")
    }

    /// Whether runs count that did not hold.
    var includesFailed: Bool { change?.include == .failed || change == nil && anomaly?.include == .failed }

    /// The request for values of earlier runs.
    func request(for measure: ObservedValue.Measure, isByGroup: Bool) -> PastRequest? {
        guard let days = [change?.from.reach, anomaly?.runs].compactMap(\.self).max() else { return nil }
        return PastRequest(measure, days: days, isByGroup: isByGroup)
    }
}

/// The result of a comparison with earlier runs.
struct PastComparison {
    /// The broken limits.
    var broken: [String] = []
    /// The passed limits, with the comparison in words.
    var passed: [String] = []
    /// Whether there were no earlier runs, or too few.
    var lacksPast = false

    /// Records the result of one comparison, with what is allowed where it is broken.
    mutating func note(_ message: String, holds: Bool, _ allowed: String) {
        if holds { passed.append(message) } else { broken.append("\(message); \(allowed)") }
    }

    /// Records that there is nothing to compare with, which the job may treat as a failure.
    mutating func lacks(_ message: String, _ first: FirstRuns) {
        lacksPast = true
        switch first {
        case .notJudged: passed.append(message)
        case .fail: broken.append("\(message), and 'first: fail' is set")
        }
    }
}

/// The verdict of a comparison with too few earlier runs.
enum FirstRuns: String, OptionChoice {
    case notJudged = "not_judged"
    case fail
}

extension MeasuringRule {
    var expectation: String {
        guard let bounded else { return "\(figureName) is near that of earlier runs: \(against.displayText)" }
        return against.isEmpty ? bounded : "\(bounded), and near that of earlier runs: \(against.displayText)"
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

    /// The comparison of a group of which no row was judged, whose figure may be nil then.
    func comparison(ofNoRows observed: ObservedValue?, with past: FigurePast, on day: CalendarDay) -> PastComparison {
        guard observed == nil else { return comparison(of: observed, with: past, on: day) }
        var comparison = PastComparison()
        let found = against.change?.from.find(in: past, on: day, includesFailed: against.includesFailed)
        if let last = found?.runs.first, let value = ObservedValue(measure, last.value) {
            comparison.broken.append("\(figureName) has no value, and was \(value.displayText) on \(last.day)")
        } else {
            comparison.lacks("\(figureName) has no value", .notJudged)
        }
        return comparison
    }
}

/// Which earlier runs to compare with.
enum IncludedRuns: String, OptionChoice {
    case passed, failed

    /// 'held' is the former name of 'passed'.
    init(reading node: OptionNode) throws(DaybookError) {
        if node.text == "held" { self = .passed } else { self = try Self.choice(reading: node) }
    }
}

extension OptionFields {
    fileprivate mutating func readIncludedRuns() throws(DaybookError) -> IncludedRuns {
        let help = "Which earlier runs count: those that passed, or also those that failed."
        return try read("include", default: .passed, help: help)
    }

    fileprivate mutating func readFirstRuns() throws(DaybookError) -> FirstRuns {
        let help = "What becomes of a run with too few earlier ones: the rule is not judged, or fails."
        return try read("first", default: .notJudged, help: help)
    }
}

extension Double {
    /// With one decimal, or with as many as the value needs to differ from 0, and from a limit that it exceeds.
    func toOneDecimal(beyond limit: Double?) -> String {
        guard self < 1e9 else { return "more than 1,000,000,000" }
        let roundings = [10, 1e2, 1e3, 1e4, 1e5, 1e6].lazy.map { (self * $0).rounded() / $0 }
        return (roundings.first { $0 > limit ?? 0 } ?? self).brief
    }
}

/// `{ max: 20%, from: last }`: the largest change from earlier runs, as a share of their value.
struct ChangeLimit: OptionObject {
    private(set) var most = CountOrShare.all
    private(set) var from = PastReference.last
    private(set) var include = IncludedRuns.passed
    private(set) var first = FirstRuns.notJudged

    static let title = "'change'"
    static let example: String? = "write { max: 20%, from: last }"
    static var placeholder: ChangeLimit { ChangeLimit() }

    private init() {}

    init(reading fields: inout OptionFields) throws(DaybookError) {
        let help = "The most that it may differ, up or down: a share of what it was, such as 20%."
        let written = fields.written("max", .text, isRequired: true, help: help)
        if let written {
            guard let share = try? CountOrShare(reading: written), share.isShare else {
                let hint = Allowance.hint(forPlainShare: written.text ?? "")
                throw written.expected("a percentage such as 20%", hint: hint)
            }
            most = share
        }
        from = try fields.read(
            "from",
            default: .last,
            help: "What it is compared with: 'last', 'median of 7' runs, or 'same weekday'."
        )
        (include, first) = (try fields.readIncludedRuns(), try fields.readFirstRuns())
        if written == nil { throw fields.missing("max") }
    }

    var written: String {
        "{ max: \(most.written), from: \(from.written), include: \(include.written), first: \(first.written) }"
    }

    func judge(
        _ observed: ObservedValue,
        _ name: String,
        _ past: FigurePast,
        _ day: CalendarDay,
        _ comparison: inout PastComparison
    ) {
        guard let found = from.find(in: past, on: day, includesFailed: include == .failed) else {
            let which = from == .sameWeekday ? "run of the same weekday" : "run"
            let lack = "there is no earlier \(which) to compare it with"
            comparison.lacks("\(name) is \(observed.displayText); \(lack)", first)
            return
        }
        let (expected, run) = (found.value, from.isOneRun ? found.runs[0].shownRun : "")
        let (before, difference) = (observed.measure.displayText(expected), observed.value - expected)
        // In millionths, so that 20% of 100 is 20; very large numbers are scaled down first.
        let scale = max(difference.magnitude, expected.magnitude) > 1e280 ? 0x1p-100 : 1
        let holds = difference.magnitude * scale * 1_000_000 <= most.millionths * (expected.magnitude * scale)
        var message = "\(name) is \(observed.displayText), "
        if difference == 0 {
            message += "the same as "
        } else if expected != 0 {
            let percent = (difference / expected.magnitude * 100).magnitude
            let limit = holds ? nil : most.millionths / 10_000
            message += "\(percent.toOneDecimal(beyond: limit)) % \(difference < 0 ? "less" : "more") than "
        } else {
            message += "not "
        }
        message += "\(before), \(from.displayText(found.runs))\(run)"
        comparison.note(message, holds: holds, "a change of at most \(most.written) is allowed")
    }
}

/// `{ of: 28 runs, deviations: 4 }`: the most deviations of a value from the median of earlier runs.
///
/// A deviation is the median absolute deviation, scaled by 1.4826 to match a normal distribution. If that is 0, since
/// more than half of the runs are equal, it is the mean absolute deviation, scaled by 1.2533 (Iglewicz and Hoaglin,
/// "How to Detect and Handle Outliers", 1993). If all runs are equal, any other value is an anomaly.
struct AnomalyLimit: OptionObject {
    /// With fewer runs the rule is not judged, unless the job sets a lower number.
    private static let fewest = 7

    private(set) var runs = 28
    private(set) var deviations = 4.0
    private(set) var include = IncludedRuns.passed
    private(set) var first = FirstRuns.notJudged

    static let title = "'anomaly'"
    static let example: String? = "write { of: 28 runs, deviations: 4 }"
    static var placeholder: AnomalyLimit { AnomalyLimit() }

    private init() {}

    init(reading fields: inout OptionFields) throws(DaybookError) {
        let help = "How many earlier runs it is held against, at most; from the seventh on it is judged."
        if let node = fields.written("of", .text, default: "28 runs", help: help) {
            let words = (node.text ?? "").split(separator: " ")
            guard let count = words.first.flatMap({ Int($0) }), (3...366).contains(count),
                words.count == 1 || words.dropFirst() == ["runs"]
            else { throw node.expected("a number of 3 to 366 runs such as '28 runs'") }
            runs = count
        }
        let most = "The most that it may lie from their median, in median absolute deviations, scaled by 1.4826."
        if let node = fields.written("deviations", .decimal, default: "4.0", help: most) {
            deviations = try Double(reading: node)
            guard deviations > 0 else { throw node.expected("a number of more than 0") }
        }
        (include, first) = (try fields.readIncludedRuns(), try fields.readFirstRuns())
    }

    var written: String {
        "{ of: \(runs) runs, deviations: \(deviations.written), include: \(include.written), first: \(first.written) }"
    }

    func judge(_ observed: ObservedValue, _ name: String, _ past: FigurePast, _ comparison: inout PastComparison) {
        let earlier = past.lastOfDays(runs, includesFailed: include == .failed)
        let needed = min(runs, AnomalyLimit.fewest)
        guard earlier.count >= needed else {
            comparison.lacks(
                "\(name) is \(observed.displayText); anomalies are told after \(needed) earlier runs, of which there are "
                    + "\(earlier.count)",
                first
            )
            return
        }
        let median = earlier.median
        let distances = earlier.map { ($0.value - median).magnitude }
        let deviation =
            distances.median > 0
            ? distances.median * 1.4826 : distances.reduce(0) { $0 + $1 / Double(distances.count) } * 1.2533
        let distance = (observed.value - median).magnitude
        let place = "\(observed.measure.displayText(median)), the median of \(earlier.displayText)"
        guard distance > 0, deviation > 0 else {
            let message = "\(name) is \(observed.displayText)"
            if distance == 0 {
                comparison.passed.append("\(message), the same as \(place)")
            } else {
                comparison.broken.append(
                    "\(message), while all of \(earlier.displayText) came to \(observed.measure.displayText(median))"
                )
            }
            return
        }
        let count = distance / deviation
        let holds = count <= deviations
        let shown = count.toOneDecimal(beyond: holds ? nil : deviations)
        let message =
            "\(name) is \(observed.displayText), \(shown) \(shown == "1" ? "deviation" : "deviations") "
            + "\(observed.value < median ? "below" : "above") \(place)"
        let most = "at most \(deviations.brief) \(deviations == 1 ? "is" : "are") allowed"
        comparison.note(message, holds: holds, most)
    }
}

extension FigurePast.Entry {
    /// ` (run 20261120-1)`, ` (commit 7956decf4)`; empty for the run that asks.
    fileprivate var shownRun: String {
        // A name of two words says itself what it is.
        run.isEmpty ? "" : run.contains(" ") ? " (\(run))" : " (run \(run))"
    }
}
