/// Reads delimited text record by record and byte by byte: slower than the index, and exact about every quote.
///
/// A field is quoted if it *begins* with the quote (RFC 4180). A quote anywhere else, or one that opens a field and is
/// not properly closed, spoils its physical line and no more: reading continues behind the line, so a single stray
/// quote cannot swallow the file.
package struct CSVRecordScanner {
    /// One field of the record: its bytes without the quotes.
    package struct Field {
        package var start: Int
        package var end: Int
        package var isQuoted: Bool
        /// Whether it must be decoded: it has doubled quotes or escapes.
        var isEncoded: Bool

        /// The field with its quotes.
        var whole: Range<Int> { isQuoted ? start - 1..<end + 1 : start..<end }
    }

    package enum Kind {
        /// A record; its fields are in `fields`.
        case fields
        case blank
        case comment
        /// A quote in a field that does not begin with one.
        case strayQuote
        /// Text after the quote that closes a field.
        case textBehindQuote
        /// A quote that opens a field and is not closed, or is closed only by one that is itself out of place.
        case unclosedQuote
        /// A carriage return inside an unquoted field that ends no line. The fields are known all the same.
        case strayReturn
        /// The bytes end before the record does.
        case unfinished
    }

    struct Record {
        var kind: Kind
        /// Where the next record begins.
        var end: Int
        /// The quote or carriage return to blame.
        var fault: Int
    }

    package var dialect: CSVDialect
    package private(set) var fields: [Field] = []
    /// The limit of stored fields; further fields of a record are read all the same.
    private let most: Int

    package init(dialect: CSVDialect, most: Int = .max) { (self.dialect, self.most) = (dialect, most) }

    /// Reads the record that begins at `start`, within `bytes`. With `isLast`, nothing follows the bytes.
    mutating func scan(_ bytes: Cell, from start: Int, isLast: Bool) -> Record {
        fields.removeAll(keepingCapacity: true)
        let first = bytes[start]
        if first == dialect.comment { return ended(.comment, bytes, lineEnd(bytes, from: start), isLast) }
        if dialect.isLineEnd(bytes, start) { return ended(.blank, bytes, start, isLast) }
        guard dialect.isPlain else { return scanUnusual(bytes, from: start, isLast: isLast) }
        var position = start
        var strayReturn: Int?
        while true {
            if position < bytes.count, bytes[position] == dialect.quote {
                let opening = position
                var isDoubled = false
                var closing = opening + 1
                while true {
                    while closing < bytes.count, bytes[closing] != dialect.quote { closing += 1 }
                    guard closing + 1 < bytes.count, bytes[closing + 1] == dialect.quote else { break }
                    isDoubled = true
                    closing += 2
                }
                guard closing < bytes.count else {
                    return isLast ? spoilt(.unclosedQuote, opening, bytes, isLast) : unfinished(start)
                }
                position = closing + 1
                if position == bytes.count, !isLast { return unfinished(start) }
                append(Field(start: opening + 1, end: closing, isQuoted: true, isEncoded: isDoubled))
                if position < bytes.count, bytes[position] != dialect.delimiter, !dialect.isLineEnd(bytes, position) {
                    let isOneLine = lineEnd(bytes, from: opening) > closing
                    return spoilt(
                        isOneLine ? .textBehindQuote : .unclosedQuote,
                        isOneLine ? closing : opening,
                        bytes,
                        isLast
                    )
                }
            } else {
                let from = position
                while position < bytes.count {
                    let byte = bytes[position]
                    if byte == dialect.delimiter || dialect.isLineEnd(bytes, position) { break }
                    if byte == CSVDialect.carriageReturn { strayReturn = strayReturn ?? position }
                    if byte == dialect.quote { return spoilt(.strayQuote, position, bytes, isLast) }
                    position += 1
                }
                append(Field(start: from, end: position, isQuoted: false, isEncoded: false))
            }
            guard position < bytes.count, bytes[position] == dialect.delimiter else {
                var record = ended(.fields, bytes, position, isLast)
                if let strayReturn, record.kind == .fields { (record.kind, record.fault) = (.strayReturn, strayReturn) }
                return record
            }
            position += 1
        }
    }

    /// Reads the record at a place and moves behind it; nil at the end of the bytes, or if they end before the record.
    mutating func next(in bytes: Cell, at place: inout Int, isLast: Bool = true) -> Record? {
        guard place < bytes.count else { return nil }
        let record = scan(bytes, from: place, isLast: isLast)
        place = record.end
        return record.kind == .unfinished ? nil : record
    }

    @inline(__always)
    mutating func append(_ field: Field) { if fields.count < most { fields.append(field) } }

    /// The record that begins at `start`, with its quote at `opening` given up: it ends with the line of that quote.
    /// The quote spoils the line or, under lenient quotes, is an ordinary character.
    mutating func givingUp(_ opening: Int, from start: Int, in bytes: Cell) -> Record {
        guard dialect.quotes == .lenient else { return spoilt(.unclosedQuote, opening, bytes, true) }
        fields.removeAll(keepingCapacity: true)
        return scanUnusual(bytes, from: start, isLast: true, literal: opening)
    }

    /// The record is spoilt by the quote at `fault`; it ends with the line of that quote.
    func spoilt(_ kind: Kind, _ fault: Int, _ bytes: Cell, _ isLast: Bool) -> Record {
        var record = ended(kind, bytes, lineEnd(bytes, from: fault), isLast)
        record.fault = fault
        return record
    }

    func unfinished(_ start: Int) -> Record { Record(kind: .unfinished, end: start, fault: start) }

    /// Steps over the line end at `position`, if there is one.
    func ended(_ kind: Kind, _ bytes: Cell, _ position: Int, _ isLast: Bool) -> Record {
        guard position < bytes.count else {
            return isLast ? Record(kind: kind, end: position, fault: position) : unfinished(position)
        }
        var end = position + 1
        if bytes[position] == CSVDialect.carriageReturn {
            // Only the next byte shows whether a line feed belongs to it.
            if end == bytes.count, !isLast { return unfinished(position) }
            if end < bytes.count, bytes[end] == CSVDialect.lineFeed { end += 1 }
        }
        return Record(kind: kind, end: end, fault: position)
    }

    func lineEnd(_ bytes: Cell, from start: Int) -> Int {
        var position = start
        while position < bytes.count, !dialect.isLineEnd(bytes, position) { position += 1 }
        return position
    }
}

/// Rare dialects: lenient quotes, escapes, blanks around cells, delimiters of several bytes.
///
/// Each byte is examined a bounded number of times, whatever the text is: an opening quote that is given up ends before
/// the next quote that may open a cell.
extension CSVRecordScanner {
    /// The result of reading from an opening quote.
    private enum Quoted {
        /// A cell, and the place of its delimiter or line end.
        case cell(Field, next: Int)
        /// A quote that opens nothing and is the character that it is.
        case literal
        case textBehind(closing: Int)
        case unclosed
        case unfinished
    }

    /// Reads the record that begins at `start` and is neither blank nor a comment. A quote at `literal` opens no cell.
    mutating func scanUnusual(_ bytes: Cell, from start: Int, isLast: Bool, literal: Int? = nil) -> Record {
        var position = start
        var strayReturn: Int?
        while true {
            let opening = dialect.skippingBlanks(bytes, from: position)
            var quoted = Quoted.literal
            if opening < bytes.count, bytes[opening] == dialect.quote, opening != literal {
                quoted = quotedCell(bytes, opening, isLast)
            }
            switch quoted {
            case .cell(let field, let next):
                append(field)
                position = next
            case .textBehind(let closing): return spoilt(.textBehindQuote, closing, bytes, isLast)
            case .unclosed: return spoilt(.unclosedQuote, opening, bytes, isLast)
            case .unfinished: return unfinished(start)
            case .literal:
                var field = Field(start: opening, end: opening, isQuoted: false, isEncoded: false)
                position = opening
                while position < bytes.count {
                    let byte = bytes[position]
                    if let length = dialect.escapeLength(bytes, position) {
                        field.isEncoded = true
                        position += length
                        continue
                    }
                    if dialect.isDelimiter(bytes, position) || dialect.isLineEnd(bytes, position) { break }
                    if byte == CSVDialect.carriageReturn { strayReturn = strayReturn ?? position }
                    if byte == dialect.quote, dialect.quotes == .strict {
                        return spoilt(.strayQuote, position, bytes, isLast)
                    }
                    position += 1
                }
                field.end = dialect.trimmedEnd(bytes, opening..<position)
                append(field)
            }
            guard position < bytes.count, dialect.isDelimiter(bytes, position) else {
                var record = ended(.fields, bytes, position, isLast)
                if let strayReturn, record.kind == .fields { (record.kind, record.fault) = (.strayReturn, strayReturn) }
                return record
            }
            position += dialect.delimiterLength
        }
    }

    /// Searches for the quote that closes a cell.
    ///
    /// A quote closes the cell where a delimiter, a line end or the end of the text follows. Under lenient quotes, another one is the
    /// character it is; from there on the cell has to end on its line, and before a quote that opens a cell.
    private func quotedCell(_ bytes: Cell, _ opening: Int, _ isLast: Bool) -> Quoted {
        let isLenient = dialect.quotes == .lenient
        var field = Field(start: opening + 1, end: opening + 1, isQuoted: true, isEncoded: false)
        var hasStray = false
        var position = opening + 1
        while position < bytes.count {
            if let length = dialect.escapeLength(bytes, position) {
                field.isEncoded = true
                position += length
                continue
            }
            guard bytes[position] == dialect.quote else {
                if hasStray, dialect.isLineEnd(bytes, position) { return .literal }
                position += 1
                continue
            }
            if position + 1 < bytes.count, bytes[position + 1] == dialect.quote {
                if hasStray, opensCell(bytes, position) { return .literal }
                field.isEncoded = true
                position += 2
                continue
            }
            let next = dialect.skippingBlanks(bytes, from: position + 1)
            // The bytes after the quote may not be there yet.
            if !isLast, bytes.count - next < dialect.delimiterLength { return .unfinished }
            if next == bytes.count || dialect.isDelimiter(bytes, next) || dialect.isLineEnd(bytes, next) {
                field.end = position
                return .cell(field, next: next)
            }
            if !isLenient {
                return lineEnd(bytes, from: opening) > position ? .textBehind(closing: position) : .unclosed
            }
            if opensCell(bytes, position) { return .literal }
            hasStray = true
            position += 1
        }
        guard isLast else { return .unfinished }
        return isLenient ? .literal : .unclosed
    }

    /// Whether a quote is at the beginning of a cell.
    private func opensCell(_ bytes: Cell, _ quote: Int) -> Bool {
        let end = dialect.trimmedEnd(bytes, 0..<quote)
        if end == 0 || CSVDialect.mayEndLine(bytes[end - 1]) { return true }
        let start = end - dialect.delimiterLength
        return start >= 0 && dialect.isDelimiter(bytes, start)
    }
}
