/// Decodes the columns of keys that `SortKeyTable` has written.
struct KeyColumns {
    let columns: [ResultColumn]
    private let unescaped = Bytes()

    init(_ fields: some Sequence<Field>, rows: Int) { columns = fields.map { ResultColumn($0.kind, rows: rows) } }

    /// Fills all rows with keys, column by column.
    func fill(_ keys: KeyIndex) {
        // The position of the next column in each key.
        var places = [UInt32](repeating: 0, count: keys.count)
        var next = places.mutableSpan
        for column in columns {
            for row in next.indices {
                let start = Int(next[row])
                let length = keys.withKey(row) { read(Cell(rebasing: $0[start...]), to: row, of: column) }
                next[row] &+= UInt32(truncatingIfNeeded: length)
            }
        }
    }

    /// Decodes a value, and returns its number of bytes.
    @inline(__always)
    private func read(_ key: Cell, to row: Int, of column: ResultColumn) -> Int {
        let lead = key[0]
        if lead == 0xFF { return 1 }
        switch column.kind {
        case .text, .json: return readText(key, to: row, of: column)
        case .flag:
            column.set(row, lead == 0x41 ? 1 : 0)
            return 1
        case .decimal:
            guard lead != 2 else {
                column.set(row, Double.nan.sortable)
                return 1
            }
            let sortable = Self.number(key, 8)
            let bits = sortable >> 63 == 1 ? sortable & ~(1 << 63) : ~sortable
            column.set(row, Double(bitPattern: bits).sortable)
            return 9
        case .integer, .instant, .day:
            let count = lead >= 0x80 ? Int(lead) - 0x80 : 0x7F - Int(lead)
            let bits = Self.number(key, count)
            // The upper bytes of a negative number are all ones, as in -1.
            let upper: UInt64 = lead >= 0x80 || count == 8 ? 0 : .max << UInt64(count * 8)
            column.set(row, Int64(bitPattern: bits | upper))
            return 1 + count
        }
    }

    /// The bytes after the first one, the high one first.
    @inline(__always)
    private static func number(_ key: Cell, _ count: Int) -> UInt64 {
        key[1..<1 + count].reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Text ends with two zeros, and each zero in it is followed by 0xFF.
    @inline(__always)
    private func readText(_ key: Cell, to row: Int, of column: ResultColumn) -> Int {
        var end = Self.zero(in: key, from: 1)
        if key[end + 1] == 0 {
            column.set(row, Cell(rebasing: key[1..<end]))
            return end + 2
        }
        unescaped.removeAll()
        var next = 1
        while key[end + 1] != 0 {
            unescaped.append(Cell(rebasing: key[next...end]))
            next = end + 2
            end = Self.zero(in: key, from: next)
        }
        unescaped.append(Cell(rebasing: key[next..<end]))
        column.set(row, unescaped.filled)
        return end + 2
    }

    @inline(__always)
    private static func zero(in key: Cell, from start: Int) -> Int {
        guard let zero = key.place(of: 0, from: start) else { preconditionFailure("a text in a key ends with a zero") }
        return zero
    }
}
