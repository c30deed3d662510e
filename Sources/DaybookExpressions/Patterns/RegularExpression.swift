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
