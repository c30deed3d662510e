/// Cuts a line into its columns, at characters and never inside of one.
struct FixedWidthCutting: Sendable {
    /// What is wrong with a line; the byte of it that is to blame goes with it.
    enum Fault {
        /// It ends before that column begins.
        case short(column: Int)
        /// Text stands behind the last column.
        case long
        /// A value goes on where that column ends.
        case crossing(column: Int)
    }

    private let columns: [FixedWidthLayout.Column]
    /// The columns in the order in which they stand.
    private let order: [Int]
    /// Every place at which a column begins or ends, in order; and for each column which of them these are.
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
        // Of guessed columns the last one goes to the end of the line.
        if isFlexible, place == end {
            cells[last] = cells[last].lowerBound..<line.count
            return nil
        }
        return (.long, place)
    }

    /// Finds the bytes at the stops, and gives the number of characters as far as the last stop.
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

    /// Whether a line is shorter than the columns by just as many characters as it has wide ones: then the widths likely count
    /// bytes or columns of a terminal.
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

    /// Gives the blanks between two columns to whichever value reaches into them.
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

    /// A cell as it counts: with the blanks around its text, or without them.
    static func cell(_ cell: Range<Int>, of line: Cell, trims: Bool) -> Range<Int> {
        trims ? trimmed(cell, of: line) : cell
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
