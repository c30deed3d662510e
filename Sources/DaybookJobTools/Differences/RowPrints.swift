import DaybookDiscover
import DaybookTables

/// Hashes of the rows of a table, and the kinds of its columns.
struct RowPrints: RowObserver {
    /// One row: hashes of its key and of all compared cells, and its place in the file.
    struct Print: Sendable, BitwiseCopyable {
        var key: UInt64
        var row: UInt64
        var place: UInt64
    }

    struct Table: Sendable {
        /// The rows in their order, in parts.
        var parts: [[Print]] = []
        var count = 0
        /// Where the morsels of the file begin.
        var marks: [LineMark] = []
        /// Whether the keys rise from row to row, and so differ.
        var order = KeyOrder.none
        /// The kinds of `columns`, as far as values have told them.
        var kinds: [SpelledKinds] = []

        /// All rows in their order; the parts are released.
        mutating func takePrints() -> [Print] {
            var prints: [Print] = []
            prints.reserveCapacity(count)
            parts.reverse()
            while let part = parts.popLast() { prints += part }
            return prints
        }

        /// A row as a record of its file.
        func record(_ row: Int, ofPart part: Int) -> RecordPlace {
            let next =
                row + 1 < parts[part].count ? parts[part][row + 1] : parts[(part + 1)...].lazy.compactMap(\.first).first
            return RecordPlace(parts[part][row], before: next)
        }
    }

    /// Empty if all cells are the key.
    let keys: [String]
    /// The compared columns, in an order that both tables share.
    let columns: [String]

    /// The most rows: of each, 24 bytes are held.
    static let limit = 20_000_000

    func nothing(_ schema: Schema) -> Table { Table() }

    func partial(of batch: Batch, reporting findings: inout Findings) -> Table {
        var hashes = RowHashes(count: batch.count)
        var keyHashes = RowHashes(count: batch.count)
        let found = RowPrints.columns(columns, of: batch)
        for (name, column) in zip(columns, found) {
            let cells = RowHashes.cells(of: column, count: batch.count)
            hashes.add(cells)
            if keys.contains(name) { keyHashes.add(cells) }
        }
        let rows = hashes.values
        let keys = keys.isEmpty ? rows : keyHashes.values
        let places = RowPrints.places(in: batch) ?? rows
        let prints = rows.indices.map { Print(key: keys[$0], row: rows[$0], place: places[$0]) }
        let kinds = found.map { $0.map(SpelledKinds.init) ?? SpelledKinds() }
        var table = Table(parts: [prints], count: prints.count, kinds: kinds)
        table.order = KeyOrder(self.keys.map { key in columns.firstIndex(of: key).flatMap { found[$0] } })
        if case .morsel(let morsel, _, _) = batch.provenance {
            let offset = UInt64(truncatingIfNeeded: morsel.offset)
            table.marks = [LineMark(offset: offset, line: morsel.firstLine, lineEnd: morsel.lineEnd)]
        }
        return table
    }

    func merge(_ later: Table, into earlier: inout Table, scratch: any Scratch) {
        earlier.order.append(later.order, isFirst: earlier.count == 0)
        earlier.parts += later.parts
        earlier.count += later.count
        earlier.marks += later.marks
        if earlier.kinds.isEmpty { earlier.kinds = later.kinds }
        for index in later.kinds.indices { earlier.kinds[index].add(later.kinds[index]) }
    }

    func isEnough(_ table: Table) -> Bool { table.count > RowPrints.limit }

    /// Where the rows of an import are in their file or store; nil for rows that a stage made.
    static func places(in batch: Batch) -> [UInt64]? {
        switch batch.provenance {
        case .morsel(let morsel, let spans, _):
            spans.map { UInt64(truncatingIfNeeded: morsel.offset) &+ UInt64($0.start) }
        case .store(_, let rows): rows.map { UInt64(truncatingIfNeeded: $0.number) }
        case .gathered, .made: nil
        }
    }

    /// Some columns; nil for those that the batch lacks: a file without a record may have none.
    static func columns(_ columns: [String], of batch: Batch) -> [Column?] {
        let names = Set(batch.schema.names)
        return columns.map { names.contains($0) ? batch[ColumnName($0)] : nil }
    }

    /// A hash of some cells of each row, different for missing cells and empty texts.
    static func hashes(of names: [String], in batch: Batch) -> [UInt64] {
        var hashes = RowHashes(count: batch.count)
        for column in columns(names, of: batch) { hashes.add(RowHashes.cells(of: column, count: batch.count)) }
        return hashes.values
    }
}

extension [RowPrints.Print] {
    /// A row as a record of its file.
    func record(_ row: Int) -> RecordPlace { RecordPlace(self[row], before: row + 1 < count ? self[row + 1] : nil) }
}

/// Rows by the hashes of their keys; of equal keys, each is taken once, in their order.
///
/// A table with open addressing and linear probing, for the keys are hashes already.
struct PrintIndex {
    private struct Slot: BitwiseCopyable {
        /// The high half of the key, which tells most others apart without a look at the row.
        var tag: UInt32 = 0
        /// The next row to be taken, or the last one once all are; -1 in a slot without a key.
        var row: Int32 = -1
    }

    /// Empty until a row is not where it is guessed to be.
    private var slots: [Slot] = []
    private var isTaken: [Bool]
    private var takenCount = 0
    /// The next row with the key of each row, or -1; empty where no two rows may have one key.
    private var next: [Int32] = []
    private var mask = 0
    /// The first row whose key a row before it has, where that may not be; rows from it on are not found.
    private(set) var second: Int?

    /// - Parameters:
    ///   - allowsEqual: whether several rows may have one key.
    ///   - isUnique: whether it is known that no two have.
    init(_ prints: [RowPrints.Print], allowsEqual: Bool, isUnique: Bool) {
        isTaken = Array(repeating: false, count: prints.count)
        if !isUnique || allowsEqual { build(prints, allowsEqual: allowsEqual) }
    }

    private mutating func build(_ prints: [RowPrints.Print], allowsEqual: Bool) {
        var size = 16
        while size < prints.count * 3 / 2 { size *= 2 }
        mask = size - 1
        slots = Array(repeating: Slot(), count: size)
        if allowsEqual { next = Array(repeating: -1, count: prints.count) }
        for step in prints.indices {
            // From the last to the first, so that the first is at the head of its list.
            let row = allowsEqual ? prints.count - 1 - step : step
            let place = place(of: prints[row].key, prints)
            if slots[place].row >= 0 {
                guard allowsEqual else {
                    second = row
                    return
                }
                next[row] = slots[place].row
            }
            slots[place] = Slot(tag: UInt32(truncatingIfNeeded: prints[row].key >> 32), row: Int32(row))
        }
    }

    @inline(__always)
    private func place(of key: UInt64, _ prints: [RowPrints.Print]) -> Int {
        let tag = UInt32(truncatingIfNeeded: key >> 32)
        var place = Int(truncatingIfNeeded: key) & mask
        while slots[place].row >= 0 {
            if slots[place].tag == tag, prints[Int(slots[place].row)].key == key { break }
            place = (place + 1) & mask
        }
        return place
    }

    /// The next row with a key, which is not found again, and whether there was one at all.
    ///
    /// - Parameters:
    ///   - guess: the row that it likely is, as of files in the same order, which is looked at first.
    ///   - isNew: whether no earlier row of the other file had the key.
    @inline(__always)
    mutating func take(
        _ key: UInt64,
        _ prints: [RowPrints.Print],
        guess: Int,
        isNew: Bool
    ) -> (row: Int?, isKnown: Bool) {
        if next.isEmpty, guess < prints.count, prints[guess].key == key, !isTaken[guess] {
            isTaken[guess] = true
            takenCount += 1
            return (guess, true)
        }
        return search(key, prints, isNew: isNew)
    }

    private mutating func search(_ key: UInt64, _ prints: [RowPrints.Print], isNew: Bool) -> (row: Int?, isKnown: Bool)
    {
        if takenCount == prints.count, isNew { return (nil, false) }
        if slots.isEmpty { build(prints, allowsEqual: false) }
        let place = place(of: key, prints)
        let row = Int(slots[place].row)
        guard row >= 0 else { return (nil, false) }
        guard !isTaken[row] else { return (nil, true) }
        isTaken[row] = true
        takenCount += 1
        if !next.isEmpty, next[row] >= 0 { slots[place].row = next[row] }
        return (row, true)
    }

    /// How many rows are looked at together.
    static let step = 64

    /// Has the processor fetch what `take` will look at for some rows: they are anywhere in memory, so it waits for many at a time.
    ///
    /// - Returns: what was read, so that it is read.
    func fetch(_ wanted: ArraySlice<RowPrints.Print>, _ prints: [RowPrints.Print]) -> UInt64 {
        guard !slots.isEmpty else { return 0 }
        var sum: UInt64 = 0
        for print in wanted { sum &+= UInt64(slots[Int(truncatingIfNeeded: print.key) & mask].tag) }
        for print in wanted {
            let row = Int(slots[Int(truncatingIfNeeded: print.key) & mask].row)
            if row >= 0 { sum &+= prints[row].key }
        }
        return sum
    }

    /// The rows that were not taken, in their order.
    var left: [Int] { isTaken.indices.filter { !isTaken[$0] } }
}

/// The kinds that all values of a column may have.
struct SpelledKinds: Sendable, Equatable {
    /// One bit for each of `spellable`.
    private var left: UInt8 = 0xF
    /// The kind of a column that is none of texts.
    private var known: ColumnKind?
    private var hasValue = false

    private static let spellable: [ColumnKind] = [.integer, .decimal, .day, .flag]
    private static let (integer, decimal, day, flag): (UInt8, UInt8, UInt8, UInt8) = (1, 2, 4, 8)

    init() {}

    init(of column: Column) {
        guard case .text(let text) = column else {
            known = column.kind
            hasValue = column.missing.map { mask in (0..<column.count).contains { !mask[$0] } } ?? (column.count > 0)
            return
        }
        var (left, hasValue): (UInt8, Bool) = (0xF, false)
        text.forEachValue { _, cell in
            guard left != 0 || !hasValue, cell.count > 0 else { return }
            hasValue = true
            left = SpelledKinds.kinds(cell, among: left)
        }
        (self.left, self.hasValue) = (left, hasValue)
    }

    /// Numbers that begin with zeros are codes.
    @inline(__always)
    private static func kinds(_ cell: Cell, among left: UInt8) -> UInt8 {
        let start = cell[0] == UInt8(ascii: "-") ? 1 : 0
        let isCode = cell.count > start + 1 && cell[start] == 48 && cell[start + 1] != UInt8(ascii: ".")
        if left & (integer | decimal) != 0, !isCode {
            if let hasPoint = shortNumber(cell) {
                let kept = left & (hasPoint ? decimal : integer | decimal)
                if kept != 0 { return kept }
            }
            if CellReading.integer(cell) != nil { return left & (integer | decimal) }
            if left & decimal != 0, CellReading.decimal(cell) != nil { return left & decimal }
        }
        if left & day != 0, CellReading.day(cell) != nil { return left & day }
        return left & flag != 0 && CellReading.flag(cell) != nil ? left & flag : 0
    }

    /// Whether up to eight digits have a point among them; nil for anything else. Eight bytes are looked at at once.
    @inline(__always)
    private static func shortNumber(_ cell: Cell) -> Bool? {
        let (zeros, ones): (UInt64, UInt64) = (0x3030_3030_3030_3030, 0x0101_0101_0101_0101)
        guard cell.count <= 8 else { return nil }
        let unused = cell.count == 8 ? 0 : ~0 &<< UInt64(truncatingIfNeeded: cell.count &* 8)
        var word = cell.word(at: 0) & ~unused | zeros & unused
        let difference = word ^ (ones &* 0x2E)
        let point = (difference &- ones) & ~difference & (ones &* 0x80)
        if point != 0 {
            // The lowest mark is right; digits on both sides of it, or it is no number that others read.
            let place = point.trailingZeroBitCount >> 3
            guard place > 0, place < cell.count - 1 else { return nil }
            word =
                word & ~(0xFF &<< UInt64(truncatingIfNeeded: place &* 8)) | 0x30
                &<< UInt64(truncatingIfNeeded: place &* 8)
        }
        let isDigits = (word & (ones &* 0xF0)) == zeros && ((word &+ ones &* 6) & (ones &* 0xF0)) == zeros
        return isDigits ? point != 0 : nil
    }

    mutating func add(_ later: SpelledKinds) {
        guard later.hasValue else { return }
        if hasValue, known != later.known { known = .text } else { known = later.known }
        left = hasValue ? left & later.left : later.left
        hasValue = true
    }

    /// The kind; nil where there is no value.
    var kind: ColumnKind? {
        guard hasValue else { return nil }
        return known ?? (left == 0 ? .text : SpelledKinds.spellable[left.trailingZeroBitCount])
    }
}
