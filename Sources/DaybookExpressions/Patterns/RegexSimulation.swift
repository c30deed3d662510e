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
                // Without any state left, an anchored pattern cannot match later.
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
    /// The class of a scalar; for nil, of a byte that is not UTF-8.
    @inline(__always)
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

/// The states of an automaton at one place of a text, and the step to the states at the next place.
///
/// The caller lends the memory: `RegexThreads.words(for:)` words for each. Every state is visited at most once a place.
struct RegexThreads {
    typealias States = UnsafeBufferPointer<RegexState>

    /// The states that consume a scalar, and the waiting states, in the order they were reached.
    private(set) var list: UnsafeMutableBufferPointer<UInt32>
    private(set) var count = 0
    /// Whether the pattern was found at this place.
    private(set) var matches = false
    /// The number of states examined so far.
    private(set) var steps = 0
    private let stack: UnsafeMutableBufferPointer<UInt32>
    /// For each state, the place at which it was last reached.
    private let reached: UnsafeMutableBufferPointer<UInt32>
    private var place: UInt32 = 0

    static func words(for automaton: RegexAutomaton) -> Int { automaton.states.count * 3 }

    init(_ memory: UnsafeMutableBufferPointer<UInt32>) {
        memory.initialize(repeating: 0)
        let states = memory.count / 3
        list = UnsafeMutableBufferPointer(rebasing: memory[0..<states])
        stack = UnsafeMutableBufferPointer(rebasing: memory[states..<states * 2])
        reached = UnsafeMutableBufferPointer(rebasing: memory[states * 2..<states * 3])
    }

    /// Forgets all states, for another place.
    mutating func clear() {
        count = 0
        matches = false
        if place == .max {
            reached.update(repeating: 0)
            place = 0
        }
        place += 1
    }

    /// Restores states that were the list of another place, in the order they were reached there.
    mutating func restore(_ states: [UInt32]) {
        for state in states {
            reached[Int(state)] = place
            keep(state)
        }
    }

    /// Adds `state` and every state that can be reached from it without consuming a scalar.
    ///
    /// Until the next scalar is known, states with an assertion about it wait.
    mutating func reach(_ state: Int32, in states: States, after: RegexSide, before: RegexSide?) {
        var height = 0
        push(UInt32(state), &height)
        while height > 0 {
            height -= 1
            let state = stack[height]
            steps &+= 1
            switch states[Int(state)] {
            case .match: matches = true
            case .take: keep(state)
            case .split(let first, let second):
                push(UInt32(second), &height)
                push(UInt32(first), &height)
            case .check(let assertion, let next):
                if assertion.looksAhead, before == nil {
                    keep(state)
                } else if assertion.holds(after: after, before: before ?? .other) {
                    push(UInt32(next), &height)
                }
            }
        }
    }

    /// Continues the waiting states, now that the next side is known. They stay in the list, where they are ignored.
    mutating func resolve(in states: States, after: RegexSide, before: RegexSide) {
        var index = 0
        while index < count {
            if case .check(let assertion, let next) = states[Int(list[index])] {
                steps &+= 1
                if assertion.holds(after: after, before: before) {
                    reach(next, in: states, after: after, before: before)
                }
            }
            index += 1
        }
    }

    /// Adds the states that `threads` reach by consuming a scalar of the class.
    mutating func take(_ number: Int, from threads: RegexThreads, of automaton: RegexAutomaton, after: RegexSide) {
        automaton.states.withUnsafeBufferPointer { states in
            for index in 0..<threads.count {
                steps &+= 1
                guard case .take(let set, let next) = states[Int(threads.list[index])],
                    automaton.classes.isMember(number, ofSet: Int(set))
                else { continue }
                reach(next, in: states, after: after, before: nil)
            }
            // The pattern may begin at every place.
            if !automaton.isAnchored { reach(automaton.start, in: states, after: after, before: nil) }
        }
    }

    private mutating func push(_ state: UInt32, _ height: inout Int) {
        guard reached[Int(state)] != place else { return }
        reached[Int(state)] = place
        stack[height] = state
        height += 1
    }

    private mutating func keep(_ state: UInt32) {
        list[count] = state
        count += 1
    }
}

extension RegexAssertion {
    func holds(after: RegexSide, before: RegexSide) -> Bool {
        switch self {
        case .textStart: after == .end
        case .textEnd: before == .end
        case .lineStart: after == .end || after == .lineFeed
        case .lineEnd: before == .end || before == .lineFeed
        case .wordBoundary: (after == .word) != (before == .word)
        case .noWordBoundary: (after == .word) == (before == .word)
        }
    }
}
