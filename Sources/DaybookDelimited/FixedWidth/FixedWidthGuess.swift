/// The guessed layout of a text with padded columns, judged by its first lines.
package struct FixedWidthGuess {
    let layout: FixedWidthLayout
    /// Lines above the table.
    let skippedLines: Int
    let header: CSVHeaderGuess
    /// The first character of the line between header and rows, if that is a line of dashes.
    let ruler: UInt8?
    /// The lines of the head that are rows of the table or its header.
    private let records: [Record]
    /// The first line that ends before its last column begins.
    private let short: (count: Int, line: Int)?

    private struct Record {
        let cells: [CSVCellSample]
        let line: Int
    }

    /// How many lines may precede the table.
    private static let mostTitles = 8
    private static let mostRecords = 100
    private static let fewestRecords = 3
    /// With fewer records, one blank in the same place of every line may be chance.
    private static let someRecords = 8

    /// Nil if blanks do not make a table of the text.
    package static func of(_ text: FoundText) -> FixedWidthGuess? {
        defer { withExtendedLifetime(text.bytes) {} }
        let bytes = text.bytes.filled
        // A tab is as wide as each program likes.
        guard let first = bytes.first(where: { $0 > 0x20 }), !"<{[(".utf8.contains(first),
            !bytes.prefix(sample).contains(0x09)
        else { return nil }
        let lineEnd = LineEnd(of: bytes)
        func part(from start: Int) -> Part {
            Part(bytes: bytes, start: start, lineEnd: lineEnd, isWhole: text.isWhole)
        }
        var best: (lines: Int, start: Int, columns: (wide: Int, all: Int)) = (0, 0, (1, 1))
        var lines = TextLines(bytes, lineEnd: lineEnd)
        /// Where each line begins above which nothing may be the table, and how many columns it has from there on.
        var starts: [(start: Int, columns: Int)] = []
        // Few lines agree by chance.
        for skipped in 0...min(mostTitles, count(of: lines) / 2) {
            let start = lines.position
            let columns = counts(part(from: start).layout(.absent))
            starts.append((start, columns.all))
            // A single blank may be inside values.
            if columns.wide > best.columns.wide || best.columns.wide == 1 && columns > best.columns {
                best = (skipped, start, columns)
            }
            guard lines.next() != nil else { break }
        }
        guard best.columns.all > 1 else { return nil }
        // Right above right-aligned numbers, names are as wide as their columns, and separated by one blank.
        if best.lines > 0, starts[best.lines - 1].columns == best.columns.all {
            let above = part(from: starts[best.lines - 1].start)
            if let guess = FixedWidthGuess(above, .present, skippedLines: best.lines - 1),
                guess.header.verdict == .present, guess.layout.columns.count >= best.columns.wide
            {
                return guess
            }
        }
        let part = part(from: best.start)
        guard let guess = FixedWidthGuess(part, .present, skippedLines: best.lines) else { return nil }
        // Without a header, matching halves cannot be identified.
        return guess.header.verdict == .absent ? FixedWidthGuess(part, .absent, skippedLines: best.lines) : guess
    }

    /// The text from the first line of the table on.
    private struct Part {
        let bytes: Cell
        let start: Int
        let lineEnd: LineEnd
        let isWhole: Bool
        let ruler: UInt8?

        init(bytes: Cell, start: Int, lineEnd: LineEnd, isWhole: Bool) {
            (self.bytes, self.start, self.lineEnd, self.isWhole) = (bytes, start, lineEnd, isWhole)
            ruler = FixedWidthGuess.ruler(of: bytes, from: start, lineEnd)
        }

        var settings: FixedWidthReadSettings { FixedWidthReadSettings(comment: ruler) }

        func layout(_ header: CSVReadSettings.Header) -> FixedWidthLayout {
            var settings = settings
            settings.header = header
            return FixedWidthLayout(guessedFrom: bytes, from: start, settings, lineEnd, isWhole: isWhole)
        }
    }

    private static let sample = 64 << 10

    /// The number of columns after several blanks, the first column included; and the number of all columns.
    private static func counts(_ layout: FixedWidthLayout) -> (wide: Int, all: Int) {
        (1 + gaps(layout).count { $0 > 1 }, layout.columns.count)
    }

    /// The number of lines, up to the limit.
    private static func count(of lines: TextLines) -> Int {
        var lines = lines
        var count = 0
        while count < mostRecords, lines.next() != nil { count += 1 }
        return count
    }

    /// The sign that makes up the second line, blanks aside, if no other line begins with it.
    private static func ruler(of bytes: Cell, from start: Int, _ lineEnd: LineEnd) -> UInt8? {
        var lines = TextLines(bytes, from: start, lineEnd: lineEnd)
        guard lines.next() != nil, let second = lines.next(), let sign = bytes[second.content].first,
            "-=_".utf8.contains(sign), second.content.count > 2,
            bytes[second.content].allSatisfy({ $0 == sign || $0 == 0x20 })
        else { return nil }
        while let line = lines.next(), line.end <= sample { if bytes[line.content].first == sign { return nil } }
        return sign
    }

    private init?(_ part: Part, _ kind: CSVReadSettings.Header, skippedLines: Int) {
        let bytes = part.bytes
        layout = part.layout(kind)
        self.skippedLines = skippedLines
        ruler = part.ruler
        let settings = part.settings
        let cutting = FixedWidthCutting(layout)
        let lastStart = layout.columns.last?.start ?? 0
        var lines = TextLines(bytes, from: part.start, lineEnd: part.lineEnd)
        var records: [Record] = []
        var short: (count: Int, line: Int)?
        var (number, isPadded) = (skippedLines, false)
        var cells = [Range<Int>](repeating: 0..<0, count: layout.columns.count)
        while let line = lines.next() {
            number += 1
            // The last line may continue.
            if !part.isWhole, line.end == bytes.count { break }
            let text = Cell(rebasing: bytes[line.content])
            if settings.skips(text) { continue }
            let found = cutting.cut(text, into: &cells)
            if text.count(where: { $0 & 0xC0 != 0x80 }) <= lastStart {
                short = ((short?.count ?? 0) + 1, short?.line ?? number)
            }
            guard records.count < FixedWidthGuess.mostRecords else { continue }
            if case .crossing? = found?.fault { return nil }
            isPadded = isPadded || FixedWidthGuess.isPadded(text)
            let samples = cells.map { cell in
                let part = FixedWidthCutting.trimmed(cell, of: text)
                return CSVCellSample(String(decoding: text[part].prefix(200), as: UTF8.self))
            }
            records.append(Record(cells: samples, line: number))
        }
        self.records = records
        self.short = short
        header = CSVHeaderGuess(records.map(\.cells))
        guard layout.columns.count > 1, records.count >= FixedWidthGuess.fewestRecords, isPadded, !isText,
            FixedWidthGuess.gaps(layout).min() ?? 0 > 1 || records.count >= FixedWidthGuess.someRecords
        else { return nil }
    }

    /// Whether several blanks separate two words.
    static func isPadded(_ line: Cell) -> Bool {
        var blanks = 0
        var hasBegun = false
        for byte in line {
            if byte == 0x20 {
                blanks += 1
            } else {
                if hasBegun, blanks > 1 { return true }
                (blanks, hasBegun) = (0, true)
            }
        }
        return false
    }

    /// The numbers of blanks between adjacent columns.
    private static func gaps(_ layout: FixedWidthLayout) -> [Int] {
        zip(layout.columns, layout.columns.dropFirst()).map { $1.start - $0.end }
    }

    /// Whether the lines are from a program, a list of settings or a drawn table, with signs aligned below one another.
    private var isText: Bool {
        let ends = records.count { "{};\\".contains($0.cells.last { $0.isFilled }?.text.last ?? " ") }
        return ends * 5 > records.count
            || layout.columns.indices.contains { column in
                let filled = records.dropFirst().map(\.cells[column].text).filter { !$0.isEmpty }
                return filled.count * 2 > records.count
                    && filled.allSatisfy { $0.allSatisfy { ",;|=:+>*#~^&\\".contains($0) } }
            }
    }

    // MARK: - As options

    /// The options of `import_fixed_width`, each with its evidence and the place of that.
    package func detection(_ text: FoundText) -> FormatDetection {
        var options = [text.encoding].compactMap(\.self)
        func add(_ option: String, _ value: SuggestedValue, because reason: String) {
            options.append(SuggestedOption(option, value, because: reason))
        }
        if skippedLines > 0 {
            add("skip_lines", .plain(String(skippedLines)), because: "the columns begin on line \(records[0].line)")
        }
        if let ruler {
            let reason = "line \(records[0].line + 1) draws a line below the header"
            add("comment", .text(String(UnicodeScalar(ruler))), because: reason)
        }
        if let option = header.option(calling: "line") { options.append(option) }
        if let short {
            let lines = short.count == 1 ? "1 line ends" : "\(short.count.displayText) lines end"
            add("ragged", .plain("pad"), because: "\(lines) before the last column, the first on line \(short.line)")
        }
        let isSure = header.verdict == .present || records.count >= FixedWidthGuess.someRecords
        return FormatDetection(
            isSure ? .likely : .possible,
            form: "text in columns of fixed width with\(header.verdict == .absent ? "out" : "") a header",
            imports: [SuggestedImport(options: options, notes: notes)],
            cellsAreText: true
        )
    }

    private var notes: [String] {
        let places = layout.columns.prefix(FixedWidthGuess.mostPlaces).map { String($0.start + 1) }
        let more = layout.columns.count > places.count ? " and so on" : ""
        var notes = [
            "blanks run through all of the first \(records.count) lines, so the columns begin at characters "
                + "\(places.joined(separator: ", "))\(more); 'widths' would say it for good"
        ]
        if let narrow = zip(layout.columns, layout.columns.dropFirst()).first(where: { $1.start - $0.end == 1 }) {
            notes.append(
                "not sure: only one blank parts the columns at characters \(narrow.0.start + 1) and \(narrow.1.start + 1), which may be one"
            )
        }
        if header.verdict == .absent, skippedLines > 0 {
            notes.append("not sure: line \(records[0].line - 1), which is left out, may name the columns")
        }
        if header.verdict != .absent, let index = records[0].cells.firstIndex(where: { !$0.isFilled }) {
            notes.append(
                "not sure: the column at character \(layout.columns[index].start + 1) has no name on line \(records[0].line)"
            )
        }
        return notes
    }

    private static let mostPlaces = 12
}
