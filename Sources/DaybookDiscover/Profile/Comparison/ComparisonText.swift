import DaybookReports

/// A comparison of two profiles for people at a terminal.
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
        let rows = "\(DisplayText.count(table.old.rows)) before, \(DisplayText.count(table.new.rows)) now"
        lines.append("  rows: \(rows)\(table.rowChange.isEmpty ? "" : " (\(table.rowChange))")")
        if !table.came.isEmpty { lines.append("  columns that came: \(names(table.came.map(\.name)))") }
        if !table.went.isEmpty { lines.append("  columns that went: \(names(table.went.map(\.name)))") }
        if !table.unchanged.isEmpty { lines.append("  columns that are the same: \(names(table.unchanged))") }
        if !table.alike.isEmpty { lines.append("  columns with other values that look alike: \(names(table.alike))") }
        if !table.isChanged { lines.append("  nothing has changed") }
        for column in table.changed { lines += [""] + self.lines(of: column) }
        return lines
    }

    private func lines(of column: ColumnComparison) -> [String] {
        let rows = column.facts.map { [$0.name, printable($0.old.text), printable($0.new.text), $0.change] }
        let table = TextTable([.left, .right, .right, .left], [["", "before", "now", "change"]] + rows)
        var lines = table.lines(heading: style.faint)
        for (word, values) in [("came", column.came), ("went", column.went)] where !values.isEmpty {
            lines.append(
                "  values that \(word): \(ComparisonText.displayText(values).map(printable).joined(separator: ", "))"
            )
        }
        return [style.bold(printable(column.name)) + "  " + style.faint(printable(column.holds))] + lines
    }

    /// `'KR' (1,204)`.
    static func displayText(_ values: [StoredProfile.Column.Top]) -> [String] {
        values.map { top in
            let value = top.value.isEmpty ? "an empty text" : "'\(top.value.shortened(to: 40))'"
            return "\(value) (\(DisplayText.count(top.count)))"
        }
    }

    private func names(_ names: [String]) -> String {
        let shown = names.prefix(30).map { printable($0.shortened(to: 40)) }.joined(separator: ", ")
        return names.count > 30 ? "\(shown) and \(DisplayText.count(names.count - 30)) more" : shown
    }

    private func printable(_ text: String) -> String { PrintableText.of(text.shortened(to: 200)) }
}

/// A comparison of two profiles as JSON with sorted keys.
enum ComparisonJSON {
    static func text(of comparison: ProfileComparison) -> String {
        JSONDocument.text(
            of: [
                "profile_comparison": 1, "tables": .list(comparison.tables.map(table)),
                "tables_came": .list(comparison.came.map { .text($0.title) }),
                "tables_went": .list(comparison.went.map { .text($0.title) }),
            ] as JSONValue
        )
    }

    private static func table(_ table: ProfileComparison.Table) -> JSONValue {
        [
            "file": .text(table.new.file), "part": JSONValue(table.new.part), "old_file": .text(table.old.file),
            "old_part": JSONValue(table.old.part),
            "rows": ["old": .number(table.old.rows), "new": .number(table.new.rows)],
            "columns_came": .list(table.came.map { .text($0.name) }),
            "columns_went": .list(table.went.map { .text($0.name) }),
            "columns_unchanged": .list(table.unchanged.map(JSONValue.text)),
            "columns_with_other_values": .list(table.alike.map(JSONValue.text)),
            "columns_changed": .list(table.changed.map(column)),
        ]
    }

    private static func column(_ column: ColumnComparison) -> JSONValue {
        let facts = column.facts.map { fact -> (String, JSONValue) in
            let (old, new) = (fact.old.value, fact.new.value)
            return (fact.key, ["old": old, "new": new, "changed": .flag(old != new)])
        }
        return [
            "name": .text(column.name), "facts": .map(Dictionary(uniqueKeysWithValues: facts)),
            "values_came": values(column.came),
            "values_went": values(column.went),
        ]
    }

    private static func values(_ values: [StoredProfile.Column.Top]) -> JSONValue {
        .list(values.map { ["value": .text($0.value), "count": .number($0.count)] })
    }
}
