/// A few thousand rows, column by column, with the origin of each.
public struct Batch: Sendable {
    public private(set) var schema: Schema
    public private(set) var columns: [Column]
    public let count: Int
    public var provenance: Provenance

    /// Every column has `count` rows, in the order of the schema.
    public init(_ schema: Schema, _ columns: [Column], count: Int, provenance: Provenance) {
        precondition(schema.fields.count == columns.count, "a batch needs one column for each field")
        precondition(columns.allSatisfy { $0.count == count }, "the columns of a batch need one length")
        self.schema = schema
        self.columns = columns
        self.count = count
        self.provenance = provenance
    }

    /// A batch without rows.
    public init(empty schema: Schema) {
        self.init(schema, schema.fields.map { Column.empty($0.kind) }, count: 0, provenance: .made)
    }

    public subscript(name: ColumnName) -> Column { column(name) }

    public func column(_ name: ColumnName) -> Column {
        guard let index = schema.index(of: name) else {
            preconditionFailure("a stage reads column '\(name)', which its schema check did not require")
        }
        return columns[index]
    }

    public func text(in name: ColumnName) -> TextColumn {
        guard case .text(let column) = column(name) else { wrongKind(name) }
        return column
    }

    public func integers(in name: ColumnName) -> Values<Int64> {
        guard case .integers(let values) = column(name) else { wrongKind(name) }
        return values
    }

    public func decimals(in name: ColumnName) -> Values<Double> {
        guard case .decimals(let values) = column(name) else { wrongKind(name) }
        return values
    }

    public func flags(in name: ColumnName) -> Values<Bool> {
        guard case .flags(let values) = column(name) else { wrongKind(name) }
        return values
    }

    public func days(in name: ColumnName) -> Values<Int32> {
        guard case .days(let values) = column(name) else { wrongKind(name) }
        return values
    }

    public func instants(in name: ColumnName) -> Values<Int64> {
        guard case .instants(let values) = column(name) else { wrongKind(name) }
        return values
    }

    /// The batch with the values of a column that the schema check promised, replacing the old column or added at the
    /// end. `Schema.adding` has refused an existing column unless the stage intends to replace it.
    ///
    /// The new column keeps the place of `source` in the record, so that findings about it can point there.
    public func setting(
        _ name: ColumnName,
        to column: Column,
        from source: ColumnName? = nil,
        keys: [String]? = nil
    ) -> Batch {
        var result = self
        result.set([NewColumn(name, column, from: source, keys: keys)])
        return result
    }

    /// A column to be set.
    package struct NewColumn {
        var name: ColumnName
        var column: Column
        var source: ColumnName?
        var keys: [String]?

        package init(_ name: ColumnName, _ column: Column, from source: ColumnName? = nil, keys: [String]? = nil) {
            (self.name, self.column, self.source, self.keys) = (name, column, source, keys)
        }
    }

    /// Sets several columns at once: a table may have tens of thousands. Each `source` is a column from before.
    package mutating func set(_ new: [NewColumn]) {
        var schema = schema
        schema.addOrReplace(
            new.map { new in
                Field(
                    new.name.text,
                    new.column.kind,
                    source: new.source.flatMap { self.schema[$0]?.source },
                    keys: new.keys
                )
            }
        )
        for new in new {
            precondition(new.column.count == count, "a new column needs the length of its batch")
            guard let index = schema.index(of: new.name) else { preconditionFailure("a column was added just now") }
            if index < columns.count { columns[index] = new.column } else { columns.append(new.column) }
        }
        self.schema = schema
    }

    /// The rows in `kept`, in that order.
    public func keeping(_ kept: [Int32]) -> Batch {
        Batch(schema, columns.map { $0.keeping(kept) }, count: kept.count, provenance: provenance.keeping(kept))
    }

    /// The rows outside the mask.
    package func leavingOut(_ rows: Mask) -> Batch { rows.setCount == 0 ? self : keeping(rows.unsetRows) }

    /// The same rows with some of the columns, in the order in which they are named.
    package func having(_ names: [ColumnName]) -> Batch {
        replacing(schema.having(names), names.map { column($0) })
    }

    /// Only the columns in `wanted`.
    public func selecting(_ wanted: ColumnSet) -> Batch {
        let kept = schema.fields.indices.filter { wanted.contains(schema.fields[$0].name) }
        return replacing(schema.selecting(wanted), kept.map { columns[$0] })
    }

    /// The same rows with other columns.
    public func replacing(_ schema: Schema, _ columns: [Column]) -> Batch {
        Batch(schema, columns, count: count, provenance: provenance)
    }

    private func wrongKind(_ name: ColumnName) -> Never {
        preconditionFailure("a stage reads column '\(name)' as a kind that its schema check did not require")
    }

    /// The picked rows of several batches of one schema, in the order of the picks.
    ///
    /// The result is self-contained: its text is copied and its origins no longer reference a morsel, so it takes no
    /// more memory than its rows need.
    public static func take(_ picks: [RowPick], from batches: [Batch]) -> Batch {
        guard let first = batches.first else { preconditionFailure("rows are gathered from no batch") }
        let columns = first.columns.indices.map { index in
            Column.take(picks, from: batches.map { $0.columns[index] })
        }
        let provenance = Provenance.take(picks, from: batches)
        return Batch(first.schema, columns, count: picks.count, provenance: provenance)
    }

    /// The same rows without a reference to their morsel.
    public static func take(_ batch: Batch) -> Batch {
        take((0..<batch.count).map { RowPick(batch: 0, row: $0) }, from: [batch])
    }

    /// About how many bytes a self-contained copy of the batch takes.
    public var footprint: Int {
        let origins = if case .made = provenance { 0 } else { count * MemoryLayout<RowOrigin>.stride }
        return columns.reduce(origins) { $0 + $1.footprint }
    }
}

/// The amount of text that the rows of a batch point to: far more than the batch's own size if many share a text.
extension Batch {
    /// Whether `textBytes` may be above a limit. A quick check, for rows that came from their source within the limit.
    ///
    /// - Parameter isMultiplied: whether rows that share texts were multiplied since, so that texts must be counted.
    package func mayHoldMuchText(_ limit: Int, isMultiplied: Bool) -> Bool {
        if isMultiplied { return textBytes > limit }
        var (total, last) = (0, nil as Bytes?)
        if case .morsel(let morsel, _, _) = provenance { last = morsel.bytes }
        for column in columns {
            guard let bytes = column.text?.bytes, bytes !== last else { continue }
            total += bytes.count
            last = bytes
        }
        return total > limit
    }

    /// Bytes of all texts, each counted for every row that points to it.
    package var textBytes: Int { columns.reduce(0) { $0 + ($1.text?.textBytes ?? 0) } }

    /// The rows in order, in pieces of at most so many bytes of text, or of one row. A single piece is not counted.
    package func cut(toText limit: Int) -> [(rows: Batch, textBytes: Int)] {
        guard count > 1 else { return [(self, 0)] }
        var lengths = [Int](repeating: 0, count: count)
        for case let column? in columns.map(\.text) {
            for row in 0..<count { lengths[row] += Int(column.views[row].length) }
        }
        var pieces: [(rows: Range<Int>, textBytes: Int)] = []
        for (row, length) in lengths.enumerated() {
            if let last = pieces.last, last.textBytes + length <= limit {
                pieces[pieces.count - 1] = (last.rows.lowerBound..<row + 1, last.textBytes + length)
            } else {
                pieces.append((row..<row + 1, length))
            }
        }
        guard pieces.count > 1 else { return [(self, 0)] }
        return pieces.map { rows, textBytes in
            (keeping(rows.map { Int32(truncatingIfNeeded: $0) }), textBytes)
        }
    }
}

extension Column {
    /// The texts of a column of text or JSON.
    package var text: TextColumn? {
        switch self {
        case .text(let column), .json(let column): column
        case .integers, .decimals, .instants, .days, .flags: nil
        }
    }

    fileprivate static func take(_ picks: [RowPick], from columns: [Column]) -> Column {
        switch columns[0] {
        case .text:
            .text(TextColumn.take(picks, from: columns.map { if case .text(let c) = $0 { c } else { mixed() } }))
        case .json:
            .json(TextColumn.take(picks, from: columns.map { if case .json(let c) = $0 { c } else { mixed() } }))
        case .integers:
            .integers(Values.take(picks, from: columns.map { if case .integers(let v) = $0 { v } else { mixed() } }))
        case .decimals:
            .decimals(Values.take(picks, from: columns.map { if case .decimals(let v) = $0 { v } else { mixed() } }))
        case .flags:
            .flags(Values.take(picks, from: columns.map { if case .flags(let v) = $0 { v } else { mixed() } }))
        case .days:
            .days(Values.take(picks, from: columns.map { if case .days(let v) = $0 { v } else { mixed() } }))
        case .instants:
            .instants(Values.take(picks, from: columns.map { if case .instants(let v) = $0 { v } else { mixed() } }))
        }
    }

    private static func mixed() -> Never { preconditionFailure("rows are gathered from columns of several kinds") }

    fileprivate var footprint: Int {
        switch self {
        case .text(let column), .json(let column):
            column.count * MemoryLayout<TextView>.stride + column.textBytes
        case .integers, .decimals, .instants: count * 8
        case .days: count * 4
        case .flags: count
        }
    }
}

extension TextColumn {
    /// Bytes of all texts, each counted for every row that points to it.
    package var textBytes: Int { views.reduce(0) { $0 &+ Int($1.length) } }

    fileprivate static func take(_ picks: [RowPick], from sources: [TextColumn]) -> TextColumn {
        let cells = Values<TextView>.take(picks, from: sources.map { Values($0.views, missing: $0.missing) })
        var views = TextColumn.emptyingGaps(cells.elements, cells.missing)
        let length = views.reduce(0) { $0 + Int($1.length) }
        precondition(length <= Int(UInt32.max), "a text column cannot hold more than 4 GiB")
        let bytes = Bytes(capacity: length + MemoryLayout<SIMD16<UInt8>>.size)
        let bases = sources.map(\.bytes.base)
        withExtendedLifetime(sources) {
            var end = 0
            let target = bytes.mutableBase
            for row in 0..<views.count {
                let view = views[row]
                let cell = bases[Int(picks[row].batch)] + Int(view.offset)
                copy(cell, Int(view.length), to: target + end)
                views[row] = TextView(offset: end, length: Int(view.length))
                end &+= Int(view.length)
            }
            bytes.count = end
        }
        return TextColumn(bytes, views: views, missing: cells.missing)
    }

    /// The views with those under gaps emptied, so that no text under a gap is copied.
    static func emptyingGaps(_ views: [TextView], _ missing: Mask?) -> [TextView] {
        guard let missing else { return views }
        var views = views
        for row in views.indices where missing[row] { views[row] = TextView(offset: 0, length: 0) }
        return views
    }

    /// Copies a cell. Most cells are short, and both buffers have slack to read and write sixteen bytes at once.
    @inline(__always)
    private static func copy(_ cell: UnsafePointer<UInt8>, _ length: Int, to target: UnsafeMutablePointer<UInt8>) {
        if length <= 16 {
            let block = UnsafeRawPointer(cell).loadUnaligned(as: SIMD16<UInt8>.self)
            UnsafeMutableRawPointer(target).storeBytes(of: block, as: SIMD16<UInt8>.self)
        } else {
            target.update(from: cell, count: length)
        }
    }
}

/// One row of one of several batches.
public struct RowPick: Sendable, BitwiseCopyable {
    public var batch: UInt32
    public var row: UInt32

    @inlinable
    public init(batch: Int, row: Int) {
        self.batch = UInt32(truncatingIfNeeded: batch)
        self.row = UInt32(truncatingIfNeeded: row)
    }
}

extension Mask? {
    /// The masks of the picked rows; nil when none of them has a gap.
    fileprivate static func take(_ picks: [RowPick], from masks: [Mask?]) -> Mask? {
        guard masks.contains(where: { $0 != nil }) else { return nil }
        var result: Mask?
        for (row, pick) in picks.enumerated() where masks[Int(pick.batch)].isMissing(Int(pick.row)) {
            result.insert(row, of: picks.count)
        }
        return result
    }
}

extension Values {
    fileprivate static func take(_ picks: [RowPick], from sources: [Values]) -> Values {
        // The arrays are alive and unchanged below, so their storage stays where it is; asking each array for it again
        // in the loop would count a reference for every row.
        let bases = sources.map { $0.elements.withUnsafeBufferPointer { $0.baseAddress } }
        let elements = withExtendedLifetime(sources) {
            [Element](unsafeUninitializedCapacity: picks.count) { new, filled in
                picks.withUnsafeBufferPointer { picks in
                    bases.withUnsafeBufferPointer { bases in
                        for row in 0..<picks.count {
                            let pick = picks[row]
                            new.initializeElement(at: row, to: bases[Int(pick.batch)].unsafelyUnwrapped[Int(pick.row)])
                        }
                    }
                }
                filled = picks.count
            }
        }
        return Values(elements, missing: .take(picks, from: sources.map(\.missing)))
    }
}

extension Provenance {
    /// The same origins without the morsel, which can then be released: the lines are counted now.
    public func gathered() -> Provenance {
        if case .store(let source, let rows) = self {
            return .gathered(rows.map { RowOrigin(row: $0.number, of: source) })
        }
        guard case .morsel(let morsel, let spans, let records) = self else { return self }
        let base = morsel.bytes.base
        var line = morsel.firstLine
        var position = 0
        let provenance = spans.indices.map { row in
            let start = Int(spans[row].start)
            // Rows are mostly in source order, so each line is counted from the line before.
            if start < position {
                position = 0
                line = morsel.firstLine
            }
            if start > position {
                line += morsel.lineEnd.count(
                    in: Cell(start: base + position, count: start - position),
                    next: base[start]
                )
                position = start
            }
            return RowOrigin(
                source: morsel.source.index,
                offset: morsel.offset + start,
                length: Int(spans[row].end) - start,
                line: line,
                record: morsel.firstRecord + Int(records[row])
            )
        }
        return .gathered(provenance)
    }

    /// The origins of the picked rows. If a stage made even one of them, all count as made: provenance cannot say both.
    fileprivate static func take(_ picks: [RowPick], from batches: [Batch]) -> Provenance {
        var parts: [Values<RowOrigin>] = []
        for batch in batches {
            guard case .gathered(let provenance) = batch.provenance.gathered() else { return .made }
            parts.append(Values(provenance))
        }
        return .gathered(Values.take(picks, from: parts).elements)
    }
}
