/// Follows an automaton through a cell state by state, for patterns whose table would be too large.
///
/// Its time is bounded by the scalars of the cell times the states of the automaton.
enum RegexSimulation {
    static func run(_ automaton: RegexAutomaton, on cell: Cell) -> (matches: Bool, steps: Int) {
        let words = RegexThreads.words(for: automaton)
        return withUnsafeTemporaryAllocation(of: UInt32.self, capacity: words * 2) { memory in
            var threads = RegexThreads(UnsafeMutableBufferPointer(rebasing: memory[..<words]))
            var next = RegexThreads(UnsafeMutableBufferPointer(rebasing: memory[words...]))
            let found = run(automaton, on: cell, &threads, &next)
            return (found, threads.steps + next.steps)
        }
    }

    private static func run(
        _ automaton: RegexAutomaton,
        on cell: Cell,
        _ threads: inout RegexThreads,
        _ next: inout RegexThreads
    ) -> Bool {
        automaton.states.withUnsafeBufferPointer { states in
            var after = RegexSide.end
            threads.clear()
            threads.reach(automaton.start, in: states, after: after, before: nil)
            var position = 0
            while position < cell.count {
                if threads.matches { return true }
                // Where nothing is left, an anchored pattern cannot come back.
                if threads.count == 0, automaton.isAnchored { return false }
                let (scalar, length) = UTF8Scalar.decode(cell, at: position)
                let number = automaton.classes.number(of: scalar)
                let side = automaton.sides[number]
                threads.resolve(in: states, after: after, before: side)
                if threads.matches { return true }
                next.clear()
                next.take(number, from: threads, of: automaton, after: side)
                swap(&threads, &next)
                after = side
                position += length
            }
            if !threads.matches { threads.resolve(in: states, after: after, before: .end) }
            return threads.matches
        }
    }
}

extension ScalarClasses {
    /// The class of a scalar, or of a byte that is not UTF-8 where that is nil.
    func number(of scalar: UInt32?) -> Int {
        guard let scalar else { return 0 }
        return Int(classes[Int(blocks[Int(scalar >> 8)]) << 8 | Int(scalar & 255)])
    }
}

/// Reads one scalar of UTF-8.
enum UTF8Scalar {
    /// The scalar at `position` and its bytes; nil and one byte where none is well formed.
    ///
    /// Source: The Unicode Standard, table 3-7, "Well-Formed UTF-8 Byte Sequences".
    @inline(__always)
    static func decode(_ cell: Cell, at position: Int) -> (scalar: UInt32?, length: Int) {
        let first = cell[position]
        if first < 0x80 { return (UInt32(first), 1) }
        let left = cell.count - position
        func next(_ offset: Int) -> UInt32 { UInt32(cell[position + offset]) }
        func isContinuation(_ byte: UInt32) -> Bool { byte & 0xC0 == 0x80 }
        switch first {
        case 0xC2...0xDF where left >= 2:
            guard isContinuation(next(1)) else { return (nil, 1) }
            return (UInt32(first & 0x1F) << 6 | next(1) & 0x3F, 2)
        case 0xE0...0xEF where left >= 3:
            let scalar = UInt32(first & 0x0F) << 12 | (next(1) & 0x3F) << 6 | next(2) & 0x3F
            guard isContinuation(next(1)), isContinuation(next(2)), scalar >= 0x800, scalar >> 11 != 0x1B else {
                return (nil, 1)
            }
            return (scalar, 3)
        case 0xF0...0xF4 where left >= 4:
            let high = UInt32(first & 0x07) << 18 | (next(1) & 0x3F) << 12
            let scalar = high | (next(2) & 0x3F) << 6 | next(3) & 0x3F
            guard isContinuation(next(1)), isContinuation(next(2)), isContinuation(next(3)),
                scalar >= 0x10000, scalar <= ScalarSet.last
            else { return (nil, 1) }
            return (scalar, 4)
        default: return (nil, 1)
        }
    }
}
