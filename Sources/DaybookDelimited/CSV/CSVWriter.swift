extension TextPiece {
    /// The piece in another encoding, without the rows that it cannot represent. `ends` are the ends of rows in bytes.
    package func encoded(_ encoding: TextEncoding, _ ends: [Int], _ findings: inout Findings) -> TextPiece {
        guard !encoding.isUTF8, let encoder = try? EncodingWriter(encoding) else { return self }
        let token = findings.token(.notInEncoding)
        let out = Bytes(capacity: bytes.count)
        var written = 0
        var start = 0
        for (row, end) in ends.enumerated() {
            var isWhole = true
            let before = out.count
            encoder.encode(bytes, start..<end, into: out) { _ in isWhole = false }
            if isWhole {
                written += 1
            } else {
                out.count = before
                findings.reject(row, token)
            }
            start = end
        }
        return TextPiece(bytes: out, rows: written)
    }
}

/// Concatenates the header and the pieces, or puts them in the places of old rows.
public struct CSVWriter: SinkWriter {
    public private(set) var writtenRows = 0
    private let header: Bytes?
    private let encoding: TextEncoding
    private let lineEnds: CSVWriteSettings.LineEnds
    /// The file to append to; nil for an output of its own.
    private let extended: ExtendedText?
    private let place: SourcePlace?
    /// Checks the end of the base file; nil in an encoding whose bytes differ from UTF-8.
    private let ending: CSVEnding?
    /// Puts rows in the places of old ones; nil if they come behind them.
    private var replacing: ReplacedText?
    public var groups: SinkGroups? { replacing?.groups }

    init(_ options: CSVWriteSettings, _ schema: Schema, extending base: BaseFile?, of output: PathText) {
        header = options.header ? CSVRowWriter(options).header(schema) : nil
        encoding = options.encoding
        lineEnds = options.lineEnds
        extended = base.map { ExtendedText($0, name: output.text) }
        place = output.place
        ending = encoding.isUTF8 ? CSVEnding(options.dialect, width: schema.fields.count) : nil
    }

    init(_ options: CSVWriteSettings, replacingBy columns: [Int], in context: SinkContext, of output: PathText)
        throws(DaybookError)
    {
        self.init(options, context.schema, extending: context.base, of: output)
        let width = context.schema.fields.count
        let keys = CSVKeys(columns: columns, width: width, dialect: options.dialect)
        replacing = try ReplacedText(
            of: output,
            in: context,
            lineEnd: Array((lineEnds == .lf ? "\n" : "\r\n").utf8),
            replacing: columns.map { ColumnName(context.schema.fields[$0].name) },
            refusing: "a quote out of place, or another number of cells than \(width),",
            scan: { keys.scan($0, isLast: $1, &$2) }
        )
    }

    public mutating func begin(_ out: any ByteOutput) throws(DaybookError) {
        let head = Bytes()
        head.append(encoding.mark)
        // Made even without a header, so that a missing encoding is reported before a row is written.
        let encoder = try EncodingWriter(encoding)
        var isWhole = true
        if let header { encoder.encode(header, 0..<header.count, into: head) { _ in isWhole = false } }
        guard isWhole else {
            let message = "a column name has a character that \(encoding.name) does not have"
            throw DaybookError("not-in-encoding", message, hint: "rename the column, or write another encoding")
        }
        var ending = ending
        let ends = ends(encoder)
        if replacing != nil {
            if let edges = try extended?.edges() { try check(edges, head.array, ends[0]) }
            return try out.write(head)
        }
        let goesOn = try extended?.copy(to: out, endingLinesBy: ends) { (edges) throws(DaybookError) in
            try check(edges, head.array, ends[0])
            ending?.note(edges)
        } pass: {
            ending?.pass($0)
        }
        guard goesOn == true else { return try out.write(head) }
        try ending?.check(at: place)
    }

    /// The permitted line ends in the encoding, the written one first.
    private func ends(_ encoder: EncodingWriter) -> [[UInt8]] {
        [lineEnds == .lf ? "\n" : "\r\n", "\n"].map { text in
            let bytes = Bytes()
            let end = Bytes(text)
            encoder.encode(end, 0..<end.count, into: bytes) { _ in }
            return bytes.array
        }
    }

    /// Refuses a file that begins otherwise than this output would.
    private func check(_ edges: ExtendedText.Edges, _ head: [UInt8], _ end: [UInt8]) throws(DaybookError) {
        let start = edges.first[...]
        // A file may have nothing but a header, without a line end.
        guard !start.starts(with: head), start != head.dropLast(end.count) else { return }
        let line = { (bytes: ArraySlice<UInt8>) in
            let text = String(decoding: bytes.prefix(400).prefix { $0 != 0x0a && $0 != 0x0d }, as: UTF8.self)
            return String(
                text.unicodeScalars.filter { $0.properties.generalCategory != .control && $0 != "\u{FEFF}" }.prefix(200)
                    .map(Character.init)
            )
        }
        guard line(start) != line(head[...]) else {
            let mark = TextEncoding.utf8WithMark.mark
            let (what, option) =
                switch (start.starts(with: mark), head.starts(with: mark)) {
                case (true, false): ("it has a byte-order mark, and this output has none", "encoding")
                case (false, true): ("it has no byte-order mark, and this output has one", "encoding")
                case (false, false) where start.contains(0) != head.contains(0):
                    ("its encoding is another than that of this output", "encoding")
                default: ("its lines end in another way than those of this output", "line_ends")
                }
            let message = "the file that is there has the columns of the rows, but \(what)"
            let hint = "set '\(option)' as the file has it, or move the old file away"
            throw DaybookError("columns-differ", message, at: place, hint: hint)
        }
        let message =
            "the file that is there begins with '\(line(start))', and the rows have '\(line(head[...]))'"
        let hint =
            "make the columns alike with select_columns and rename_columns, and its options; or move the old file away"
        // Without its header, the file begins with a row.
        throw DaybookError("columns-differ", message, at: place, hint: hint).quotingData
    }

    public mutating func append(_ piece: TextPiece, input: Int, to out: any ByteOutput) throws(DaybookError) {
        writtenRows += piece.rows
        if replacing == nil { return try out.write(piece.bytes) }
        try replacing?.add(piece.bytes)
    }

    public mutating func finish(_ run: RunSummary, _ out: any ByteOutput) throws(DaybookError) {
        try replacing?.write(to: out, behindHeader: header == nil ? 0 : 1)
    }
}

extension Finding.Kind {
    static let notInEncoding =
        Finding.Kind("not-in-encoding", "the row has a character that the encoding does not have")
}

/// How rows are written as delimited text.
package struct CSVWriteSettings: Sendable {
    package enum Quoting: String, OptionChoice { case needed, all }

    package enum LineEnds: String, OptionChoice { case lf, crlf }

    package enum Formulas: String, OptionChoice { case keep, escape }

    package var dialect = CSVDialect()
    package var header = true
    package var quoting = Quoting.needed
    package var lineEnds = LineEnds.lf
    package var missing = ""
    package var formulas = Formulas.keep
    package var encoding = TextEncoding.utf8

    package init() {}
}

/// Examines the end of a file of rows to be extended, while the file is copied.
struct CSVEnding {
    private let dialect: CSVDialect
    /// How many cells a row has.
    private let width: Int
    /// The end of the file, and whether that is all of it.
    private var tail: (bytes: [UInt8], isWhole: Bool) = ([], true)

    /// Whether a quoted text is open at the end of the bytes so far.
    private var isQuoted = false
    /// The bytes so far, and the place of the quote that closed a text: a quote right behind it opens the text again.
    private var position = 0
    private var closing = -2
    private var previous = CSVDialect.lineFeed
    /// The start of the first cell: after the UTF-8 byte-order mark, if there is one.
    private var textStart = 0

    private static let mark = TextEncoding.utf8WithMark.mark

    init(_ dialect: CSVDialect, width: Int) { (self.dialect, self.width) = (dialect, width) }

    mutating func note(_ edges: ExtendedText.Edges) { tail = (edges.last, edges.isWhole) }

    mutating func pass(_ bytes: Cell) {
        if position == 0, bytes.starts(with: CSVEnding.mark) { textStart = CSVEnding.mark.count }
        var start = 0
        while let index = bytes[start...].firstIndex(of: dialect.quote) {
            if isQuoted {
                (isQuoted, closing) = (false, position + index)
            } else {
                let before = index == 0 ? previous : bytes[index - 1]
                // A quote within an unquoted text is an ordinary character.
                isQuoted =
                    closing == position + index - 1 || before == dialect.delimiter || CSVDialect.mayEndLine(before)
                    || position + index == textStart
            }
            start = index + 1
        }
        position += bytes.count
        if let last = bytes.last { previous = last }
    }

    /// Refuses an end that is not the end of a row.
    func check(at place: SourcePlace?) throws(DaybookError) {
        if isQuoted { throw torn("ends within a quoted text, of which new rows would become a part", at: place) }
        guard let record = lastRecord, !record.isEmpty else { return }
        var scanner = CSVRecordScanner(dialect: dialect)
        let kind = record.withUnsafeBufferPointer { scanner.scan($0, from: 0, isLast: true).kind }
        switch kind {
        case .blank, .comment: return
        case .fields, .strayReturn:
            let count = scanner.fields.count
            guard count != width else { return }
            throw torn("has \(DisplayText.count(count, "cell")) in its last row, and the rows have \(width)", at: place)
        default: throw torn("has a quote out of place in its last row", at: place)
        }
    }

    /// The last row without its line end; nil if it is longer than the known end.
    private var lastRecord: ArraySlice<UInt8>? {
        guard let end = tail.bytes.lastIndex(where: { !CSVDialect.mayEndLine($0) }) else { return nil }
        // No text is open at the end, so a line end is a row end if an even number of quotes follows.
        var isPaired = true
        for index in (0...end).reversed() {
            let byte = tail.bytes[index]
            if byte == dialect.quote { isPaired.toggle() }
            if isPaired, byte == CSVDialect.lineFeed { return tail.bytes[(index + 1)...end] }
        }
        guard tail.isWhole else { return nil }
        return tail.bytes[(tail.bytes.starts(with: CSVEnding.mark) ? CSVEnding.mark.count : 0)...end]
    }

    private func torn(_ what: String, at place: SourcePlace?) -> DaybookError {
        let hint = "mend or take out its last row, or move the old file away"
        return DaybookError("torn-line", "the file that is there \(what)", at: place, hint: hint)
    }
}

/// Finds the keys of records in delimited text.
struct CSVKeys: Sendable {
    let columns: [Int]
    let width: Int
    let dialect: CSVDialect

    /// Adds each whole record to `runs`, with its key and its range.
    ///
    /// - Returns: the end of the last whole record; nil if a quote is out of place, or a record has too few cells.
    func scan(_ bytes: Cell, isLast: Bool, _ runs: inout KeyRuns) -> Int? {
        guard let base = bytes.baseAddress, let index = CSVIndex(base, bytes.count, dialect, isLast: isLast) else {
            return nil
        }
        let built = Bytes()
        var start = 0
        for record in 0..<index.found.records {
            let cells = index.cells(of: record)
            let end = min(Int(index.buffer.positions[cells.upperBound - 1]) + 1, bytes.count)
            guard cells.count == width else { return nil }
            let first = index.range(of: cells.lowerBound + columns[0], in: bytes)
            if columns.count == 1, first.isEmpty || bytes[first.lowerBound] != dialect.quote {
                guard runs.add(Cell(rebasing: bytes[first]), start..<end) else { return start }
            } else {
                built.removeAll()
                for (place, column) in columns.enumerated() {
                    if place > 0 { built.append(0) }
                    append(bytes, index.range(of: cells.lowerBound + column, in: bytes), to: built)
                }
                guard runs.add(built.filled, start..<end) else { return start }
            }
            start = end
        }
        return index.length
    }

    /// Appends a cell without its quotes.
    private func append(_ bytes: Cell, _ range: Range<Int>, to key: Bytes) {
        guard let first = range.first, bytes[first] == dialect.quote else {
            return key.append(Cell(rebasing: bytes[range]))
        }
        var isDoubled = false
        for place in range.dropFirst().dropLast() {
            isDoubled = bytes[place] == dialect.quote && !isDoubled
            if !isDoubled { key.append(bytes[place]) }
        }
    }
}
