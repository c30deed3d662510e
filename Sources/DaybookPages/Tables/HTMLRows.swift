/// Some rows of a table as markup, and what is needed to cut them short and to line up their numbers.
package struct HTMLRows: Sendable, Codable {
    /// The digits of a number in the markup. Their signs depend on all numbers of the column.
    package struct Number: Sendable, Codable {
        package var end: Int
        package var length: Int
        package var column: Int
        /// The digits after the point; nil for a number that is not lined up.
        package var places: Int?
    }

    /// Bytes of a cell beyond which it is cut, so that one huge cell cannot fill the page.
    static let cellLimit = 2_000
    /// Numbers from here on have no two digits after the point that a double holds.
    private static let decimalLimit = 9e13

    private var markup = Bytes()
    /// Where each row ends in `markup`.
    package private(set) var ends: [Int] = []
    package private(set) var numbers: [Number] = []
    /// The largest number of each column that has bars, of all rows.
    private var largest: [Int: Double] = [:]

    package init() {}

    /// The rows of a batch that a table may show.
    package init(_ batch: Batch, _ table: HTMLTableSpec) {
        let shown = min(batch.count, table.rows)
        for row in table.isNewestFirst ? batch.count - shown..<batch.count : 0..<shown {
            markup.append("\n<tr>" as StaticString)
            for (number, column) in table.columns.enumerated() {
                append(batch.columns[column.index], row, number, column, table.signs)
            }
            markup.append("</tr>" as StaticString)
            ends.append(markup.count)
        }
        for (number, column) in table.columns.enumerated() where column.hasBar || column.isShare {
            for row in 0..<batch.count {
                guard let value = ChartPoints.value(batch.columns[column.index], row), value.isFinite else { continue }
                largest[number] = max(largest[number] ?? 0, value.magnitude)
            }
        }
    }

    package var count: Int { ends.count }

    /// Appends the rows of `other`: the first rows up to the limit, or all and then the oldest are removed.
    package mutating func append(_ other: HTMLRows, _ table: HTMLTableSpec) {
        largest.merge(other.largest, uniquingKeysWith: max)
        let taken = table.isNewestFirst ? other.count : min(other.count, table.rows - count)
        guard taken > 0 else { return }
        let (start, length) = (markup.count, other.ends[taken - 1])
        markup.append(..<length, of: other.markup)
        ends += other.ends[..<taken].map { $0 + start }
        for var number in other.numbers where number.end <= length {
            number.end += start
            numbers.append(number)
        }
        if count > 2 * table.rows + 64 { dropFirst(count - table.rows) }
    }

    private mutating func dropFirst(_ rows: Int) {
        let start = ends[rows - 1]
        markup = markup.copy(start...)
        ends = ends.dropFirst(rows).map { $0 - start }
        numbers.removeAll { $0.end <= start }
        for index in numbers.indices { numbers[index].end -= start }
    }

    /// Writes the rows, with the signs of the language and the decimals of each column filled up to the same places.
    ///
    /// - Parameter most: how many of the rows that the table shows.
    func write(_ table: HTMLTableSpec, most: Int = .max, to out: any ByteOutput) throws(DaybookError) {
        let shown = Array(table.isNewestFirst ? Array((0..<count).suffix(table.rows).reversed()) : Array(0..<count))
        let first = shown.min().map { $0 == 0 ? 0 : ends[$0 - 1] } ?? 0
        var places: [Int: Int] = [:]
        // A column of integers that may all be years has no groups.
        var grouped: Set<Int> = Set(table.columns.indices.filter { table.columns[$0].kind != .integer })
        for number in numbers where number.end > first {
            if let own = number.places { places[number.column] = max(places[number.column] ?? 0, own) }
            if !grouped.contains(number.column), !Figure.mayBeYears(CollectionOfOne(Double(digits(number)) ?? 0)) {
                grouped.insert(number.column)
            }
        }
        for row in shown.prefix(most) {
            var written = row == 0 ? 0 : ends[row - 1]
            var next = numbers.partitioningIndex { $0.end > written }
            while next < numbers.count, numbers[next].end <= ends[row] {
                let number = numbers[next]
                next += 1
                var text = digits(number)
                if let own = number.places, let most = places[number.column], most > own {
                    text += (own == 0 ? "." : "") + String(repeating: "0", count: most - own)
                }
                try out.write(markup, written..<number.end - number.length)
                try out.write(table.signs.cell(text, isGrouped: grouped.contains(number.column)))
                written = number.end
            }
            try out.write(markup, written..<ends[row])
        }
    }

    private func digits(_ number: Number) -> String { markup.text(number.end - number.length..<number.end) }

    /// Writes the whole table, unless it has nothing to show.
    func writeTable(_ table: HTMLTableSpec, rowCount: Int, label: String, to out: any ByteOutput) throws(DaybookError) {
        let shown = min(count, table.rows)
        guard !table.columns.isEmpty, rowCount == 0 || shown > 0 else { return }
        var box = HTMLTableBox(
            columns: table.columns.count,
            rows: shown,
            isCut: shown < rowCount,
            lang: table.signs.language,
            label: label,
            largest: table.columns.indices.compactMap { column in largest[column].map { (column, $0) } }
        )
        box.isFromEnd = table.isNewestFirst
        box.words = table.signs.words
        try out.write("\(box.opening)<thead><tr>" as HTML)
        for column in table.columns {
            // An empty title is not read aloud either.
            let cell: HTML = column.title.isEmpty ? "<td" : "<th scope=\"col\""
            try out.write(
                "\(cell)\(" class=\"num\"", if: column.isNumber)>\(column.title)\(column.title.isEmpty ? "</td>" : "</th>" as HTML)"
                    as HTML
            )
        }
        try out.write("</tr></thead>\n<tbody>")
        try write(table, to: out)
        try out.write("</tbody>\(box.closing)" as HTML)
    }

    private mutating func append(
        _ values: Column,
        _ row: Int,
        _ number: Int,
        _ column: HTMLTableSpec.Column,
        _ signs: NumberSigns
    ) {
        guard column.hasBar || column.pattern != nil, let value = ChartPoints.value(values, row), column.isNumber else {
            return append(values, row, number, signs.words)
        }
        let text = column.pattern.map { $0.text(of: value, signs) } ?? signs.localised(Figure.full(value))
        let isDrawn = (column.hasBar || column.isShare) && value.isFinite
        markup.append(
            isDrawn
                ? "<td class=\"num bar\" style=\"--v:\(Figure.plainCSS(value.magnitude));--m:var(--m\(number))\">"
                : "<td class=\"num\">"
        )
        markup.append(HTMLText.escaped(text))
        markup.append("</td>" as StaticString)
    }

    private mutating func append(_ column: Column, _ row: Int, _ index: Int, _ words: PageWords) {
        if column.missing.isMissing(row) {
            let isNumber = ColumnKind.numbers.contains(column.kind)
            markup.append(isNumber ? "<td class=\"num gap\">" as StaticString : "<td class=\"gap\">")
            return markup.append("<span>\(words("missing"))</span></td>")
        }
        switch column {
        case .text(let texts):
            // A short text stays on one line, so that a month is not broken at its hyphen where columns are many.
            texts.withCell(row) { cell in
                let isShort = cell.count <= 24 && !cell.contains(UInt8(ascii: "\n"))
                append(text: cell, opening: isShort ? "<td class=\"one\">" : "<td>", words)
            }
        case .json(let texts): texts.withCell(row) { append(json: $0, words) }
        case .decimals(let values): append(decimal: values.elements[row], index)
        case .integers(let values): append(number: String(values.elements[row]), index, places: nil)
        case .days, .instants, .flags:
            markup.append("<td class=\"one\">" as StaticString)
            column.appendValue(row, to: markup)
            markup.append("</td>" as StaticString)
        }
    }

    private func append(text cell: Cell, opening: StaticString, _ words: PageWords) {
        markup.append(opening)
        HexSwatch.append(cell, to: markup)
        if cell.count <= HTMLRows.cellLimit {
            markup.append(html: cell)
        } else {
            // The last character may have lost a part of itself, so it is left out.
            let start = String(decoding: cell.prefix(HTMLRows.cellLimit), as: UTF8.self).dropLast()
            markup.append(HTMLText.escaped(String(start)))
            let all = words("… {0} bytes in all", words.grouped(cell.count))
            markup.append("<small class=\"cut\">\(all)</small>")
        }
        markup.append("</td>" as StaticString)
    }

    /// A value as keys and values; what is no JSON, or too much of it, as it is written.
    private func append(json cell: Cell, _ words: PageWords) {
        let start = markup.count
        markup.append("<td class=\"kvs\">" as StaticString)
        guard JSONShow.append(cell, to: markup) else {
            markup.count = start
            return append(text: cell, opening: "<td class=\"code\">", words)
        }
        markup.append("</td>" as StaticString)
    }

    private mutating func append(decimal value: Double, _ column: Int) {
        guard value.magnitude < HTMLRows.decimalLimit, value == 0 || value.magnitude >= 1e-3 else {
            // Too large or too small to line up: the digits speak for themselves.
            return append(number: Figure.shortest(value), column, places: nil)
        }
        // Rounded where it has more digits than a person reads.
        let unit: UInt = value.magnitude < 1e11 ? 10_000 : 100
        let scaled = Int((value * Double(unit)).rounded())
        var fraction = String(scaled.magnitude % unit + unit).dropFirst()
        while fraction.last == "0" { fraction.removeLast() }
        let whole = (scaled < 0 ? "-" : "") + String(scaled.magnitude / unit)
        let title = Double(scaled) / Double(unit) == value ? nil : Figure.shortest(value)
        let digits = fraction.isEmpty ? whole : "\(whole).\(fraction)"
        append(number: digits, column, places: fraction.count, title: title)
    }

    private mutating func append(number digits: String, _ column: Int, places: Int?, title: String? = nil) {
        markup.append(title.map { "<td class=\"num\" title=\"\($0)\">\(digits)" } ?? "<td class=\"num\">\(digits)")
        numbers.append(Number(end: markup.count, length: digits.utf8.count, column: column, places: places))
        markup.append("</td>" as StaticString)
    }
}

/// Which columns and rows of an input a table shows, and how.
package struct HTMLTableSpec: Sendable {
    package struct Column: Sendable {
        package var index: Int
        package var title: String
        package var kind: ColumnKind
        /// Whether a bar beside the number shows its size.
        package var hasBar = false
        /// Whether it is a share, with 1 as the whole.
        package var isShare = false
        package var format: NumberPattern?

        var isNumber: Bool { ColumnKind.numbers.contains(kind) }
        /// How a number is shown; nil for its digits as they are.
        var pattern: NumberPattern? { format ?? (isShare ? HTMLTableSpec.percent : nil) }
    }

    private static let percent = try? NumberPattern("0.0 %")

    package var columns: [Column]
    /// How many rows are shown; the others are counted.
    package var rows: Int
    /// Whether the last row comes first, and the rows before are the ones not shown.
    package var isNewestFirst = false
    package var signs = NumberSigns(language: "")

    /// All columns under their own names.
    package init(_ schema: Schema, rows: Int) {
        let columns = schema.fields.enumerated().map { Column(index: $0, title: $1.name, kind: $1.kind) }
        (self.columns, self.rows) = (columns, rows)
    }
}

/// Shows a JSON value for people: keys and values, elements with commas between them, and no quotes or brackets.
struct JSONShow {
    /// The depth of nested objects shown as lists; deeper values are shown as written.
    private static let deepest = 4
    /// Keys and elements that a cell shows.
    private static let mostParts = 60

    private var cursor: JSONCursor
    private let bytes: Bytes
    private var parts = 0

    /// Appends the markup of a value; nothing and false for a cell without JSON, or with too much of it.
    static func append(_ cell: Cell, to bytes: Bytes) -> Bool {
        guard let base = cell.baseAddress, cell.count <= HTMLRows.cellLimit else { return false }
        var whole = JSONCursor(base, to: cell.count)
        guard whole.skipValue(), whole.finish() else { return false }
        var show = JSONShow(cursor: JSONCursor(base, to: cell.count), bytes: bytes)
        show.value(0)
        return true
    }

    /// Whether a part is still shown rather than skipped.
    private mutating func isShown() -> Bool {
        parts += 1
        if parts == JSONShow.mostParts + 1 { bytes.append("…" as StaticString) }
        return parts <= JSONShow.mostParts
    }

    private mutating func value(_ depth: Int) {
        cursor.skipSpace()
        let start = cursor.position
        switch cursor.byte {
        case UInt8(ascii: "{") where depth < JSONShow.deepest: object(depth)
        case UInt8(ascii: "[") where depth < JSONShow.deepest: array(depth)
        case UInt8(ascii: "\""):
            let isGood = cursor.string() != nil
            if isGood { text(start + 1..<cursor.position - 1) }
        case UInt8(ascii: "n"):
            _ = cursor.scalar()
            bytes.append("–" as StaticString)
        default:
            guard cursor.skipValue() else { return }
            bytes.append(html: cursor.cell(start..<cursor.position))
        }
    }

    private func text(_ range: Range<Int>) {
        let plain = Bytes(capacity: range.count)
        JSONString.decode(cursor.base, range, into: plain)
        withExtendedLifetime(plain) { bytes.append(html: plain.filled) }
    }

    private mutating func object(_ depth: Int) {
        guard cursor.open() else { return }
        if cursor.closesAtOnce(UInt8(ascii: "}")) { return bytes.append("–" as StaticString) }
        bytes.append("<ul class=\"kv\">" as StaticString)
        repeat {
            guard let key = cursor.key() else { break }
            if isShown() {
                bytes.append("<li><b>" as StaticString)
                text(key.bytes)
                bytes.append("</b> " as StaticString)
                value(depth + 1)
                bytes.append("</li>" as StaticString)
            } else {
                guard cursor.skipValue() else { break }
            }
        } while cursor.next(inObject: true) == true
        bytes.append("</ul>" as StaticString)
    }

    private mutating func array(_ depth: Int) {
        guard cursor.open() else { return }
        if cursor.closesAtOnce(UInt8(ascii: "]")) { return bytes.append("–" as StaticString) }
        var isFirst = true
        repeat {
            if isShown() {
                if !isFirst { bytes.append(", " as StaticString) }
                value(depth + 1)
            } else {
                guard cursor.skipValue() else { break }
            }
            isFirst = false
        } while cursor.next(inObject: false) == true
    }
}
