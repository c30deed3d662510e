/// The deterministic automaton of a pattern: for each state and class of scalars, the state that follows.
///
/// A state is the number of its row's first element, so that going on is one addition and one look-up. Row 0 is of the
/// state from which nothing is ever found, and the next of the state in which the pattern was found; both end the cell.
final class RegexTable: Sendable {
    private let elements: [UInt32]
    private let start: UInt32
    /// The row in which the pattern was found, and so also how long a row is.
    private let found: UInt32
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
        ascii = (0..<128).map { UInt16(automaton.classes.number(of: $0)) }
        blocks = automaton.classes.blocks
        classes = automaton.classes.classes
    }

    func matches(_ cell: Cell) -> Bool {
        elements.withUnsafeBufferPointer { elements in
            ascii.withUnsafeBufferPointer { ascii in
                var state = start
                var position = 0
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
                // The last element of a row says what the end of the cell does.
                return elements[Int(state) &+ Int(found) &- 1] == found
            }
        }
    }

    @inline(__always)
    private func number(of scalar: UInt32?) -> Int {
        guard let scalar else { return 0 }
        return blocks.withUnsafeBufferPointer { blocks in
            classes.withUnsafeBufferPointer { Int($0[Int(blocks[Int(scalar >> 8)]) << 8 | Int(scalar & 255)]) }
        }
    }
}
