/// Markup, written as a literal: what is put into it is escaped, unless it is markup itself.
package struct HTML: ExpressibleByStringInterpolation, Sendable {
    package private(set) var text: String

    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        package init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + 16 * interpolationCount)
        }

        package mutating func appendLiteral(_ literal: String) { text += literal }

        package mutating func appendInterpolation(_ value: some CustomStringConvertible) {
            text += HTMLText.escaped(value.description)
        }

        package mutating func appendInterpolation(_ markup: HTML) { text += markup.text }

        /// Markup that is optional, such as an attribute.
        package mutating func appendInterpolation(_ markup: HTML, if isThere: Bool) {
            if isThere { text += markup.text }
        }

        /// What no row and no job has written, and a page takes as it is.
        package mutating func appendInterpolation(own text: String) { self.text += text }
    }

    package init(stringLiteral value: String) { text = value }
    package init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

    package var isEmpty: Bool { text.isEmpty }

    package static func += (markup: inout HTML, other: HTML) { markup.text += other.text }

    package static func + (markup: HTML, other: HTML) -> HTML {
        var markup = markup
        markup += other
        return markup
    }
}

extension Sequence<HTML> {
    package func joined(separator: String = "") -> HTML { "\(own: map(\.text).joined(separator: separator))" }
}

extension ByteOutput {
    package func write(_ markup: HTML) throws(DaybookError) { try write(markup.text) }
}

/// The parts that pages have in common.
package enum PageParts {
    /// Links to the parts of the page; each is an item of a list.
    package static func contents(_ links: [HTML], _ words: PageWords = PageWords()) -> HTML {
        "<nav aria-label=\"\(words("Contents"))\"><ul>\n\(links.joined(separator: "\n"))\n</ul></nav>\n"
    }

    /// A path that breaks behind its slashes.
    package static func path(_ path: String) -> HTML {
        path.split(separator: "/", omittingEmptySubsequences: false).map { "\($0)" as HTML }.joined(separator: "/<wbr>")
    }

    /// The most characters of a word that a tile keeps on one line.
    private static let tileWord = 32

    /// A figure with its label, in type so small that none of its words breaks.
    ///
    /// - Parameters:
    ///   - after: what stands beside the figure.
    ///   - below: further descriptions.
    package static func tile(label: String, value: String, style: String = "", after: HTML = "", below: HTML = "")
        -> HTML
    {
        let words = value.split(separator: " ").map { Drawing.width(of: String($0.prefix(tileWord))) }
        // The type is bold, and so a little wider than that of drawings.
        let ems = Figure.length(max(1, (words.max() ?? 0) / Drawing.fontSize * 1.12))
        let own: HTML = " class=\"\(style)\""
        return """
            <div style="--n:\(ems)"><dt>\(label)</dt><dd\(own, if: !style.isEmpty)>\(value)\(after)</dd>\(below)</div>
            """
    }

    /// A few figures with their labels, and a style where it is not empty.
    package static func tiles(_ tiles: [(label: String, value: String, style: String)]) -> HTML {
        let items = tiles.map { tile(label: $0.label, value: $0.value, style: $0.style) }
        return "<dl class=\"tiles\">\n\(items.joined(separator: "\n"))\n</dl>\n"
    }
}

/// Escapes text for a page, between tags and in quoted attributes alike.
///
/// Characters that a page may not contain are shown rather than dropped: a control character as its picture (`␀`), a C1
/// control or a noncharacter as U+FFFD. Line ends of all kinds become one line feed.
package enum HTMLText {
    /// 0 for a byte that is copied, 1 for a byte that is escaped, 2 for a byte whose successors have to be checked.
    private static let kinds: [UInt8] = {
        var table = [UInt8](repeating: 0, count: 256)
        for control in 0..<32 where control != 9 && control != 10 { table[control] = 1 }
        for byte in [0x22, 0x26, 0x27, 0x3C, 0x3E, 0x7F] { table[byte] = 1 }
        for lead in [0xC2, 0xEF] + Array(0xF0...0xF4) { table[lead] = 2 }
        return table
    }()

    package static func escaped(_ text: String) -> String {
        let bytes = Bytes(capacity: text.utf8.count + 16)
        var text = text
        text.withUTF8 { bytes.append(html: $0) }
        return bytes.text(0..<bytes.count)
    }

    fileprivate static func append(_ cell: Cell, to bytes: Bytes) {
        let kinds = kinds
        var plain = 0
        var position = 0
        while position < cell.count {
            let kind = kinds[Int(cell[position])]
            let length = kind == 2 ? barredLength(cell, position) : Int(kind)
            guard length > 0 else {
                position += 1
                continue
            }
            bytes.append(Cell(rebasing: cell[plain..<position]))
            if kind == 2 {
                bytes.append("\u{FFFD}" as StaticString)
            } else {
                append(escapeOf: cell, position, to: bytes)
            }
            position += length
            plain = position
        }
        bytes.append(Cell(rebasing: cell[plain...]))
    }

    private static func append(escapeOf cell: Cell, _ position: Int, to bytes: Bytes) {
        switch cell[position] {
        case UInt8(ascii: "&"): bytes.append("&amp;" as StaticString)
        case UInt8(ascii: "<"): bytes.append("&lt;" as StaticString)
        case UInt8(ascii: ">"): bytes.append("&gt;" as StaticString)
        case UInt8(ascii: "\""): bytes.append("&quot;" as StaticString)
        case UInt8(ascii: "'"): bytes.append("&#39;" as StaticString)
        case 0x0D:
            // The line feed of a CRLF speaks for both.
            if position + 1 >= cell.count || cell[position + 1] != 0x0A { bytes.append(UInt8(ascii: "\n")) }
        case 0x7F: bytes.append("␡" as StaticString)
        case let control:
            // The picture of control n is U+2400 + n.
            bytes.append(0xE2)
            bytes.append(0x90)
            bytes.append(0x80 + control)
        }
    }

    /// The length of a C1 control or a noncharacter that begins at `position`, or 0.
    private static func barredLength(_ cell: Cell, _ position: Int) -> Int {
        func byte(_ index: Int) -> UInt8 { position + index < cell.count ? cell[position + index] : 0 }
        switch byte(0) {
        case 0xC2: return (0x80...0x9F).contains(byte(1)) ? 2 : 0
        case 0xEF:
            if byte(1) == 0xBF, byte(2) >= 0xBE { return 3 }
            return byte(1) == 0xB7 && (0x90...0xAF).contains(byte(2)) ? 3 : 0
        default: return byte(1) & 0x0F == 0x0F && byte(2) == 0xBF && byte(3) >= 0xBE ? 4 : 0
        }
    }
}

extension Bytes {
    /// Appends text with everything escaped that a page would take for its own.
    package func append(html cell: Cell) { HTMLText.append(cell, to: self) }
}

/// Tells which cells are colours that may be drawn.
///
/// Only `#` and exactly 3, 4, 6 or 8 hex digits pass, so whatever a cell holds, nothing but hex digits gets into a style.
package enum HexSwatch {
    package static func isColour(_ cell: Cell) -> Bool {
        switch cell.count {
        case 4, 5, 7, 9: cell[0] == UInt8(ascii: "#") && cell.dropFirst().allSatisfy(isHexDigit)
        default: false
        }
    }

    static func isColour(_ text: String) -> Bool {
        let bytes = Bytes(text)
        return withExtendedLifetime(bytes) { isColour(bytes.filled) }
    }

    /// Appends a small square in the colour of `cell`, if it is one. The cell's own text names the colour.
    package static func append(_ cell: Cell, to bytes: Bytes) {
        guard isColour(cell) else { return }
        bytes.append("<i class=\"swatch\" style=\"--c:" as StaticString)
        bytes.append(cell)
        bytes.append("\"></i>" as StaticString)
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        (48...57).contains(byte) || (65...70).contains(byte) || (97...102).contains(byte)
    }
}

/// A section of a page, linked from the table of contents.
package struct PageSection {
    package let id: String
    package let heading: String
    /// With the element that has the id; empty for a section without content.
    package let markup: HTML

    package var isEmpty: Bool { markup.isEmpty }

    package var link: HTML { "<li><a href=\"#\(id)\">\(heading)</a></li>" }

    /// - Parameter body: the content below the heading; empty for a section without content, which is left out.
    package init(id: String, heading: String, body: HTML) {
        let whole: HTML = """
            <section id="\(id)" aria-labelledby="\(id)-h">
            <h2 id="\(id)-h">\(heading)</h2>
            \(body)</section>

            """
        (self.id, self.heading, markup) = (id, heading, body.isEmpty ? "" : whole)
    }
}

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

    /// The whole box, of cells as headings and rows with their elements.
    func markup(_ heads: [HTML], _ rows: HTML) -> HTML {
        """
        \(opening)<thead><tr>\(heads.joined())</tr></thead>
        <tbody>
        \(rows)</tbody>\(closing)
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
        return box.markup(heads, rows.map { $0.text.hasPrefix("<tr") ? "\($0)\n" : "<tr>\($0)</tr>\n" }.joined())
    }

    /// The cell of a count.
    package static func number(_ count: Int) -> HTML {
        "<td class=\"num\(" zero", if: count == 0)\">\(Figure.grouped(count))</td>"
    }
}
