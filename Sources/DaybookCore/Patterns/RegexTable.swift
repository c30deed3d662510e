/// The deterministic automaton of a pattern: for each state and class of scalars, the state that follows.
///
/// A state is the number of its row's first element, so that going on is one addition and one look-up. Row 0 is of the
/// state from which nothing is ever found, and the next of the state in which the pattern was found; both end the cell.
final class RegexTable: Sendable {
    private let elements: [UInt32]
    private let start: UInt32
    /// The row in which the pattern was found, and so also how long a row is.
    private let found: UInt32
    /// The classes of ASCII, and behind them, for 128 on, that of the end of the cell.
    private let ascii: [UInt16]
    private let blocks: [UInt16]
    private let classes: [UInt16]

    /// Nil when the table would take more than is allowed.
    init?(_ automaton: RegexAutomaton) {
        var builder = RegexTableBuilder(automaton)
        guard let (elements, start) = builder.table() else { return nil }
        self.elements = elements
        self.start = start
        found = UInt32(automaton.classes.count + 1)
        let end = UInt16(automaton.classes.count)
        ascii = (0..<256).map { $0 < 0x80 ? UInt16(automaton.classes.number(of: $0)) : end }
        blocks = automaton.classes.blocks
        classes = automaton.classes.classes
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
                state = elements[Int(state) &+ number(of: scalar)]
                position &+= length
            }
            if state <= found { return state == found }
        }
        return isFound(atEndIn: state, elements)
    }

    /// The last element of a row says what the end of the cell does.
    @inline(__always)
    private func isFound(atEndIn state: UInt32, _ elements: Span<UInt32>) -> Bool {
        elements[Int(state) &+ Int(found) &- 1] == found
    }

    /// The rows with a value in which the pattern is not found.
    func misses(in column: TextColumn) -> Mask {
        let (heldElements, heldASCII) = (elements, ascii)
        let elements = heldElements.span
        let ascii = heldASCII.span
        return column.rows { !matches(buffered: $0, elements, ascii) }
    }

    /// `matches` for a cell that lies in a `Bytes`, so that a few bytes behind it may be read.
    ///
    /// Eight bytes are taken at a time, without a branch on where the cell ends: behind it stands its end, as often as it fits in.
    @inline(__always)
    private func matches(
        buffered cell: Cell,
        _ elements: Span<UInt32>,
        _ ascii: Span<UInt16>
    ) -> Bool {
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

    @inline(__always)
    private func number(of scalar: UInt32?) -> Int {
        guard let scalar else { return 0 }
        return Int(classes[Int(blocks[Int(scalar >> 8)]) << 8 | Int(scalar & 255)])
    }
}
