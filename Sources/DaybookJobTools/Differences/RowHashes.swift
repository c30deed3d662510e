import DaybookDelimited
import DaybookTables

/// A hash of some cells of each row, by which rows of two files are compared: what the cells say as text, and whether they are missing.
///
/// Cells of up to 16 bytes, which most are, are two words that are multiplied to 128 bits, as in wyhash; others take XXH3. The seed
/// is that of the process, so that nobody can write rows that differ and seem the same.
struct RowHashes {
    private(set) var values: [UInt64]

    init(count: Int) { values = [UInt64](repeating: 0, count: count) }

    /// Adds a column, by the hashes of its cells.
    mutating func add(_ cells: [UInt64]) {
        // Odd, so that two cells give two rows whatever stands before them.
        let factor: UInt64 = 0x9E37_79B9_7F4A_7C15
        for row in values.indices {
            let turned = values[row] << 29 | values[row] >> 35
            values[row] = (turned ^ cells[row]) &* factor
        }
    }

    private static let seed = HashSeed.current
    private static let missing: UInt64 = 0x5851_F42D_4C95_7F2D

    /// The hashes of so many cells of a column, which are missing where it is.
    static func cells(of column: Column?, count: Int) -> [UInt64] {
        column.map(cells) ?? [UInt64](repeating: missing, count: count)
    }

    /// The hashes of a column's cells. A number or a day has that of its text.
    static func cells(of column: Column) -> [UInt64] {
        if case .text(let text) = column { return cells(of: text) }
        let batch = Batch(Schema([Field("cell", column.kind)]), [column], count: column.count, provenance: .made)
        let written = CSVRowWriter(CSVWriteSettings(), notesEnds: true).write(batch)
        var start = 0
        let views = written.ends.map { end in
            defer { start = end }
            return TextView(offset: start, length: end - start - 1)
        }
        return cells(of: TextColumn(written.bytes, views: views, missing: column.missing))
    }

    private static func cells(of text: TextColumn) -> [UInt64] {
        let (first, second) = (seed, seed &* 0xD6E8_FEB8_6659_FD93 | 1)
        return text.mapValues(filler: missing) { _, cell in hash(cell, first, second) }.elements
    }

    @inline(__always)
    private static func hash(_ cell: Cell, _ first: UInt64, _ second: UInt64) -> UInt64 {
        let count = cell.count
        guard count <= 16 else { return KeyIndex.hash(cell) }
        var (low, high): (UInt64, UInt64) = (0, 0)
        if count >= 8 {
            (low, high) = (cell.word(at: 0), cell.word(at: count - 8))
        } else if count > 0 {
            low = cell.word(at: 0) & ((1 &<< UInt64(truncatingIfNeeded: count &* 8)) &- 1)
        }
        // The length is spread over all bits, so that no byte of the cell can undo it.
        let length = second &+ UInt64(truncatingIfNeeded: count) &* 0x9E37_79B9_7F4A_7C15
        let product = (low ^ first).multipliedFullWidth(by: high ^ length)
        return product.high ^ product.low
    }
}

/// Whether the keys of a table rise from row to row, column by column: as bytes, or as whole numbers without signs do, by their
/// lengths first.
struct KeyOrder: Sendable {
    static let none = KeyOrder(isRising: false, isRisingByLength: false)

    private var isRising: Bool
    private var isRisingByLength: Bool
    private var isEmpty = false
    /// The first and the last key.
    private var first: [[UInt8]] = []
    private var last: [[UInt8]] = []

    private init(isRising: Bool, isRisingByLength: Bool) {
        (self.isRising, self.isRisingByLength) = (isRising, isRisingByLength)
    }

    /// - Parameter columns: the columns of the key; nil for one that is missing.
    init(_ columns: [Column?]) {
        self.init(isRising: true, isRisingByLength: true)
        let texts = columns.compactMap { column in
            if case .text(let text)? = column, text.missing == nil { text } else { nil }
        }
        isEmpty = texts.first?.count == 0
        guard !isEmpty else { return }
        guard !texts.isEmpty, texts.count == columns.count else {
            self = .none
            return
        }
        first = texts.map { $0.withCell(0) { Array($0) } }
        last = texts.map { text in text.withCell(text.count - 1) { Array($0) } }
        // A row that has the key of the one before it in all columns so far.
        var isTie = [Bool](repeating: true, count: texts[0].count)
        isTie[0] = false
        for text in texts { compare(text, &isTie) }
        if isTie.contains(true) { self = .none }
    }

    /// Whether no two keys are the same.
    var isUnique: Bool { isRising || isRisingByLength }

    /// Whether the keys of another table rise in the same way.
    func isUnique(with other: KeyOrder) -> Bool {
        isRising && other.isRising || isRisingByLength && other.isRisingByLength
    }

    private mutating func compare(_ text: TextColumn, _ isTie: inout [Bool]) {
        var before: Cell?
        text.forEachValue { row, cell in
            if isTie[row], let before { isTie[row] = compare(before, cell) }
            before = cell
        }
    }

    /// Whether both are the same.
    @inline(__always)
    private mutating func compare(_ one: Cell, _ other: Cell) -> Bool {
        let common = min(one.count, other.count)
        let order = common == 0 ? 0 : memcmp(one.baseAddress!, other.baseAddress!, common)
        guard order != 0 || one.count != other.count else { return true }
        isRising = isRising && (order < 0 || order == 0 && one.count < other.count)
        isRisingByLength = isRisingByLength && (one.count < other.count || one.count == other.count && order < 0)
        return false
    }

    /// Takes in the order of later rows.
    mutating func append(_ later: KeyOrder, isFirst: Bool) {
        guard !isFirst else {
            self = later
            return
        }
        guard !later.isEmpty else { return }
        (isRising, isRisingByLength) = (isRising && later.isRising, isRisingByLength && later.isRisingByLength)
        let differing = zip(last, later.first).first { $0 != $1 }
        let isSame = differing.map { one, other in
            one.withUnsafeBufferPointer { one in other.withUnsafeBufferPointer { compare(one, $0) } }
        }
        if isSame != false { self = .none }
        last = later.last
    }
}
