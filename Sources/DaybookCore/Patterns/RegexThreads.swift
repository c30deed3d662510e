/// The states that an automaton is in at one place of a text, and the way to those of the next place.
///
/// Memory is lent by the caller: `RegexThreads.words(for:)` words for each. Every state is visited at most once a place.
struct RegexThreads {
    /// The states that take a scalar, and those that wait for what comes next, in the order they were reached.
    private(set) var list: UnsafeMutableBufferPointer<UInt32>
    private(set) var count = 0
    /// Whether the pattern was found at this place.
    private(set) var matches = false
    /// How many states were looked at so far.
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

    /// Takes over states that were the list of another place, where they had been reached.
    mutating func restore(_ states: [UInt32]) {
        for state in states {
            reached[Int(state)] = place
            keep(state)
        }
    }

    /// Comes to `state` and to all that can be reached from it without taking a scalar.
    ///
    /// Before the next scalar is known, states whose assertion asks for it are kept waiting.
    mutating func reach(
        _ state: Int32,
        in states: UnsafeBufferPointer<RegexState>,
        after: RegexSide,
        before: RegexSide?
    ) {
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

    /// Lets the states that wait go on, now that the next side is known. They stay in the list, where nothing asks for them.
    mutating func resolve(in states: UnsafeBufferPointer<RegexState>, after: RegexSide, before: RegexSide) {
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

    /// Comes to what the states of `threads` reach by taking a scalar of the class.
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
