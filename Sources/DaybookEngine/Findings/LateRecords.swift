/// Reads the records of rows whose morsels are gone, those that lie close together in one go.
package struct LateRecords {
    /// The most bytes that are read together, and the most between two records that are.
    private static let longestStretch = 1 << 20
    private static let widestGap = 4096

    private let provenance: [RowOrigin]
    /// What was read last, and where it stands in its source.
    private var stretch: Bytes?
    private var start = 0
    private var source: Int32 = -1
    /// The source that was opened last.
    private var opened: (source: Int32, read: (Range<Int>) -> Bytes?)?

    package init(_ provenance: [RowOrigin]) { self.provenance = provenance }

    package subscript(row: Int) -> RowOrigin { provenance[row] }

    /// The lines of some rows, where each stands on a line of its own; nil elsewhere.
    package func lines(of rows: [UInt32]) -> [Int64]? {
        var areOneLine = true
        let lines = rows.map { row in
            areOneLine = areOneLine && provenance[Int(row)].isOneLine
            return provenance[Int(row)].line
        }
        return areOneLine ? lines : nil
    }

    /// The record of a row, valid until the next is asked for; nil where it cannot be read again.
    package mutating func record(of row: Int, _ again: RecordRefetch?) -> Cell? {
        let origin = provenance[row]
        if !holds(origin) {
            switch again {
            case nil: return nil
            case .records(let read): stretch = read(origin)
            case .stretches(let open):
                if opened?.source != origin.source { opened = (origin.source, open()) }
                guard let read = opened?.read else { return nil }
                let own = Int(origin.offset)..<Int(origin.offset) + Int(origin.length)
                // A file that has lost its end may still have this record.
                stretch = read(own.lowerBound..<end(from: row)) ?? read(own)
            }
            (source, start) = (origin.source, Int(origin.offset))
        }
        guard let stretch, holds(origin) else { return nil }
        return Cell(start: stretch.base + (Int(origin.offset) - start), count: Int(origin.length))
    }

    private func holds(_ origin: RowOrigin) -> Bool {
        guard let stretch, origin.source == source, Int(origin.offset) >= start else { return false }
        return Int(origin.offset) - start + Int(origin.length) <= stretch.count
    }

    /// Where the last record ends that is worth reading together with that of a row.
    private func end(from row: Int) -> Int {
        let first = provenance[row]
        let start = Int(first.offset)
        var end = start + Int(first.length)
        for next in provenance[(row + 1)...] {
            let (from, to) = (Int(next.offset), Int(next.offset) + Int(next.length))
            guard next.source == first.source, from >= end, from - end <= LateRecords.widestGap,
                to - start <= LateRecords.longestStretch
            else { break }
            end = to
        }
        return end
    }
}
