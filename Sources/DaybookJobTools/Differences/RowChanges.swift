import DaybookDiscover
import DaybookEngine
import DaybookReports

/// What changed from one table to another: its columns, its rows, and the cells of its rows.
public struct RowChanges: Sendable {
    public enum Sort: String, Sendable, CaseIterable { case came, went, changed }

    /// A row that is shown, with its cells in the order of `columns`.
    public struct Shown: Sendable {
        public var sort: Sort
        /// Its number, from 1, where rows are paired by it.
        public var position: Int?
        public var before: [String?]?
        public var after: [String?]?
        /// The lines on which it begins.
        public var lines: (before: Int?, after: Int?) = (nil, nil)
    }

    /// How a row of one file finds the same row of the other.
    public enum Pairing: Sendable, Hashable {
        /// By the cells of some columns.
        case columns([String])
        /// By its number, in files of as many rows.
        case position
        /// By all of its cells: no row changes, and rows come and go.
        case whole

        var keys: [String] { if case .columns(let keys) = self { keys } else { [] } }
    }

    public private(set) var pairing = Pairing.whole
    /// The key columns; empty for another pairing.
    public var keys: [String] { pairing.keys }
    /// Whether the key was found and not given.
    public let isKeyFound: Bool
    /// The columns of both files.
    public let columns: [String]
    public private(set) var columnsGone: [String]
    public private(set) var columnsNew: [String]
    /// Columns that have the same cells under another name; they neither went nor came.
    public private(set) var renamed: [(from: String, to: String)] = []
    /// Columns whose values are of another kind.
    public private(set) var kinds: [(column: String, from: ColumnKind, to: ColumnKind)] = []
    public private(set) var counts: [Sort: Int] = [:]
    /// How many rows the files have.
    public private(set) var rows = (before: 0, after: 0)
    /// Rows with equal `columns`.
    public private(set) var same = 0
    /// Whether the rows are the same ones in another order.
    public private(set) var isReordered = false
    /// The columns with changed cells, as far as rows were looked into.
    public private(set) var cells = ChangedCells()
    /// Records of either file that could not be read.
    public private(set) var unread = 0
    /// The first rows of each sort.
    public private(set) var shown: [Shown] = []

    /// How many rows of each sort are shown.
    private static let mostShown = 20
    /// Of how many changed rows all cells are compared.
    private static let mostCompared = 100_000
    /// How many rows tell whether a column only has another name.
    private static let sample = 256

    /// Compares the columns that two files share.
    ///
    /// Throws an error of the machine, or a reason why these files cannot be compared.
    ///
    /// - Parameters:
    ///   - before: the earlier file.
    ///   - after: the later file.
    ///   - keys: the columns by which rows are paired; empty to pair whole rows, nil to find out what suits the files.
    public init(
        from before: WrittenTable,
        to after: WrittenTable,
        by keys: [String]?,
        _ table: StageTable,
        isCancelled: @escaping @Sendable () -> Bool
    ) throws(DaybookErrors) {
        let old = try ReadTable(before, table, isCancelled: isCancelled)
        let new = try ReadTable(after, table, isCancelled: isCancelled)
        let (oldColumns, newColumns) = (try old.columns(), try new.columns())
        // An empty file has no columns that could differ.
        let (earlier, later) = (
            oldColumns.isEmpty ? newColumns : oldColumns, newColumns.isEmpty ? oldColumns : newColumns
        )
        columns = earlier.filter(later.contains)
        columnsGone = earlier.filter { !later.contains($0) }
        columnsNew = later.filter { !earlier.contains($0) }
        isKeyFound = keys == nil
        try RowChanges.check(keys ?? [], columns, earlier, later)
        let (was, now) = try pair(old, new, keys)
        try show(compare(was, now), was, now, old, new)
    }

    private static func check(
        _ keys: [String],
        _ columns: [String],
        _ earlier: [String],
        _ later: [String]
    ) throws(DaybookErrors) {
        if let key = keys.first(where: { !columns.contains($0) }) {
            let hint = NearestName.hint(for: key, among: columns)
            throw DaybookErrors([
                DaybookError("unknown-column", "not both files have a column '\(key)'", hint: hint, blame: .data)
            ])
        }
        guard columns.isEmpty, !earlier.isEmpty else { return }
        throw DaybookErrors([
            DaybookError(
                "no-common-column",
                "no column is in both files: \(earlier.joined(separator: ", ")) in the earlier one, "
                    + "\(later.joined(separator: ", ")) in the later one",
                blame: .data
            )
        ])
    }

    /// The columns of one of the files.
    public static func columns(
        of file: WrittenTable,
        _ table: StageTable,
        isCancelled: @escaping @Sendable () -> Bool
    ) throws(DaybookErrors) -> [String] {
        try ReadTable(file, table, isCancelled: isCancelled).columns()
    }

    // MARK: Pairs

    /// Reads the rows of both files, and decides how they are paired.
    private mutating func pair(
        _ old: ReadTable,
        _ new: ReadTable,
        _ given: [String]?
    ) throws(DaybookErrors) -> (was: [RowPrints.Print], now: [RowPrints.Print]) {
        var found = given.map { [$0] } ?? []
        if given == nil { found = try KeySearch(before: old, after: new, columns: columns).keys() }
        for keys in found + (given == nil ? [[]] : []) {
            let (was, now) = (try prints(of: old, by: keys), try prints(of: new, by: keys))
            (rows.before, rows.after) = (was.prints.count, now.prints.count)
            unread = was.unread + now.unread
            note(kinds: was.kinds, now.kinds)
            if keys.isEmpty {
                pairing = given == nil && was.prints.count == now.prints.count ? .position : .whole
                return (was.prints, now.prints)
            }
            let twice =
                RowChanges.second(in: was.prints).map { ($0, old) }
                ?? RowChanges.second(in: now.prints).map { ($0, new) }
            guard let (row, table) = twice else {
                pairing = .columns(keys)
                return (was.prints, now.prints)
            }
            guard given != nil else { continue }
            let name = DisplayText.list(keys.map { "'\($0)'" })
            let message = "row \(row + 1) of '\(table.path)' has the \(name) of a row before it"
            let hint = "name more columns with '--key', or compare whole rows without it"
            throw DaybookErrors([DaybookError("key-not-unique", message, hint: hint, blame: .data)])
        }
        return ([], [])
    }

    private func prints(
        of table: ReadTable,
        by keys: [String]
    ) throws(DaybookErrors) -> (prints: [RowPrints.Print], kinds: [SpelledKinds], unread: Int) {
        guard let read = try table.run(RowPrints(keys: keys, columns: columns)) else { return ([], [], 0) }
        guard read.seen.prints.count <= RowPrints.limit else {
            let rows = DisplayText.count(RowPrints.limit, "row")
            let message = "'\(table.path)' has more than \(rows), up to which rows are compared"
            throw DaybookErrors([DaybookError("too-many-rows", message, blame: .data)])
        }
        var prints = read.seen.prints
        if !keys.isEmpty { prints.sort { ($0.key, $0.number) < ($1.key, $1.number) } }
        return (prints, read.seen.kinds, read.unread)
    }

    /// The number of the first row whose key a row before it has, in rows that are sorted by key.
    private static func second(in prints: [RowPrints.Print]) -> Int? {
        let seconds = prints.indices.dropFirst().filter { prints[$0].key == prints[$0 - 1].key }
        return seconds.map { Int(prints[$0].number) }.min()
    }

    private mutating func note(kinds was: [SpelledKinds], _ now: [SpelledKinds]) {
        kinds = []
        for index in columns.indices where index < was.count && index < now.count {
            guard let old = was[index].kind, let new = now[index].kind, old != new else { continue }
            kinds.append((columns[index], old, new))
        }
    }

    // MARK: Rows

    /// A row in either file; one of them is nil where it came or went.
    private struct Pair {
        var before: UInt32?
        var after: UInt32?
    }

    private struct Compared {
        var first: [Sort: [Pair]] = [:]
        /// Changed rows, of all parts of the files.
        var changed: [Pair] = []
    }

    private mutating func compare(_ was: [RowPrints.Print], _ now: [RowPrints.Print]) -> Compared {
        var compared = Compared()
        switch pairing {
        case .position:
            for (old, new) in zip(was, now) { put(old, new, into: &compared) }
        case .whole:
            let (was, now) = (was.sorted(by: RowChanges.isBefore), now.sorted(by: RowChanges.isBefore))
            merge(was, now, into: &compared)
        case .columns:
            merge(was, now, into: &compared)
            if counts[.came, default: 0] + counts[.went, default: 0] == 0 {
                isReordered = !RowChanges.isInOrder(was, now)
            }
        }
        return compared
    }

    private static func isBefore(_ one: RowPrints.Print, _ other: RowPrints.Print) -> Bool {
        (one.key, one.number) < (other.key, other.number)
    }

    /// Pairs rows by their keys, in rows that are sorted by them; of equal keys, as many as both have.
    private mutating func merge(
        _ was: [RowPrints.Print],
        _ now: [RowPrints.Print],
        into compared: inout Compared
    ) {
        var (old, new) = (0, 0)
        while old < was.count || new < now.count {
            if old < was.count, new < now.count, was[old].key == now[new].key {
                put(was[old], now[new], into: &compared)
                old += 1
                new += 1
            } else if new == now.count || (old < was.count && was[old].key < now[new].key) {
                note(.went, Pair(before: was[old].number), &compared)
                old += 1
            } else {
                note(.came, Pair(after: now[new].number), &compared)
                new += 1
            }
        }
    }

    private mutating func put(_ old: RowPrints.Print, _ new: RowPrints.Print, into compared: inout Compared) {
        guard old.row != new.row else {
            same += 1
            return
        }
        let pair = Pair(before: old.number, after: new.number)
        note(.changed, pair, &compared)
        if compared.changed.count < RowChanges.mostCompared { compared.changed.append(pair) }
    }

    /// Keeps the first rows of each sort, as they stand in the files.
    private mutating func note(_ sort: Sort, _ pair: Pair, _ compared: inout Compared) {
        counts[sort, default: 0] += 1
        let place = { (pair: Pair) in pair.after ?? pair.before ?? 0 }
        var first = compared.first[sort] ?? []
        if first.count == RowChanges.mostShown, let last = first.last, place(pair) > place(last) { return }
        first.insert(pair, at: first.firstIndex { place($0) > place(pair) } ?? first.count)
        compared.first[sort] = Array(first.prefix(RowChanges.mostShown))
    }

    /// Whether the rows of both files follow each other in the same order, in rows that are paired by place.
    private static func isInOrder(_ was: [RowPrints.Print], _ now: [RowPrints.Print]) -> Bool {
        var places = [UInt32](repeating: 0, count: was.count)
        for (old, new) in zip(was, now) where old.number < places.count { places[Int(old.number)] = new.number }
        return zip(places, places.dropFirst()).allSatisfy { $0 < $1 }
    }

    // MARK: Cells

    /// Reads the rows that are shown, those whose cells are compared, and those that tell whether a column has another name.
    private mutating func show(
        _ compared: Compared,
        _ was: [RowPrints.Print],
        _ now: [RowPrints.Print],
        _ old: ReadTable,
        _ new: ReadTable
    ) throws(DaybookErrors) {
        let shown = Sort.allCases.flatMap { sort in (compared.first[sort] ?? []).map { (sort, $0) } }
        let mayBeRenamed = !columnsGone.isEmpty && !columnsNew.isEmpty
        let sampled = mayBeRenamed ? sample(was, now) : []
        let all = shown.map(\.1) + compared.changed + sampled
        guard !all.isEmpty else { return }
        let before = try found(all.compactMap(\.before), told: shown.compactMap(\.1.before), columns + columnsGone, old)
        let after = try found(all.compactMap(\.after), told: shown.compactMap(\.1.after), columns + columnsNew, new)
        let width = columns.count
        self.shown = shown.map { sort, pair in
            var row = Shown(sort: sort)
            if pairing == .position { row.position = pair.after.map { Int($0) + 1 } }
            row.before = pair.before.flatMap { before.cells[$0] }.map { Array($0.prefix(width)) }
            row.after = pair.after.flatMap { after.cells[$0] }.map { Array($0.prefix(width)) }
            row.lines = (pair.before.flatMap { before.lines[$0] }, pair.after.flatMap { after.lines[$0] })
            return row
        }
        cells = ChangedCells(columns)
        for pair in compared.changed {
            let both = RowChanges.both(pair.before.flatMap { before.cells[$0] }, pair.after.flatMap { after.cells[$0] })
            if let both { cells.add(both.0, both.1) }
        }
        let pairs = sampled.compactMap { pair in
            RowChanges.both(pair.before.flatMap { before.cells[$0] }, pair.after.flatMap { after.cells[$0] })
        }
        rename(pairs.map { (Array($0.dropFirst(width)), Array($1.dropFirst(width))) })
    }

    private static func both(_ old: [String?]?, _ new: [String?]?) -> ([String?], [String?])? {
        guard let old, let new else { return nil }
        return (old, new)
    }

    /// Some rows of both files: the same ones of each, whatever came and went.
    private func sample(_ was: [RowPrints.Print], _ now: [RowPrints.Print]) -> [Pair] {
        if pairing == .position {
            return zip(was, now).prefix(RowChanges.sample).map { Pair(before: $0.number, after: $1.number) }
        }
        let (old, new) = (was.sorted(by: RowChanges.isBefore), now.sorted(by: RowChanges.isBefore))
        var (pairs, at): ([Pair], Int) = ([], 0)
        for print in new where pairs.count < RowChanges.sample {
            while at < old.count, old[at].key < print.key { at += 1 }
            guard at < old.count, old[at].key == print.key else { continue }
            pairs.append(Pair(before: old[at].number, after: print.number))
            at += 1
        }
        return pairs
    }

    /// Takes a column that went for one that came where they have the same cells.
    private mutating func rename(_ rows: [([String?], [String?])]) {
        for (old, from) in columnsGone.enumerated() {
            let values = Set(rows.compactMap { $0.0[old] })
            guard values.count > 1 || (values.count == 1 && rows.count > 1) else { continue }
            let new = columnsNew.indices.first { new in
                !renamed.contains { $0.to == columnsNew[new] }
                    && rows.count { $0.0[old] == $0.1[new] } * 10 >= rows.count * 9
            }
            if let new { renamed.append((from, columnsNew[new])) }
        }
        columnsGone.removeAll { name in renamed.contains { $0.from == name } }
        columnsNew.removeAll { name in renamed.contains { $0.to == name } }
    }

    private func found(
        _ rows: [UInt32],
        told: [UInt32],
        _ columns: [String],
        _ table: ReadTable
    ) throws(DaybookErrors) -> (cells: [UInt32: [String?]], lines: [UInt32: Int]) {
        guard !rows.isEmpty else { return ([:], [:]) }
        let wanted = FoundRows(columns: columns, wanted: Set(rows), told: Set(told))
        guard let read = try table.run(wanted) else { return ([:], [:]) }
        let lines = read.told.compactMap { finding in
            UInt32(finding.message).flatMap { number in finding.line.map { (number, $0) } }
        }
        return (read.seen, Dictionary(lines) { first, _ in first })
    }
}
