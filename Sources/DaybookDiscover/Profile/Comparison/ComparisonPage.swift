import DaybookPages

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
