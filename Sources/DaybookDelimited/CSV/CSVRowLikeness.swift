/// What the rows at the beginning of a file look like, and whether a line looks like one of them.
///
/// It is asked where a row cannot be right as it stands, never for one that can: where a row has too many or too few cells,
/// it finds the cell at which that began; where a quoted cell goes on over several lines, it tells a note from rows that
/// a quote has swallowed. It is made of the head of the file alone, so neither threads nor morsels change what it says.
struct CSVRowLikeness: Sendable {
    /// For each column the shapes that nearly all of its cells have; empty where they differ too much to tell anything.
    private var shapes: [Set<CSVCellShape>] = []
    private var dialect = CSVDialect()
    var width: Int { shapes.count }
    /// Whether there is a column by which a row can be told.
    private(set) var tells = false

    /// The columns whose cells have digits.
    var valueColumns: [Int] {
        shapes.indices.filter { !shapes[$0].isEmpty && shapes[$0].allSatisfy(\.hasDigits) }
    }

    /// How many fields of a record tell all that is said of it: with more, it is no row, and cells past a thousand are not counted.
    var mostFields: Int { max(width + 2, 1001) }

    private static let mostRows = 200
    private static let fewestRows = 8
    private static let mostShapes = 3
    private static let mostLines = 32

    /// Of a file without rows, which tells nothing.
    init() {}

    /// Looks at the rows that follow `start` in the head of a file.
    init(of head: UnsafeBufferPointer<UInt8>, from start: Int, width: Int, dialect: CSVDialect) {
        self.dialect = dialect
        guard width > 1 else { return }
        var scanner = CSVRecordScanner(dialect: dialect)
        var counts = [[CSVCellShape: Int]](repeating: [:], count: width)
        var rows = 0
        var position = start
        while position < head.count, rows < CSVRowLikeness.mostRows {
            let record = scanner.scan(head, from: position, isLast: true)
            position = record.end
            guard record.kind == .fields, scanner.fields.count == width else { continue }
            rows += 1
            for (column, field) in scanner.fields.enumerated() where field.end > field.start {
                let cell = UnsafeBufferPointer(rebasing: head[field.start..<field.end])
                counts[column][CSVCellShape(cell, quote: dialect.quote), default: 0] += 1
            }
        }
        guard rows >= CSVRowLikeness.fewestRows else { return }
        shapes = counts.map { counts in
            let known = counts.values.reduce(0, +)
            // What is rare is taken for a fault; ties are broken by nothing, since all of them are taken or none.
            let usual = counts.filter { $0.value * 20 >= known }
            let covered = usual.values.reduce(0, +)
            let isTelling = known >= CSVRowLikeness.fewestRows && usual.count <= CSVRowLikeness.mostShapes
            return isTelling && covered * 10 >= known * 9 ? Set(usual.keys) : []
        }
        tells = shapes.contains { $0.contains(where: \.hasDigits) }
    }

    /// How well a cell goes with a column, as if `left` were not in it: 0 where nothing can be said.
    private func fit(_ cell: UnsafeBufferPointer<UInt8>, _ column: Int, without left: UInt8? = nil) -> Int {
        guard cell.count > 0, !shapes[column].isEmpty else { return 0 }
        let shape = CSVCellShape(cell, quote: dialect.quote, without: left)
        if shapes[column].contains(shape) { return shape.hasDigits ? 3 : 1 }
        return -2
    }

    /// Where a row that has one cell too many, or one too few, goes wrong: the delimiter that is too many, or the cell in
    /// which one is missing. Nil where no place is better than the others.
    func fault(of cells: [Range<Int>], in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        let surplus = cells.count - width
        guard tells, surplus == 1 || surplus == -1, cells.count > 1 else { return nil }
        func fit(_ cell: Int, _ column: Int) -> Int {
            self.fit(UnsafeBufferPointer(rebasing: bytes[cells[cell]]), column)
        }
        // Up to the fault cells go with their columns, and behind it with the column before or after.
        var front = [0]
        for cell in 0..<min(cells.count, width) { front.append(front[cell] + fit(cell, cell)) }
        var back = [Int](repeating: 0, count: cells.count + 2)
        for cell in (0..<cells.count).reversed() where (0..<width).contains(cell - surplus) {
            back[cell] = back[cell + 1] + fit(cell, cell - surplus)
        }
        let sums = (0..<(surplus == 1 ? width : cells.count)).map { cell in
            // What is split or joined by the fault goes with no column, so it counts against a place where it does.
            surplus == 1
                ? front[cell] + joined(cell, cells, bytes) + back[cell + 2]
                : front[cell] - max(0, fit(cell, cell)) + back[cell + 1]
        }
        guard let best = sums.max(), sums.contains(where: { $0 < best }), let cell = sums.lastIndex(of: best) else {
            return nil
        }
        if surplus == 1 { return cells[cell + 1].lowerBound - dialect.delimiterLength }
        // A cell of several lines is quoted and ends with its quote, so what is missing is missing behind it.
        return lineEnd(bytes, cells[cell]) == nil ? cells[cell].lowerBound : cells[cell].upperBound - 1
    }

    /// How well two neighbouring cells go with a column when the delimiter between them is taken out.
    private func joined(_ cell: Int, _ cells: [Range<Int>], _ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        let both = cells[cell].lowerBound..<cells[cell + 1].upperBound
        return fit(UnsafeBufferPointer(rebasing: bytes[both]), cell, without: dialect.delimiter)
    }

    /// The quote that opens a cell whose lines look like rows of the file, so that the quote was never meant to open one.
    ///
    /// Half of the lines behind the first, and at least one, must have just as many cells as a row, and these must look like
    /// those of their columns. Notes do not.
    func strayOpening(among fields: [CSVRecordScanner.Field], _ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        guard tells, width > 2 else { return nil }
        for (number, field) in fields.enumerated() where field.isQuoted {
            guard var lineEnd = self.lineEnd(bytes, field.start..<field.end) else { continue }
            var lines = 0
            var rows = 0
            while lines < CSVRowLikeness.mostLines {
                var start = lineEnd + 1
                if bytes[lineEnd] == CSVDialect.carriageReturn, start < field.end, bytes[start] == CSVDialect.lineFeed {
                    start += 1
                }
                let next = self.lineEnd(bytes, start..<field.end)
                // The last line goes on behind the cell with the rest of the record.
                let behind = next == nil ? fields.count - 1 - number : 0
                lines += 1
                if isRow(bytes, start..<(next ?? field.end), and: behind) { rows += 1 }
                guard let next else { break }
                lineEnd = next
            }
            if rows > 0, rows * 2 >= lines { return field.start - 1 }
        }
        return nil
    }

    private func lineEnd(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> Int? {
        range.first { dialect.isLineEnd(bytes, $0) }
    }

    /// Whether a line, with `behind` cells that follow it, has the cells of a row.
    private func isRow(_ bytes: UnsafeBufferPointer<UInt8>, _ line: Range<Int>, and behind: Int) -> Bool {
        var column = 0
        var start = line.lowerBound
        var hits = 0
        var misses = 0
        for position in line.lowerBound...line.upperBound
        where position == line.upperBound || position >= start && dialect.isDelimiter(bytes, position) {
            guard column + behind < width else { return false }
            // A delimiter of several characters may begin in the line and end behind it.
            let fit = fit(UnsafeBufferPointer(rebasing: bytes[min(start, position)..<position]), column)
            hits += fit == 3 ? 1 : 0
            misses += fit < 0 ? 1 : 0
            column += 1
            start = position + dialect.delimiterLength
        }
        return column + behind == width && hits > 0 && misses * 3 <= hits
    }
}

/// What a cell looks like, whatever it says: `9-9-9` for a date, `9` for a number, `a a` for two words.
struct CSVCellShape: Hashable, Sendable {
    /// A hash of the kinds of characters in their order, a run of one kind taken once.
    private var code: UInt64 = 0xCBF2_9CE4_8422_2325
    /// Whether it has digits: words stand in too many columns to tell one from another.
    private(set) var hasDigits = false

    /// The shape of a cell. Quotes do not belong to it, so a quote out of place does not change it.
    /// `left` is a byte that is read as if it were not there.
    init(_ cell: UnsafeBufferPointer<UInt8>, quote: UInt8, without left: UInt8? = nil) {
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
