import DaybookEngine
import DaybookReports

/// The outcomes of the tests of one job in words.
public struct TestText {
    private let renderer: ErrorRenderer
    private let table: DifferenceTable
    private let style: TerminalStyle
    private let run: RunReport

    /// - Parameters:
    ///   - run: the report of the job, for the places of findings.
    ///   - rows: how many different rows are shown of each expectation.
    public init(_ run: RunReport, rows: Int, style: TerminalStyle) {
        (self.run, self.style) = (run, style)
        renderer = ErrorRenderer(source: run.source, style: style.indented(by: 4), mask: run.mask)
        table = DifferenceTable(limit: rows, style: style, mask: run.mask)
    }

    /// One line for a passed test; the expected and the found rows of a failed one.
    public func lines(_ outcome: TestOutcome) -> [String] {
        let name = PrintableText.of(run.mask.masking(outcome.test.name))
        guard !outcome.passed else { return ["  \(style.success("passed"))  \(name)"] }
        var lines = ["  \(style.error("FAILED"))  \(name)"]
        for error in outcome.errors {
            lines += renderer.render(error).split(separator: "\n", omittingEmptySubsequences: false).map { "    \($0)" }
        }
        for comparison in outcome.comparisons where !comparison.holds { lines += self.lines(comparison) }
        if let gate = outcome.gate, gate.passes != gate.expected {
            let (ended, expected) = (gate.passes ? "passed" : "failed", gate.expected ? "hold" : "fail")
            let place = run.mask.masking("\(gate.place)")
            lines.append(style.prose("    the gate \(ended), and was expected to \(expected) (\(place))"))
            var run = run
            run.outcome = outcome.run
            lines += GateText.lines(of: run, style, isBrief: false).map { style.prose("      \($0)") }
        }
        return lines + (outcome.comparisons.allSatisfy(\.holds) ? [] : findings(outcome))
    }

    private func lines(_ comparison: TestOutcome.Comparison) -> [String] {
        let place = run.mask.masking("\(comparison.node.place)")
        let (subject, noun) =
            switch comparison.subject {
            case .rows(let stage): ("'\(stage.written)' gives", "row")
            case .export(let export): ("\(export.quoted) holds", "row")
            case .findings: ("the run finds", "finding")
            case .rules: ("the run ends with", "rule")
            }
        let found = DisplayText.count(comparison.actual.rows.count, noun)
        guard comparison.written != nil else {
            return [
                style.prose("    \(subject) \(found), and nothing is written yet of what is expected (\(place))"),
                "      with '--update' it is written there",
            ]
        }
        let expected = DisplayText.count(comparison.expected.rows.count, "was", "were")
        let differing = DisplayText.count(comparison.difference.count, "differs", "differ")
        return [
            style.prose("    \(subject) \(found), and \(expected) expected; \(differing) (\(place))"),
            "      \(style.error("- expected")), \(style.success("+ found"))",
        ] + table.lines(comparison)
    }

    /// Why rows were rejected, for at most three of them.
    private func findings(_ outcome: TestOutcome) -> [String] {
        let errors = outcome.run.findings.filter { $0.severity == .error }
        guard !errors.isEmpty else { return [] }
        let shown = errors.prefix(3).map { finding in
            let message = PrintableText.of(run.mask.masking(finding.message).shortened(to: 200))
            return style.prose("      \(PrintableText.of(finding.stage)): \(message) [\(finding.code)]")
        }
        let rest = errors.count - shown.count
        return ["    rejected on the way:"] + shown + (rest > 0 ? ["      … and \(DisplayText.count(rest)) more"] : [])
    }
}

/// Draws different rows: `-` before expected rows, `+` before found ones, and carets under the cells.
struct DifferenceTable {
    /// How many different rows are shown.
    let limit: Int
    let style: TerminalStyle
    let mask: SecretMask

    /// How many equal rows are shown on each side.
    private static let context = 1

    func lines(_ comparison: TestOutcome.Comparison) -> [String] {
        let (expected, actual) = (comparison.expected, comparison.actual)
        var rows = [[""] + actual.columns.map { $0.isEmpty ? "" : cell($0) }]
        var marks: [Character] = [" "]
        let steps = comparison.difference.steps
        var shownRows = 0
        var last = -1
        for (index, step) in steps.enumerated() {
            guard isNear(index, steps), shownRows < limit else { continue }
            if index > last + 1 {
                marks.append(" ")
                rows.append(["…"] + actual.columns.map { _ in "" })
            }
            last = index
            func add(_ mark: Character, _ cells: [String]) {
                marks.append(mark)
                rows.append([mark == "-" || mark == "+" ? String(mark) : ""] + cells)
            }
            switch step {
            case .same(_, let row): add(" ", actual.rows[row].map(cell))
            case .missing(let row): add("-", expected.rows[row].map(cell))
            case .surplus(let row): add("+", actual.rows[row].map(cell))
            case .changed(let row, let other):
                let (before, after) = (expected.rows[row], actual.rows[other])
                add("-", before.map(cell))
                add("+", after.map(cell))
                add("^", zip(before, after).map { $0 == $1 ? "" : carets(cell($0), cell($1)) })
            }
            if step.isOther { shownRows += 1 }
        }
        let table = TextTable([.left] + actual.isNumber.map { $0 ? .right : .left }, rows)
        var lines = zip(table.lines(indent: "      "), marks).map { line, mark in
            switch mark {
            case "-": style.error(line)
            case "+": style.success(line)
            case "^": style.warning(line)
            default: line
            }
        }
        let rest = comparison.difference.count - shownRows
        if rest > 0 {
            lines.append("      … and \(DisplayText.count(rest, "more row")) that differ\(rest == 1 ? "s" : "")")
        }
        return lines
    }

    /// Whether the row differs, or is beside one that does.
    private func isNear(_ index: Int, _ steps: [RowDifference.Step]) -> Bool {
        let near = max(0, index - DifferenceTable.context)...min(steps.count - 1, index + DifferenceTable.context)
        return steps[near].contains(where: \.isOther)
    }

    private func cell(_ text: String?) -> String { TableCell.of(text, mask) }

    private func carets(_ first: String, _ second: String) -> String {
        String(repeating: "^", count: max(1, max(Prose.width(of: first), Prose.width(of: second))))
    }
}

/// The difference of two lists of rows.
struct RowDifference: Sendable {
    /// A row of the result, with its indices in both lists.
    enum Step: Sendable, Hashable {
        case same(Int, Int)
        /// Two rows that are compared cell by cell.
        case changed(Int, Int)
        case missing(Int)
        case surplus(Int)

        var isOther: Bool { if case .same = self { false } else { true } }
    }

    private(set) var steps: [Step] = []

    var isEmpty: Bool { count == 0 }

    /// How many rows differ.
    var count: Int { steps.count(where: \.isOther) }

    /// How many cells may be compared for the best match; larger lists are matched by position.
    private static let limit = 4_000_000

    init(from expected: [[String?]], to actual: [[String?]]) {
        var start = 0
        while start < min(expected.count, actual.count), expected[start] == actual[start] { start += 1 }
        var (end, otherEnd) = (expected.count, actual.count)
        while end > start, otherEnd > start, expected[end - 1] == actual[otherEnd - 1] {
            (end, otherEnd) = (end - 1, otherEnd - 1)
        }
        steps = (0..<start).map { .same($0, $0) }
        let matches =
            (end - start) * (otherEnd - start) * max(1, expected.first?.count ?? 1) <= RowDifference.limit
            ? RowDifference.matches(Array(expected[start..<end]), Array(actual[start..<otherEnd])) : []
        var (from, to) = (start, start)
        for match in matches {
            let (row, other) = (start + match.0, start + match.1)
            addGap(from..<row, to..<other)
            steps.append(expected[row] == actual[other] ? .same(row, other) : .changed(row, other))
            (from, to) = (start + match.0 + 1, start + match.1 + 1)
        }
        addGap(from..<end, to..<otherEnd)
        for index in 0..<expected.count - end { steps.append(.same(end + index, otherEnd + index)) }
    }

    /// Rows without a match: pairs of them are changed, the rest is missing or surplus.
    private mutating func addGap(_ expected: Range<Int>, _ actual: Range<Int>) {
        let pairs = min(expected.count, actual.count)
        for offset in 0..<pairs { steps.append(.changed(expected.lowerBound + offset, actual.lowerBound + offset)) }
        steps += expected.dropFirst(pairs).map { .missing($0) }
        steps += actual.dropFirst(pairs).map { .surplus($0) }
    }

    /// The pairs of rows, in order on both sides, with the most in common: equal rows first, then rows of which at least half of
    /// the cells are equal.
    private static func matches(_ first: [[String?]], _ second: [[String?]]) -> [(Int, Int)] {
        guard let width = first.first?.count, !second.isEmpty else { return [] }
        // Cells become numbers for fast comparison.
        var numbers: [String?: Int32] = [:]
        func number(_ cell: String?) -> Int32 {
            if let known = numbers[cell] { return known }
            numbers[cell] = Int32(numbers.count)
            return Int32(numbers.count - 1)
        }
        let (one, other) = (first.flatMap { $0.map(number) }, second.flatMap { $0.map(number) })
        func likeness(_ row: Int, _ column: Int) -> Int32 {
            var same = 0
            for cell in 0..<width where one[row * width + cell] == other[column * width + cell] { same += 1 }
            if same == width { return Int32(4 * width + 1) }
            return 2 * same >= width ? Int32(same) : 0
        }
        let length = second.count + 1
        var best = [Int32](repeating: 0, count: (first.count + 1) * length)
        for row in first.indices.reversed() {
            for column in second.indices.reversed() {
                let apart = max(best[(row + 1) * length + column], best[row * length + column + 1])
                let likeness = likeness(row, column)
                best[row * length + column] =
                    likeness > 0 ? max(apart, best[(row + 1) * length + column + 1] + likeness) : apart
            }
        }
        var pairs: [(Int, Int)] = []
        var (row, column) = (0, 0)
        while row < first.count, column < second.count {
            let likeness = likeness(row, column)
            let here = best[row * length + column]
            if likeness > 0, here == best[(row + 1) * length + column + 1] + likeness {
                pairs.append((row, column))
                (row, column) = (row + 1, column + 1)
            } else if here == best[(row + 1) * length + column] {
                row += 1
            } else {
                column += 1
            }
        }
        return pairs
    }
}
