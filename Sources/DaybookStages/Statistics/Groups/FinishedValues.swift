import DaybookCore

/// One value of all groups, ready to be written.
struct FinishedValues {
    private let function: AggregateCall.Function
    private let values: any GroupValues
    /// What the column holds that the values came from; nil for rows.
    private let kind: ColumnKind?
    private let middles: [(low: Int64, high: Int64)?]

    init(_ call: AggregateCall, _ values: any GroupValues, of kind: ColumnKind?, groups: Int) {
        function = call.function
        self.values = values
        self.kind = kind
        middles = (values as? ValueRuns)?.middles(groups) ?? []
    }

    /// About how many bytes the value of a group takes.
    func bytes(_ group: Int) -> Int { (values as? PickedText)?.length(group) ?? 8 }

    /// The values of some groups as the column `name`. What no number can hold is rejected.
    func column(of groups: [Int], named name: ColumnName, _ findings: inout Findings) -> Column {
        switch values {
        case let values as Tallies: return .integers(Values(groups.map { values.counts[$0] }))
        case let values as DistinctValues: return .integers(Values(groups.map { values.counts[$0] }))
        case let sums as WholeSums: return column(of: groups, sums, named: name, &findings)
        case let sums as DecimalSums:
            let tooLarge = findings.token(.sumTooLarge, in: name)
            let isMean = function == .mean
            return .decimals(
                Self.gathered(groups) { row, group in
                    guard sums.counts[group] > 0 else { return nil }
                    let figure = isMean ? sums.mean(group) : sums.sum(group)
                    if !figure.isFinite { findings.reject(row, tooLarge) }
                    return figure
                }
            )
        case let values as PickedValues:
            let picked = Self.gathered(groups) { values.isThere[$1] ? values.values[$1] : nil }
            return Column(sortable: picked, kind: kind ?? .integer)
        case let values as PickedText: return column(of: groups, values)
        default:
            let isWhole = kind == .integer
            return .decimals(
                Self.gathered(groups) { _, group in middles[group].map { Self.median($0, isWhole: isWhole) } }
            )
        }
    }

    private func column(
        of groups: [Int],
        _ sums: WholeSums,
        named name: ColumnName,
        _ findings: inout Findings
    ) -> Column {
        if function == .mean {
            return .decimals(
                Self.gathered(groups) { _, group in
                    sums.counts[group] > 0 ? Double(sums.sums[group]) / Double(sums.counts[group]) : nil
                }
            )
        }
        let tooLarge = findings.token(.sumTooLarge, in: name)
        return .integers(
            Self.gathered(groups) { row, group in
                guard sums.counts[group] > 0 else { return nil }
                if let sum = Int64(exactly: sums.sums[group]) { return sum }
                findings.reject(row, tooLarge, saying: Self.tooLarge(sums.sums[group]))
                return nil
            }
        )
    }

    private func column(of groups: [Int], _ values: PickedText) -> Column {
        var text = TextColumnBuilder(rows: groups.count)
        for group in groups {
            values.withText(group) { if let cell = $0 { text.append(cell) } else { text.appendMissing() } }
        }
        return kind == .json ? .json(text.build()) : .text(text.build())
    }

    private static func tooLarge(_ sum: Int128) -> String {
        "the sum of the group is \(sum), more than a whole number of 64 bits can hold"
    }

    private static func median(_ middle: (low: Int64, high: Int64), isWhole: Bool) -> Double {
        // The sum of two whole numbers is exact in 128 bits, and so rounded only once.
        if isWhole { return Double(Int128(middle.low) + Int128(middle.high)) / 2 }
        let (low, high) = (Double(sortable: middle.low), Double(sortable: middle.high))
        // Halved first, two large numbers stay finite; halving is exact but for the very smallest.
        let sum = low + high
        return sum.isFinite ? sum / 2 : low / 2 + high / 2
    }

    /// One value for each group, or a gap.
    private static func gathered<Element: AdditiveArithmetic>(
        _ groups: [Int],
        _ value: (_ row: Int, _ group: Int) -> Element?
    ) -> Values<Element> {
        var values = Values([Element](repeating: .zero, count: groups.count))
        for (row, group) in groups.enumerated() {
            if let value = value(row, group) {
                values.elements[row] = value
            } else {
                values.missing.insert(row, of: groups.count)
            }
        }
        return values
    }
}
