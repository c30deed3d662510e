/// The places of the columns in each line, counted in characters (Unicode scalars).
struct FixedWidthLayout: Sendable {
    struct Column: Sendable {
        var name: String
        /// Its first character, from 0, and the character after its last.
        var start: Int
        var end: Int
    }

    var columns: [Column]
    /// Whether values may reach into the blanks between columns, as they may if only the blanks define the columns.
    var isFlexible = false
    var unit = WidthUnit.characters

    init(_ columns: [Column]) { self.columns = columns }

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
        /// The characters that are not blank in the first line, which may be a header, and in the others.
        var (inFirst, inRows): ([Bool], [Bool]) = ([], [])
        var count = 0
        while count < FixedWidthLayout.mostLines, let line = lines.next() {
            // The last line may continue.
            if isCut, line.end == head.count { break }
            let line = Cell(rebasing: head[line.content])
            if settings.skips(line) { continue }
            count += 1
            var place = -1
            for byte in line where byte & 0xC0 != 0x80 {
                place += 1
                if place == FixedWidthLayout.longestLine { break }
                if place == inRows.count {
                    inRows.append(false)
                    inFirst.append(false)
                }
                guard !FixedWidthReadSettings.isBlank(byte) else { continue }
                if count == 1 { inFirst[place] = true } else { inRows[place] = true }
            }
        }
        columns = inRows.indices.split { !inFirst[$0] && !inRows[$0] }
            .map { Column(name: "", start: $0.lowerBound, end: $0.upperBound) }
        // Further down, longer values may begin before the values of the first lines.
        if !columns.isEmpty { columns[0].start = 0 }
        if settings.header == .present, count > 1 { joinHalves(named: inFirst, filled: inRows) }
    }

    /// Joins columns that one blank separates if one of them has no name or no values: the blank is within a value, as
    /// in `2026-01-05 10:00`, or within a name.
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

/// The options of an import of fixed-width text that its format and its reader use.
struct FixedWidthReadSettings: Sendable {
    /// The treatment of a line that ends before its last column begins.
    enum Ragged: String, OptionChoice { case reject, pad }

    /// The columns that the job names; nil if the blanks of the file decide.
    var layout: FixedWidthLayout?
    var header: CSVReadSettings.Header = .present
    /// Whether the job declares the meaning of the first line.
    var namesHeader = false
    /// The columns whose kinds the job declares.
    var named: [String] = []
    var skipLines = 0
    var comment: UInt8?
    /// Whether the blanks around a cell are left out.
    var trims = true
    var missing = [""]
    var numbers = NumberFormats.placeholder
    var ragged = Ragged.reject

    /// Whether a line is no record: blank, or a comment.
    func skips(_ line: Cell) -> Bool {
        line.first == comment && comment != nil || line.allSatisfy(FixedWidthReadSettings.isBlank)
    }

    @inline(__always)
    static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}

/// The unit of column widths.
enum WidthUnit: Sendable, Hashable {
    /// Unicode scalars.
    case characters
    /// Bytes of the file in its encoding, as banks and mainframes count them.
    case bytes(of: ByteWidths)
    /// Columns of a terminal; East Asian characters take two.
    case columns

    /// How many bytes a character has in an encoding.
    enum ByteWidths: Sendable, Hashable {
        case one, utf8, utf16, doubleByte, shiftJIS

        /// Nil for an encoding in which the width does not follow from the character alone.
        init?(_ encoding: TextEncoding) {
            switch encoding.name {
            case "utf-8", "utf-8-bom": self = .utf8
            case "utf-16", "utf-16le", "utf-16be": self = .utf16
            case "cp949", "euc-kr", "gbk", "big5": self = .doubleByte
            case "shift_jis": self = .shiftJIS
            case "euc-jp", "gb18030", "utf-32", "utf-32le", "utf-32be": return nil
            default: self = .one
            }
        }
    }

    /// The width of the character whose UTF-8 begins at `place`.
    func width(of line: Cell, at place: Int) -> Int {
        switch self {
        case .characters: return 1
        case .columns: return WidthUnit.isWide(WidthUnit.scalar(of: line, at: place)) ? 2 : 1
        case .bytes(.one): return 1
        case .bytes(.utf8): return WidthUnit.length(of: line[place])
        case .bytes(.utf16): return WidthUnit.length(of: line[place]) == 4 ? 4 : 2
        case .bytes(.doubleByte): return line[place] < 0x80 ? 1 : 2
        case .bytes(.shiftJIS):
            // Katakana of half width have one byte.
            return line[place] < 0x80 || (0xFF61...0xFF9F).contains(WidthUnit.scalar(of: line, at: place)) ? 1 : 2
        }
    }

    /// Whether every ASCII character counts as one, so that the characters of an ASCII line need no check.
    var countsASCIIAsOne: Bool { self != .bytes(of: .utf16) }

    private static func length(of lead: UInt8) -> Int { lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4 }

    private static func scalar(of line: Cell, at place: Int) -> UInt32 {
        let length = min(length(of: line[place]), line.count - place)
        guard length > 1 else { return UInt32(line[place]) }
        var scalar = UInt32(line[place]) & (0x7F >> UInt32(length))
        for next in place + 1..<place + length { scalar = scalar << 6 | UInt32(line[next] & 0x3F) }
        return scalar
    }

    /// The East Asian characters of two columns: wide and full-width ones in Unicode's UAX #11, by blocks.
    private static func isWide(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,
            0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1F9FF,
            0x20000...0x3FFFD:
            true
        default: false
        }
    }
}

/// Cuts a line into its columns, at characters and never inside of one.
struct FixedWidthCutting: Sendable {
    /// The fault of a line; the byte that caused it is passed along.
    enum Fault {
        /// It ends before that column begins.
        case short(column: Int)
        /// Text follows the last column.
        case long
        /// A value continues beyond the end of that column.
        case crossing(column: Int)
    }

    private let columns: [FixedWidthLayout.Column]
    /// The columns in the order of their places.
    private let order: [Int]
    /// Every place at which a column begins or ends, in order; and for each column its two places among them.
    private let stops: [Int]
    private let starts: [Int]
    private let ends: [Int]
    private let isFlexible: Bool
    private let unit: WidthUnit

    init(_ layout: FixedWidthLayout) {
        columns = layout.columns
        isFlexible = layout.isFlexible
        unit = layout.unit
        let all = Set(layout.columns.flatMap { [$0.start, $0.end] }).sorted()
        stops = all
        let place = Dictionary(uniqueKeysWithValues: all.enumerated().map { ($1, $0) })
        starts = layout.columns.map { place[$0.start] ?? 0 }
        ends = layout.columns.map { place[$0.end] ?? 0 }
        order = layout.columns.indices.sorted { layout.columns[$0].start < layout.columns[$1].start }
    }

    /// The bytes of each column, blanks and all; a column that the line does not reach is empty. Gives the first fault.
    func cut(_ line: Cell, into cells: inout [Range<Int>]) -> (fault: Fault, at: Int)? {
        let reached = find(line, into: &cells)
        guard let last = order.last else { return nil }
        if isFlexible, let crossing = settle(line, &cells) { return crossing }
        if reached <= columns[last].start, cells[last].isEmpty,
            let first = order.first(where: { columns[$0].start >= reached && cells[$0].isEmpty })
        {
            return (.short(column: first), line.count)
        }
        let end = cells[last].upperBound
        guard end < line.count else { return nil }
        var place = end
        while place < line.count, FixedWidthReadSettings.isBlank(line[place]) { place += 1 }
        guard place < line.count else { return nil }
        // If the columns are guessed, the last one reaches the end of the line.
        if isFlexible, place == end {
            cells[last] = cells[last].lowerBound..<line.count
            return nil
        }
        return (.long, place)
    }

    /// Finds the bytes at the stops, and returns the number of characters up to the last stop.
    @inline(__always)
    private func find(_ line: Cell, into cells: inout [Range<Int>]) -> Int {
        if unit.countsASCIIAsOne, FixedWidthCutting.isASCII(line) {
            for index in columns.indices {
                cells[index] = min(columns[index].start, line.count)..<min(columns[index].end, line.count)
            }
            return line.count
        }
        return findCharacters(line, into: &cells)
    }

    private func findCharacters(_ line: Cell, into cells: inout [Range<Int>]) -> Int {
        withUnsafeTemporaryAllocation(of: Int.self, capacity: max(1, stops.count)) { bytes in
            var (character, stop, place) = (0, 0, 0)
            while place < line.count, stop < stops.count {
                if line[place] & 0xC0 != 0x80 {
                    // A character that reaches over a stop belongs to the column before it.
                    while stop < stops.count, character >= stops[stop] {
                        bytes[stop] = place
                        stop += 1
                    }
                    character += unit == .characters ? 1 : unit.width(of: line, at: place)
                }
                place += 1
            }
            for rest in stop..<max(stop, stops.count) { bytes[rest] = line.count }
            for index in columns.indices { cells[index] = bytes[starts[index]]..<bytes[ends[index]] }
            return character
        }
    }

    /// Whether a line is shorter than the columns by exactly the number of its wide characters: then the widths
    /// probably count bytes or columns of a terminal.
    func isShortByWideOnes(_ line: Cell) -> Bool {
        guard unit == .characters, !isFlexible, let last = stops.last, !FixedWidthCutting.isASCII(line) else {
            return false
        }
        var (characters, wide) = (0, 0)
        for place in line.indices where line[place] & 0xC0 != 0x80 {
            characters += 1
            wide += WidthUnit.columns.width(of: line, at: place) - 1
        }
        return wide > 0 && last - characters == wide
    }

    private static func isASCII(_ line: Cell) -> Bool {
        var bits: UInt8 = 0
        for byte in line { bits |= byte }
        return bits < 0x80
    }

    /// Assigns the blanks between two columns to the value that reaches into them.
    private func settle(_ line: Cell, _ cells: inout [Range<Int>]) -> (fault: Fault, at: Int)? {
        for (left, right) in zip(order, order.dropFirst()) {
            let gap = cells[left].upperBound..<max(cells[left].upperBound, cells[right].lowerBound)
            // The line may end before.
            if gap.lowerBound == line.count { continue }
            var (first, last) = (gap.lowerBound, gap.upperBound)
            while first < last, !FixedWidthReadSettings.isBlank(line[first]) { first += 1 }
            while last > first, !FixedWidthReadSettings.isBlank(line[last - 1]) { last -= 1 }
            let isBlank = line[first..<last].allSatisfy(FixedWidthReadSettings.isBlank)
            guard first < last || last == line.count, isBlank else { return (.crossing(column: left), gap.lowerBound) }
            cells[left] = cells[left].lowerBound..<first
            cells[right] = last..<cells[right].upperBound
        }
        return nil
    }

    /// A cell without the blanks around its text.
    @inline(__always)
    static func trimmed(_ cell: Range<Int>, of line: Cell) -> Range<Int> {
        var (start, end) = (cell.lowerBound, cell.upperBound)
        while start < end, FixedWidthReadSettings.isBlank(line[start]) { start += 1 }
        while end > start, FixedWidthReadSettings.isBlank(line[end - 1]) { end -= 1 }
        return start..<end
    }
}
