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
