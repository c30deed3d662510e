/// The values of an `in`, ready to be searched.
enum MemberList: Sendable {
    case texts(TextLookup)
    /// Whole numbers, instants, days and flags, sorted.
    case whole([Int64])
    /// Sorted.
    case decimals([Double])

    /// The values of constants, none of which is missing and which all have the kind that is searched for, or are numbers as that is. A
    /// number that the other kind does not have is equal to none of it.
    init(_ constants: [Operand], of kind: ColumnKind) {
        switch kind {
        case .text, .json: self = .texts(TextLookup(constants.map { $0.textColumn[0] ?? "" }))
        case .integer, .instant: self = .whole(constants.compactMap(MemberList.whole).sorted())
        case .day: self = .whole(constants.map { Int64($0.days[0]) }.sorted())
        case .flag: self = .whole(constants.map { $0.flags[0] ? 1 : 0 }.sorted())
        case .decimal: self = .decimals(constants.compactMap(MemberList.decimal).sorted())
        }
        withExtendedLifetime(constants) {}
    }

    private static func whole(_ constant: Operand) -> Int64? {
        if case .decimals(let values) = constant.column { return Int64(exactly: values.elements[0]) }
        return constant.integers[0]
    }

    private static func decimal(_ constant: Operand) -> Double? {
        if case .integers(let values) = constant.column { return Double(exactly: values.elements[0]) }
        return constant.decimals[0]
    }

    func truth(_ operand: Operand, count: Int) -> TernaryMask {
        let rows: Mask
        switch (self, operand.column) {
        case (.texts(let lookup), _):
            let lane = operand.texts
            rows = Mask(count: count) { lookup.find(lane[$0]) >= 0 }
        case (.whole(let members), .days):
            let lane = operand.days
            rows = search(members, count) { Int64(lane[$0]) }
        case (.whole(let members), .flags):
            let lane = operand.flags
            rows = search(members, count) { lane[$0] ? 1 : 0 }
        case (.whole(let members), _):
            let lane = operand.integers
            rows = search(members, count) { lane[$0] }
        case (.decimals(let members), _):
            let lane = operand.decimals
            rows = search(members, count) { lane[$0] }
        }
        withExtendedLifetime(operand) {}
        return TernaryMask(rows, missing: operand.missing(count), uncomputable: operand.faults)
    }

    @inline(__always)
    private func search<Element: Comparable>(_ sorted: [Element], _ count: Int, _ value: (Int) -> Element) -> Mask {
        Mask(count: count) { row in
            let wanted = value(row)
            let place = sorted.partitioningIndex { !($0 < wanted) }
            return place < sorted.count && sorted[place] == wanted
        }
    }
}
