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

    private static func equal(_ first: TextLane, _ second: TextLane, _ count: Int) -> Mask {
        Mask(count: count) { first[$0].hasBytes(of: second[$0]) }
    }

    private static func less(_ first: TextLane, _ second: TextLane, _ count: Int) -> Mask {
        Mask(count: count) { first[$0].comesBefore(second[$0]) }
    }

    /// Most texts in comparisons are short: up to sixteen bytes are two loads, using the slack that `Bytes` has behind
    /// every cell.
    private static func equal(_ lane: TextLane, constant: Cell, _ count: Int) -> Mask {
        guard constant.count <= 16 else { return Mask(count: count) { lane[$0].hasBytes(of: constant) } }
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

/// A pattern of `like`: `%` matches any text, `_` one character, and what follows the escape only itself.
///
/// The pattern is cut at each `%` into segments. The first must match at the beginning, the last at the end, and each
/// between them matches at its first occurrence; so a cell is scanned once for each segment at most.
struct LikePattern: Sendable {
    /// Bytes that have to match, and `anyScalar` for one character.
    fileprivate static let anyScalar: UInt16 = 256

    /// The units of all segments, concatenated, and the start of each; the end of the last closes the list.
    private let units: [UInt16]
    private let starts: [Int]
    /// The units as bytes, and for each segment whether it consists of these bytes only.
    private let bytes: [UInt8]
    private let isLiteral: [Bool]

    /// Nil if the escape is at the end, or before a character that needs none.
    init?(_ pattern: String, escape: Unicode.Scalar?) {
        var segments: [[UInt16]] = [[]]
        var isEscaped = false
        for scalar in pattern.unicodeScalars {
            if !isEscaped, scalar == escape {
                isEscaped = true
                continue
            }
            let isWild = scalar == "%" || scalar == "_"
            if isEscaped, !isWild, scalar != escape { return nil }
            if isWild, !isEscaped {
                if scalar == "%" { segments.append([]) } else { segments[segments.count - 1].append(Self.anyScalar) }
            } else {
                segments[segments.count - 1] += String(scalar).utf8.map(UInt16.init)
            }
            isEscaped = false
        }
        if isEscaped { return nil }
        // The second of `%%` has no effect.
        let inner = segments.dropFirst().dropLast().filter { !$0.isEmpty }
        if segments.count > 1 { segments = [segments[0]] + inner + [segments[segments.count - 1]] }
        units = segments.flatMap(\.self)
        bytes = units.map { UInt8(truncatingIfNeeded: $0) }
        isLiteral = segments.map { !$0.contains(Self.anyScalar) }
        starts = segments.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1.count) }
    }

    func truth(_ operand: Operand, count: Int) -> TernaryMask {
        let lane = operand.texts
        let rows = withMatcher { matcher in Mask(count: count) { matcher.matches(lane[$0]) } }
        withExtendedLifetime(operand) {}
        return TernaryMask(rows, missing: operand.missing(count), uncomputable: operand.faults)
    }

    private func withMatcher(_ body: (Matcher) -> Mask) -> Mask {
        units.withUnsafeBufferPointer { units in
            bytes.withUnsafeBufferPointer { bytes in
                starts.withUnsafeBufferPointer { starts in
                    isLiteral.withUnsafeBufferPointer { isLiteral in
                        body(Matcher(units: units, bytes: bytes, starts: starts, isLiteral: isLiteral))
                    }
                }
            }
        }
    }
}

/// A pattern as bare addresses, for the loop along the rows.
private struct Matcher {
    typealias Segment = Slice<UnsafeBufferPointer<UInt16>>

    let units: UnsafeBufferPointer<UInt16>
    let bytes: UnsafeBufferPointer<UInt8>
    let starts: UnsafeBufferPointer<Int>
    let isLiteral: UnsafeBufferPointer<Bool>

    @inline(__always)
    private func segment(_ index: Int) -> Segment { units[starts[index]..<starts[index + 1]] }

    func matches(_ cell: Cell) -> Bool {
        let count = starts.count - 1
        guard var position = Self.end(of: segment(0), in: cell, from: 0) else { return false }
        if count == 1 { return position == cell.count }
        guard let stop = Self.start(of: segment(count - 1), in: cell), stop >= position else { return false }
        for index in 1..<count - 1 {
            guard let found = find(index, in: cell, from: position, to: stop) else { return false }
            position = found
        }
        return position <= stop
    }

    /// The end of the first such segment between `start` and `stop`.
    @inline(__always)
    private func find(_ index: Int, in cell: Cell, from start: Int, to stop: Int) -> Int? {
        if isLiteral[index] {
            let part = Cell(rebasing: bytes[starts[index]..<starts[index + 1]])
            guard let found = TextSearch.find(part, in: cell, from: start) else { return nil }
            return found + part.count <= stop ? found + part.count : nil
        }
        var position = start
        while position <= stop {
            if let end = Self.end(of: segment(index), in: cell, from: position) { return end <= stop ? end : nil }
            position = Self.next(in: cell, from: position)
        }
        return nil
    }

    /// The end of a segment that begins at `start`, or nil if it does not match there.
    @inline(__always)
    private static func end(of segment: Segment, in cell: Cell, from start: Int) -> Int? {
        var position = start
        for unit in segment {
            guard position < cell.count else { return nil }
            if unit == LikePattern.anyScalar {
                position = next(in: cell, from: position)
            } else {
                guard cell[position] == UInt8(truncatingIfNeeded: unit) else { return nil }
                position += 1
            }
        }
        return position
    }

    /// Where a segment that ends with the cell begins.
    private static func start(of segment: Segment, in cell: Cell) -> Int? {
        var position = cell.count
        for unit in segment.reversed() {
            guard position > 0 else { return nil }
            position -= 1
            if unit == LikePattern.anyScalar {
                while position > 0, cell[position] & 0xC0 == 0x80 { position -= 1 }
            } else if cell[position] != UInt8(truncatingIfNeeded: unit) {
                return nil
            }
        }
        return position
    }

    /// Where the next character begins.
    @inline(__always)
    private static func next(in cell: Cell, from start: Int) -> Int {
        var position = start + 1
        while position < cell.count, cell[position] & 0xC0 == 0x80 { position += 1 }
        return position
    }
}

/// Finds a text in another.
enum TextSearch {
    /// The place of the first `part` in `whole`, from `start` on.
    ///
    /// A short part is searched by its first byte. For a long one that would let a hostile cell demand the product of
    /// both lengths, so it is searched by a rolling sum.
    @inline(__always)
    static func find(_ part: Cell, in whole: Cell, from start: Int) -> Int? {
        guard let first = part.first, let needle = part.baseAddress, let base = whole.baseAddress else {
            return part.isEmpty ? start : nil
        }
        guard part.count <= 16 else { return findLong(part, in: whole, from: start) }
        let last = whole.count - part.count
        var position = start
        while position <= last {
            guard let found = memchr(base + position, Int32(first), last - position + 1) else { return nil }
            position = UnsafeRawPointer(found) - UnsafeRawPointer(base)
            if memcmp(base + position, needle, part.count) == 0 { return position }
            position += 1
        }
        return nil
    }

    /// Source: Karp and Rabin, "Efficient randomized pattern-matching algorithms" (1987).
    @inline(never)
    private static func findLong(_ part: Cell, in whole: Cell, from start: Int) -> Int? {
        let last = whole.count - part.count
        guard start <= last, let needle = part.baseAddress, let base = whole.baseAddress else { return nil }
        let factor: UInt64 = 0x9E37_79B9_7F4A_7C15
        var leading: UInt64 = 1
        var wanted: UInt64 = 0
        var sum: UInt64 = 0
        for position in 0..<part.count {
            wanted = wanted &* factor &+ UInt64(part[position])
            sum = sum &* factor &+ UInt64(whole[start + position])
            if position > 0 { leading = leading &* factor }
        }
        var position = start
        while true {
            if sum == wanted, memcmp(base + position, needle, part.count) == 0 { return position }
            guard position < last else { return nil }
            sum = (sum &- UInt64(whole[position]) &* leading) &* factor &+ UInt64(whole[position + part.count])
            position += 1
        }
    }
}
