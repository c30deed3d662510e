/// How a delimited text is most likely written.
package struct CSVGuess {
    /// What a way of writing makes of the first records.
    package struct Reading {
        package var dialect: CSVDialect
        /// The cells of each record, or nil for one whose quotes are out of place.
        package var records: [(cells: [CSVCellSample], line: Int)?] = []
        /// The number of cells that most records have.
        package var width = 0
        /// How many of them are looked at.
        var seenWidth: Int { min(width, CSVGuess.mostCells) }
        /// How many records have it.
        package var regular = 0
        /// What speaks for the quote of the dialect, and what against it.
        package var quotes = CSVQuoteEvidence()
        package var share: Double { records.isEmpty ? 0 : Double(regular) / Double(records.count) }
    }

    package let reading: Reading
    /// Lines above the first record of the usual width.
    let preamble: Int
    package let header: CSVHeaderGuess
    /// The names of a header that has too few or too many of them for its rows, made fit.
    let mendedNames: [String]?
    package let comment: UInt8?
    /// What stands as often in every line, and is none of the common delimiters.
    package private(set) var odd: OddDelimiter?
    /// Whether the text begins as JSON and property lists do, whose lines may have as many commas each.
    private(set) var looksLikeJSON = false

    private static let quotes: [UInt8] = [UInt8(ascii: "\""), UInt8(ascii: "'"), CSVDialect.noQuote]
    private static let mostRecords = 500
    private static let mostCells = 2000
    private static let mostPreamble = 20

    /// Tries all ways of writing; nil when none makes a table of the text.
    package static func of(_ text: FoundText) -> CSVGuess? {
        defer { withExtendedLifetime(text.bytes) {} }
        let bytes = text.bytes.filled
        // Markup and property lists begin like this, and no table does.
        guard let first = bytes.first(where: { $0 > 0x20 }), first != UInt8(ascii: "<") else { return nil }
        // Which delimiter it is shows in the records; which quote, in the cells.
        let readings = quotes.map { quote in
            var best: Reading?
            let lineEnd = LineEnd(of: bytes, quote: quote)
            for delimiter in CSVDialect.commonDelimiters {
                let dialect = CSVDialect(delimiter: delimiter, quote: quote, lineEnd: lineEnd)
                let reading = read(bytes, dialect, isLast: text.isWhole)
                if isBetter(reading, than: best) { best = reading }
            }
            return best ?? Reading(dialect: CSVDialect())
        }
        var best = likeliest(double: readings[0], single: readings[1], none: readings[2])
        let odd = OddDelimiter.of(bytes, from: 0, best.dialect)
        if best.width == 1, let delimiter = odd?.byte {
            var dialect = best.dialect
            dialect.delimiter = delimiter
            let reading = read(bytes, dialect, isLast: text.isWhole)
            if isBetter(reading, than: best) { best = reading }
        }
        guard best.width > 0 else { return nil }
        // Prose has commas too, but not the same number in every line.
        guard !best.isMarkdown else { return nil }
        guard best.width > 1 ? best.share >= 0.6 : isOneColumn(best) else { return nil }
        var guess = CSVGuess(best)
        guess.odd = odd
        guess.looksLikeJSON = "{[(".utf8.contains(first)
        return guess
    }

    private init(_ reading: Reading) {
        var reading = reading
        let comment = UInt8(ascii: "#")
        // A hash begins a colour as well as a remark; a remark does not have the cells of a record.
        let remarks = reading.records.filter { $0?.cells.first?.begins(with: comment) == true }
        let areRemarks =
            reading.width > 1 && !remarks.isEmpty && remarks.allSatisfy { $0?.cells.count != reading.seenWidth }
        self.comment = areRemarks ? comment : nil
        if areRemarks { reading.records.removeAll { $0?.cells.first?.begins(with: comment) == true } }
        var first =
            reading.records.prefix(CSVGuess.mostPreamble + 1).firstIndex { $0?.cells.count == reading.seenWidth } ?? 0
        // Records of one cell above a wide table are a title; a short one among others is a short row.
        if reading.width == 1 { first = 0 }
        let above = first > 0 ? reading.records[first - 1]?.cells ?? [] : []
        // A title has commas too; below it stands the header.
        let isTitle = CSVGuess.header(of: reading.records[first...], reading).verdict == .present
        mendedNames =
            above.count * 2 > reading.width && !isTitle
            ? CSVGuess.mended(above.map(\.text), to: reading.width) : nil
        if mendedNames == nil, reading.width > 1 {
            let rows = reading.records[first...].prefix(CSVGuess.mostRecords).map { $0?.cells }
            first += CSVTitleRows(rows, width: reading.seenWidth, limit: CSVGuess.mostPreamble).count
        }
        preamble = first > 0 ? (reading.records[first]?.line ?? 1) - 1 : 0
        reading.records.removeFirst(first)
        reading.regular = reading.records.count { $0?.cells.count == reading.seenWidth }
        header = CSVGuess.header(of: reading.records[...], reading)
        self.reading = reading
    }

    /// Whether the first of these records is the header of those below it.
    private static func header(
        of records: ArraySlice<(cells: [CSVCellSample], line: Int)?>,
        _ reading: Reading
    ) -> CSVHeaderGuess {
        CSVHeaderGuess(records.compactMap { $0?.cells }.filter { $0.count == reading.seenWidth })
    }

    /// As many different names as there are cells in a row.
    private static func mended(_ names: [String], to width: Int) -> [String] {
        var result: [String] = []
        for index in 0..<width {
            let name = index < names.count ? names[index] : ""
            result.append(name.isEmpty || result.contains(name) ? "column_\(index + 1)" : name)
        }
        return Set(result).count == width ? result : (1...width).map { "column_\($0)" }
    }

    private static func read(_ bytes: UnsafeBufferPointer<UInt8>, _ dialect: CSVDialect, isLast: Bool) -> Reading {
        var reading = Reading(dialect: dialect)
        var scanner = CSVRecordScanner(dialect: dialect)
        var position = 0
        var lines = LineCursor(bytes, firstLine: 1, lineEnd: dialect.lineEnd)
        var widths: [Int: Int] = [:]
        while position < bytes.count, reading.records.count < mostRecords {
            let record = scanner.scan(bytes, from: position, isLast: isLast)
            if record.kind == .unfinished { break }
            switch record.kind {
            case .fields:
                let line = lines.place(of: position).line
                let cells = scanner.fields.prefix(mostCells).map { CSVCellSample($0, bytes, dialect) }
                reading.records.append((cells, line))
                reading.quotes.add(cells)
                widths[scanner.fields.count, default: 0] += 1
            case .strayQuote, .textBehindQuote, .unclosedQuote, .strayReturn:
                reading.records.append(nil)
                reading.quotes.add(spoilt: UnsafeBufferPointer(rebasing: bytes[position..<record.end]), dialect)
            case .blank, .comment, .unfinished: break
            }
            position = record.end
        }
        // Of two equally common widths the larger one, for what is missing is easier to explain than what is too much.
        if let (width, count) = widths.max(by: { ($0.value, $0.key) < ($1.value, $1.key) }) {
            reading.width = width
            reading.regular = count
        }
        return reading
    }

    /// The reading with the right quote: the one that most people use, unless the cells speak for another.
    private static func likeliest(double: Reading, single: Reading, none: Reading) -> Reading {
        if single.share >= 0.6, single.quotes.holds, single.quotes.encloses,
            single.quotes.cells > double.quotes.cells
        {
            return single
        }
        // Rows that a quote spoils are told with their places; quotes that are taken for text are not.
        let isUsable = double.share >= 0.6 && double.quotes.holds
        guard !isUsable, none.share > double.share + 0.01 else { return double }
        var unquoted = none
        unquoted.quotes = double.quotes
        return unquoted
    }

    /// More records of one width win, then more columns.
    private static func isBetter(_ reading: Reading, than best: Reading?) -> Bool {
        guard let best else { return true }
        let (one, other) = (reading.width > 1, best.width > 1)
        if one != other { return one && reading.share >= 0.6 }
        // One column needs no delimiter, unless the usual one stands in its values.
        if !one, reading.share <= best.share + 0.05 { return false }
        // An almost even split into many cells beats an even one into few, as with a comma in the numbers.
        if abs(reading.share - best.share) < 0.05 { return reading.width > best.width }
        return reading.share > best.share
    }

    private static func isOneColumn(_ reading: Reading) -> Bool {
        let cells = reading.records.compactMap { $0?.cells.first?.text }
        guard reading.share >= 0.95, cells.count > 1 else { return false }
        // Programs and configurations indent their lines, and prose has long ones.
        let odd = cells.count {
            $0.utf8.count > 120 || $0.first?.isWhitespace == true || "{}();".contains($0.last ?? " ")
        }
        return odd * 20 <= cells.count
    }
}

extension CSVGuess.Reading {
    /// Whether a row of dashes divides a header from its rows, as in a page of Markdown.
    fileprivate var isMarkdown: Bool {
        dialect.delimiter == UInt8(ascii: "|")
            && records.contains { record in
                record?.cells.contains { $0.text.contains("--") } == true
                    && record?.cells.allSatisfy { $0.text.allSatisfy { " -:".contains($0) } } == true
            }
    }
}

/// One cell of the first records.
package struct CSVCellSample {
    package let text: String
    package let isQuoted: Bool

    package init(_ field: CSVRecordScanner.Field, _ bytes: UnsafeBufferPointer<UInt8>, _ dialect: CSVDialect) {
        // What follows would not change what the cell looks like.
        var short = field
        short.end = min(field.end, field.start + 200)
        text = CSVFormat.text(of: short, bytes, dialect)
        isQuoted = field.isQuoted
    }

    package func begins(with byte: UInt8) -> Bool { !isQuoted && text.utf8.first == byte }

    /// Whether there is something in it that a person would see.
    package var isFilled: Bool { !text.allSatisfy(\.isWhitespace) }

    /// Whether it is a number, a date, a colour or a flag: something that no column is called.
    var isValue: Bool {
        let bytes = Bytes(text)
        defer { withExtendedLifetime(bytes) {} }
        let cell = bytes.filled
        if CellReading.decimal(cell) != nil || CellReading.flag(cell) != nil { return true }
        let digits = cell.count { $0 >= 48 && $0 <= 57 }
        if digits >= 5, digits * 2 >= cell.count { return true }
        return cell.count == 7 && cell.first == UInt8(ascii: "#") && text.dropFirst().allSatisfy(\.isHexDigit)
    }
}

/// What the first records of a delimited text say about its quote.
///
/// A record speaks for the quote when one of its cells begins and ends with it, also where the record is spoilt by a stray
/// one; a spoilt record without such a cell speaks against it.
package struct CSVQuoteEvidence {
    private var records = 0
    private var opposing = 0
    /// How many cells stand in quotes.
    package private(set) var cells = 0
    /// For each column, how many of its cells stand in quotes, and how many hold anything.
    private var columns: [(quoted: Int, filled: Int)] = []

    /// Whether more records speak for the quote than against it, or none at all.
    package var holds: Bool { opposing == 0 || records > opposing }

    /// Whether most cells of some column stand in quotes.
    var encloses: Bool { columns.contains { $0.quoted > 1 && $0.quoted * 2 > $0.filled } }

    package mutating func add(_ cells: [CSVCellSample]) {
        while columns.count < cells.count { columns.append((0, 0)) }
        var quoted = 0
        for (column, cell) in cells.enumerated() where cell.isQuoted || cell.isFilled {
            columns[column].filled += 1
            guard cell.isQuoted else { continue }
            columns[column].quoted += 1
            quoted += 1
        }
        self.cells += quoted
        if quoted > 0 { records += 1 }
    }

    /// Adds a record whose quotes are out of place.
    package mutating func add(spoilt record: UnsafeBufferPointer<UInt8>, _ dialect: CSVDialect) {
        let enclosed = record.split { $0 == dialect.delimiter || CSVDialect.mayEndLine($0) }
            .count { $0.count > 1 && $0.first == dialect.quote && $0.last == dialect.quote }
        cells += enclosed
        if enclosed > 0 { records += 1 } else { opposing += 1 }
    }
}
