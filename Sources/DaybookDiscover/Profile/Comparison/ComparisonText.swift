import DaybookPages
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
        for (what, columns) in [
            ("that came", table.came.map(\.name)), ("that went", table.went.map(\.name)),
            ("that are the same", table.unchanged), ("with other values that look alike", table.alike),
        ] where !columns.isEmpty { lines.append("  columns \(what): \(names(columns))") }
        if !table.isChanged { lines.append("  nothing has changed") }
        for column in table.changed { lines += [""] + self.lines(of: column) }
        return lines
    }

    private func lines(of column: ColumnComparison) -> [String] {
        let rows = column.facts.map { [$0.name, printable($0.old.text), printable($0.new.text), $0.change] }
        let table = TextTable([.left, .right, .right, .left], [["", "before", "now", "change"]] + rows)
        var lines = table.lines(heading: style.faint)
        for (word, values) in [("came", column.came), ("went", column.went)] where !values.isEmpty {
            let texts = ComparisonText.displayText(values).map(printable)
            lines.append("  values that \(word): \(texts.joined(separator: ", "))")
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
        DisplayText.first(30, of: names.map { printable($0.shortened(to: 40)) }, isGrouped: true)
    }

    private func printable(_ text: String) -> String { PrintableText.of(text.shortened(to: 200)) }
}

/// A comparison of two profiles as JSON with sorted keys.
enum ComparisonJSON {
    static func text(of comparison: ProfileComparison) -> String {
        let document: JSONValue = [
            "profile_comparison": 1, "tables": .list(comparison.tables.map(table)),
            "tables_came": .texts(comparison.came.map(\.title)),
            "tables_went": .texts(comparison.went.map(\.title)),
        ]
        return JSONDocument.text(of: document)
    }

    private static func table(_ table: ProfileComparison.Table) -> JSONValue {
        [
            "file": .text(table.new.file), "part": JSONValue(table.new.part), "old_file": .text(table.old.file),
            "old_part": JSONValue(table.old.part),
            "rows": ["old": .number(table.old.rows), "new": .number(table.new.rows)],
            "columns_came": .texts(table.came.map(\.name)),
            "columns_went": .texts(table.went.map(\.name)),
            "columns_unchanged": .texts(table.unchanged),
            "columns_with_other_values": .texts(table.alike),
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

/// A comparison of two profiles as one page for a browser.
enum ComparisonPage {
    static func text(of comparison: ProfileComparison) -> String {
        let sections = comparison.tables.enumerated().map { section($1, id: "t\($0 + 1)") }.joined()
        return ProfilePage.page(
            "Profiles compared",
            of: comparison.tables.map(\.new.title),
            below: "<p class=\"soft\">What has changed, the largest changes first.</p>\n",
            main: sections + others(comparison),
            foot: "Made by Daybook. The same files give the same page, byte for byte."
        )
    }

    private static func section(_ table: ProfileComparison.Table, id: String) -> HTML {
        let beside: HTML = "<p class=\"soft\">Beside <bdi>\(table.old.title)</bdi></p>\n"
        var text: HTML = """
            <section id="\(id)" aria-labelledby="\(id)-h">
            <h2 id="\(id)-h" lang="">\(table.new.title)</h2>
            \(beside, if: table.old.title != table.new.title)
            """
        text += PageParts.tiles([
            ("Rows before", Figure.grouped(table.old.rows), ""), ("Rows now", Figure.grouped(table.new.rows), ""),
            ("Columns changed", Figure.grouped(table.changed.count), ""),
            ("Columns came", Figure.grouped(table.came.count), table.came.isEmpty ? "" : "bad"),
            ("Columns went", Figure.grouped(table.went.count), table.went.isEmpty ? "" : "bad"),
        ])
        for (words, columns) in [("Columns that came", table.came), ("Columns that went", table.went)]
        where !columns.isEmpty {
            text += "<h3 class=\"odd-h\">\(words)</h3>\n\(list(columns.map { ($0.name, $0.holds) }))"
        }
        if !table.isChanged { text += "<p class=\"soft\">Nothing has changed.</p>\n" }
        text += facts(of: table, label: "\(id)-h")
        for (words, names) in [
            ("Other values that look alike", table.alike), ("The same as before", table.unchanged),
        ] where !names.isEmpty {
            let names = names.map { name -> HTML in "<bdi>\(name)</bdi>" }
            text += "<p class=\"note\">\(words): \(names.joined(separator: ", ")).</p>\n"
        }
        return text + "</section>\n"
    }

    private static func facts(of table: ProfileComparison.Table, label: String) -> HTML {
        guard !table.changed.isEmpty else { return "" }
        let box = HTMLTableBox(columns: 4, rows: nil, label: label)
        var text = box.opening
        text += "<thead><tr><th scope=\"col\">What</th>"
        text += "<th scope=\"col\" class=\"num\">Before</th><th scope=\"col\" class=\"num\">Now</th>"
        text += "<th scope=\"col\">Change</th></tr></thead>\n"
        for column in table.changed {
            var rows = column.facts.map { fact -> HTML in
                """
                <th scope="row">\(fact.name)</th><td class="num">\(fact.old.text)</td>\
                <td class="num">\(fact.new.text)</td><td class="one\(" change", if: !fact.change.isEmpty)">\(fact.change)</td>
                """
            }
            for (word, values) in [("values that came", column.came), ("values that went", column.went)]
            where !values.isEmpty {
                rows.append(
                    """
                    <th scope="row">\(word)</th><td class="values" colspan="3" lang="">\
                    \(ComparisonText.displayText(values).joined(separator: ", "))</td>
                    """
                )
            }
            let lines = rows.map { row -> HTML in "<tr>\(row)</tr>" }
            text += """
                <tbody>
                <tr class="group"><th scope="rowgroup" colspan="4"><span lang="">\(column.name)</span> \
                <span class="soft">\(column.holds)</span></th></tr>
                \(lines.joined(separator: "\n"))
                </tbody>

                """
        }
        return text + box.closing
    }

    private static func others(_ comparison: ProfileComparison) -> HTML {
        [("came", comparison.came), ("went", comparison.went)].map { change, tables in
            let body = list(tables.map { ($0.title, Figure.counted($0.rows, "row")) })
            return PageSection(id: change, heading: "Tables that \(change)", body: body).markup
        }.joined()
    }

    /// Names with remarks; empty for none.
    private static func list(_ names: [(String, String)]) -> HTML {
        let items = names.map { name, remark -> HTML in
            "<li><b lang=\"\">\(name)</b> <span class=\"soft\">\(remark)</span></li>"
        }
        return items.isEmpty ? "" : "<ul class=\"odd\">\n\(items.joined(separator: "\n"))\n</ul>\n"
    }
}
