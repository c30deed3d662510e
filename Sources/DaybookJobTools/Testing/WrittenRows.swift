import DaybookBytes

/// Rows as a person wrote them in a test: a list of maps, or CSV with a header in a text.
///
/// An empty cell is missing, as are `null` and an absent key; `""` is an empty text.
package struct WrittenRows: Sendable {
    package struct Column: Sendable, Hashable {
        package var name: String
        /// The kind that a header such as `count:integer` names.
        package var kind: ColumnKind?
        package var place: SourcePlace?
    }

    package struct Cell: Sendable {
        /// Nil for a missing value.
        package var text: String?
        /// Whether quotes make it text; cells of CSV are always text.
        package var isQuoted = true
        package var place: SourcePlace?
    }

    package struct Row: Sendable {
        package var cells: [Cell]
        package var place: SourcePlace
        /// The row as written in a text, with quotes; nil in a list.
        package var source: String?
    }

    package private(set) var columns: [Column] = []
    package private(set) var rows: [Row] = []
    /// The first line of CSV as written.
    package private(set) var header: String?
    /// True for an empty list.
    var namesNoColumns: Bool { columns.isEmpty }

    /// More rows than lists in the largest job file could have; a text may have no more.
    package static let limit = 100_000

    /// Reads `node` of `source`, or throws the errors of its rows.
    package init(reading node: OptionNode, in source: SourceText) throws(DaybookErrors) {
        switch node.content {
        case .list(let items): try readList(items)
        case .text(let text, _): try readText(WrittenText(text, at: node, in: source))
        case .map, .nothing:
            let hint = "write a list of maps, or CSV with a header under '|'; [] stands for none"
            throw DaybookErrors(node.expected("rows", hint: hint))
        }
    }

    // MARK: - Lists

    private mutating func readList(_ items: [OptionNode]) throws(DaybookErrors) {
        var problems: [DaybookError] = []
        var places: [String: Int] = [:]
        for item in items {
            for entry in item.map ?? [] where places[entry.key] == nil {
                places[entry.key] = columns.count
                columns.append(Column(name: entry.key, kind: nil, place: entry.keyPlace))
            }
        }
        try checkWidth()
        for item in items {
            guard let entries = item.map else {
                problems.append(item.expected("a row such as { id: 1, date: 2026-11-21 }"))
                continue
            }
            var cells = [Cell](repeating: Cell(text: nil), count: columns.count)
            for entry in entries {
                guard let column = places[entry.key] else { continue }
                switch entry.value.content {
                case .nothing: cells[column].place = entry.value.place
                case .text(let text, let isQuoted):
                    cells[column] = Cell(text: text, isQuoted: isQuoted, place: entry.value.place)
                case .list, .map:
                    problems.append(entry.value.expected("a value", hint: "write JSON as a text in quotes: '[1, 2]'"))
                }
            }
            rows.append(Row(cells: cells, place: item.place, source: nil))
        }
        if !problems.isEmpty { throw DaybookErrors(problems) }
    }

    // MARK: - CSV

    private mutating func readText(_ text: WrittenText) throws(DaybookErrors) {
        var problems: [DaybookError] = []
        var records = WrittenRecords(text)
        guard let header = try records.next() else {
            let message = "expected CSV with a header, found an empty text"
            let hint = "write the names of the columns on the first line; [] stands for no rows"
            throw DaybookErrors("no-columns", message, at: text.place, hint: hint)
        }
        self.header = header.source
        columns = header.cells.map(WrittenRows.column)
        try checkWidth()
        var names: Set<String> = []
        for column in columns where !names.insert(column.name).inserted {
            let message = "two columns are named \(column.name.quotedForMessage)"
            problems.append(DaybookError("duplicate-column", message, at: column.place))
        }
        while let record = try records.next(isOneColumn: columns.count == 1) {
            guard record.cells.count == columns.count else {
                let found = record.cells.count == 1 ? "1 cell" : "\(record.cells.count) cells"
                let message = "this row has \(found), and the header has \(columns.count)"
                let hint = "a value with a comma needs quotes: \"a, b\""
                problems.append(DaybookError("ragged-row", message, at: record.place, hint: hint))
                if problems.count >= 100 { break }
                continue
            }
            rows.append(record)
            guard rows.count <= WrittenRows.limit else {
                let message = "a test may hold \(WrittenRows.limit) rows of a stage"
                throw DaybookErrors("too-many-rows", message, at: record.place)
            }
        }
        if !problems.isEmpty { throw DaybookErrors(problems) }
    }

    /// `count:integer` is a column with its kind; a colon before anything else belongs to the name.
    private static func column(_ cell: Cell) -> Column {
        let text = cell.text ?? ""
        if let colon = text.lastIndex(of: ":"),
            let kind = ColumnKind(rawValue: String(text[text.index(after: colon)...])), colon > text.startIndex
        {
            return Column(name: String(text[..<colon]), kind: kind, place: cell.place)
        }
        return Column(name: text, place: cell.place)
    }

    private func checkWidth() throws(DaybookErrors) {
        guard columns.count > 1_000 else { return }
        let place = columns[1_000].place
        throw DaybookErrors("too-many-columns", "rows of a test may have 1,000 columns", at: place)
    }
}

extension WrittenRows.Column {
    /// The error for a column of another kind than `field`; nil if it names the same kind or none.
    func mismatch(_ field: Field) -> DaybookError? {
        guard let kind, kind != field.kind else { return nil }
        let message = "column '\(field.name)' holds \(field.kind.rawValue), not \(kind.rawValue)"
        return DaybookError("wrong-kind", message, at: place)
    }
}

/// A text of a job file, with the places of its lines in the file.
struct WrittenText: Sendable {
    let text: [UInt8]
    /// The beginning of the text.
    let place: SourcePlace
    /// The indentation of a text under `|`, whose lines are lines of the file; nil for any other text.
    private let indentation: Int?

    init(_ text: String, at node: OptionNode, in source: SourceText) {
        self.text = Array(text.utf8)
        place = node.place
        indentation = WrittenText.indentation(of: node, in: source)
    }

    /// The place of a character of the text, with lines and columns from 1.
    func place(line: Int, column: Int, length: Int = 1) -> SourcePlace {
        guard let indentation else { return place }
        return SourcePlace(file: place.file, line: place.line + line, column: indentation + column, length: length)
    }

    /// The indentation of the text under `|` at `node`; nil without `|`.
    private static func indentation(of node: OptionNode, in source: SourceText) -> Int? {
        guard let start = source.byte(of: node.place), start < source.bytes.count,
            source.bytes[start] == UInt8(ascii: "|")
        else { return nil }
        // A number after `|` gives the indentation, which the lines then do not show.
        let indicators = source.bytes[start...].dropFirst().prefix(2)
        if indicators.contains(where: { (49...57).contains($0) }) { return nil }
        // Blank lines may precede the first other line; nobody writes more of them than this.
        for number in node.place.line + 1...node.place.line + 100 {
            guard let line = source.line(number) else { return nil }
            let blanks = line.prefix { $0 == .space }.count
            if blanks < line.count { return blanks }
        }
        return nil
    }
}

/// Splits the CSV of a test: cells between commas, in quotes if they contain one, a comma or a line end.
struct WrittenRecords {
    private let text: WrittenText
    private var position = 0
    private var line = 1
    /// The column of `position` on its line, from 1.
    private var column = 1

    init(_ text: WrittenText) { self.text = text }

    /// The next row; nil after the last. Skips blank lines, except in rows of one column, where such a line is a missing
    /// value.
    mutating func next(isOneColumn: Bool = false) throws(DaybookErrors) -> WrittenRows.Row? {
        while !isOneColumn, position < text.text.count, text.text[position] == 10 { step() }
        guard position < text.text.count else { return nil }
        let start = position
        let place = text.place(line: line, column: column)
        var cells: [WrittenRows.Cell] = []
        while true {
            cells.append(try cell())
            guard position < text.text.count, text.text[position] == UInt8(ascii: ",") else { break }
            step()
        }
        let source = String(decoding: text.text[start..<position], as: UTF8.self)
        if position < text.text.count { step() }
        return WrittenRows.Row(cells: cells, place: place, source: source)
    }

    private mutating func cell() throws(DaybookErrors) -> WrittenRows.Cell {
        let place = (line, column)
        guard position < text.text.count, text.text[position] == UInt8(ascii: "\"") else {
            let start = position
            while position < text.text.count, ![UInt8(ascii: ","), 10].contains(text.text[position]) { step() }
            let cell = String(decoding: text.text[start..<position], as: UTF8.self)
            let place = text.place(line: place.0, column: place.1, length: max(1, cell.unicodeScalars.count))
            return WrittenRows.Cell(text: cell.isEmpty ? nil : cell, place: place)
        }
        step()
        var cell: [UInt8] = []
        while true {
            guard position < text.text.count else {
                throw refusal("unclosed-quote", "a quote opens here and is never closed", place)
            }
            let byte = text.text[position]
            step()
            if byte != UInt8(ascii: "\"") {
                cell.append(byte)
            } else if position < text.text.count, text.text[position] == UInt8(ascii: "\"") {
                cell.append(byte)
                step()
            } else {
                break
            }
        }
        if position < text.text.count, text.text[position] != 10, text.text[position] != UInt8(ascii: ",") {
            throw refusal("stray-quote", "a comma or the end of the line belongs behind this quoted cell", place)
        }
        let text = String(decoding: cell, as: UTF8.self)
        return WrittenRows.Cell(text: text, place: self.text.place(line: place.0, column: place.1))
    }

    private func refusal(_ code: DaybookError.Code, _ message: String, _ place: (Int, Int)) -> DaybookErrors {
        let hint = "inside a quoted cell a quote is written twice"
        let place = text.place(line: place.0, column: place.1)
        return DaybookErrors(code, message, at: place, hint: hint)
    }

    private mutating func step() {
        let byte = text.text[position]
        position += 1
        if byte == 10 {
            line += 1
            column = 1
        } else if position == text.text.count || text.text[position] & 0xC0 != 0x80 {
            column += 1
        }
    }
}
