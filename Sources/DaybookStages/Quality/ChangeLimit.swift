/// `{ max: 20%, from: last }`: how far a figure may be from that of earlier runs, as a share of the latter.
struct ChangeLimit: OptionValue {
    let most: CountOrShare
    let from: PastReference
    let include: IncludedRuns
    let first: FirstRuns

    static let kind = OptionKind.object([
        OptionSpec(
            key: "max",
            kind: .text,
            help: "The most that it may differ, up or down: a share of what it was, such as 20%.",
            isRequired: true
        ),
        OptionSpec(
            key: "from",
            kind: .text,
            help: "What it is compared with: 'last', 'median of 7' runs, or 'same weekday'.",
            fallback: "last"
        ),
        IncludedRuns.spec,
        FirstRuns.spec,
    ])
    static var placeholder: ChangeLimit { ChangeLimit(most: .all, from: .last, include: .passed, first: .notJudged) }

    private init(most: CountOrShare, from: PastReference, include: IncludedRuns, first: FirstRuns) {
        (self.most, self.from, self.include, self.first) = (most, from, include, first)
    }

    init(reading node: OptionNode) throws(DaybookError) {
        guard let map = node.map else {
            throw node.expected("a map of options", hint: "write { max: 20%, from: last }")
        }
        var (most, from, include) = (CountOrShare?.none, PastReference.last, IncludedRuns.passed)
        var first = FirstRuns.notJudged
        for entry in map {
            switch entry.key {
            case "max":
                let share = try? CountOrShare(reading: entry.value)
                guard let share, share.isShare else {
                    let hint = Allowance.hint(forPlainShare: entry.value.text ?? "")
                    throw entry.value.expected("a percentage such as 20%", hint: hint)
                }
                most = share
            case "from": from = try PastReference(reading: entry.value)
            case "include": include = try IncludedRuns(reading: entry.value)
            case "first": first = try FirstRuns(reading: entry.value)
            default: throw entry.unknown(to: "'change'", among: ["max", "from", "include", "first"])
            }
        }
        guard let most else {
            throw DaybookError("missing-option", "the option 'max' is missing", at: node.place)
        }
        self.init(most: most, from: from, include: include, first: first)
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
            comparison.lacks("\(name) is \(observed.spoken); there is no earlier run to compare it with", first)
            return
        }
        let (expected, run) = (found.value, from.isOneRun ? " (run \(found.runs[0].run))" : "")
        let (before, difference) = (observed.measure.spoken(expected), observed.value - expected)
        // In millionths, so that 20% of 100 is 20; the largest numbers are made smaller before.
        let scale = max(difference.magnitude, expected.magnitude) > 1e280 ? 0x1p-100 : 1
        let holds = difference.magnitude * scale * 1_000_000 <= most.millionths * (expected.magnitude * scale)
        var told = "\(name) is \(observed.spoken), "
        if difference == 0 {
            told += "the same as "
        } else if expected != 0 {
            let percent = (difference / expected.magnitude * 100).magnitude
            told += "\(percent.toOneDecimal) % \(difference < 0 ? "less" : "more") than "
        } else {
            told += "not "
        }
        told += "\(before), \(from.spoken(found.runs))\(run)"
        if holds {
            comparison.passed.append(told)
        } else {
            comparison.broken.append("\(told); a change of at most \(most.written) is allowed")
        }
    }
}
