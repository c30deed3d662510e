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

extension Batch {
    /// The picked rows of several batches of one schema, in the order of the picks.
    ///
    /// The result stands alone: its text is copied together and its origins no longer hold on to a morsel, so it takes
    /// no more memory than its rows need.
    public static func take(_ picks: [RowPick], from batches: [Batch]) -> Batch {
        guard let first = batches.first else { preconditionFailure("rows are gathered from no batch") }
        let columns = first.columns.indices.map { index in
            Column.take(picks, from: batches.map { $0.columns[index] })
        }
        let provenance = Provenance.take(picks, from: batches)
        return Batch(first.schema, columns, count: picks.count, provenance: provenance)
    }

    /// The same rows without a hold on their morsel.
    public static func take(_ batch: Batch) -> Batch {
        take((0..<batch.count).map { RowPick(batch: 0, row: $0) }, from: [batch])
    }

    /// About how many bytes the batch takes when it stands alone.
    public var footprint: Int {
        let origins = if case .made = provenance { 0 } else { count * MemoryLayout<RowOrigin>.stride }
        return columns.reduce(origins) { $0 + $1.footprint }
    }
}

extension Column {
    fileprivate static func take(_ picks: [RowPick], from columns: [Column]) -> Column {
        switch columns[0] {
        case .text:
            .text(TextColumn.take(picks, from: columns.map { if case .text(let c) = $0 { c } else { mixed() } }))
        case .json:
            .json(TextColumn.take(picks, from: columns.map { if case .json(let c) = $0 { c } else { mixed() } }))
        case .integers:
            .integers(
                Values.take(picks, from: columns.map { if case .integers(let v) = $0 { v } else { mixed() } })
            )
        case .decimals:
            .decimals(
                Values.take(picks, from: columns.map { if case .decimals(let v) = $0 { v } else { mixed() } })
            )
        case .flags:
            .flags(Values.take(picks, from: columns.map { if case .flags(let v) = $0 { v } else { mixed() } }))
        case .days:
            .days(Values.take(picks, from: columns.map { if case .days(let v) = $0 { v } else { mixed() } }))
        case .instants:
            .instants(
                Values.take(picks, from: columns.map { if case .instants(let v) = $0 { v } else { mixed() } })
            )
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

extension TextColumn {
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

    /// The views without whatever stands under a gap, so that it is not copied.
    static func emptyingGaps(_ views: [TextView], _ missing: Mask?) -> [TextView] {
        guard let missing else { return views }
        var views = views
        for row in views.indices where missing[row] { views[row] = TextView(offset: 0, length: 0) }
        return views
    }

    /// Copies a cell. Most are short, and both buffers have room to read and write sixteen bytes at once.
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

extension Provenance {
    /// The same origins without the morsel, which may then be let go: the lines are counted now.
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
            // Rows mostly stand in the order of the source, so each line is counted on from the one before.
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

    /// Rows of which even one was made by a stage are all taken to be made: there is no way to say both.
    fileprivate static func take(_ picks: [RowPick], from batches: [Batch]) -> Provenance {
        var parts: [Values<RowOrigin>] = []
        for batch in batches {
            guard case .gathered(let provenance) = batch.provenance.gathered() else { return .made }
            parts.append(Values(provenance))
        }
        return .gathered(Values.take(picks, from: parts).elements)
    }
}
