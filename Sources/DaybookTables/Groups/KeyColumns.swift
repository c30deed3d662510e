import DaybookCore

/// Reads the columns of keys back from what `SortKeyTable` has written.
struct KeyColumns {
    let columns: [ResultColumn]
    private let unescaped = Bytes()

    init(_ fields: some Sequence<Field>, rows: Int) { columns = fields.map { ResultColumn($0.kind, rows: rows) } }

    /// - Parameter rows: the row that each of the keys goes to.
    func fill(_ keys: KeyIndex, _ numbers: [Int32], _ rows: [Int32]) {
        for place in numbers.indices {
            keys.withKey(Int(numbers[place])) { key in
                var next = 0
                for column in columns.indices { read(key, &next, to: rows[place], of: columns[column]) }
            }
        }
    }

    @inline(__always)
    private func read(_ key: Cell, _ next: inout Int, to row: Int32, of column: ResultColumn) {
        let lead = key[next]
        next += 1
        if lead == 0xFF { return }
        switch column.kind {
        case .text, .json: readText(key, &next, to: row, of: column)
        case .flag: column.set(row, lead == 0x41 ? 1 : 0)
        case .decimal:
            guard lead != 2 else { return column.set(row, Double.nan.sortable) }
            let sortable = Self.number(key, &next, 8)
            let bits = sortable >> 63 == 1 ? sortable & ~(1 << 63) : ~sortable
            column.set(row, Double(bitPattern: bits).sortable)
        case .integer, .instant, .day:
            let count = lead >= 0x80 ? Int(lead) - 0x80 : 0x7F - Int(lead)
            let bits = Self.number(key, &next, count)
            // The upper bytes of a negative number are those of -1.
            let upper: UInt64 = lead >= 0x80 || count == 8 ? 0 : .max << UInt64(count * 8)
            column.set(row, Int64(bitPattern: bits | upper))
        }
    }

    @inline(__always)
    private static func number(_ key: Cell, _ next: inout Int, _ count: Int) -> UInt64 {
        var number: UInt64 = 0
        for _ in 0..<count {
            number = number << 8 | UInt64(key[next])
            next += 1
        }
        return number
    }

    /// Text ends with two zeros, and a zero in it has 0xFF behind it.
    @inline(__always)
    private func readText(_ key: Cell, _ next: inout Int, to row: Int32, of column: ResultColumn) {
        let start = next
        while key[next] != 0 { next += 1 }
        if key[next + 1] == 0 {
            column.set(row, Cell(rebasing: key[start..<next]))
            next += 2
            return
        }
        unescaped.removeAll()
        next = start
        while key[next] != 0 || key[next + 1] != 0 {
            unescaped.append(key[next])
            next += key[next] == 0 ? 2 : 1
        }
        next += 2
        column.set(row, unescaped.filled)
    }
}
