/// One state of the automaton that a pattern is turned into.
enum RegexState: Sendable {
    /// Consumes a scalar of the set with this number, and continues.
    case take(set: Int32, next: Int32)
    /// Continues with both, without consuming anything.
    case split(Int32, Int32)
    /// Continues if the assertion is true at this place.
    case check(RegexAssertion, next: Int32)
    case match
}

/// What is on one side of a place, as far as assertions need it.
enum RegexSide: UInt8, Sendable {
    case end, word, lineFeed, other
}

/// A nondeterministic automaton over classes of scalars.
///
/// Source: Ken Thompson, "Regular Expression Search Algorithm" (CACM 11/6, 1968); Russ Cox, "Regular Expression Matching
/// Can Be Simple And Fast" (2007).
struct RegexAutomaton: Sendable {
    let states: [RegexState]
    let start: Int32
    let classes: ScalarClasses
    /// The side that a scalar of each class is to the assertions of this pattern; `other` if none needs it.
    let sides: [RegexSide]
    /// Whether the pattern can only be found at the beginning of a cell.
    let isAnchored: Bool

    init(_ tree: RegexTree) throws(RegexProblem) {
        var builder = RegexAutomatonBuilder()
        start = builder.add(tree, next: builder.add(.match))
        states = builder.states
        var sets = builder.sets
        let usesWords = builder.assertions.contains { $0 == .wordBoundary || $0 == .noWordBoundary }
        let usesLines = builder.assertions.contains { $0 == .lineStart || $0 == .lineEnd }
        if usesWords { sets.append(.word) }
        if usesLines { sets.append(.lineFeed) }
        guard let classes = ScalarClasses(sets) else {
            let message = "the pattern tells more than \(RegexBounds.classes) classes of characters apart"
            throw RegexProblem(message, at: 0..<1, hint: "use in_set for long lists")
        }
        self.classes = classes
        sides = (0..<classes.count).map { number in
            if usesLines, classes.isMember(number, ofSet: sets.count - 1) { return .lineFeed }
            let words = sets.count - (usesLines ? 2 : 1)
            return usesWords && classes.isMember(number, ofSet: words) ? .word : .other
        }
        isAnchored = RegexAutomaton.isAnchored(states, from: start)
    }

    /// Whether nothing is reached from `start` without passing the beginning of the text.
    private static func isAnchored(_ states: [RegexState], from start: Int32) -> Bool {
        var seen: Set<Int32> = []
        var open = [start]
        while let state = open.popLast() {
            guard seen.insert(state).inserted else { continue }
            switch states[Int(state)] {
            case .take, .match: return false
            case .split(let first, let second): open += [first, second]
            case .check(.textStart, _): break
            case .check(_, let next): open.append(next)
            }
        }
        return true
    }
}

/// Compiles a tree into states, from its end to its beginning.
private struct RegexAutomatonBuilder {
    var states: [RegexState] = []
    var sets: [ScalarSet] = []
    var assertions: [RegexAssertion] = []
    private var setNumbers: [ScalarSet: Int32] = [:]

    mutating func add(_ state: RegexState) -> Int32 {
        states.append(state)
        return Int32(states.count - 1)
    }

    /// Adds the states of `tree`, which continue with `next`, and returns the first. The parser has limited their
    /// number and the depth of the tree.
    mutating func add(_ tree: RegexTree, next: Int32) -> Int32 {
        switch tree {
        case .empty: return next
        case .set(let set): return add(.take(set: number(of: set), next: next))
        case .assertion(let assertion):
            if !assertions.contains(assertion) { assertions.append(assertion) }
            return add(.check(assertion, next: next))
        case .sequence(let parts): return parts.reversed().reduce(next) { add($1, next: $0) }
        case .choice(let branches):
            var first = add(branches[branches.count - 1], next: next)
            for branch in branches.dropLast().reversed() {
                let start = add(branch, next: next)
                first = add(.split(start, first))
            }
            return first
        case .repeated(let body, let minimum, let maximum): return repeated(body, minimum, maximum, next: next)
        }
    }

    private mutating func repeated(_ body: RegexTree, _ minimum: Int, _ maximum: Int?, next: Int32) -> Int32 {
        var first = next
        if let maximum {
            for _ in minimum..<maximum {
                let start = add(body, next: first)
                first = add(.split(start, next))
            }
        } else {
            let loop = add(.split(next, next))
            let start = add(body, next: loop)
            states[Int(loop)] = .split(start, next)
            first = loop
        }
        for _ in 0..<minimum { first = add(body, next: first) }
        return first
    }

    private mutating func number(of set: ScalarSet) -> Int32 {
        if let number = setNumbers[set] { return number }
        let number = Int32(sets.count)
        setNumbers[set] = number
        sets.append(set)
        return number
    }
}

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
