/// A regular expression over the cells of a column, searched anywhere in the cell, in time linear in its bytes.
///
/// The pattern is compiled once into an automaton over classes of Unicode scalars; a cell is then read with one look-up
/// for each scalar, whatever the pattern. So there are no backreferences and no look-around, and nothing backtracks.
/// Matching is by scalars, not by visible characters: `.` is one scalar, and decomposed text is not composed
/// first. A byte that is not UTF-8 is not a character of any pattern, so `.` does not match it either.
///
/// It is immutable; any number of threads may match with one at the same time.
public struct RegularExpression: Sendable {
    /// The pattern as it was written.
    public let pattern: String
    let automaton: RegexAutomaton
    /// Nil where the table would be too large; the automaton is then followed state by state.
    private let table: RegexTable?

    /// Compiles `pattern`, or reports its mistake and at which of its characters.
    ///
    /// `place` maps a run of its characters (Unicode scalars) to the text that the user wrote, if that is known.
    public init(_ pattern: String, place: (_ scalars: Range<Int>) -> SourcePlace? = { _ in nil }) throws(DaybookError) {
        do throws(RegexProblem) {
            self.init(pattern, try RegexAutomaton(RegexParser.tree(of: pattern)))
            guard hasTable || automaton.states.count <= RegexBounds.followed else {
                throw RegexProblem(
                    "the pattern may take up to \(automaton.states.count.displayText) steps for each character of a cell, "
                        + "and \(RegexBounds.followed) are the most",
                    at: 0..<pattern.unicodeScalars.count,
                    hint: RegularExpression.cheaper
                )
            }
        } catch {
            let message = "\(error.message) (character \(error.scalars.lowerBound + 1) of '\(pattern.shortened)')"
            throw DaybookError("bad-pattern", message, at: place(error.scalars), hint: error.hint)
        }
    }

    private init(_ pattern: String, _ automaton: RegexAutomaton) {
        self.pattern = pattern
        self.automaton = automaton
        table = RegexTable(automaton)
    }

    /// Whether the pattern is found anywhere in the cell; `^` and `$` bind it to the beginning and the end.
    public func matches(_ cell: Cell) -> Bool {
        guard let table else { return RegexSimulation.run(automaton, on: cell).matches }
        return table.matches(cell)
    }

    /// The rows with a value that does not match the pattern.
    public func misses(in column: TextColumn) -> Mask {
        guard let table else { return column.rows { !RegexSimulation.run(automaton, on: $0).matches } }
        return table.misses(in: column)
    }

    /// Whether the pattern is found anywhere in a text. For options and messages, not for row loops.
    public func matches(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { matches($0) }
    }

    private static let cheaper =
        "a counted repetition stands for as many copies; use * or +, smaller counts, or a rule that checks the length"

    /// Whether a table was built, which needs one look-up for each scalar.
    var hasTable: Bool { table != nil }
}

extension RegularExpression: OptionValue {
    public static var kind: OptionKind { .text }
    /// A pattern that is found in every cell.
    public static var placeholder: RegularExpression {
        guard let all = try? RegexAutomaton(.empty) else { preconditionFailure("an empty tree is no mistake") }
        return RegularExpression("", all)
    }

    public init(reading node: OptionNode) throws(DaybookError) {
        guard let text = node.text else {
            throw node.expected("a regular expression", hint: "a pattern needs quotes in a job file: '^[0-9]{4}$'")
        }
        try self.init(text) { node.place(ofScalars: $0) }
    }

    public var written: String { pattern.written }

    /// Without a table each state may cost a step for each character, which is slow for long cells.
    public var warning: JobWarning? {
        guard !hasTable, automaton.states.count > RegexBounds.cheap else { return nil }
        let message = "the pattern may take up to \(automaton.states.count) steps for each character of a cell"
        return JobWarning("costly-pattern", message, hint: RegularExpression.cheaper)
    }
}

extension OptionNode {
    /// The place in the file of some characters (Unicode scalars) of a text; the whole value if that is unknown.
    ///
    /// It is known as long as the text is written literally in the file: with escapes, line breaks or params, the text
    /// has another length than its source.
    public func place(ofScalars scalars: Range<Int>) -> SourcePlace {
        guard let text, case let count = text.unicodeScalars.count else { return place }
        let quotes = place.length - count
        guard quotes == 0 || quotes == 2, !text.unicodeScalars.contains("\n") else { return place }
        var part = place
        part.column += quotes / 2 + min(scalars.lowerBound, count)
        part.length = max(1, min(scalars.count, count - scalars.lowerBound))
        return part
    }
}

/// The deterministic automaton of a pattern: for each state and class of scalars, the state that follows.
///
/// A state is the number of its row's first element, so that a step is one addition and one look-up. Row 0 is the state
/// from which nothing is ever found, and the next row the state in which the pattern was found; both end the cell.
final class RegexTable: Sendable {
    private let elements: [UInt32]
    private let start: UInt32
    /// The row of the found state, whose number is also the length of a row.
    private let found: UInt32
    /// The classes of ASCII; from 128 on, the class of the end of the cell.
    private let ascii: [UInt16]
    private let classes: ScalarClasses

    /// Nil if the table would exceed its limits.
    init?(_ automaton: RegexAutomaton) {
        var builder = RegexTableBuilder(automaton)
        guard let (elements, start) = builder.table() else { return nil }
        self.elements = elements
        self.start = start
        found = UInt32(automaton.classes.count + 1)
        let end = UInt16(automaton.classes.count)
        ascii = (0..<256).map { $0 < 0x80 ? UInt16(automaton.classes.number(of: $0)) : end }
        classes = automaton.classes
    }

    func matches(_ cell: Cell) -> Bool {
        let (elements, ascii) = (elements, ascii)
        return matches(cell, from: 0, in: start, elements.span, ascii.span)
    }

    /// Whether the pattern is found, once a cell has been read up to a place.
    private func matches(
        _ cell: Cell,
        from first: Int,
        in state: UInt32,
        _ elements: Span<UInt32>,
        _ ascii: Span<UInt16>
    ) -> Bool {
        var state = state
        var position = first
        while position < cell.count {
            let byte = cell[position]
            if byte < 0x80 {
                state = elements[Int(state) &+ Int(ascii[Int(byte)])]
                position &+= 1
            } else {
                let (scalar, length) = UTF8Scalar.decode(cell, at: position)
                state = elements[Int(state) &+ classes.number(of: scalar)]
                position &+= length
            }
            if state <= found { return state == found }
        }
        return isFound(atEndIn: state, elements)
    }

    /// The last element of a row is the effect of the cell's end.
    @inline(__always)
    private func isFound(atEndIn state: UInt32, _ elements: Span<UInt32>) -> Bool {
        elements[Int(state) &+ Int(found) &- 1] == found
    }

    /// The rows with a value that does not match the pattern.
    func misses(in column: TextColumn) -> Mask {
        let (heldElements, heldASCII) = (elements, ascii)
        let elements = heldElements.span
        let ascii = heldASCII.span
        return column.rows { !matches(buffered: $0, elements, ascii) }
    }

    /// `matches` for a cell in a `Bytes`, so that a few bytes behind it may be read.
    ///
    /// Eight bytes are read at a time, without a branch on the end of the cell: the bytes after it count as its end.
    @inline(__always)
    private func matches(buffered cell: Cell, _ elements: Span<UInt32>, _ ascii: Span<UInt16>) -> Bool {
        guard cell.baseAddress != nil else { return isFound(atEndIn: start, elements) }
        var state = start
        var position = 0
        repeat {
            let left = min(cell.count &- position, 8)
            let behind = UInt64.max << UInt64(truncatingIfNeeded: left &* 8)
            let word = cell.word(at: position)
            guard word & ~behind & 0x8080_8080_8080_8080 == 0 else {
                return matches(cell, from: position, in: state, elements, ascii)
            }
            var rest = word | behind
            for _ in 0..<8 {
                let scalarClass = ascii[unchecked: Int(truncatingIfNeeded: rest & 0xFF)]
                state = elements[unchecked: Int(state) &+ Int(scalarClass)]
                rest &>>= 8
            }
            position &+= 8
        } while position < cell.count && state > found
        return isFound(atEndIn: state, elements)
    }
}

/// Builds the table of an automaton: a row for each set of simultaneous states.
struct RegexTableBuilder {
    /// The states of the automaton, and the side after the place as far as assertions may need it.
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
        automaton.states.withUnsafeBufferPointer { parts[0].reach(automaton.start, in: $0, after: .end, before: nil) }
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

    /// Computes the next row for each class. `parts` are the states of the row, the states once the next side is known,
    /// and the next states.
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

    /// Replaces by row 0 every row from which the pattern cannot be found any more.
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
