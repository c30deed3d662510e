/// The likeness of the rows at the beginning of a file, and whether a line resembles them.
///
/// It is used only for rows that cannot be right as they are: in a row with too many or too few cells, it finds the
/// first wrong cell; in a quoted cell over several lines, it distinguishes a note from rows that a quote has swallowed.
/// It is computed from the head of the file alone, so neither threads nor morsels change the result.
struct CSVRowLikeness: Sendable {
    /// For each column the shapes of nearly all of its cells; empty if they differ too much.
    private var shapes: [Set<CSVCellShape>] = []
    private var dialect = CSVDialect()
    var width: Int { shapes.count }
    /// Whether some column has a shape by which rows can be recognised.
    private(set) var tells = false

    /// The columns whose cells have digits.
    var valueColumns: [Int] { shapes.indices.filter { !shapes[$0].isEmpty && shapes[$0].allSatisfy(\.hasDigits) } }

    /// How many fields of a record are examined: with more, it is no row, and cells past a thousand are not counted.
    var mostFields: Int { max(width + 2, 1001) }

    private static let mostRows = 200
    private static let fewestRows = 8
    private static let mostShapes = 3
    private static let mostLines = 32

    /// The likeness of a file without rows, which recognises nothing.
    init() {}

    /// Examines the rows from `start` on in the head of a file.
    init(of head: Cell, from start: Int, width: Int, dialect: CSVDialect) {
        self.dialect = dialect
        guard width > 1 else { return }
        var scanner = CSVRecordScanner(dialect: dialect)
        var counts = [[CSVCellShape: Int]](repeating: [:], count: width)
        var rows = 0
        var position = start
        while rows < CSVRowLikeness.mostRows, let record = scanner.next(in: head, at: &position) {
            guard record.kind == .fields, scanner.fields.count == width else { continue }
            rows += 1
            for (column, field) in scanner.fields.enumerated() where field.end > field.start {
                let cell = Cell(rebasing: head[field.start..<field.end])
                counts[column][CSVCellShape(cell, quote: dialect.quote), default: 0] += 1
            }
        }
        guard rows >= CSVRowLikeness.fewestRows else { return }
        shapes = counts.map { counts in
            let known = counts.values.reduce(0, +)
            // Rare shapes count as faults; ties need no rule, since all or none of them are included.
            let usual = counts.filter { $0.value * 20 >= known }
            let covered = usual.values.reduce(0, +)
            let isTelling = known >= CSVRowLikeness.fewestRows && usual.count <= CSVRowLikeness.mostShapes
            return isTelling && covered * 10 >= known * 9 ? Set(usual.keys) : []
        }
        tells = shapes.contains { $0.contains(where: \.hasDigits) }
    }

    /// How well a cell fits a column, as if `left` were not in it: 0 if unknown.
    private func fit(_ cell: Cell, _ column: Int, without left: UInt8? = nil) -> Int {
        guard cell.count > 0, !shapes[column].isEmpty else { return 0 }
        let shape = CSVCellShape(cell, quote: dialect.quote, without: left)
        if shapes[column].contains(shape) { return shape.hasDigits ? 3 : 1 }
        return -2
    }

    /// The place of the fault in a row with one cell too many or too few: the surplus delimiter, or the cell in which
    /// one is missing. Nil if no place is better than the others.
    func fault(of cells: [Range<Int>], in bytes: Cell) -> Int? {
        let surplus = cells.count - width
        guard tells, surplus == 1 || surplus == -1, cells.count > 1 else { return nil }
        func fit(_ cell: Int, _ column: Int) -> Int {
            self.fit(Cell(rebasing: bytes[cells[cell]]), column)
        }
        // Up to the fault, cells match their columns, and after it the column before or after.
        var front = [0]
        for cell in 0..<min(cells.count, width) { front.append(front[cell] + fit(cell, cell)) }
        var back = [Int](repeating: 0, count: cells.count + 2)
        for cell in (0..<cells.count).reversed() where (0..<width).contains(cell - surplus) {
            back[cell] = back[cell + 1] + fit(cell, cell - surplus)
        }
        let sums = (0..<(surplus == 1 ? width : cells.count)).map { cell in
            // A cell split or joined by the fault fits no column, so a good fit counts against a place.
            surplus == 1
                ? front[cell] + joined(cell, cells, bytes) + back[cell + 2]
                : front[cell] - max(0, fit(cell, cell)) + back[cell + 1]
        }
        guard let best = sums.max(), sums.contains(where: { $0 < best }), let cell = sums.lastIndex(of: best) else {
            return nil
        }
        if surplus == 1 { return cells[cell + 1].lowerBound - dialect.delimiterLength }
        // A cell of several lines is quoted and ends with its quote, so the delimiter is missing after it.
        return lineEnd(bytes, cells[cell]) == nil ? cells[cell].lowerBound : cells[cell].upperBound - 1
    }

    /// How well two neighbouring cells fit a column if the delimiter between them is removed.
    private func joined(_ cell: Int, _ cells: [Range<Int>], _ bytes: Cell) -> Int {
        let both = cells[cell].lowerBound..<cells[cell + 1].upperBound
        return fit(Cell(rebasing: bytes[both]), cell, without: dialect.delimiter)
    }

    /// The quote that opens a cell whose lines look like rows of the file, so that it was not meant to open one.
    ///
    /// Half of the lines after the first, and at least one, must be as wide as a row, with cells that look like the
    /// cells of their columns; at least two where the first line is not as wide. Notes do not.
    func strayOpening(among fields: [CSVRecordScanner.Field], _ bytes: Cell) -> Int? {
        guard tells, width > 2 else { return nil }
        for (number, field) in fields.enumerated() where field.isQuoted {
            guard var lineEnd = self.lineEnd(bytes, field.start..<field.end) else { continue }
            // A quote out of place takes no cell from its row, and the line of a note has as many only by chance.
            let fewest = number + cellCount(bytes, field.start..<lineEnd) == width ? 1 : 2
            var lines = 0
            var rows = 0
            while lines < CSVRowLikeness.mostLines {
                var start = lineEnd + 1
                if bytes[lineEnd] == CSVDialect.carriageReturn, start < field.end, bytes[start] == CSVDialect.lineFeed {
                    start += 1
                }
                let next = self.lineEnd(bytes, start..<field.end)
                // The last line continues behind the cell with the rest of the record.
                let behind = next == nil ? fields.count - 1 - number : 0
                lines += 1
                if isRow(bytes, start..<(next ?? field.end), and: behind) { rows += 1 }
                guard let next else { break }
                lineEnd = next
            }
            if rows >= fewest, rows * 2 >= lines { return field.start - 1 }
        }
        return nil
    }

    private func lineEnd(_ bytes: Cell, _ range: Range<Int>) -> Int? {
        range.first { dialect.isLineEnd(bytes, $0) }
    }

    private func cellCount(_ bytes: Cell, _ line: Range<Int>) -> Int {
        var (count, start) = (1, line.lowerBound)
        for position in line where position >= start && dialect.isDelimiter(bytes, position) {
            count += 1
            start = position + dialect.delimiterLength
        }
        return count
    }

    /// Whether a line, with the `behind` cells after it, has the cells of a row.
    private func isRow(_ bytes: Cell, _ line: Range<Int>, and behind: Int) -> Bool {
        var column = 0
        var start = line.lowerBound
        var hits = 0
        var misses = 0
        for position in line.lowerBound...line.upperBound
        where position == line.upperBound || position >= start && dialect.isDelimiter(bytes, position) {
            guard column + behind < width else { return false }
            // A delimiter of several characters may begin in the line and end after it.
            let fit = fit(Cell(rebasing: bytes[min(start, position)..<position]), column)
            hits += fit == 3 ? 1 : 0
            misses += fit < 0 ? 1 : 0
            column += 1
            start = position + dialect.delimiterLength
        }
        return column + behind == width && hits > 0 && misses * 3 <= hits
    }
}

/// The shape of a cell, independent of its content: `9-9-9` for a date, `9` for a number, `a a` for two words.
struct CSVCellShape: Hashable, Sendable {
    /// A hash of the kinds of characters in their order, each run of one kind counted once.
    private var code: UInt64 = 0xCBF2_9CE4_8422_2325
    /// Whether it has digits: words are in too many columns to distinguish them.
    private(set) var hasDigits = false

    /// The shape of a cell. Quotes are not part of it, so a misplaced quote does not change it. `left` is a byte that
    /// is ignored.
    init(_ cell: Cell, quote: UInt8, without left: UInt8? = nil) {
        var last: UInt8 = 0
        var isColour = false
        for byte in cell where byte != quote && byte != CSVDialect.carriageReturn && byte != left {
            var kind: UInt8
            switch byte {
            case 0x30...0x39:
                kind = 0x39
                hasDigits = true
            case 0x41...0x5A, 0x61...0x7A, 0x80...0xFF: kind = 0x61
            default: kind = byte
            }
            // The digits of a colour are both.
            if isColour, kind == 0x61 || kind == 0x39 {
                kind = 0x39
                hasDigits = true
            } else {
                isColour = byte == UInt8(ascii: "#")
            }
            guard kind != last else { continue }
            last = kind
            // Source: Fowler, Noll, Vo, "FNV Hash", variant 1a of 64 bits.
            code = (code ^ UInt64(kind)) &* 0x0000_0100_0000_01B3
        }
    }
}
