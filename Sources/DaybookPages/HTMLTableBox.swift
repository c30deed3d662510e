/// The box around a table: it scrolls sideways, and up and down too where the rows are many.
package struct HTMLTableBox {
    /// The limit of rows up to which a table has its full height.
    package static let fullHeight = 50
    /// Columns beyond which a line sets the first one apart, and paper takes smaller type.
    package static let fewColumns = 10

    /// Columns beyond which paper takes the smallest type, rather than cut a column at its edge.
    package static let paperColumns = 20

    package let columns: Int
    /// How many rows the table shows; nil for one that has its full height whatever comes.
    package let rows: Int?
    /// Whether there are more rows than the table shows.
    package var isCut = false
    /// Whether these are the last ones.
    package var isFromEnd = false
    /// The `lang` attribute of the table's texts, if they come from the rows.
    package var lang: String?
    package var words = PageWords()
    /// The id of the words that name the table.
    package let label: String

    /// The largest number of each column that has bars.
    package let largest: [(column: Int, value: Double)]

    package init(
        columns: Int,
        rows: Int?,
        isCut: Bool = false,
        lang: String? = nil,
        label: String,
        largest: [(column: Int, value: Double)] = []
    ) {
        (self.columns, self.rows, self.isCut, self.lang) = (columns, rows, isCut, lang)
        (self.label, self.largest) = (label, largest)
    }

    private var isLong: Bool { (rows ?? 0) > HTMLTableBox.fullHeight }

    package var opening: HTML {
        var style = "scroll"
        if isLong { style += " long" }
        if columns > HTMLTableBox.fewColumns { style += " many" }
        if columns > HTMLTableBox.paperColumns { style += " crowd" }
        let language: HTML = lang.map { " lang=\"\($0)\"" } ?? ""
        let bars = largest.map { "--m\($0.column):\(Figure.plainCSS(max($0.value, 1e-300)))" }.joined(separator: ";")
        let own: HTML = bars.isEmpty ? "" : " style=\"\(bars)\""
        return """
            <div class="\(style)"\(language)\(own) tabindex="0" role="region" aria-labelledby="\(label)"><table>

            """
    }

    /// The end of the box; below a long box, a line states that there is more to see.
    package var closing: HTML {
        guard isLong, let rows else { return "</table></div>\n" }
        let which = isCut ? isFromEnd ? "the last" : "the first" : "all"
        let hint = words("Scroll in the table for \(which) {0}.", words.count(rows, "row"))
        return "</table></div>\n<p class=\"note hint\">\(hint)</p>\n"
    }
}

extension Figure {
    /// A number as style sheets read it.
    package static func plainCSS(_ value: Double) -> String { value.description }
}

/// A table of a page in its box, with markup as cells.
package enum PageTable {
    /// Empty without rows.
    ///
    /// - Parameters:
    ///   - headings: column headings; a `#` before a heading marks numbers.
    ///   - rows: the cells of each row, or the row with its element.
    ///   - label: the id of the element that names the table.
    ///   - isWhole: whether a long table has its full height, and is not scrolled.
    package static func markup(_ headings: [String], _ rows: [HTML], label: String, isWhole: Bool = false) -> HTML {
        let heads = headings.map { heading -> HTML in
            heading.hasPrefix("#")
                ? "<th scope=\"col\" class=\"num\">\(String(heading.dropFirst()))</th>"
                : "<th scope=\"col\">\(heading)</th>"
        }
        return markup(heads: heads, rows, label: label, isWhole: isWhole)
    }

    /// The same with cells as headings.
    package static func markup(heads: [HTML], _ rows: [HTML], label: String, isWhole: Bool = false) -> HTML {
        guard !rows.isEmpty else { return "" }
        let box = HTMLTableBox(columns: heads.count, rows: isWhole ? nil : rows.count, label: label)
        return """
            \(box.opening)<thead><tr>\(heads.joined())</tr></thead>
            <tbody>
            \(rows.map { $0.text.hasPrefix("<tr") ? $0 : "<tr>\($0)</tr>" }.joined(separator: "\n"))
            </tbody>\(box.closing)
            """
    }

    /// The cell of a count.
    package static func number(_ count: Int) -> HTML {
        "<td class=\"num\(" zero", if: count == 0)\">\(Figure.grouped(count))</td>"
    }
}
