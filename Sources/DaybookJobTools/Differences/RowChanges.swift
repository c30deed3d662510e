import DaybookDiscover
import DaybookEngine
import DaybookReports

/// A record of either file that could not be read.
public struct UnreadRecord: Sendable {
    public var isLater: Bool
    public var line: Int
    /// Why, as a finding says it.
    public var message: String

    fileprivate static func first(of findings: [RenderedFinding], isLater: Bool) -> [UnreadRecord] {
        let errors = findings.filter { $0.severity == .error }.prefix(5)
        return errors.compactMap { finding in
            finding.line.map { UnreadRecord(isLater: isLater, line: $0, message: finding.message) }
        }
    }
}

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
    /// Whether the later file holds nothing, not even a header, and the earlier one had columns.
    private let isEmptied: Bool
    /// The columns that are gone; all of them where the later file is empty.
    public var columnsLost: [String] { isEmptied ? columns : columnsGone }
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
    /// Rows of the later file with the key of a row before them; they came.
    public private(set) var repeats = 0
    /// Records of either file that could not be read.
    public private(set) var unread = 0
    /// The first of them.
    public private(set) var unreadRecords: [UnreadRecord] = []
    /// The first rows of each sort.
    public private(set) var shown: [Shown] = []

    /// How many rows of each sort are shown.
    private static let mostShown = 20
    /// Of how many changed rows all cells are compared: of fewer in wide files, for their texts are held.
    private var mostCompared: Int { min(100_000, 2_000_000 / max(1, columns.count)) }
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
        let (tables, sections) = try together(
            { () throws(DaybookErrors) in
                let old = try ReadTable(before, table, isCancelled: isCancelled)
                let new = try ReadTable(after, table, like: old, isCancelled: isCancelled)
                return (before: old, after: new, columns: (try old.columns(), try new.columns()))
            },
            { () throws(DaybookErrors) in
                // Only keys tell that rows of sections are none of the others.
                keys?.isEmpty != true ? ChangedSections(before.path, after.path, isCancelled: isCancelled) : nil
            }
        )
        let (oldColumns, newColumns) = tables.columns
        // An empty file has no columns that could differ.
        let earlier = oldColumns.isEmpty ? newColumns : oldColumns
        let later = newColumns.isEmpty ? oldColumns : newColumns
        let (isEarlier, isLater) = (Set(earlier), Set(later))
        columns = earlier.filter(isLater.contains)
        columnsGone = earlier.filter { !isLater.contains($0) }
        columnsNew = later.filter { !isEarlier.contains($0) }
        isEmptied = newColumns.isEmpty && !oldColumns.isEmpty
        isKeyFound = keys == nil
        try RowChanges.check(keys ?? [], columns, earlier, later)
        // Sections of the same bytes are the same rows only where columns stand in one order.
        let copies =
            oldColumns == newColumns ? sections.flatMap { SectionCopies($0, of: tables.before, tables.after) } : nil
        let (pairs, read) = try pair(tables.before, tables.after, keys, copies)
        try show(pairs, read)
    }

    private static func check(
        _ keys: [String],
        _ columns: [String],
        _ earlier: [String],
        _ later: [String]
    ) throws(DaybookErrors) {
        if let key = keys.first(where: { !columns.contains($0) }) {
            let hint = NearestName.hint(for: key, among: columns)
            var error = DaybookError("unknown-column", "not both files have a column '\(key)'", hint: hint)
            // A column that one of them has is no slip of the pen.
            if earlier.contains(key) || later.contains(key) { error.blame = .data }
            throw DaybookErrors(error)
        }
        guard columns.isEmpty, !earlier.isEmpty else { return }
        let (was, now) = (earlier.joined(separator: ", "), later.joined(separator: ", "))
        let message = "no column is in both files: \(was) in the earlier one, \(now) in the later one"
        throw DaybookErrors(.data("no-common-column", message))
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

    /// A row in either file; one of them is nil where it came or went.
    private struct Pair {
        var before: RecordPlace?
        var after: RecordPlace?
    }

    private struct Compared {
        /// The first rows of each sort, with their numbers where they are paired by these.
        var first: [(sort: Sort, pair: Pair, position: Int?)] = []
        /// Changed rows, and some that both files have.
        var (changed, both): ([Pair], [Pair]) = ([], [])
    }

    /// Reads the rows of both files, decides how they are paired, and compares them.
    private mutating func pair(
        _ old: ReadTable,
        _ new: ReadTable,
        _ given: [String]?,
        _ copies: SectionCopies?
    ) throws(DaybookErrors) -> (pairs: Compared, read: ComparedRows) {
        var keys = given.map { [$0] } ?? []
        if given == nil { keys = try KeySearch(before: old, after: new, columns: columns).keys() + [[]] }
        for key in keys {
            var read =
                if !key.isEmpty, let near = copies.flatMap({ ComparedRows(in: $0, columns: columns, by: key) }) {
                    near
                } else {
                    try ComparedRows(of: old, new, columns: columns, by: key)
                }
            let (was, now) = (read.before.takePrints(), read.after.takeTable())
            rows = (was.count + read.left, now.count + read.left)
            unread = read.before.unread + read.after.unread
            unreadRecords =
                UnreadRecord.first(of: read.before.told, isLater: false)
                + UnreadRecord.first(of: read.after.told, isLater: true)
            note(kinds: read.kinds.before, read.kinds.after)
            (counts, same, repeats) = ([:], read.left, 0)
            if key.isEmpty { return (withoutKey(was, now, mayBePlaces: given == nil), read) }
            pairing = .columns(key)
            let (compared, second) = meet(was, now, areUnique: read.areUnique)
            // A fault of the later file does not hide its other changes.
            let mayRepeat = second?.isBefore == false && KeySearch.mayRepeat(repeats, of: rows.after)
            guard let second, !mayRepeat else {
                // A column that is unique in both files is no key if few rows meet by it, unless it is called so.
                let met = same + counts[.changed, default: 0]
                let isKey = given != nil || KeySearch.isNamed(key) || met * 2 >= min(rows.before, rows.after)
                if isKey { return (compared, read) } else { continue }
            }
            guard given != nil else { continue }
            let name = DisplayText.list(key.map { "'\($0)'" })
            let path = second.isBefore ? old.path : new.path
            let message = "row \(second.row + 1) of '\(path)' has the \(name) of a row before it"
            let hint = "name more columns with '--key', or compare whole rows without it"
            throw DaybookErrors(.data("key-not-unique", message, hint: hint))
        }
        preconditionFailure("rows are paired as wholes where nothing else does")
    }

    /// Pairs rows by their places in files of as many rows, unless more of them meet as wholes.
    private mutating func withoutKey(_ was: [RowPrints.Print], _ now: RowPrints.Table, mayBePlaces: Bool) -> Compared {
        var byPlace = self
        (pairing, byPlace.pairing) = (.whole, .position)
        let compared = meet(was, now, areUnique: (false, false)).compared
        guard mayBePlaces, was.count == now.count else { return compared }
        let other = byPlace.byPosition(was, now)
        guard byPlace.same >= same else { return compared }
        self = byPlace
        return other
    }

    private mutating func note(kinds was: [SpelledKinds], _ now: [SpelledKinds]) {
        kinds = zip(columns, zip(was, now)).compactMap { column, kinds in
            guard let old = kinds.0.kind, let new = kinds.1.kind, old != new else { return nil }
            return (column, old, new)
        }
    }

    private mutating func byPosition(_ was: [RowPrints.Print], _ now: RowPrints.Table) -> Compared {
        var (compared, row) = (Compared(), 0)
        for part in now.parts.indices {
            for index in now.parts[part].indices {
                put(was, row, now, part, index, position: row + 1, into: &compared)
                row += 1
            }
        }
        return compared
    }

    /// Pairs rows by their keys; of equal keys, as many as both have, in their order.
    ///
    /// - Parameter areUnique: whether it is known that no two rows have one key, before and after.
    /// - Returns: also the first row of a file whose key a row before it has, which matters where keys are columns.
    private mutating func meet(
        _ was: [RowPrints.Print],
        _ now: RowPrints.Table,
        areUnique: (before: Bool, after: Bool)
    ) -> (compared: Compared, second: (row: Int, isBefore: Bool)?) {
        var compared = Compared()
        var index = PrintIndex(was, allowsEqual: pairing == .whole, isUnique: areUnique.before)
        if let second = index.second { return (compared, (second, true)) }
        var (row, last, isInOrder, strangers): (Int, Int, Bool, Set<UInt64>) = (-1, -1, true, [])
        var (second, fetched): (Int?, UInt64) = (nil, 0)
        for part in now.parts.indices {
            for (place, print) in now.parts[part].enumerated() {
                row += 1
                if place % PrintIndex.step == 0 {
                    fetched &+= index.fetch(now.parts[part][place...].prefix(PrintIndex.step), was)
                }
                let found = index.take(print.key, was, guess: last + 1, isNew: areUnique.after)
                if let old = found.row {
                    isInOrder = isInOrder && old > last
                    last = old
                    put(was, old, now, part, place, into: &compared)
                    continue
                }
                if pairing != .whole, !areUnique.after, found.isKnown || !strangers.insert(print.key).inserted {
                    second = second ?? row
                    repeats += 1
                }
                note(.came, Pair(after: now.record(place, ofPart: part)), &compared)
            }
        }
        // Of equal rows, the last ones went.
        for row in index.left { note(.went, Pair(before: was.record(row)), &compared) }
        withExtendedLifetime(fetched) {}
        isReordered = !isInOrder && counts[.came, default: 0] + counts[.went, default: 0] == 0
        return (compared, second.map { ($0, false) })
    }

    @inline(__always)
    private mutating func put(
        _ was: [RowPrints.Print],
        _ row: Int,
        _ now: RowPrints.Table,
        _ part: Int,
        _ place: Int,
        position: Int? = nil,
        into compared: inout Compared
    ) {
        let isSame = was[row].row == now.parts[part][place].row
        if isSame { same += 1 }
        guard !isSame || compared.both.count < RowChanges.sample else { return }
        let pair = Pair(before: was.record(row), after: now.record(place, ofPart: part))
        if compared.both.count < RowChanges.sample { compared.both.append(pair) }
        guard !isSame else { return }
        note(.changed, pair, position: position, &compared)
        if compared.changed.count < mostCompared { compared.changed.append(pair) }
    }

    private mutating func note(_ sort: Sort, _ pair: Pair, position: Int? = nil, _ compared: inout Compared) {
        counts[sort, default: 0] += 1
        if counts[sort, default: 0] <= RowChanges.mostShown { compared.first.append((sort, pair, position)) }
    }

    // MARK: Cells

    /// Reads the rows that are shown, those whose cells are compared, and those that tell whether a column has another name.
    private mutating func show(_ compared: Compared, _ read: ComparedRows) throws(DaybookErrors) {
        let shown = Sort.allCases.flatMap { sort in compared.first.filter { $0.sort == sort } }
        let sampled = columnsGone.isEmpty || columnsNew.isEmpty ? [] : compared.both
        let all = shown.map(\.pair) + compared.changed + sampled
        guard !all.isEmpty else { return }
        let (columns, gone, new) = (columns, columnsGone, columnsNew)
        let (old, oldTold) = (all.compactMap(\.before), shown.compactMap(\.pair.before))
        let (later, laterTold) = (all.compactMap(\.after), shown.compactMap(\.pair.after))
        let (before, after) = try together(
            { () throws(DaybookErrors) in try read.before.cells(of: old, told: oldTold, columns, gone) },
            { () throws(DaybookErrors) in try read.after.cells(of: later, told: laterTold, columns, new) }
        )
        self.shown = shown.map { sort, pair, position in
            let texts = { (cells: FoundCells, place: RecordPlace?) in
                place.flatMap { cells.row(at: $0.place) }.map { Array(cells.texts($0).prefix(columns.count)) }
            }
            let lines = (pair.before.flatMap { before.lines[$0.place] }, pair.after.flatMap { after.lines[$0.place] })
            let (was, now) = (texts(before.found, pair.before), texts(after.found, pair.after))
            return Shown(sort: sort, position: position, before: was, after: now, lines: lines)
        }
        let both = { (pair: Pair) -> (Int, Int)? in
            guard let old = pair.before, let new = pair.after, let was = before.found.row(at: old.place),
                let now = after.found.row(at: new.place)
            else { return nil }
            return (was, now)
        }
        cells = ChangedCells(columns)
        for (was, now) in compared.changed.lazy.compactMap(both) { cells.add(before.found, was, after.found, now) }
        let rows = sampled.compactMap(both).map { was, now in
            (
                Array(before.found.texts(was).dropFirst(columns.count)),
                Array(after.found.texts(now).dropFirst(columns.count))
            )
        }
        rename(rows)
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
}
