import DaybookBytes

/// A text of a job file, and where each of its lines stands in the file.
struct WrittenText: Sendable {
    let text: [UInt8]
    /// Where the whole text begins.
    let place: SourcePlace
    /// For a text under `|`, whose lines are those of the file: how far they are indented. Nil for any other.
    private let indentation: Int?

    init(_ text: String, at node: OptionNode, in source: SourceText) {
        self.text = Array(text.utf8)
        place = node.place
        indentation = WrittenText.indentation(of: node, in: source)
    }

    /// The place of a character of the text, where lines and columns count from 1.
    func place(line: Int, column: Int, length: Int = 1) -> SourcePlace {
        guard let indentation else { return place }
        return SourcePlace(file: place.file, line: place.line + line, column: indentation + column, length: length)
    }

    /// How far the lines of the text under `|` at `node` are indented; nil where there is no `|`.
    private static func indentation(of node: OptionNode, in source: SourceText) -> Int? {
        guard let start = source.byte(of: node.place), start < source.bytes.count,
            source.bytes[start] == UInt8(ascii: "|")
        else { return nil }
        // A number behind `|` says how much of the blanks belongs to the text, which the lines themselves then do not.
        let indicators = source.bytes[start...].dropFirst().prefix(2)
        if indicators.contains(where: { (49...57).contains($0) }) { return nil }
        // Blank lines may stand above the first that tells; more of them than this no person writes.
        for number in node.place.line + 1...node.place.line + 100 {
            guard let line = source.line(number) else { return nil }
            let blanks = line.prefix { $0 == .space }.count
            if blanks < line.count { return blanks }
        }
        return nil
    }
}

/// Takes the CSV of a test apart: cells between commas, quotes where a cell has one, a comma or a line end.
struct WrittenRecords {
    private let text: WrittenText
    private var position = 0
    private var line = 1
    /// Characters of the line before `position`.
    private var column = 1

    init(_ text: WrittenText) { self.text = text }

    /// The next row; nil behind the last. Blank lines are passed over, but for rows of one column, where such a line is
    /// a missing value.
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
            let length = cell.unicodeScalars.count
            return WrittenRows.Cell(
                text: cell.isEmpty ? nil : cell,
                place: text.place(line: place.0, column: place.1, length: max(1, length))
            )
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
        return WrittenRows.Cell(
            text: String(decoding: cell, as: UTF8.self),
            place: text.place(line: place.0, column: place.1)
        )
    }

    private func refusal(_ code: DaybookError.Code, _ message: String, _ place: (Int, Int)) -> DaybookErrors {
        DaybookErrors([
            DaybookError(
                code,
                message,
                at: text.place(line: place.0, column: place.1),
                hint: "inside a quoted cell a quote is written twice"
            )
        ])
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
