/// Makes the table of an automaton: a row for each set of states that it can be in at a time.
struct RegexTableBuilder {
    /// The states that the automaton is in, and the side behind the place as far as assertions may ask for it.
    private struct Key: Hashable {
        var states: [UInt32]
        var after: RegexSide
    }

    private let automaton: RegexAutomaton
    private let width: Int
    private var rows: [Key: UInt32] = [:]
    private var keys: [Key] = []
    private var elements: [UInt32] = []

    init(_ automaton: RegexAutomaton) {
        self.automaton = automaton
        // A class more: the end of the cell.
        width = automaton.classes.count + 1
    }

    /// The elements of all rows and the row to begin with, or nil when a limit is passed.
    mutating func table() -> (elements: [UInt32], start: UInt32)? {
        let words = RegexThreads.words(for: automaton)
        let memory = UnsafeMutableBufferPointer<UInt32>.allocate(capacity: words * 3)
        defer { memory.deallocate() }
        var parts = (0..<3).map {
            RegexThreads(UnsafeMutableBufferPointer(rebasing: memory[$0 * words..<($0 + 1) * words]))
        }
        elements = [UInt32](repeating: 0, count: width) + [UInt32](repeating: UInt32(width), count: width)
        parts[0].clear()
        automaton.states.withUnsafeBufferPointer {
            parts[0].reach(automaton.start, in: $0, after: .end, before: nil)
        }
        let start = row(of: parts[0], after: .end)
        var next = 0
        while next < keys.count {
            fill(next, &parts)
            guard isWithinLimits(parts) else { return nil }
            next += 1
        }
        return RegexTableBuilder.withoutDeadRows(elements, width: width, start: start)
    }

    private func isWithinLimits(_ parts: [RegexThreads]) -> Bool {
        keys.count + 2 <= RegexBounds.rows && elements.count <= RegexBounds.elements
            && parts.reduce(0) { $0 + $1.steps } <= RegexBounds.steps
    }

    /// The row of a set of states, which is added when it is new.
    private mutating func row(of threads: RegexThreads, after: RegexSide) -> UInt32 {
        if threads.matches { return UInt32(width) }
        let key = Key(states: threads.list[..<threads.count].sorted(), after: after)
        if let known = rows[key] { return known }
        let row = UInt32(elements.count)
        rows[key] = row
        keys.append(key)
        elements += [UInt32](repeating: 0, count: width)
        return row
    }

    /// Finds what follows a row for each class. `parts` are the states of the row, those once the next side is known, and
    /// those that follow.
    private mutating func fill(_ number: Int, _ parts: inout [RegexThreads]) {
        let key = keys[number]
        let first = (number + 2) * width
        let states = automaton.states
        states.withUnsafeBufferPointer { states in
            for side in [RegexSide.end, .word, .lineFeed, .other] {
                let classes = side == .end ? [width - 1] : (0..<width - 1).filter { automaton.sides[$0] == side }
                guard !classes.isEmpty else { continue }
                parts[1].clear()
                parts[1].restore(key.states)
                parts[1].resolve(in: states, after: key.after, before: side)
                for column in classes {
                    guard !parts[1].matches else {
                        elements[first + column] = UInt32(width)
                        continue
                    }
                    guard side != .end, isWithinLimits(parts) else { continue }
                    parts[2].clear()
                    parts[2].take(column, from: parts[1], of: automaton, after: side)
                    elements[first + column] = row(of: parts[2], after: side)
                }
            }
        }
    }

    /// Puts row 0 in the place of every row from which the pattern cannot be found any more.
    private static func withoutDeadRows(_ elements: [UInt32], width: Int, start: UInt32) -> ([UInt32], UInt32) {
        let count = elements.count / width
        var sources = [[Int]](repeating: [], count: count)
        for row in 2..<max(count, 2) {
            for target in Set(elements[row * width..<(row + 1) * width]) { sources[Int(target) / width].append(row) }
        }
        var isAlive = [Bool](repeating: false, count: count)
        isAlive[1] = true
        var open = [1]
        while let row = open.popLast() {
            for source in sources[row] where !isAlive[source] {
                isAlive[source] = true
                open.append(source)
            }
        }
        let living = elements.map { isAlive[Int($0) / width] ? $0 : 0 }
        return (living, isAlive[Int(start) / width] ? start : 0)
    }
}
