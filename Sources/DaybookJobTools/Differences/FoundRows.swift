import DaybookDiscover

/// Finds the cells of some rows, by the rows' places.
struct FoundRows: RowObserver {
    /// The columns whose cells are wanted; what the table lacks is missing.
    let columns: [String]
    /// The columns that are compared, whose hash is the place of rows that a stage made.
    let compared: [String]
    let wanted: Set<UInt64>
    /// The rows whose lines are told, as findings with their places for a message.
    let told: Set<UInt64>

    private static let line = Finding.Kind("told-row", "a row", severity: .warning)

    func nothing(_ schema: Schema) -> FoundCells { FoundCells(width: columns.count) }

    func partial(of batch: Batch, reporting findings: inout Findings) -> FoundCells {
        var found = FoundCells(width: columns.count)
        let names = Set(batch.schema.names)
        let places = RowPrints.places(in: batch) ?? RowPrints.hashes(of: compared, in: batch)
        let cells = columns.map { names.contains($0) ? batch[ColumnName($0)] : nil }
        let token = findings.token(FoundRows.line)
        for (row, place) in places.enumerated() where wanted.contains(place) {
            found.add(row, of: cells, at: place)
            if told.contains(place) { findings.warn(row, token, saying: String(place)) }
        }
        return found
    }

    func merge(_ later: FoundCells, into earlier: inout FoundCells, scratch: any Scratch) { earlier.append(later) }

    func isEnough(_ found: FoundCells) -> Bool { found.count == wanted.count }
}

/// The cells of some rows, one after another.
struct FoundCells: Sendable {
    private let width: Int
    private let bytes = Bytes()
    /// Where each cell ends in the bytes, and whether it is missing.
    private var ends: [Int] = []
    private var missing: [Bool] = []
    private var places: [UInt64] = []
    /// The numbers of rows by their places, once they were appended to others.
    private var rows: [UInt64: Int] = [:]

    init(width: Int) { self.width = width }

    /// How many rows are found by their places.
    var count: Int { rows.count }

    mutating func add(_ row: Int, of columns: [Column?], at place: UInt64) {
        for column in columns {
            let isMissing = column.map { $0.missing.isMissing(row) } ?? true
            if let column, !isMissing { column.appendValue(row, to: bytes) }
            ends.append(bytes.count)
            missing.append(isMissing)
        }
        places.append(place)
    }

    /// Of rows with one place, the first is found.
    mutating func append(_ later: FoundCells) {
        for (row, place) in later.places.enumerated() where rows[place] == nil { rows[place] = places.count + row }
        let start = bytes.count
        bytes.append(later.bytes)
        ends += later.ends.map { $0 + start }
        missing += later.missing
        places += later.places
    }

    /// The same rows by other places; those without one are not found.
    func placed(_ other: [UInt64: UInt64]) -> FoundCells {
        var placed = self
        let pairs = rows.compactMap { place, row in other[place].map { ($0, row) } }
        placed.rows = Dictionary(uniqueKeysWithValues: pairs)
        return placed
    }

    func row(at place: UInt64) -> Int? { rows[place] }

    /// The texts of a row's cells; nil for a missing one.
    func texts(_ row: Int) -> [String?] { (0..<width).map { text(row, $0) } }

    func text(_ row: Int, _ column: Int) -> String? {
        let cell = row * width + column
        return missing[cell] ? nil : bytes.text(range(cell))
    }

    /// Whether a cell has the same bytes as one of other rows; texts that are composed otherwise differ.
    func isSame(_ row: Int, _ column: Int, as others: FoundCells, _ other: Int) -> Bool {
        let (cell, second) = (row * width + column, other * others.width + column)
        guard missing[cell] == others.missing[second] else { return false }
        return bytes.cell(range(cell)).elementsEqual(others.bytes.cell(others.range(second)))
    }

    private func range(_ cell: Int) -> Range<Int> { (cell == 0 ? 0 : ends[cell - 1])..<ends[cell] }
}
