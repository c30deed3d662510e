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
