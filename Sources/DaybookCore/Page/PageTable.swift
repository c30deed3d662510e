/// A table of a page in its box, of cells that are markup.
package enum PageTable {
    /// Empty without rows.
    ///
    /// - Parameters:
    ///   - headings: one with `#` before it stands over numbers.
    ///   - rows: the cells of each row, or the row with its element.
    ///   - label: the id of the words that name the table.
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
