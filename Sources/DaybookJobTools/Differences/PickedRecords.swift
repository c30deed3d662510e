import DaybookBytes
import DaybookDiscover
import Foundation

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
    func cells(
        of columns: [String],
        compared: [String],
        _ records: [RecordPlace]
    ) -> FoundCells? {
        guard let prints = try? copy.table.run(RowPrints(keys: [], columns: compared))?.seen.parts.joined() else {
            return nil
        }
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
