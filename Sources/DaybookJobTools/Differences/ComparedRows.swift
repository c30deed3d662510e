import DaybookDiscover
import DaybookEngine
import DaybookReports
import Foundation

/// The rows of two tables that are compared one by one: all of them, or those in changed sections where it is known that all others are
/// the same.
struct ComparedRows {
    var before: ReadRows
    var after: ReadRows
    /// How many rows both files have beside these.
    let left: Int
    /// The kinds of all values of each column.
    let kinds: (before: [SpelledKinds], after: [SpelledKinds])

    /// Whether no two rows of a file have one key, as far as their order tells.
    var areUnique: (before: Bool, after: Bool) { (before.prints.order.isUnique, after.prints.order.isUnique) }

    /// All rows.
    init(of old: ReadTable, _ new: ReadTable, columns: [String], by keys: [String]) throws(DaybookErrors) {
        let prints = RowPrints(keys: keys, columns: columns)
        (before, after, left) = (try ReadRows(old, prints), try ReadRows(new, prints), 0)
        kinds = (before.prints.kinds, after.prints.kinds)
    }

    /// The rows of changed sections; nil unless the key rises from row to row in both files, and these are read as their parts are.
    ///
    /// All other rows then have the same key in both files, and no row here has it.
    init?(in copies: SectionCopies, columns: [String], by keys: [String]) {
        let (prints, ranges) = (RowPrints(keys: keys, columns: columns), copies.sections.sections.map(\.before))
        let read = try? together(
            { () throws(DaybookErrors) in try ReadRows(copies.before.table, prints, in: copies.before) },
            { () throws(DaybookErrors) in try ReadRows(copies.after.table, prints, in: copies.after) }
        )
        guard let (before, after) = read, before.unread + after.unread == 0, after.prints.order.isUnique,
            copies.areRecords(before.prints, after.prints),
            let all = try? copies.old.run(RowsAround(sections: ranges, keys: keys)), all.unread == 0,
            all.seen.borders == copies.borders, all.seen.inside == before.prints.count,
            all.seen.order.isUnique(with: after.prints.order),
            let kinds = copies.kinds(of: columns, before.prints.kinds, after.prints.kinds)
        else { return nil }
        (self.before, self.after, self.kinds) = (before, after, kinds)
        left = all.seen.count - all.seen.inside
    }
}

/// The rows of a table, or of sections of it: their hashes, and what was told of records that could not be read.
struct ReadRows {
    private let table: ReadTable
    /// Where the first record is.
    private let start: UInt64
    private(set) var prints = RowPrints.Table()
    private(set) var told: [RenderedFinding] = []
    private(set) var unread = 0
    /// The copy of sections that is the table; nil where it is all of a file.
    private let copy: TableCopy?

    init(_ table: ReadTable, _ observer: RowPrints, in copy: TableCopy? = nil) throws(DaybookErrors) {
        (self.table, self.copy) = (table, copy)
        let read = try table.run(observer)
        start = read?.seen.parts.lazy.compactMap(\.first).first?.place ?? .max
        guard let read else { return }
        guard read.seen.count <= RowPrints.limit else {
            let rows = DisplayText.count(RowPrints.limit, "row")
            let message = "'\(table.path)' has more than \(rows), up to which rows are compared"
            throw DaybookErrors("too-many-rows", message, blame: .data)
        }
        (prints, told, unread) = (read.seen, read.told, read.unread)
    }

    /// All rows in their order, which are no longer held.
    mutating func takePrints() -> [RowPrints.Print] { prints.takePrints() }

    /// The table of the hashes, which are no longer held.
    mutating func takeTable() -> RowPrints.Table {
        defer { prints.parts = [] }
        return prints
    }

    /// The cells of rows in the columns of both files and some more, and the lines of those that are told.
    ///
    /// They are read from a copy without the rest of the file, where that is less.
    func cells(
        of rows: [RecordPlace],
        told: [RecordPlace],
        _ columns: [String],
        _ more: [String]
    ) throws(DaybookErrors) -> (found: FoundCells, lines: [UInt64: Int]) {
        let nothing = (FoundCells(width: columns.count + more.count), [UInt64: Int]())
        guard !rows.isEmpty else { return nothing }
        if copy == nil, let picked = PickedRecords(rows, of: table, from: start) {
            let cells = picked.cells(of: columns + more, compared: columns, rows)
            if let cells { return (cells, inFile(picked.lines(of: told, prints.marks))) }
        }
        let (places, toldPlaces) = (Set(rows.map(\.place)), Set(told.map(\.place)))
        let wanted = FoundRows(columns: columns + more, compared: columns, wanted: places, told: toldPlaces)
        guard let read = try table.run(wanted) else { return nothing }
        let lines = read.told.compactMap { finding in
            UInt64(finding.message).flatMap { place in finding.line.map { (place, $0) } }
        }
        return (read.seen, inFile(Dictionary(lines) { first, _ in first }))
    }

    /// Lines of the file, by those of the table.
    private func inFile(_ lines: [UInt64: Int]) -> [UInt64: Int] {
        guard let copy else { return lines }
        let places = lines.map { place, line in (place, line + copy.linesLeftOut(Int(truncatingIfNeeded: place))) }
        return Dictionary(uniqueKeysWithValues: places)
    }
}

/// Copies of the sections in which two tables differ.
struct SectionCopies {
    let (old, new): (ReadTable, ReadTable)
    let sections: ChangedSections
    let (before, after): (TableCopy, TableCopy)

    /// Nil where lines may be no records, or the tables are read in two ways.
    init?(_ sections: ChangedSections, of old: ReadTable, _ new: ReadTable) {
        guard old.isPlainCSV, old.isRead(like: new),
            let before = TableCopy(sections.before, of: old, { sections.linesLeftOut(atCopied: $0, isLater: false) }),
            let after = TableCopy(sections.after, of: new, { sections.linesLeftOut(atCopied: $0, isLater: true) })
        else { return nil }
        (self.old, self.new, self.sections, self.before, self.after) = (old, new, sections, before, after)
    }

    /// How many places where a section begins or ends are those of records: all but the two ends of the file.
    var borders: Int {
        let ranges = sections.sections.map(\.before)
        return ranges.dropFirst().count + ranges.count { $0.upperBound < sections.size }
    }

    /// Whether sections and their last lines begin with a record in both copies, so that its key bounds those between.
    func areRecords(_ before: RowPrints.Table, _ after: RowPrints.Table) -> Bool {
        let places = sections.recordPlaces
        return SectionCopies.hold(before, places.before) && SectionCopies.hold(after, places.after)
    }

    /// The kinds of the tables' columns by those of the sections: where these differ, all values tell; nil if they cannot be read.
    func kinds(
        of columns: [String],
        _ before: [SpelledKinds],
        _ after: [SpelledKinds]
    ) -> (before: [SpelledKinds], after: [SpelledKinds])? {
        let unlike = columns.indices.filter { before[$0] != after[$0] }
        guard !unlike.isEmpty else { return (before, after) }
        let observer = ColumnKinds(columns: unlike.map { columns[$0] })
        guard let was = try? old.run(observer)?.seen, let now = try? new.run(observer)?.seen else { return nil }
        var (all, later) = (before, after)
        for (place, column) in unlike.enumerated() { (all[column], later[column]) = (was[place], now[place]) }
        return (all, later)
    }

    private static func hold(_ table: RowPrints.Table, _ starts: [Int]) -> Bool {
        var places = table.parts.joined().lazy.map { Int(truncatingIfNeeded: $0.place) }.makeIterator()
        var place = -1
        return starts.allSatisfy { start in
            while place < start, let next = places.next() { place = next }
            return place == start
        }
    }
}

/// The order of all rows of a table by a key, and how they stand to sections of its file.
private struct RowsAround: RowObserver {
    let sections: [Range<Int>]
    let keys: [String]

    struct Found: Sendable {
        var order = KeyOrder.none
        var count = 0
        /// How many of the rows are in sections.
        var inside = 0
        /// How many starts and ends of sections are places of rows.
        var borders = 0
    }

    func nothing(_ schema: Schema) -> Found { Found() }

    func partial(of batch: Batch, reporting findings: inout Findings) -> Found {
        guard let places = RowPrints.places(in: batch), let first = places.first, let last = places.last else {
            return Found(order: KeyOrder(keys.map { batch[ColumnName($0)] }))
        }
        var found = Found(order: KeyOrder(keys.map { batch[ColumnName($0)] }), count: places.count)
        let from = sections.partitioningIndex { UInt64($0.upperBound) >= first }
        for section in sections[from...] {
            let (start, end) = (UInt64(section.lowerBound), UInt64(section.upperBound))
            guard start <= last else { break }
            let (low, high) = (places.partitioningIndex { $0 >= start }, places.partitioningIndex { $0 >= end })
            found.inside += high - low
            if start > 0, low < places.count, places[low] == start { found.borders += 1 }
            if high < places.count, places[high] == end { found.borders += 1 }
        }
        return found
    }

    func merge(_ later: Found, into earlier: inout Found, scratch: any Scratch) {
        earlier.order.append(later.order, isFirst: earlier.count == 0)
        earlier.count += later.count
        earlier.inside += later.inside
        earlier.borders += later.borders
    }

    func isEnough(_ found: Found) -> Bool { found.count > 0 && !found.order.isUnique }
}

/// The kinds of some columns.
private struct ColumnKinds: RowObserver {
    let columns: [String]

    func nothing(_ schema: Schema) -> [SpelledKinds] { columns.map { _ in SpelledKinds() } }

    func partial(of batch: Batch, reporting findings: inout Findings) -> [SpelledKinds] {
        columns.map { SpelledKinds(of: batch[ColumnName($0)]) }
    }

    func merge(_ later: [SpelledKinds], into earlier: inout [SpelledKinds], scratch: any Scratch) {
        for index in later.indices { earlier[index].add(later[index]) }
    }
}
