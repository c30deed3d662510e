/// Compares two operands of one kind, or a whole number with a decimal, row by row, into one bit a row.
enum ComparisonKernel {
    static func truth(_ comparison: Comparison, _ first: Operand, _ second: Operand, count: Int) -> TernaryMask {
        let missing = first.missing(count).union(second.missing(count))
        let faults = first.faults.union(second.faults)
        let bits = rows(comparison, first, second, count)
        withExtendedLifetime((first, second)) {}
        return TernaryMask(bits, missing: missing, uncomputable: faults)
    }

    /// Every comparison is `=` or `<`, with the operands in order or swapped, or the negation of one. Decimals with a
    /// value are finite, so the negation of less is not less.
    private static func rows(_ comparison: Comparison, _ first: Operand, _ second: Operand, _ count: Int) -> Mask {
        switch comparison {
        case .equal: equal(first, second, count)
        case .unequal: equal(first, second, count).inverted
        case .less: less(first, second, count)
        case .greater: less(second, first, count)
        case .lessOrEqual: less(second, first, count).inverted
        case .greaterOrEqual: less(first, second, count).inverted
        }
    }

    private static func equal(_ first: Operand, _ second: Operand, _ count: Int) -> Mask {
        switch (first.column, second.column) {
        case (.integers, .decimals): rows(first.integers, second.decimals, count) { $0.equals($1) }
        case (.decimals, .integers): rows(first.decimals, second.integers, count) { $1.equals($0) }
        case (.integers, _), (.instants, _): rows(first.integers, second.integers, count) { $0 == $1 }
        case (.decimals, _): rows(first.decimals, second.decimals, count) { $0 == $1 }
        case (.days, _): rows(first.days, second.days, count) { $0 == $1 }
        case (.flags, _): rows(first.flags, second.flags, count) { $0 == $1 }
        case (.text, _), (.json, _):
            first.isConstant
                ? equal(second.texts, constant: first.texts[0], count)
                : second.isConstant
                    ? equal(first.texts, constant: second.texts[0], count) : equal(first.texts, second.texts, count)
        }
    }

    private static func less(_ first: Operand, _ second: Operand, _ count: Int) -> Mask {
        switch (first.column, second.column) {
        case (.integers, .decimals): rows(first.integers, second.decimals, count) { $0.isLess(than: $1) }
        case (.decimals, .integers): rows(first.decimals, second.integers, count) { $1.isGreater(than: $0) }
        case (.integers, _), (.instants, _): rows(first.integers, second.integers, count) { $0 < $1 }
        case (.decimals, _): rows(first.decimals, second.decimals, count) { $0 < $1 }
        case (.days, _): rows(first.days, second.days, count) { $0 < $1 }
        case (.flags, _): Mask(count: count)
        case (.text, _), (.json, _): less(first.texts, second.texts, count)
        }
    }

    // MARK: Values

    /// The loops are repeated for constant operands: a stride known only at run time prevents vectorisation.
    @inline(__always)
    private static func rows<One, Other>(
        _ first: ValueLane<One>,
        _ second: ValueLane<Other>,
        _ count: Int,
        _ holds: (One, Other) -> Bool
    ) -> Mask {
        guard count > 0 else { return Mask(count: 0) }
        let (one, other) = (first.start, second.start)
        if first.step == 0, second.step == 0 { return constant(holds(one[0], other[0]), count) }
        if second.step == 0 {
            let value = other[0]
            return Mask(count: count) { holds(one[$0], value) }
        }
        if first.step == 0 {
            let value = one[0]
            return Mask(count: count) { holds(value, other[$0]) }
        }
        return Mask(count: count) { holds(one[$0], other[$0]) }
    }

    /// Two of the bounds of `between`, or of the values of `least`, may be constants beside a column.
    private static func constant(_ holds: Bool, _ count: Int) -> Mask {
        holds ? Mask.full(count: count) : Mask(count: count)
    }

    // MARK: Text

    /// Texts are alike when their bytes are.
    @inline(__always)
    static func isEqual(_ one: Cell, _ other: Cell) -> Bool {
        guard one.count == other.count else { return false }
        guard let start = one.baseAddress, let otherStart = other.baseAddress, one.count > 0 else { return true }
        return memcmp(start, otherStart, one.count) == 0
    }

    /// By bytes, which in UTF-8 is by code points.
    @inline(__always)
    static func isLess(_ one: Cell, _ other: Cell) -> Bool {
        guard let start = one.baseAddress, let otherStart = other.baseAddress else { return one.count < other.count }
        let order = memcmp(start, otherStart, min(one.count, other.count))
        return order < 0 || (order == 0 && one.count < other.count)
    }

    private static func equal(_ first: TextLane, _ second: TextLane, _ count: Int) -> Mask {
        Mask(count: count) { isEqual(first[$0], second[$0]) }
    }

    private static func less(_ first: TextLane, _ second: TextLane, _ count: Int) -> Mask {
        Mask(count: count) { isLess(first[$0], second[$0]) }
    }

    /// Most texts in comparisons are short: up to sixteen bytes are two loads, using the slack that `Bytes` has behind
    /// every cell.
    private static func equal(_ lane: TextLane, constant: Cell, _ count: Int) -> Mask {
        guard constant.count <= 16 else { return Mask(count: count) { isEqual(lane[$0], constant) } }
        let (base, views, step) = (lane.base, lane.views, lane.step)
        let length = UInt32(constant.count)
        func used(_ bytes: Int) -> UInt64 { bytes >= 8 ? .max : bytes <= 0 ? 0 : (1 << UInt64(bytes * 8)) - 1 }
        let (lowUsed, highUsed) = (used(constant.count), used(constant.count - 8))
        let start = UnsafeRawPointer(constant.baseAddress ?? base)
        let low = UInt64(littleEndian: start.loadUnaligned(as: UInt64.self)) & lowUsed
        let high = UInt64(littleEndian: start.loadUnaligned(fromByteOffset: 8, as: UInt64.self)) & highUsed
        return Mask(count: count) { row in
            let view = views[row &* step]
            let cell = UnsafeRawPointer(base + Int(view.offset))
            let ownLow = UInt64(littleEndian: cell.loadUnaligned(as: UInt64.self)) & lowUsed
            let ownHigh = UInt64(littleEndian: cell.loadUnaligned(fromByteOffset: 8, as: UInt64.self)) & highUsed
            return (view.length == length) && ((ownLow ^ low) | (ownHigh ^ high)) == 0
        }
    }
}

/// Exact comparisons with a double. The nearest double keeps the order, so digits beyond 53 bits count only on a tie.
extension Int64 {
    @inline(__always)
    fileprivate func equals(_ decimal: Double) -> Bool { Double(self) == decimal && difference(to: decimal) == 0 }

    @inline(__always)
    fileprivate func isLess(than decimal: Double) -> Bool {
        let own = Double(self)
        return own < decimal || (own == decimal && difference(to: decimal) < 0)
    }

    @inline(__always)
    fileprivate func isGreater(than decimal: Double) -> Bool {
        let own = Double(self)
        return own > decimal || (own == decimal && difference(to: decimal) > 0)
    }

    /// The sign of its excess over the nearest double. Only 2^63 is no 64-bit whole number, and more than all of them.
    @inline(__always)
    private func difference(to nearest: Double) -> Int64 { nearest == 0x1p63 ? -1 : (self &- Int64(nearest)) }
}

/// The values of an `in`, ready to be searched.
enum MemberList: Sendable {
    case texts(TextLookup)
    /// Whole numbers, instants, days and flags, sorted.
    case whole([Int64])
    /// Sorted.
    case decimals([Double])

    /// The values of constants. None is missing, and all have the kind of the searched column, or are numbers if that
    /// is a number. A number that the other kind cannot represent equals none of its values.
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
        let rows =
            switch (self, operand.column) {
            case (.texts(let lookup), _): Mask(count: count) { [lane = operand.texts] in lookup.find(lane[$0]) >= 0 }
            case (.whole(let members), .days): search(members, operand.days, count) { Int64($0) }
            case (.whole(let members), .flags): search(members, operand.flags, count) { $0 ? 1 : 0 }
            case (.whole(let members), _): search(members, operand.integers, count) { $0 }
            case (.decimals(let members), _): search(members, operand.decimals, count) { $0 }
            }
        withExtendedLifetime(operand) {}
        return TernaryMask(rows, missing: operand.missing(count), uncomputable: operand.faults)
    }

    @inline(__always)
    private func search<Element: Comparable, Value>(
        _ sorted: [Element],
        _ lane: ValueLane<Value>,
        _ count: Int,
        _ element: (Value) -> Element
    ) -> Mask {
        Mask(count: count) { row in
            let wanted = element(lane[row])
            let place = sorted.partitioningIndex { !($0 < wanted) }
            return place < sorted.count && sorted[place] == wanted
        }
    }
}
