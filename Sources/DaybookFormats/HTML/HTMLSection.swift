/// What a page shows of one input, gathered while its rows come in.
package struct HTMLSection: Sendable {
    package let heading: String
    package let schema: Schema
    package let shape: MonthShape?
    package let isCalendar: Bool
    package private(set) var rowCount = 0
    package private(set) var rows = HTMLRows()
    package private(set) var sums = MonthSums()
    package private(set) var days = CalendarDays()

    package init(heading: String, schema: Schema, shape: MonthShape?, isCalendar: Bool) {
        self.heading = heading
        self.schema = schema
        self.shape = shape
        self.isCalendar = isCalendar
    }

    package mutating func append(_ piece: HTMLPiece, limit: Int) {
        rowCount += piece.rowCount
        rows.append(piece.rows, limit: limit)
        if let sums = piece.sums { self.sums.merge(sums) }
        if let days = piece.days { self.days.merge(days) }
    }

    /// "monthly_emotions" as "Monthly emotions".
    package static func heading(ofID id: String) -> String {
        let words = id.split { $0 == "_" || $0 == "-" || $0 == "." }.joined(separator: " ")
        return words.firstRaised
    }

    /// How many rows there are, and how many of them the page does not show.
    var countSentence: String {
        if rowCount == 0 { return "No rows." }
        if rows.count == rowCount { return "\(Figure.counted(rowCount, "row"))." }
        return "Showing \(Figure.grouped(rows.count)) of \(Figure.counted(rowCount, "row"))."
    }

    package func write(id: String, lang: String, to out: any ByteOutput) throws(DaybookError) {
        let head: HTML = """
            <section id="\(id)" aria-labelledby="\(id)-h">
            <h2 id="\(id)-h" lang="\(lang)">\(heading)</h2>
            <p class="soft">\(countSentence)</p>

            """
        try out.write(head)
        if let shape, let table = MonthTable(sums, addsUp: shape.addsUp) {
            try out.write(drawings(of: table, shape, id: id, lang: lang))
        } else if shape != nil, sums.unreadableRows > 0 {
            try out.write("<p class=\"note\">Nothing is drawn, since no month is written as 2026-03.</p>\n")
        }
        if isCalendar, let calendar = HTMLCalendar(days, id: id, lang: lang) {
            try out.write(calendar.markup)
            try writeHidden(id: id, lang: lang, to: out)
        } else {
            try writeTable(id: id, lang: lang, label: "\(id)-h", to: out)
        }
        try out.write("</section>\n")
    }

    private func drawings(of table: MonthTable, _ shape: MonthShape, id: String, lang: String) -> HTML {
        switch shape {
        case .long:
            HTMLFigures(id: id, table: table, sums: sums, valueName: "count", seriesName: "emotion", lang: lang).markup
        case .wide(_, let columns):
            HTMLColumnFigures(id: id, table: table, sums: sums, columnCount: columns.count, lang: lang).markup
        }
    }

    /// The rows of a calendar, for those who ask: the drawing has said nearly all of it.
    private func writeHidden(id: String, lang: String, to out: any ByteOutput) throws(DaybookError) {
        guard rows.count > 0 else { return }
        try out.write("<details><summary id=\"\(id)-r\">The rows behind the calendar</summary>\n")
        try writeTable(id: id, lang: lang, label: "\(id)-r", to: out)
        try out.write("</details>\n")
    }

    private func writeTable(id: String, lang: String, label: String, to out: any ByteOutput) throws(DaybookError) {
        guard !schema.fields.isEmpty, rowCount == 0 || rows.count > 0 else { return }
        let box = HTMLTableBox(
            columns: schema.fields.count,
            rows: rows.count,
            isCut: rows.count < rowCount,
            lang: lang,
            label: label
        )
        try out.write("\(box.opening)<thead><tr>" as HTML)
        for field in schema.fields {
            let isNumber = ColumnKind.numbers.contains(field.kind)
            try out.write("<th scope=\"col\"\(" class=\"num\"", if: isNumber)>\(field.name)</th>" as HTML)
        }
        try out.write("</tr></thead>\n<tbody>")
        try rows.write(to: out)
        try out.write("</tbody>\(box.closing)" as HTML)
    }
}

/// What one batch comes to on a page.
public struct HTMLPiece: Sendable, Codable {
    package let rowCount: Int
    package let rows: HTMLRows
    package let sums: MonthSums?
    package let days: CalendarDays?

    package init(rowCount: Int, rows: HTMLRows, sums: MonthSums?, days: CalendarDays?) {
        self.rowCount = rowCount
        self.rows = rows
        self.sums = sums
        self.days = days
    }
}
