/// A column of results, filled in any row order. One owner fills it, and then packs it or takes the column.
package final class ResultColumn {
    package let kind: ColumnKind
    /// Numbers, flags, days and instants; see `Column.sortable`.
    @exclusivity(unchecked) private var words: [Int64] = []
    @exclusivity(unchecked) private var views: [TextView] = []
    private let text: Bytes
    @exclusivity(unchecked) private var isThere: [Bool]
    /// Rows whose result overflows, each with a message, which is empty if there is no more to say.
    package private(set) var tooLarge: [Int32: String] = [:]

    /// All rows are missing until they are filled.
    package init(_ kind: ColumnKind, rows: Int) {
        self.kind = kind
        text = Bytes()
        isThere = [Bool](repeating: false, count: rows)
        if isText {
            views = [TextView](repeating: TextView(offset: 0, length: 0), count: rows)
        } else {
            words = [Int64](repeating: 0, count: rows)
        }
    }

    /// Results as words; texts are the bits of their views into `text`.
    init(_ kind: ColumnKind, words: [Int64], isThere: [Bool], text: Bytes, tooLarge: [Int32: String]) {
        (self.kind, self.isThere, self.text, self.tooLarge) = (kind, isThere, text, tooLarge)
        if isText { views = words.map { TextView(word: $0) } } else { self.words = words }
    }

    private var isText: Bool { kind == .text || kind == .json }

    @inline(__always)
    package func set(_ row: Int, _ word: Int64) {
        words[row] = word
        isThere[row] = true
    }

    @inline(__always)
    package func set(_ row: Int, _ cell: Cell) {
        views[row] = TextView(offset: space(for: cell.count), length: cell.count)
        text.append(cell: cell)
        isThere[row] = true
    }

    @inline(__always)
    private func space(for count: Int) -> Int {
        precondition(text.count + count <= UInt32.max, "a text column cannot hold more than 4 GiB")
        return text.count
    }

    package func reject(_ row: Int, _ message: String = "") { tooLarge[Int32(truncatingIfNeeded: row)] = message }

    /// Sets each row for which `body` has a result.
    @inline(__always)
    package func fill(_ body: (Int) -> Int64?) {
        words.withUnsafeMutableBufferPointer { words in
            isThere.withUnsafeMutableBufferPointer { isThere in
                for row in isThere.indices {
                    guard let word = body(row) else { continue }
                    words[row] = word
                    isThere[row] = true
                }
            }
        }
    }

    /// Sets each row for which `view` points to a part of some bytes.
    @inline(__always)
    func fill(_ bytes: [UInt8], _ view: (Int) -> TextView?) {
        let start = space(for: bytes.count)
        bytes.withUnsafeBufferPointer { text.append($0) }
        views.withUnsafeMutableBufferPointer { views in
            isThere.withUnsafeMutableBufferPointer { isThere in
                for row in isThere.indices {
                    guard let view = view(row) else { continue }
                    views[row] = TextView(offset: start + Int(view.offset), length: Int(view.length))
                    isThere[row] = true
                }
            }
        }
    }

    /// About how many bytes a row's result takes.
    func length(of row: Int) -> Int { isText ? Int(views[row].length) : MemoryLayout<Int64>.size }

    /// Packs some rows.
    func write(_ rows: ArraySlice<Int32>, to out: Bytes) {
        if isText {
            // With one more, and so 0 where the text is missing.
            let lengths = rows.map { isThere[Int($0)] ? views[Int($0)].length &+ 1 : 0 }
            out.append(packed: lengths[...])
            for row in rows {
                let view = views[Int(row)]
                out.append(cell: Cell(start: text.base + Int(view.offset), count: Int(view.length)))
            }
        } else {
            out.append(packed: rows.map { isThere[Int($0)] ? UInt8(1) : 0 }[...])
            out.append(packed: words.taking(rows)[...])
        }
        let rejects = tooLarge.isEmpty ? [] : rows.indices.filter { tooLarge[rows[$0]] != nil }
        out.append(raw: UInt32(rejects.count))
        for place in rejects {
            out.append(raw: UInt32(place - rows.startIndex))
            out.append(counted: tooLarge[rows[place]] ?? "")
        }
    }

    /// Fills some rows with as many that were packed.
    func read(_ reader: inout ByteReader, to rows: ArraySlice<Int32>) throws(DaybookError) {
        try rows.withUnsafeBufferPointer { (rows) throws(DaybookError) in
            if isText {
                try readText(&reader, to: rows)
            } else {
                try isThere.withUnsafeMutableBufferPointer { (isThere) throws(DaybookError) in
                    try reader.forEachPacked(rows.count) { (place, flag: UInt8) in isThere[Int(rows[place])] = flag == 1
                    }
                }
                try words.withUnsafeMutableBufferPointer { (words) throws(DaybookError) in
                    try reader.forEachPacked(rows.count) { (place, word: Int64) in words[Int(rows[place])] = word }
                }
            }
            for _ in 0..<(try reader.raw(UInt32.self)) {
                let place = Int(try reader.raw(UInt32.self))
                guard place < rows.count else { throw ByteReader.damaged }
                reject(Int(rows[place]), try reader.text())
            }
        }
    }

    private func readText(_ reader: inout ByteReader, to rows: UnsafeBufferPointer<Int32>) throws(DaybookError) {
        var length = 0
        try views.withUnsafeMutableBufferPointer { (views) throws(DaybookError) in
            try isThere.withUnsafeMutableBufferPointer { (isThere) throws(DaybookError) in
                try reader.forEachPacked(rows.count) { (place, packed: UInt32) in
                    guard packed > 0 else { return }
                    views[Int(rows[place])] = TextView(offset: text.count + length, length: Int(packed) - 1)
                    isThere[Int(rows[place])] = true
                    length += Int(packed) - 1
                }
            }
        }
        _ = space(for: length)
        text.append(try reader.take(length))
    }

    /// The column. Nothing is filled in afterwards.
    package func column() -> Column {
        let missing = isThere.allSatisfy { $0 } ? nil : Mask(count: isThere.count) { !isThere[$0] }
        return switch kind {
        case .text: .text(TextColumn(text, views: views, missing: missing))
        case .json: .json(TextColumn(text, views: views, missing: missing))
        default: Column(sortable: Values(words, missing: missing), kind: kind)
        }
    }
}

/// Decodes the columns of keys that `SortKeyTable` has written.
struct KeyColumns {
    let columns: [ResultColumn]
    private let unescaped = Bytes()

    init(_ fields: some Sequence<Field>, of keys: KeyIndex) {
        columns = fields.map { ResultColumn($0.kind, rows: keys.count) }
        fill(keys)
    }

    /// Decodes all keys, column by column. Within the initialiser, each row would retain the value that is being made.
    private func fill(_ keys: KeyIndex) {
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
