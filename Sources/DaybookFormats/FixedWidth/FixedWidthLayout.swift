/// Where the columns of each line stand, counted in characters (Unicode scalars).
package struct FixedWidthLayout: Sendable, Hashable {
    package struct Column: Sendable, Hashable {
        package var name: String
        /// Its first character, from 0, and the one behind its last.
        package var start: Int
        package var end: Int

        package init(_ name: String, _ start: Int, _ end: Int) {
            (self.name, self.start, self.end) = (name, start, end)
        }
    }

    package var columns: [Column]
    /// Whether values may reach into the blanks between two columns, as they may where nobody but the blanks said where columns stand.
    package var isFlexible = false
    package var unit = WidthUnit.characters

    package init(_ columns: [Column]) { self.columns = columns }

    /// How much of a file its columns are guessed from.
    private static let mostLines = 100
    private static let mostBytes = 64 << 10
    private static let longestLine = 10_000

    /// The columns that blanks separate in all of the first lines, without names; none where no blanks do.
    ///
    /// - Parameter isWhole: whether the text ends with its last line.
    init(guessedFrom text: Cell, from start: Int, _ settings: FixedWidthReadSettings, _ lineEnd: LineEnd, isWhole: Bool)
    {
        columns = []
        isFlexible = true
        let isCut = !isWhole || text.count > FixedWidthLayout.mostBytes
        let head = Cell(rebasing: text.prefix(FixedWidthLayout.mostBytes))
        var lines = TextLines(head, from: start, lineEnd: lineEnd)
        var isTaken: [Bool] = []
        /// The same without the first line, which may be a header, and in that line alone.
        var (inRows, inFirst): ([Bool], [Bool]) = ([], [])
        var count = 0
        while count < FixedWidthLayout.mostLines, let line = lines.next() {
            // The last line may go on.
            if isCut, line.end == head.count { break }
            let line = Cell(rebasing: head[line.content])
            if settings.skips(line) { continue }
            count += 1
            var place = -1
            for byte in line where byte & 0xC0 != 0x80 {
                place += 1
                if place == FixedWidthLayout.longestLine { break }
                if place == isTaken.count {
                    isTaken.append(false)
                    inRows.append(false)
                    inFirst.append(false)
                }
                guard !FixedWidthReadSettings.isBlank(byte) else { continue }
                isTaken[place] = true
                if count == 1 { inFirst[place] = true } else { inRows[place] = true }
            }
        }
        var place = 0
        while place < isTaken.count {
            let first = place
            while place < isTaken.count, isTaken[place] { place += 1 }
            if place > first { columns.append(Column("", first, place)) }
            while place < isTaken.count, !isTaken[place] { place += 1 }
        }
        // Further down, longer values may begin before those of the first lines.
        if !columns.isEmpty { columns[0].start = 0 }
        if settings.header == .present, count > 1 { joinHalves(named: inFirst, filled: inRows) }
    }

    /// Joins columns between which only one blank stands where one of them has no name or no values: it stands within a value, as in
    /// `2026-01-05 10:00`, or within a name.
    private mutating func joinHalves(named: [Bool], filled: [Bool]) {
        var joined: [Column] = []
        for column in columns {
            if let last = joined.last, column.start - last.end == 1,
                [last, column].contains(where: { half in
                    !named[half.start..<half.end].contains(true) || !filled[half.start..<half.end].contains(true)
                })
            {
                joined[joined.count - 1].end = column.end
            } else {
                joined.append(column)
            }
        }
        columns = joined
    }
}

/// How text of fixed widths is read, as far as its format is concerned.
package struct FixedWidthReadSettings: Sendable {
    /// The columns that the job names; nil where the blanks of the file tell.
    package var layout: FixedWidthLayout?
    package var header: CSVReadSettings.Header = .present
    /// Whether the job says what the first line is.
    package var namesHeader = false
    /// The columns of which the job says the kind.
    package var named: [String] = []
    package var skipLines = 0
    package var comment: UInt8?

    package init() {}

    /// Whether a line is no record: blank, or a comment.
    func skips(_ line: Cell) -> Bool {
        line.first == comment && comment != nil || line.allSatisfy(FixedWidthReadSettings.isBlank)
    }

    @inline(__always)
    static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}
