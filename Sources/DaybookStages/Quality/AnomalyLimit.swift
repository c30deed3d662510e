/// `{ of: 28 runs, deviations: 4 }`: how many deviations a figure may lie from the median of earlier runs.
///
/// A deviation is the median absolute deviation, scaled by 1.4826 as that of a normal distribution; where that is 0, since more than half
/// of the runs are alike, the mean absolute deviation, scaled by 1.2533 (Iglewicz and Hoaglin, "How to Detect and Handle Outliers",
/// 1993). Where all runs are alike any other figure is an anomaly.
struct AnomalyLimit: OptionValue {
    /// With fewer runs than this nothing is judged, unless fewer are asked for.
    private static let fewest = 7

    let runs: Int
    let deviations: Double
    let include: IncludedRuns
    let first: FirstRuns

    static let kind = OptionKind.object([
        OptionSpec(
            key: "of",
            kind: .text,
            help: "How many earlier runs it is held against, at most; from the seventh on it is judged.",
            fallback: "28 runs"
        ),
        OptionSpec(
            key: "deviations",
            kind: .decimal,
            help: "The most that it may lie from their median, in median absolute deviations, scaled by 1.4826.",
            fallback: "4.0"
        ),
        IncludedRuns.spec,
        FirstRuns.spec,
    ])
    static var placeholder: AnomalyLimit { AnomalyLimit(runs: 28, deviations: 4, include: .passed, first: .notJudged) }

    private init(runs: Int, deviations: Double, include: IncludedRuns, first: FirstRuns) {
        (self.runs, self.deviations, self.include, self.first) = (runs, deviations, include, first)
    }

    init(reading node: OptionNode) throws(DaybookError) {
        guard let map = node.map else {
            throw node.expected("a map of options", hint: "write { of: 28 runs, deviations: 4 }")
        }
        var (runs, deviations, include, first) = (28, 4.0, IncludedRuns.passed, FirstRuns.notJudged)
        for entry in map {
            switch entry.key {
            case "of":
                let words = (entry.value.text ?? "").split(separator: " ")
                guard let count = words.first.flatMap({ Int($0) }), (3...366).contains(count),
                    words.count == 1 || words.dropFirst() == ["runs"]
                else { throw entry.value.expected("a number of 3 to 366 runs such as '28 runs'") }
                runs = count
            case "deviations":
                deviations = try Double(reading: entry.value)
                guard deviations > 0 else { throw entry.value.expected("a number of more than 0") }
            case "include": include = try IncludedRuns(reading: entry.value)
            case "first": first = try FirstRuns(reading: entry.value)
            default: throw entry.unknown(to: "'anomaly'", among: ["of", "deviations", "include", "first"])
            }
        }
        self.init(runs: runs, deviations: deviations, include: include, first: first)
    }

    var written: String {
        "{ of: \(runs) runs, deviations: \(deviations.written), include: \(include.written), first: \(first.written) }"
    }

    func judge(_ observed: ObservedValue, _ name: String, _ past: FigurePast, _ comparison: inout PastComparison) {
        let earlier = past.last(runs, include)
        let needed = min(runs, AnomalyLimit.fewest)
        guard earlier.count >= needed else {
            comparison.lacks(
                "\(name) is \(observed.spoken); anomalies are told after \(needed) earlier runs, of which there are "
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
        let place = "\(observed.measure.spoken(median)), the median of \(earlier.spoken)"
        guard distance > 0, deviation > 0 else {
            let told = "\(name) is \(observed.spoken)"
            if distance == 0 {
                comparison.passed.append("\(told), the same as \(place)")
            } else {
                comparison.broken.append(
                    "\(told), while all of \(earlier.spoken) came to \(observed.measure.spoken(median))"
                )
            }
            return
        }
        let count = distance / deviation
        let told =
            "\(name) is \(observed.spoken), \(count.toOneDecimal) deviations "
            + "\(observed.value < median ? "below" : "above") \(place)"
        if count <= deviations {
            comparison.passed.append(told)
        } else {
            comparison.broken.append("\(told); at most \(deviations.brief) are allowed")
        }
    }
}
