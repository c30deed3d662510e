import DaybookBytes
import DaybookDiscover
import Foundation

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
        let places = RowPrints.places(in: batch) ?? RowPrints.hashes(of: compared, in: batch)
        let cells = RowPrints.columns(columns, of: batch)
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

/// A record in its file: its bytes up to the next one that could be read, and the hash of its cells.
struct RecordPlace: Sendable, BitwiseCopyable {
    var place: UInt64
    var end: UInt64
    var row: UInt64

    init(_ print: RowPrints.Print, before next: RowPrints.Print?) {
        (place, end, row) = (print.place, next?.place ?? .max, print.row)
    }
}

/// A place in a file whose line is known, at the beginning of a line.
struct LineMark: Sendable {
    var offset: UInt64
    var line: Int
    var lineEnd: LineEnd
}

/// A copy of a file with only some of its records, so that these are read without the others.
struct PickedRecords {
    private let file: Descriptor
    private let copy: TableCopy
    /// The places in the file, by those in the copy.
    private let places: [UInt64: UInt64]

    /// A file of fewer bytes is read as a whole.
    private static let leastFile = 512 << 10
    /// The most bytes of a copy.
    private static let mostBytes = 32 << 20

    /// Nil where reading the whole file is as well.
    ///
    /// - Parameters:
    ///   - records: the records to copy, in any order.
    ///   - start: the place of the first record of the file; what stands before is copied too.
    init?(_ records: [RecordPlace], of table: ReadTable, from start: UInt64) {
        guard let file = Descriptor.plainFile(at: table.path), let size = try? file.status().size,
            size >= PickedRecords.leastFile, start < UInt64(PickedRecords.mostBytes)
        else { return nil }
        let limit = min(PickedRecords.mostBytes, size / 4)
        let copy = Bytes()
        copy.append(file.bytes(at: 0, count: Int(start)))
        var places: [UInt64: UInt64] = [:]
        var last: UInt64?
        for record in records.sorted(by: { $0.place < $1.place }) where record.place != last {
            last = record.place
            let end = min(record.end, UInt64(size))
            guard record.place >= start, record.place < end, end - record.place < UInt64(limit - min(limit, copy.count))
            else { return nil }
            places[UInt64(copy.count)] = record.place
            copy.append(file.bytes(at: Int(record.place), count: Int(end - record.place)))
        }
        guard let written = TableCopy(copy, of: table) else { return nil }
        (self.file, self.places, self.copy) = (file, places, written)
    }

    /// The cells of the records by their places; nil where the copy is not read as the file is: an array of JSON never is, as it lacks
    /// its end. The file is read then, and tells its own faults.
    func cells(of columns: [String], compared: [String], _ records: [RecordPlace]) -> FoundCells? {
        guard let prints = try? copy.table.run(RowPrints(keys: [], columns: compared))?.seen.parts.joined()
        else { return nil }
        let rows = Dictionary(prints.map { ($0.place, $0.row) }) { first, _ in first }
        let hashes = Dictionary(records.map { ($0.place, $0.row) }) { first, _ in first }
        guard places.allSatisfy({ rows[$0.key] == hashes[$0.value] }) else { return nil }
        let wanted = FoundRows(columns: columns, compared: compared, wanted: Set(places.keys), told: [])
        guard let found = try? copy.table.run(wanted)?.seen, found.count == places.count else { return nil }
        return found.placed(places)
    }

    /// The lines on which some records of the file begin, by their places.
    func lines(of records: [RecordPlace], _ marks: [LineMark]) -> [UInt64: Int] {
        var lines: [UInt64: Int] = [:]
        for record in records {
            guard let mark = marks.last(where: { $0.offset <= record.place }) else { continue }
            let count = Int(record.place - mark.offset)
            let bytes = Bytes()
            bytes.append(file.bytes(at: Int(mark.offset), count: count + 1))
            guard bytes.count == count + 1 else { continue }
            lines[record.place] = mark.line + mark.lineEnd.count(in: bytes.cell(0..<count), next: bytes[count])
        }
        return lines
    }
}

/// How many cells of each column changed, and how.
public struct ChangedCells: Sendable {
    /// What all changes of a column have in common.
    public enum Manner: Sendable, Hashable {
        /// Each number became so many times what it was.
        case times(Double)
        /// The values are the same ones in another form.
        case form(String)
    }

    public struct Column: Sendable {
        public var name: String
        public var count = 0
        /// Nil where the changes are of several kinds.
        public var manner: Manner?
    }

    /// The columns in the order of the file, also those without changes.
    private var all: [Column] = []
    /// How many changed rows were looked into.
    public private(set) var rows = 0
    /// How many cells changed in them.
    public private(set) var count = 0

    init(_ names: [String] = []) { all = names.map { Column(name: $0) } }

    /// The columns in which cells changed.
    public var columns: [Column] { all.filter { $0.count > 0 } }

    /// Adds a row of either file, of its cells the first ones.
    mutating func add(_ before: FoundCells, _ was: Int, _ after: FoundCells, _ now: Int) {
        rows += 1
        for index in all.indices where !before.isSame(was, index, as: after, now) {
            if all[index].count == 0 || all[index].manner != nil {
                let manner = ChangedCells.manner(before.text(was, index), after.text(now, index))
                if all[index].count == 0 || all[index].manner != manner {
                    all[index].manner = all[index].count == 0 ? manner : nil
                }
            }
            all[index].count += 1
            count += 1
        }
    }

    private static func manner(_ old: String?, _ new: String?) -> Manner? {
        guard let old, let new else { return nil }
        if let was = Double(old), let now = Double(new) {
            if was == now { return .form("how numbers are spelled") }
            guard was != 0, now != 0 else { return nil }
            // Digits beyond the twelfth are those of the division.
            return Double(String(format: "%.12g", now / was)).map { .times($0) }
        }
        let (was, now) = (trimmed(old), trimmed(new))
        // Swift takes texts for equal that are composed otherwise.
        if was.utf8.elementsEqual(now.utf8) { return .form("blanks at the edges") }
        if old == new { return .form("how characters are composed") }
        return was.lowercased() == now.lowercased() ? .form("capitals") : nil
    }

    private static func trimmed(_ text: String) -> String {
        let end = text.unicodeScalars.lastIndex { !$0.properties.isWhitespace }
        guard let end, let start = text.unicodeScalars.firstIndex(where: { !$0.properties.isWhitespace }) else {
            return ""
        }
        return String(text.unicodeScalars[start...end])
    }
}
