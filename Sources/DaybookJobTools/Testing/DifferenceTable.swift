import DaybookEngine
import DaybookReports

/// Draws how rows differ: `-` before what was expected, `+` before what came, and carets under the cells.
struct DifferenceTable {
    /// How many rows that differ are shown.
    let limit: Int
    let style: TerminalStyle
    let mask: SecretMask

    /// Rows that are alike are shown for orientation: so many on each side.
    private static let context = 1

    func lines(_ comparison: TestOutcome.Comparison) -> [String] {
        let (expected, actual) = (comparison.expected, comparison.actual)
        var table = TextTable([.left] + actual.isNumber.map { $0 ? .right : .left })
        var marks: [Character] = [" "]
        table.add([""] + actual.columns.map(shown))
        let steps = comparison.difference.steps
        var shownRows = 0
        var last = -1
        for (index, step) in steps.enumerated() {
            guard isNear(index, steps), shownRows < limit else { continue }
            if index > last + 1 {
                marks.append(" ")
                table.add(["…"] + actual.columns.map { _ in "" })
            }
            last = index
            func add(_ mark: Character, _ cells: [String]) {
                marks.append(mark)
                table.add([mark == "-" || mark == "+" ? String(mark) : ""] + cells)
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
            if case .same = step { continue }
            shownRows += 1
        }
        var lines = zip(table.lines(indent: "      "), marks).map { line, mark in
            switch mark {
            case "-": style.error(line)
            case "+": style.success(line)
            case "^": style.warning(line)
            default: line
            }
        }
        let rest = comparison.difference.count - shownRows
        if rest > 0 { lines.append("      … and \(Spoken.count(rest, "more row")) that differ\(rest == 1 ? "s" : "")") }
        return lines
    }

    /// Whether the row is one that differs, or stands beside one.
    private func isNear(_ index: Int, _ steps: [RowDifference.Step]) -> Bool {
        let near = max(0, index - DifferenceTable.context)...min(steps.count - 1, index + DifferenceTable.context)
        return steps[near].contains { if case .same = $0 { false } else { true } }
    }

    /// A missing value is `–` and an empty text `""`.
    private func cell(_ text: String?) -> String {
        guard let text else { return "–" }
        return text.isEmpty ? "\"\"" : shown(text)
    }

    private func shown(_ text: String) -> String { PrintableText.of(mask.masking(text).shortened(to: 60)) }

    private func carets(_ first: String, _ second: String) -> String {
        String(repeating: "^", count: max(1, max(Prose.width(of: first), Prose.width(of: second))))
    }
}
