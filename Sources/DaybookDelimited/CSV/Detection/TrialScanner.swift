/// A dialect of delimited text to try on a file.
package struct TrialDialect: Sendable, Hashable {
    package var delimiter: [UInt8]
    /// The quote, or `CSVDialect.noQuote`.
    package var quote: UInt8
    /// The character that keeps a quote inside a cell, if it is not doubled.
    package var escape: UInt8?
    package var lineEnd = LineEnd.feed

    /// The delimiter as a job writes it.
    var displayDelimiter: String { delimiter == [9] ? "tab" : String(decoding: delimiter, as: UTF8.self) }
    var isBlank: Bool { delimiter == [0x20] }
    /// Whether it is a common delimiter and the beginning of spreadsheet formulas, as in `1,="007"`.
    var beginsFormulas: Bool {
        delimiter.count == 2 && CSVDialect.commonDelimiters.contains(delimiter[0]) && delimiter[1] == UInt8(ascii: "=")
    }
    /// Whether it is a common delimiter several times, as `||`.
    var repeatsCommon: Bool {
        delimiter.count > 1 && CSVDialect.commonDelimiters.contains(delimiter[0])
            && delimiter.allSatisfy { $0 == delimiter[0] }
    }

    /// The dialect of an import that reads so.
    var plain: CSVDialect {
        let tail = DelimiterTail(delimiter.dropFirst())
        return CSVDialect(delimiter: delimiter[0], delimiterTail: tail, quote: quote, escape: escape, lineEnd: lineEnd)
    }
}

/// Splits text into records by a dialect that may be wrong: every record has cells, and records with misplaced quotes
/// are marked.
///
/// A quote opens a cell if only blanks precede it, and closes it if only blanks follow. Any other quote is text. A text
/// is scanned once: after one quote that is never closed, no quote opens a cell.
struct TrialScanner {
    struct Field {
        /// Its bytes without quotes, with the blanks around it where it has none.
        var start: Int
        var end: Int
        var isQuoted = false
        /// Blanks surround its quotes.
        var isPadded = false
        /// The cell has a misplaced quote.
        var isFlawed = false
        /// The cell has doubled or escaped quotes or other characters.
        var isCoded = false

        var isEmpty: Bool { start == end }
    }

    let bytes: Cell
    let dialect: TrialDialect
    /// The cells of the record, up to the limit.
    private(set) var cells: [Field] = []
    /// All cells of the record.
    private(set) var width = 0
    /// Where the record begins.
    private(set) var start = 0
    private(set) var position = 0
    /// Whether the bytes end before the end of the record is certain.
    private(set) var isCut = false
    private var closesNothing = false
    private let isWhole: Bool
    private let delimiter: UInt8
    private let quote: UInt8
    private let lines: CSVDialect

    static let mostCells = 2000
    /// A quote left open by the end of a text that continues is not misplaced, unless it was opened so far before.
    private static let longestCut = 256 << 10
    /// A longer cell with a misplaced quote is no cell.
    private static let longestFlawed = 4096

    /// - Parameter isWhole: whether nothing follows the bytes.
    init(_ bytes: Cell, _ dialect: TrialDialect, isWhole: Bool = true) {
        self.bytes = bytes
        self.isWhole = isWhole
        self.dialect = dialect
        delimiter = dialect.delimiter[0]
        quote = dialect.quote
        lines = dialect.plain
    }

    /// Reads the next record that is not a blank line; false at the end.
    mutating func next() -> Bool {
        while position < bytes.count, lines.isLineEnd(bytes, position) { stepOverLineEnd() }
        guard position < bytes.count else { return false }
        start = position
        width = 0
        cells.removeAll(keepingCapacity: true)
        while true {
            append(cell())
            guard position < bytes.count, isDelimiter(position) else { break }
            position += dialect.delimiter.count
        }
        isCut = position == bytes.count
        if !isCut { stepOverLineEnd() }
        return true
    }

    private mutating func append(_ cell: Field) {
        width += 1
        if cells.count < TrialScanner.mostCells { cells.append(cell) }
    }

    private mutating func stepOverLineEnd() {
        let isReturn = bytes[position] == CSVDialect.carriageReturn
        position += 1
        if isReturn, position < bytes.count, bytes[position] == CSVDialect.lineFeed { position += 1 }
    }

    private func isDelimiter(_ place: Int) -> Bool {
        guard bytes[place] == delimiter else { return false }
        if dialect.delimiter.count == 1 { return true }
        guard place + dialect.delimiter.count <= bytes.count else { return false }
        for (offset, byte) in dialect.delimiter.enumerated() where bytes[place + offset] != byte { return false }
        return true
    }

    private func endsCell(_ place: Int) -> Bool {
        place == bytes.count || isDelimiter(place) || lines.isLineEnd(bytes, place)
    }

    /// The place after the blanks that begin at `place` and separate no cells.
    private func behindBlanks(_ place: Int) -> Int {
        var place = place
        while place < bytes.count, bytes[place] == 0x20 || bytes[place] == 9, !isDelimiter(place) { place += 1 }
        return place
    }

    private mutating func cell() -> Field {
        if quote != CSVDialect.noQuote {
            let opening = behindBlanks(position)
            if opening < bytes.count, bytes[opening] == quote, let cell = quoted(opening) { return cell }
        }
        return plain()
    }

    /// The cell whose quote opens it; nil where nothing closes it.
    private mutating func quoted(_ opening: Int) -> Field? {
        guard !closesNothing else { return nil }
        var cell = Field(start: opening + 1, end: opening + 1, isQuoted: true, isPadded: opening > position)
        var place = opening + 1
        var hasLineEnd = false
        while place < bytes.count {
            let byte = bytes[place]
            if let length = lines.escapeLength(bytes, place) {
                cell.isCoded = true
                place += length
            } else if byte == quote {
                if dialect.escape == nil, place + 1 < bytes.count, bytes[place + 1] == quote {
                    cell.isCoded = true
                    place += 2
                    continue
                }
                let behind = behindBlanks(place + 1)
                if endsCell(behind) {
                    cell.end = place
                    cell.isPadded = cell.isPadded || behind > place + 1
                    position = behind
                    return cell
                }
                // A cell over several lines with quotes inside was not opened here.
                cell.isFlawed = true
                if hasLineEnd { return nil }
                place += 1
            } else {
                if CSVDialect.mayEndLine(byte) {
                    if cell.isFlawed { return nil }
                    hasLineEnd = true
                }
                place += 1
                if cell.isFlawed, place - opening > TrialScanner.longestFlawed { return nil }
            }
        }
        if !isWhole, !cell.isFlawed, bytes.count - opening < TrialScanner.longestCut {
            cell.end = bytes.count
            position = bytes.count
            return cell
        }
        closesNothing = true
        return nil
    }

    private mutating func plain() -> Field {
        var cell = Field(start: position, end: position)
        var place = position
        while place < bytes.count {
            let byte = bytes[place]
            if let length = lines.escapeLength(bytes, place) {
                cell.isCoded = true
                place += length
                continue
            }
            if byte == delimiter || CSVDialect.mayEndLine(byte), endsCell(place) { break }
            if byte == quote { cell.isFlawed = true }
            place += 1
        }
        position = min(place, bytes.count)
        cell.end = position
        return cell
    }

    /// The text of a cell; bytes after its first 200 would not change its look.
    func text(of cell: Field) -> String {
        let part = bytes[cell.start..<min(cell.end, cell.start + 200)]
        guard cell.isCoded else { return String(decoding: part, as: UTF8.self) }
        var plain: [UInt8] = []
        var place = part.startIndex
        while place < part.endIndex {
            let isPair =
                place + 1 < part.endIndex
                && (dialect.escape == nil
                    ? part[place] == quote && part[place + 1] == quote
                    : lines.escapeLength(bytes, place) != nil)
            if isPair { place += 1 }
            plain.append(part[place])
            place += 1
        }
        return String(decoding: plain, as: UTF8.self)
    }

    /// Whether a cell is `\N`, which databases write for missing values.
    func isNull(_ cell: Field) -> Bool {
        cell.end - cell.start == 2 && !cell.isQuoted && bytes[cell.start] == UInt8(ascii: "\\")
            && bytes[cell.start + 1] == UInt8(ascii: "N")
    }

    /// Whether blanks inside a cell, or empty cells between blanks, look like padded columns.
    func isAligned(_ cell: Field) -> Bool {
        guard !cell.isQuoted else { return false }
        return dialect.isBlank
            ? cell.isEmpty : FixedWidthGuess.isPadded(Cell(rebasing: bytes[cell.start..<cell.end]))
    }
}
