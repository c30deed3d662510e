import DaybookPages
import DaybookReports

/// Profiles as one page for a browser, without other files.
enum ProfilePage {
    static func text(of tables: [ProfiledTable]) -> String {
        let isOnly = tables.count == 1
        let sections = tables.enumerated().map { section($1, id: "t\($0 + 1)", isOnly: isOnly) }.joined()
        return page(
            "Profile",
            of: tables.map(\.title),
            below: isOnly ? form(of: tables[0]) : "",
            main: isOnly ? tiles(of: tables[0]) + sections : sections,
            foot: "Made by Daybook. The same file gives the same page, byte for byte."
        )
    }

    /// A page about tables, with links to several tables.
    static func page(_ kind: String, of titles: [String], below: HTML, main: HTML, foot: HTML) -> String {
        let title = titles.count == 1 ? titles[0] : Figure.counted(titles.count, "table")
        let links = titles.enumerated().map { index, title -> HTML in
            "<li lang=\"\"><a href=\"#t\(index + 1)\">\(title)</a></li>"
        }
        return PageFrame.markup(
            title: "\(title) · \(kind)",
            sheet: sheet,
            kicker: "Daybook profile",
            heading: "\(title)",
            isData: true,
            below: below,
            links: links.count > 1 ? links : [],
            main: main,
            foot: foot
        ).text
    }

    private static var sheet: String { HTMLStyle.sheet(with: style + "\n" + SpreadChart.style, print: paper) }

    private static let style = """
        .cols{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,29rem),1fr));gap:1.25rem;margin-top:2rem}
        .col{padding:1.2rem 1.5rem 1.4rem;border-radius:12px;background:var(--card);min-width:0;scroll-margin-top:1.5rem}
        .col h3{margin:0;overflow-wrap:anywhere}
        .col h3 .soft{margin-inline-start:.6rem;font-size:.875rem;font-weight:400}
        .col dl{display:grid;grid-template-columns:4.2rem minmax(0,1fr);gap:.15rem 1rem;margin:.75rem 0 0;font-size:.875rem}
        .col dt{color:var(--soft)}
        .col dd{margin:0;overflow-wrap:anywhere;font-variant-numeric:tabular-nums}
        .col svg{min-width:0;margin-top:1rem}
        svg .swatch-edge{stroke:var(--soft);stroke-width:1}
        .col svg.chart{max-width:26rem}
        .col .note{margin:.75rem 0 0}
        .odd-h{margin:1.5rem 0 .5rem}
        .odd{margin:0;padding-inline-start:1.2rem}
        .odd li{margin:.25rem 0;overflow-wrap:anywhere}
        .change{font-weight:600}
        .group th{max-width:none;padding-top:1.1rem;background:var(--card);font-size:.9375rem;font-weight:600;overflow-wrap:anywhere}
        .group .soft{font-weight:400}
        .values{white-space:normal}
        """

    private static let paper = """
        .cols{display:block}
        .col{padding:.5rem 0;background:none;break-inside:avoid}
        """

    private static func form(of table: ProfiledTable) -> HTML { "<p class=\"soft\">\(table.form.raisedFirst)</p>\n" }

    private static func tiles(of table: ProfiledTable) -> HTML {
        let missing = table.columns.reduce(0) { $0 + $1.missing }
        var tiles = [
            ("Rows", Figure.grouped(table.rows), ""),
            ("Columns", Figure.grouped(table.columns.count + table.restOfColumns), ""),
            ("Cells missing", DisplayText.share(missing, of: table.rows * table.columns.count), ""),
        ]
        if table.rejected > 0 { tiles.append(("Records not read", Figure.grouped(table.rejected), "bad")) }
        if table.part == nil, let bytes = table.bytes { tiles.append(("Size", DisplayText.size(bytes), "")) }
        return PageParts.tiles(tiles)
    }

    // MARK: - One table

    private static func section(_ table: ProfiledTable, id: String, isOnly: Bool) -> HTML {
        let more = table.rejected > table.rejections.count ? ", among them:" : ":"
        let records = "\(Figure.counted(table.rejected, "record")) cannot be read and are not counted\(more)"
        let rejections = table.rejections.map { rejection -> HTML in "<li>\(rejection)</li>\n" }.joined()
        let rejected: HTML = "<p class=\"note\">\(records)</p>\n<ul class=\"note\">\n\(rejections)</ul>\n"
        let first = "Only the first \(Figure.grouped(table.columns.count)) columns were looked at."
        let rest: HTML = "<p class=\"note\">\(first)</p>\n"
        let cards = table.columns.enumerated().map { ColumnCard(column: $1, id: "\(id)-c\($0 + 1)").markup }
        return """
            <section id="\(id)" aria-labelledby="\(id)-h">
            <h2 id="\(id)-h"\(" lang=\"\"", if: !isOnly)>\(isOnly ? "Columns" : table.title)</h2>
            \(form(of: table) + tiles(of: table), if: !isOnly)\(rejected, if: table.rejected > 0)\
            \(rest, if: table.restOfColumns > 0)\(suspicions(of: table, id: id))\(overview(of: table, id: id))\
            <div class="cols">
            \(cards.joined())</div>
            </section>

            """
    }

    /// How many oddities the page lists.
    private static let mostSuspicions = 40

    /// The oddities, each with a link to its column.
    private static func suspicions(of table: ProfiledTable, id: String) -> HTML {
        guard !table.columns.isEmpty, table.rows > 0 else { return "" }
        let all = Suspicion.all(in: table.columns)
        guard !all.isEmpty else { return "<p class=\"soft\">Nothing looks odd.</p>\n" }
        let items = all.prefix(mostSuspicions).map { one -> HTML in
            "<li><a href=\"#\(id)-c\(one.column + 1)\" lang=\"\">\(table.columns[one.column].name)</a>\(one.text).</li>\n"
        }
        let more = Figure.grouped(all.count - mostSuspicions)
        let rest: HTML = "<p class=\"note\">And \(more) more, in the columns below.</p>\n"
        return """
            <h3 class="odd-h">Worth a look</h3>
            <ul class="odd">
            \(items.joined())</ul>
            \(rest, if: all.count > mostSuspicions)
            """
    }

    private static func overview(of table: ProfiledTable, id: String) -> HTML {
        let rows = table.columns.enumerated().map { index, column -> HTML in
            """
            <th scope="row" lang=""><a href="#\(id)-c\(index + 1)">\(column.name)</a></th>\
            <td class="one">\(column.holds)</td>\(missing(in: column))\
            <td class="num">\(ProfileText.distinct(column))</td><td class="one">\(ProfileText.range(of: column) ?? "")</td>
            """
        }
        return PageTable.markup(["Column", "Holds", "#Missing", "#Distinct", "Range"], rows, label: "\(id)-h")
    }

    /// The number and the share of missing values, as a bar.
    private static func missing(in column: ColumnFacts) -> HTML {
        guard column.missing > 0 else { return "<td class=\"num zero\">0</td>" }
        let share = Figure.plainCSS(Double(column.missing) / Double(column.rows))
        return """
            <td class="num bar" style="--v:\(share);--m:1">\(Figure.grouped(column.missing))\
            <span class="words">\(DisplayText.share(column.missing, of: column.rows))</span></td>
            """
    }
}

/// The part of a page about one column: facts, a drawing of its values, and notes.
struct ColumnCard {
    let column: ColumnFacts
    /// Unique in the page.
    let id: String

    var markup: HTML {
        let facts = ProfileText.facts(of: column).map { name, value -> HTML in "<dt>\(name)</dt><dd>\(value)</dd>\n" }
        let notes = column.notes.map { note -> HTML in "<p class=\"note\">\(note)</p>\n" }
        return """
            <article class="col" id="\(id)" aria-labelledby="\(id)-h">
            <h3 id="\(id)-h"><span lang="">\(column.name)</span><span class="soft">\(column.holds)</span></h3>
            <dl>
            \(facts.joined())</dl>
            \(drawing)\(notes.joined())</article>

            """
    }

    private var drawing: HTML {
        let bars = ProfileText.bars(of: column)
        // A few days are shown on their axis, since the gaps between them matter.
        if !bars.isEmpty, bars.isSpread || column.days != nil, let spread { return spread }
        return list(bars)
    }

    /// Days, moments or numbers as bars over their axis.
    private var spread: HTML? {
        guard let histogram = column.drawn, let chart = SpreadChart(histogram.bars.map(\.count), over: histogram.axis)
        else { return nil }
        let counts = ProfileBars(histogram)
        return chart.markup(
            id: "\(id)-b",
            title: "How the values spread of \(column.name)",
            description: ColumnCard.description(of: counts),
            tips: counts.bars.map { "\($0.label)\n\(counts.displayText($0.count))" }
        )
    }

    private static func description(of bars: ProfileBars) -> String {
        let most = bars.bars.max { $0.count < $1.count }.map { "\($0.label), \(Figure.grouped($0.count))" } ?? ""
        return "\(Figure.counted(bars.bars.count, "bar")); the longest is \(most)."
    }

    private static let width = 460.0
    private static let rowHeight = 22.0

    /// The most frequent values: horizontal bars with their labels to the left and their counts to the right.
    private func list(_ bars: ProfileBars) -> HTML {
        guard !bars.isEmpty else { return "" }
        let (width, rowHeight) = (ColumnCard.width, ColumnCard.rowHeight)
        let names = min((bars.bars.map { Drawing.width(of: $0.label) }.max() ?? 0) * 1.12, 200).rounded(.up)
        let isColour = column.kinds.first?.kind == .colour && !bars.isSpread
        let left = names + (isColour ? 32 : 12)
        let counts = bars.bars.map { bars.displayText($0.count) }
        let right = Double(counts.map(\.count).max() ?? 0) * 7.2 + 12
        let space = width - left - right
        var drawing = Drawing(width: width, height: Double(bars.bars.count) * rowHeight + 4)
        for (index, bar) in bars.bars.enumerated() {
            let y = Double(index) * rowHeight + 3
            let length = bars.most == 0 ? 0 : max(bar.count > 0 ? 1 : 0, space * Double(bar.count) / Double(bars.most))
            drawing.text(Drawing.fitted(bar.label, to: names / 1.12), x: names + 2, y: y + 12.5, style: "end")
            if isColour { drawing.swatch(bar.label, over: Box(x: left - 22, y: y + 1, width: 14, height: 14)) }
            drawing.boxes([Box(x: left, y: y, width: length, height: 16)], style: "s1")
            drawing.text(counts[index], x: left + length + 8, y: y + 12.5, style: "name")
            drawing.tip("\(bar.label)\n\(counts[index])", over: Box(x: 0, y: y - 3, width: width, height: rowHeight))
        }
        drawing.line(x1: left, y1: 0, x2: left, y2: Double(bars.bars.count) * rowHeight + 2, style: "axis")
        let what = bars.isSpread ? "How the values spread" : "The most frequent values"
        let description = ColumnCard.description(of: bars)
        return drawing.markup(id: "\(id)-b", title: "\(what) of \(column.name)", description: description)
    }
}

/// An oddity of a column, in words that follow its name: ` is always 'KR'`.
struct Suspicion: Sendable {
    /// The number of the column in its table.
    var column: Int
    var text: String

    /// All oddities of a table: empty and constant columns, mixed kinds, repeated keys, outliers, and then the notes.
    static func all(in columns: [ColumnFacts]) -> [Suspicion] {
        let looks: [(ColumnFacts) -> [String]] = [
            { [empty($0), constant($0)].compactMap(\.self).map { " \($0)" } },
            { [mixed($0)].compactMap(\.self).map { " \($0)" } },
            { [repeatedKey($0), farOff($0), nearlyEmpty($0)].compactMap(\.self).map { " \($0)" } },
            { $0.notes.map { ": \($0)" } },
        ]
        return looks.flatMap { look in
            columns.enumerated().flatMap { index, column in look(column).map { Suspicion(column: index, text: $0) } }
        }
    }

    private static func empty(_ column: ColumnFacts) -> String? {
        guard column.rows > 0, column.present == 0 else { return nil }
        return column.rows == 1
            ? "has no value in the only row" : "has no value in any of \(DisplayText.count(column.rows, "row"))"
    }

    private static func constant(_ column: ColumnFacts) -> String? {
        guard column.present > 1, column.distinct.isExact, column.distinct.count == 1, let value = column.top.first
        else { return nil }
        let rest = column.missing > 0 ? ", where it has a value" : ""
        return "is always \(displayText(value))\(rest)"
    }

    /// Nearly all values of one kind, and some of another.
    private static func mixed(_ column: ColumnFacts) -> String? {
        // The notes on dates and numbers say more.
        guard column.days == nil, column.notes.isEmpty else { return nil }
        let kinds = column.kinds.filter { $0.kind != .gap && $0.kind != .empty }
        guard kinds.count > 1, let first = kinds.first, first.kind != .text else { return nil }
        let found = Set(kinds.map(\.kind))
        let alike: [Set<ValueForm.Kind>] = [
            [.integer, .decimal, .code], [.day, .instant], [.integer, .decimal, .flag],
        ]
        guard !alike.contains(where: found.isSubset(of:)) else { return nil }
        let counts = kinds.map { "\(DisplayText.count($0.count)) \($0.kind.displayText)" }
        return "holds values of several kinds: \(DisplayText.list(counts))"
    }

    /// Nearly unique values.
    private static func repeatedKey(_ column: ColumnFacts) -> String? {
        let repeats = column.present - column.distinct.count
        guard column.present >= 50, column.distinct.isExact, repeats > 0, column.mayBeKey,
            RuleFinder.isFew(repeats, of: column.present), column.numbers == nil || KeyWords.are(in: column.name)
        else { return nil }
        let example = column.top.first.flatMap { top -> String? in
            guard column.undercount == 0, top.count > 1 else { return nil }
            return "; \(displayText(top)) comes \(top.count == 2 ? "twice" : DisplayText.count(top.count, "time"))"
        }
        let all = "\(DisplayText.count(column.distinct.count)) of \(DisplayText.count(column.present)) values differ"
        return "looks like a key that repeats: \(all)\(example ?? "")"
    }

    private static func farOff(_ column: ColumnFacts) -> String? {
        guard let far = column.outliers, !column.isIdentifier else { return nil }
        let ends = [
            far.least.map { "the least is \(DisplayText.number($0))" },
            far.most.map { "the most is \(DisplayText.number($0))" },
        ]
        let core = "\(DisplayText.number(far.core.lowerBound)) to \(DisplayText.number(far.core.upperBound))"
        return "has \(DisplayText.count(far.count, "number")) far from all others (\(core)): "
            + ends.compactMap(\.self).joined(separator: ", ")
    }

    private static func nearlyEmpty(_ column: ColumnFacts) -> String? {
        guard column.present > 0, column.rows >= 50, RuleFinder.isFew(column.present, of: column.rows)
        else { return nil }
        return "has a value in only \(DisplayText.count(column.present)) of \(DisplayText.count(column.rows, "row"))"
    }

    private static func displayText(_ value: ColumnFacts.Top) -> String {
        value.text.isEmpty
            ? "an empty text" : "'\(value.text.shortened(to: 60))\(value.isCut && value.text.count <= 60 ? "…" : "")'"
    }
}
