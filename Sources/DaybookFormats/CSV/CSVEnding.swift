/// How a file of rows ends that new rows are to come behind: looked at while the file is copied.
struct CSVEnding {
    private let dialect: CSVDialect
    /// How many cells a row has.
    private let width: Int
    /// The end of the file, and whether that is all of it.
    private var tail: (bytes: [UInt8], isWhole: Bool) = ([], true)

    /// Whether a quoted text is open behind the bytes so far.
    private var isQuoted = false
    /// The bytes so far, and where the quote stood among them that closed a text: one right behind it opens the text again.
    private var position = 0
    private var closing = -2
    private var previous = CSVDialect.lineFeed
    /// Where the first cell begins: behind the mark of UTF-8, where there is one.
    private var textStart = 0

    private static let mark = TextEncoding.utf8WithMark.mark

    init(_ dialect: CSVDialect, width: Int) { (self.dialect, self.width) = (dialect, width) }

    mutating func note(_ edges: ExtendedText.Edges) { tail = (edges.last, edges.isWhole) }

    mutating func pass(_ bytes: UnsafeBufferPointer<UInt8>) {
        if position == 0, bytes.starts(with: CSVEnding.mark) { textStart = CSVEnding.mark.count }
        var start = 0
        while let index = bytes[start...].firstIndex(of: dialect.quote) {
            if isQuoted {
                (isQuoted, closing) = (false, position + index)
            } else {
                let before = index == 0 ? previous : bytes[index - 1]
                // A quote within a text that none has opened is a character of it.
                isQuoted =
                    closing == position + index - 1 || before == dialect.delimiter || CSVDialect.mayEndLine(before)
                    || position + index == textStart
            }
            start = index + 1
        }
        position += bytes.count
        if let last = bytes.last { previous = last }
    }

    /// Refuses an end that is not that of a row.
    func check(at place: SourcePlace?) throws(DaybookError) {
        if isQuoted {
            throw torn("ends within a quoted text, of which new rows would become a part", at: place)
        }
        guard let record = lastRecord, !record.isEmpty else { return }
        var scanner = CSVRecordScanner(dialect: dialect)
        let kind = record.withUnsafeBufferPointer { scanner.scan($0, from: 0, isLast: true).kind }
        switch kind {
        case .blank, .comment: return
        case .fields, .strayReturn:
            let count = scanner.fields.count
            guard count != width else { return }
            throw torn("has \(Spoken.count(count, "cell")) in its last row, and the rows have \(width)", at: place)
        default: throw torn("has a quote out of place in its last row", at: place)
        }
    }

    /// The last row without what ends it; nil where it is longer than what is known of the end.
    private var lastRecord: ArraySlice<UInt8>? {
        guard let end = tail.bytes.lastIndex(where: { !CSVDialect.mayEndLine($0) }) else { return nil }
        // No text is open at the end, so a line ends a row where the quotes behind it are in pairs.
        var isPaired = true
        for index in (0...end).reversed() {
            let byte = tail.bytes[index]
            if byte == dialect.quote { isPaired.toggle() }
            if isPaired, byte == CSVDialect.lineFeed { return tail.bytes[(index + 1)...end] }
        }
        guard tail.isWhole else { return nil }
        let hasMark = tail.bytes.starts(with: CSVEnding.mark)
        return tail.bytes[(hasMark ? CSVEnding.mark.count : 0)...end]
    }

    private func torn(_ what: String, at place: SourcePlace?) -> DaybookError {
        DaybookError(
            "torn-line",
            "the file that is to be added to \(what)",
            at: place,
            hint: "mend or take out its last row, or move the old file away"
        )
    }
}
