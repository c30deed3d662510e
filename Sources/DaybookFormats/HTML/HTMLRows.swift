/// Some rows of a table as markup, and what is needed to cut them short and to line up their decimals.
package struct HTMLRows: Sendable, Codable {
    /// Where a decimal number ends in the markup, and how many digits it has after its point.
    package struct Decimal: Sendable, Codable {
        package var end: Int
        package var column: Int
        package var places: Int
    }

    /// Bytes of a cell beyond which it is cut, so that one huge cell cannot fill the page.
    static let cellLimit = 2_000

    private var markup = Bytes()
    /// Where each row ends in `markup`.
    package private(set) var ends: [Int] = []
    package private(set) var decimals: [Decimal] = []

    package init() {}

    /// The first `limit` rows of a batch.
    package init(_ batch: Batch, limit: Int) {
        let fields = batch.schema.fields
        for row in 0..<min(batch.count, limit) {
            markup.append("\n<tr>" as StaticString)
            for index in fields.indices { append(batch.columns[index], row, index) }
            markup.append("</tr>" as StaticString)
            ends.append(markup.count)
        }
    }

    package var count: Int { ends.count }

    /// Adds the rows of `other`, up to `limit` rows in all.
    package mutating func append(_ other: HTMLRows, limit: Int) {
        let taken = min(other.count, limit - count)
        guard taken > 0 else { return }
        let (start, length) = (markup.count, other.ends[taken - 1])
        markup.append(other.markup, 0..<length)
        ends += other.ends[..<taken].map { $0 + start }
        for decimal in other.decimals where decimal.end <= length {
            decimals.append(Decimal(end: decimal.end + start, column: decimal.column, places: decimal.places))
        }
    }

    /// Writes the rows with the decimals of each column filled up to the same number of places.
    package func write(to out: any ByteOutput) throws(DaybookError) {
        var places: [Int: Int] = [:]
        for decimal in decimals { places[decimal.column] = max(places[decimal.column] ?? 0, decimal.places) }
        var written = 0
        for decimal in decimals {
            let missing = places[decimal.column]! - decimal.places
            guard missing > 0 else { continue }
            try out.write(markup, written..<decimal.end)
            try out.write((decimal.places == 0 ? "." : "") + String(repeating: "0", count: missing))
            written = decimal.end
        }
        try out.write(markup, written..<markup.count)
    }

    private mutating func append(_ column: Column, _ row: Int, _ index: Int) {
        if column.missing.isMissing(row) {
            let isNumber = ColumnKind.numbers.contains(column.kind)
            markup.append(isNumber ? "<td class=\"num gap\">" as StaticString : "<td class=\"gap\">")
            return markup.append("<span>missing</span></td>" as StaticString)
        }
        switch column {
        case .text(let texts):
            texts.withCell(row) { append(text: $0, opening: HTMLRows.isShort($0) ? "<td class=\"one\">" : "<td>") }
        case .json(let texts):
            texts.withCell(row) {
                append(text: $0, opening: HTMLRows.isShortJSON($0) ? "<td class=\"code one\">" : "<td class=\"code\">")
            }
        case .decimals(let values): append(decimal: values.elements[row], index)
        case .integers: append(column, row, opening: "<td class=\"num\">")
        case .days, .instants, .flags: append(column, row, opening: "<td class=\"one\">")
        }
    }

    private func append(_ column: Column, _ row: Int, opening: StaticString) {
        markup.append(opening)
        column.appendValue(row, to: markup)
        markup.append("</td>" as StaticString)
    }

    private func append(text cell: Cell, opening: StaticString) {
        markup.append(opening)
        HexSwatch.append(cell, to: markup)
        if cell.count <= HTMLRows.cellLimit {
            markup.append(html: cell)
        } else {
            // The last character may have lost a part of itself, so it is left out.
            let start = String(decoding: cell.prefix(HTMLRows.cellLimit), as: UTF8.self).dropLast()
            markup.append(HTMLText.escaped(String(start)))
            markup.append("<small class=\"cut\">… \(Figure.grouped(cell.count)) bytes in all</small>")
        }
        markup.append("</td>" as StaticString)
    }

    /// Whether a text stays on one line, so that a month is not broken at its hyphen where columns are many.
    private static func isShort(_ cell: Cell) -> Bool { cell.count <= 24 && !cell.contains(UInt8(ascii: "\n")) }

    /// The same of JSON, where space and line ends between its parts are shown as one space.
    private static func isShortJSON(_ cell: Cell) -> Bool {
        var (length, wasSpace) = (0, false)
        for byte in cell {
            let isSpace = byte == 0x20 || (9...13).contains(byte)
            if !(isSpace && wasSpace) { length += 1 }
            guard length <= 24 else { return false }
            wasSpace = isSpace
        }
        return true
    }

    private mutating func append(decimal value: Double, _ column: Int) {
        guard value.magnitude < 1e11, value == 0 || value.magnitude >= 1e-3 else {
            // Too large or too small to line up: the digits speak for themselves.
            return markup.append("<td class=\"num\">\(DecimalShow.shortest(value))</td>")
        }
        let shown = DecimalShow(value)
        if shown.isRounded {
            markup.append("<td class=\"num\" title=\"\(DecimalShow.shortest(value))\">\(shown.digits)")
        } else {
            markup.append("<td class=\"num\">\(shown.digits)")
        }
        decimals.append(Decimal(end: markup.count, column: column, places: shown.places))
        markup.append("</td>" as StaticString)
    }
}

/// A decimal number as a cell shows it, rounded where it has more digits than a person reads.
private struct DecimalShow {
    let digits: String
    let places: Int
    let isRounded: Bool

    init(_ value: Double) {
        let scaled = Int((value * 10_000).rounded())
        var fraction = String(scaled.magnitude % 10_000 + 10_000).dropFirst()
        while fraction.last == "0" { fraction.removeLast() }
        let whole = (scaled < 0 ? "-" : "") + String(scaled.magnitude / 10_000)
        digits = fraction.isEmpty ? whole : "\(whole).\(fraction)"
        places = fraction.count
        isRounded = Double(scaled) / 10_000 != value
    }

    static func shortest(_ value: Double) -> String {
        let text = value.description
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}
