import DaybookReports

/// Two profiles beside each other for people at a terminal.
struct ComparisonText {
    private let style: TerminalStyle

    init(_ style: TerminalStyle) { self.style = style }

    func text(of comparison: ProfileComparison) -> String {
        var parts = comparison.tables.map { lines(of: $0) }
        parts += comparison.came.map { [style.bold(printable($0.title)), "  this table came"] }
        parts += comparison.went.map { [style.bold(printable($0.title)), "  this table went"] }
        return parts.map { $0.joined(separator: "\n") + "\n" }.joined(separator: "\n")
    }

    private func lines(of table: ProfileComparison.Table) -> [String] {
        var lines = [style.bold(printable(table.new.title))]
        if table.old.title != table.new.title { lines.append("  beside \(printable(table.old.title))") }
        let rows = "\(Spoken.count(table.old.rows)) before, \(Spoken.count(table.new.rows)) now"
        lines.append("  rows: \(rows)\(table.rowChange.isEmpty ? "" : " (\(table.rowChange))")")
        if !table.came.isEmpty { lines.append("  columns that came: \(names(table.came.map(\.name)))") }
        if !table.went.isEmpty { lines.append("  columns that went: \(names(table.went.map(\.name)))") }
        if !table.unchanged.isEmpty { lines.append("  columns that are the same: \(names(table.unchanged))") }
        if !table.alike.isEmpty {
            lines.append("  columns with other values that look alike: \(names(table.alike))")
        }
        if !table.isChanged { lines.append("  nothing has changed") }
        for column in table.changed { lines += [""] + self.lines(of: column) }
        return lines
    }

    private func lines(of column: ColumnComparison) -> [String] {
        var rows = TextTable([.left, .right, .right, .left])
        rows.add(["", "before", "now", "change"])
        for fact in column.facts { rows.add([fact.name, printable(fact.old), printable(fact.new), fact.change]) }
        var lines = rows.lines()
        lines[0] = style.faint(lines[0])
        for (word, values) in [("came", column.came), ("went", column.went)] where !values.isEmpty {
            lines.append(
                "  values that \(word): \(ComparisonText.spoken(values).map(printable).joined(separator: ", "))"
            )
        }
        return [style.bold(printable(column.name)) + "  " + style.faint(printable(column.holds))] + lines
    }

    /// `'KR' (1,204)`.
    static func spoken(_ values: [KeptProfile.Column.Top]) -> [String] {
        values.map { top in
            let value = top.value.isEmpty ? "an empty text" : "'\(top.value.shortened(to: 40))'"
            return "\(value) (\(Spoken.count(top.count)))"
        }
    }

    private func names(_ names: [String]) -> String {
        let shown = names.prefix(30).map { printable($0.shortened(to: 40)) }.joined(separator: ", ")
        return names.count > 30 ? "\(shown) and \(Spoken.count(names.count - 30)) more" : shown
    }

    private func printable(_ text: String) -> String { PrintableText.of(text.shortened(to: 200)) }
}
