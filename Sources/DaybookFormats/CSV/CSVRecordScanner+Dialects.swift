/// The dialects that few files are written in: lenient quotes, escapes, blanks around cells, delimiters of several bytes.
///
/// Each byte is looked at a bounded number of times, whatever the text is: an opening quote that is given up ends before the
/// next one that may open a cell.
extension CSVRecordScanner {
    /// What the text at an opening quote turns out to be.
    private enum Quoted {
        /// A cell, and where its delimiter or its line end stands.
        case cell(Field, next: Int)
        /// A quote that opens nothing and is the character that it is.
        case literal
        case textBehind(closing: Int)
        case unclosed
        case unfinished
    }

    /// Reads the record that begins at `start` and is neither blank nor a comment. A quote at `literal` opens no cell.
    mutating func scanUnusual(
        _ bytes: UnsafeBufferPointer<UInt8>,
        from start: Int,
        isLast: Bool,
        literal: Int? = nil
    ) -> Record {
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

    /// Looks for the quote that closes the cell which one opens.
    ///
    /// A quote closes the cell where a delimiter, a line end or the end of the text follows. Under lenient quotes, another one is the
    /// character it is; from there on the cell has to end on its line, and before a quote that opens a cell.
    private func quotedCell(_ bytes: UnsafeBufferPointer<UInt8>, _ opening: Int, _ isLast: Bool) -> Quoted {
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
            // What follows the quote may not be there yet.
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

    /// Whether a quote stands where a cell begins.
    private func opensCell(_ bytes: UnsafeBufferPointer<UInt8>, _ quote: Int) -> Bool {
        let end = dialect.trimmedEnd(bytes, 0..<quote)
        if end == 0 || CSVDialect.mayEndLine(bytes[end - 1]) { return true }
        let start = end - dialect.delimiterLength
        return start >= 0 && dialect.isDelimiter(bytes, start)
    }
}
