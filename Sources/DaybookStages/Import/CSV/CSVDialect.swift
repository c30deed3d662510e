import DaybookCore

/// How a delimited file is written.
struct CSVDialect: Sendable, Hashable {
    var delimiter: UInt8 = UInt8(ascii: ",")
    /// The quote, or 0xFF, which no UTF-8 text holds, when the file knows none.
    var quote: UInt8 = UInt8(ascii: "\"")
    /// Lines that begin with this byte are passed over.
    var comment: UInt8?
    /// What ends lines, and with them records.
    var lineEnd = LineEnd.feed

    static let lineFeed = UInt8(ascii: "\n")
    static let carriageReturn = UInt8(ascii: "\r")
    static let noQuote: UInt8 = 0xFF

    /// What separates cells in nearly all files.
    static let commonDelimiters = [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t"), UInt8(ascii: "|")]

    /// Whether a byte ends a line somewhere.
    @inline(__always)
    static func mayEndLine(_ byte: UInt8) -> Bool { byte == lineFeed || byte == carriageReturn }

    /// Whether a line ends at a byte: with LF, with the CR before one or at the very end of the bytes, and with any CR where
    /// lines end so.
    @inline(__always)
    func isLineEnd(_ bytes: UnsafeBufferPointer<UInt8>, _ place: Int) -> Bool {
        let byte = bytes[place]
        if byte == CSVDialect.lineFeed { return true }
        guard byte == CSVDialect.carriageReturn else { return false }
        return lineEnd == .carriageReturn || place + 1 == bytes.count || bytes[place + 1] == CSVDialect.lineFeed
    }

    /// Where a cell stands in a record whose quotes are all in place, its own quotes included; nil when it is not there.
    func range(ofCell wanted: Int, in record: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
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

    /// The delimiter that splits the first lines most evenly, or nil when none does.
    ///
    /// A candidate that gives every line the same number of fields, more than one, wins by that number.
    static func likelyDelimiter(of head: UnsafeBufferPointer<UInt8>, dialect: CSVDialect) -> UInt8? {
        var best: (delimiter: UInt8, fields: Int)?
        for candidate in commonDelimiters {
            var scanner = CSVRecordScanner(dialect: dialect)
            scanner.dialect.delimiter = candidate
            var counts: Set<Int> = []
            var position = 0
            for _ in 0..<50 {
                guard position < head.count else { break }
                let record = scanner.scan(head, from: position, isLast: true)
                // The last record of a head may be cut short, so it has no say unless it is the only one.
                guard record.end < head.count || counts.isEmpty else { break }
                if record.kind == .fields { counts.insert(scanner.fields.count) }
                position = record.end
            }
            if counts.count == 1, let fields = counts.first, fields > 1, fields > best?.fields ?? 0 {
                best = (candidate, fields)
            }
        }
        return best?.delimiter
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

/// The character that separates the cells of a file that is written.
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
