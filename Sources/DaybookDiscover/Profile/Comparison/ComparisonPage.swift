import DaybookPages

/// Two profiles beside each other as one page for a browser.
enum ComparisonPage {
    static func text(of comparison: ProfileComparison) -> String {
        let tables = comparison.tables
        let title = tables.count == 1 ? tables[0].new.title : Figure.counted(tables.count, "table")
        var page = PageHead.markup(title: "\(title) · Profiles compared", sheet: ProfilePage.sheet)
        page += """
            <header>
            <p class="kicker">Daybook profile</p>
            <h1 lang="">\(title)</h1>
            <p class="soft">What has changed, the largest changes first.</p>
            </header>
            \(contents(of: tables))<main>

            """
        for (index, table) in tables.enumerated() { page += section(table, id: "t\(index + 1)") }
        page += others(comparison)
        page += """
            </main>
            <footer>Made by Daybook. The same files give the same page, byte for byte.</footer>
            </body>
            </html>

            """
        return page.text
    }

    private static func contents(of tables: [ProfileComparison.Table]) -> HTML {
        guard tables.count > 1 else { return "" }
        let links = tables.enumerated().map { index, table -> HTML in
            "<li lang=\"\"><a href=\"#t\(index + 1)\">\(table.new.title)</a></li>"
        }
        return PageParts.contents(links)
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
            let items = columns.map { column -> HTML in
                "<li><b lang=\"\">\(column.name)</b> <span class=\"soft\">\(column.holds)</span></li>"
            }
            text += "<h3 class=\"odd-h\">\(words)</h3>\n<ul class=\"odd\">\n\(items.joined(separator: "\n"))\n</ul>\n"
        }
        if !table.isChanged { text += "<p class=\"soft\">Nothing has changed.</p>\n" }
        text += facts(of: table, label: "\(id)-h")
        if !table.alike.isEmpty {
            let names = table.alike.map { name -> HTML in "<bdi>\(name)</bdi>" }
            text += "<p class=\"note\">Other values that look alike: \(names.joined(separator: ", ")).</p>\n"
        }
        if !table.unchanged.isEmpty {
            let names = table.unchanged.map { name -> HTML in "<bdi>\(name)</bdi>" }
            text += "<p class=\"note\">The same as before: \(names.joined(separator: ", ")).</p>\n"
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
                <th scope="row">\(fact.name)</th><td class="num">\(fact.old)</td>\
                <td class="num">\(fact.new)</td><td class="one\(" change", if: !fact.change.isEmpty)">\(fact.change)</td>
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
        var text: HTML = ""
        for (id, words, tables) in [
            ("came", "Tables that came", comparison.came), ("went", "Tables that went", comparison.went),
        ] where !tables.isEmpty {
            let items = tables.map { table -> HTML in
                "<li><b lang=\"\">\(table.title)</b> <span class=\"soft\">\(Figure.counted(table.rows, "row"))</span></li>"
            }
            text += """
                <section id="\(id)" aria-labelledby="\(id)-h">
                <h2 id="\(id)-h">\(words)</h2>
                <ul class="odd">
                \(items.joined(separator: "\n"))
                </ul>
                </section>

                """
        }
        return text
    }
}
