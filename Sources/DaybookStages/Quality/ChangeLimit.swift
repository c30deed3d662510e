/// `{ max: 20%, from: last }`: how far a figure may be from that of earlier runs, as a share of the latter.
struct ChangeLimit: OptionValue {
    /// What a figure is compared with.
    enum Reference: Sendable, Hashable {
        case last, sameWeekday
        case median(of: Int)

        /// On how many days there has to have been a run. The same weekday is looked for in five weeks.
        var reach: Int {
            switch self {
            case .last: 1
            case .sameWeekday: 35
            case .median(let count): count
            }
        }
    }

    let most: CountOrShare
    let from: Reference
    let include: IncludedRuns

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
    ])
    static var placeholder: ChangeLimit { ChangeLimit(most: .all, from: .last, include: .held) }

    private init(most: CountOrShare, from: Reference, include: IncludedRuns) {
        (self.most, self.from, self.include) = (most, from, include)
    }

    init(reading node: OptionNode) throws(DaybookError) {
        guard let map = node.map else {
            throw node.expected("a map of options", hint: "write { max: 20%, from: last }")
        }
        var (most, from, include) = (CountOrShare?.none, Reference.last, IncludedRuns.held)
        for entry in map {
            switch entry.key {
            case "max":
                let share = try? CountOrShare(reading: entry.value)
                guard let share, share.isShare else { throw entry.value.expected("a percentage such as 20%") }
                most = share
            case "from": from = try Reference(reading: entry.value)
            case "include": include = try IncludedRuns(reading: entry.value)
            default: throw entry.unknown(to: "'change'", among: ["max", "from", "include"])
            }
        }
        guard let most else {
            throw DaybookError("missing-option", "the option 'max' is missing", at: node.place)
        }
        self.init(most: most, from: from, include: include)
    }

    var written: String { "{ max: \(most.written), from: \(from.written), include: \(include.written) }" }

    func judge(
        _ observed: ObservedValue,
        _ name: String,
        _ past: RulePast,
        _ day: CalendarDay,
        _ comparison: inout PastComparison
    ) {
        guard let (expected, source) = expected(past, day) else {
            comparison.lacksPast = true
            comparison.held.append("\(name) is \(observed.spoken); there is no earlier run to compare it with")
            return
        }
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
        told += "\(before), \(source)"
        if holds {
            comparison.held.append(told)
        } else {
            comparison.broken.append("\(told); a change of at most \(most.written) is allowed")
        }
    }

    /// The figure of earlier runs, and where it is from; nil where there is none.
    private func expected(_ past: RulePast, _ day: CalendarDay) -> (Double, String)? {
        let runs = past.last(from.reach, include)
        switch from {
        case .last: return runs.first.map { ($0.value, "that of \($0.day) (run \($0.run))") }
        case .sameWeekday:
            return runs.first { $0.day.weekday == day.weekday }.map {
                ($0.value, "that of the same weekday, \($0.day) (run \($0.run))")
            }
        case .median: return runs.isEmpty ? nil : (runs.median, "the median of \(runs.spoken)")
        }
    }
}

extension ChangeLimit.Reference {
    fileprivate init(reading node: OptionNode) throws(DaybookError) {
        let words = (node.text ?? "").split(separator: " ")
        switch words {
        case ["last"]: self = .last
        case ["same", "weekday"]: self = .sameWeekday
        default:
            guard words.count == 3, words[0] == "median", words[1] == "of", let count = Int(words[2]),
                (2...366).contains(count)
            else { throw node.expected("'last', 'same weekday', or a median of 2 to 366 runs such as 'median of 7'") }
            self = .median(of: count)
        }
    }

    fileprivate var written: String {
        switch self {
        case .last: "last"
        case .sameWeekday: "same weekday"
        case .median(let count): "median of \(count)"
        }
    }
}
