/// How a delimited file is written.
package struct CSVDialect: Sendable, Hashable {
    /// The treatment of a misplaced quote: it spoils its line, or is an ordinary character.
    package enum Quotes: String, OptionChoice { case strict, lenient }

    /// The delimiter, or the first byte of one that has several.
    package var delimiter: UInt8 = UInt8(ascii: ",")
    package var delimiterTail = DelimiterTail()
    /// The quote, or 0xFF, which no UTF-8 text has, if the file uses none.
    package var quote: UInt8 = UInt8(ascii: "\"")
    package var quotes = Quotes.strict
    /// The byte after which a quote, a delimiter, a line end or the byte itself is part of the cell; nil without one.
    package var escape: UInt8?
    /// Whether blanks around a cell are no part of it.
    package var trims = false
    /// Lines that begin with this byte are passed over.
    package var comment: UInt8?
    /// The kind of line ends, which also end records.
    package var lineEnd = LineEnd.feed

    package static let lineFeed = UInt8(ascii: "\n")
    package static let carriageReturn = UInt8(ascii: "\r")
    package static let noQuote: UInt8 = 0xFF

    /// The delimiters of nearly all files.
    static let commonDelimiters = [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t"), UInt8(ascii: "|")]

    /// Whether it is as RFC 4180 has it, whatever delimiter and quote are.
    @inline(__always)
    var isPlain: Bool { quotes == .strict && escape == nil && !trims && delimiterTail.count == 0 }

    /// Whether a byte ends a line somewhere.
    @inline(__always)
    package static func mayEndLine(_ byte: UInt8) -> Bool { byte == lineFeed || byte == carriageReturn }

    /// Whether a byte of a cell requires quotes around it.
    @inline(__always)
    func needsQuotes(_ byte: UInt8) -> Bool { byte == delimiter || byte == quote || CSVDialect.mayEndLine(byte) }

    /// Whether a line ends at a byte: at LF, at a CR before an LF or at the very end of the bytes, and at any CR if
    /// lines end in CR.
    @inline(__always)
    func isLineEnd(_ bytes: Cell, _ place: Int) -> Bool {
        let byte = bytes[place]
        if byte == CSVDialect.lineFeed { return true }
        guard byte == CSVDialect.carriageReturn else { return false }
        return lineEnd == .carriageReturn || place + 1 == bytes.count || bytes[place + 1] == CSVDialect.lineFeed
    }

    /// The range of a cell, its own quotes included, in a record whose quotes are all in place; nil if there is none.
    package func range(ofCell wanted: Int, in record: Cell) -> Range<Int>? {
        guard isPlain else {
            guard !record.isEmpty else { return nil }
            var scanner = CSVRecordScanner(dialect: self, most: wanted + 1)
            _ = scanner.scan(record, from: 0, isLast: true)
            return wanted < scanner.fields.count ? scanner.fields[wanted].whole : nil
        }
        var position = 0
        var cell = 0
        while true {
            let start = position
            if position < record.count, record[position] == quote {
                position += 1
                while position < record.count {
                    if record[position] == quote {
                        position += 1
                        // A doubled quote does not close the cell.
                        guard position < record.count, record[position] == quote else { break }
                    }
                    position += 1
                }
            } else {
                while position < record.count, record[position] != delimiter, !isLineEnd(record, position) {
                    position += 1
                }
            }
            if cell == wanted { return start..<position }
            guard position < record.count, record[position] == delimiter else { return nil }
            position += 1
            cell += 1
        }
    }

    /// The delimiter that splits the first lines most evenly, or nil if none does.
    ///
    /// A candidate that splits every line into the same number of fields, more than one, wins by that number.
    static func likelyDelimiter(of head: Cell, dialect: CSVDialect) -> UInt8? {
        var best: (delimiter: UInt8, fields: Int)?
        for candidate in commonDelimiters {
            var scanner = CSVRecordScanner(dialect: dialect)
            scanner.dialect.delimiter = candidate
            var counts: Set<Int> = []
            var position = 0
            for _ in 0..<50 {
                // The last record of a head may be cut short, so it does not count unless it is the only one.
                guard let record = scanner.next(in: head, at: &position), position < head.count || counts.isEmpty
                else { break }
                if record.kind == .fields { counts.insert(scanner.fields.count) }
            }
            if counts.count == 1, let fields = counts.first, fields > 1, fields > best?.fields ?? 0 {
                best = (candidate, fields)
            }
        }
        return best?.delimiter
    }
}

/// The cell boundaries of unusual dialects, and the decoded text of their cells.
extension CSVDialect {
    /// Whether a delimiter begins at a byte.
    @inline(__always)
    package func isDelimiter(_ bytes: Cell, _ place: Int) -> Bool {
        bytes[place] == delimiter && (delimiterTail.count == 0 || delimiterTail.stands(in: bytes, place + 1))
    }

    /// The bytes of a delimiter.
    var delimiterLength: Int { 1 + Int(delimiterTail.count) }

    /// Whether a byte is a blank outside any cell.
    @inline(__always)
    private func isBlank(_ byte: UInt8) -> Bool { (byte == 0x20 || byte == 0x09) && byte != delimiter && byte != quote }

    /// The place after the blanks at a place, if blanks are no part of cells.
    @inline(__always)
    func skippingBlanks(_ bytes: Cell, from place: Int) -> Int {
        guard trims else { return place }
        var place = place
        while place < bytes.count, isBlank(bytes[place]) { place += 1 }
        return place
    }

    /// Whether there is nothing but blanks before a line end.
    func isBlankLine(_ bytes: Cell, _ line: Range<Int>) -> Bool {
        let end = skippingBlanks(bytes, from: line.lowerBound)
        return end >= line.upperBound || CSVDialect.mayEndLine(bytes[end])
    }

    /// The end of a cell without the blanks before it, where blanks are no part of cells.
    @inline(__always)
    func trimmedEnd(_ bytes: Cell, _ cell: Range<Int>) -> Int {
        guard trims else { return cell.upperBound }
        var end = cell.upperBound
        while end > cell.lowerBound, isBlank(bytes[end - 1]) { end -= 1 }
        return end
    }

    /// The length in bytes of an escape with the character it escapes; nil if there is none.
    ///
    /// A quote, delimiter, line end and the escape itself are escaped. Before anything else an escape is plain text.
    @inline(__always)
    func escapeLength(_ bytes: Cell, _ place: Int) -> Int? {
        guard bytes[place] == escape, place + 1 < bytes.count else { return nil }
        let next = bytes[place + 1]
        if next == CSVDialect.carriageReturn {
            return place + 2 < bytes.count && bytes[place + 2] == CSVDialect.lineFeed ? 3 : 2
        }
        if next == quote || next == escape || next == CSVDialect.lineFeed { return 2 }
        // Of a delimiter of several characters, MySQL escapes the first, wherever it occurs.
        if next == delimiter, next < 0x80 { return 2 }
        return isDelimiter(bytes, place + 1) ? 1 + delimiterLength : nil
    }

    /// Decodes the bytes of a cell into `target`, which has capacity for as many, and returns the length of the text.
    func decode(_ cell: Cell, isQuoted: Bool, to target: UnsafeMutablePointer<UInt8>) -> Int {
        var (place, length) = (0, 0)
        while place < cell.count {
            var count = 1
            if let escaped = escapeLength(cell, place) {
                place += 1
                count = escaped - 1
            } else if isQuoted, cell[place] == quote, place + 1 < cell.count, cell[place + 1] == quote {
                place += 1
            }
            for _ in 0..<count {
                target[length] = cell[place]
                length += 1
                place += 1
            }
        }
        return length
    }
}

/// The bytes of a delimiter after its first: none in nearly all files.
package struct DelimiterTail: Sendable, Hashable, BitwiseCopyable {
    private var bytes: UInt64 = 0
    private(set) var count: UInt8 = 0

    package static let most = 7

    package init() {}

    /// At most seven bytes.
    package init(_ tail: some Collection<UInt8>) {
        for byte in tail.prefix(DelimiterTail.most) {
            bytes |= UInt64(byte) << UInt64(8 * count)
            count += 1
        }
    }

    subscript(index: Int) -> UInt8 { UInt8(truncatingIfNeeded: bytes >> UInt64(8 * index)) }

    func stands(in text: Cell, _ place: Int) -> Bool {
        guard text.count - place >= Int(count) else { return false }
        for index in 0..<Int(count) where text[place + index] != self[index] { return false }
        return true
    }
}

/// One ASCII character, or `none`.
struct OneByte: OptionValue {
    let byte: UInt8?

    init(_ byte: UInt8) { self.byte = byte }

    static var kind: OptionKind { .text }
    static var placeholder: OneByte { OneByte(0) }

    init(reading node: OptionNode) throws(DaybookError) {
        if node.text == "none" {
            byte = nil
        } else if let byte = OneByte.byte(of: node) {
            self.byte = byte
        } else {
            throw node.expected("one ASCII character, tab or none")
        }
    }

    var written: String { byte.map { String(Character(UnicodeScalar($0))) } ?? "none" }

    /// The character that a node names, unless it ends lines or is NUL, which no text holds.
    static func byte(of node: OptionNode) -> UInt8? {
        if node.text == "tab" || node.text == "\\t" { return 9 }
        guard let text = node.text, text.utf8.count == 1, let byte = text.utf8.first else { return nil }
        return [0, CSVDialect.lineFeed, CSVDialect.carriageReturn].contains(byte) ? nil : byte
    }
}

/// The character that separates the cells of an output file.
struct CellDelimiter: OptionValue {
    let byte: UInt8

    init(_ byte: UInt8) { self.byte = byte }

    static var kind: OptionKind { .text }
    static var placeholder: CellDelimiter { CellDelimiter(0) }

    init(reading node: OptionNode) throws(DaybookError) {
        guard let byte = OneByte.byte(of: node) else { throw node.expected("one ASCII character or tab") }
        self.byte = byte
    }

    var written: String { OneByte(byte).written }
}

/// The options of an import of delimited text that its format and its reader use.
package struct CSVReadSettings: Sendable {
    /// The source of the column names.
    package enum Header: Sendable, Hashable {
        case present, absent
        case names([String])
    }

    package enum Delimiter: Sendable, Hashable {
        /// One to eight bytes.
        case text([UInt8])
        case auto
    }

    /// The treatment of a row that repeats the header.
    enum Repeated: String, OptionChoice { case reject, skip, keep }

    /// The treatment of a row whose number of cells differs from the header's: for fewer, `pad` adds missing cells; for
    /// more, `extend` does that too and adds columns for them.
    enum Ragged: String, OptionChoice { case reject, pad, extend }

    /// The treatment of a row of delimiters only.
    enum BlankRows: String, OptionChoice { case keep, skip, reject }

    /// The treatment of a file with a second table: refused, or its rows are read as rows of the first table.
    enum SecondHeader: String, OptionChoice { case refuse, keep }

    var delimiter: Delimiter = .auto
    /// Whether the job sets the delimiter, rather than leaving it to the file.
    var namesDelimiter = false
    var header: Header = .present
    /// Whether the job declares a header, rather than leaving it to the default.
    var namesHeader = false
    /// The columns that the job names.
    var named: [String] = []
    /// How many rows the header has.
    var headerRows = 1
    /// The separator between the names of several header rows.
    var headerSeparator = " "
    /// The treatment of rows that repeat the header.
    var repeated = Repeated.reject
    var secondHeader = SecondHeader.refuse
    var skipLines = 0
    /// How many records at the end of a file are no rows.
    var skipFooter = 0
    var ragged = Ragged.reject
    /// Nil if the job does not set it; then blank rows are kept, with a warning.
    var blankRows: BlankRows?
    /// The number of columns if rows are extended; nil if the head of the file decides.
    var width: Int?
    var dialect = CSVDialect()
    /// The spellings of a missing value.
    var missing = [""]
    /// Whether a quoted cell is missing too where it is spelled so.
    var missesQuoted = false
    /// The number formats of columns that hold numbers.
    var numbers = NumberFormats.placeholder
}
