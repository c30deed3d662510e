/// The keys of many rows, and where the rows stand.
///
/// Whole numbers are kept as they are, packed batch by batch; other keys as bytes, laid in parts by their hashes, each with its row.
package struct KeyMemory: PartialResult, BinaryForm {
    package private(set) var rows: Int
    private var packs: [KeyPack] = []
    /// The bytes of the packs.
    private var trail = SpillLog()
    private var keys = PartitionedKeys()
    package private(set) var places: CompactProvenance
    /// How many rows have no key.
    package private(set) var unkeyed = 0

    /// - Parameters:
    ///   - asked: the rows that have to be unique; all of them when nil.
    ///   - comparesMissing: whether rows that lack a part of their key have a key all the same, in which that part is like any other that is missing.
    package init(_ batch: Batch, by columns: [ColumnName], asked: Mask?, comparesMissing: Bool = false) {
        rows = batch.count
        places = CompactProvenance(batch)
        if !comparesMissing, var lacking = batch.gaps(in: columns) {
            if let asked { lacking.formIntersection(asked) }
            unkeyed = lacking.setCount
        }
        let left = asked.map { asked in Mask(count: asked.count) { !asked[$0] } }
        if columns.count == 1, let numbers = KeyMemory.numbers(batch.column(columns[0])) {
            let gaps = Optional<Mask>.union(left, batch.gaps(in: columns))
            guard let (pack, bytes) = KeyPack.make(numbers, gaps: gaps) else { return }
            packs = [pack]
            trail.append(bytes)
            return
        }
        let own = RowKeys(batch, by: columns)
        let gaps = comparesMissing ? left : Optional<Mask>.union(left, own.gaps)
        let rows = (0..<Int32(truncatingIfNeeded: batch.count)).filter { !gaps.isMissing(Int($0)) }
        keys.append(own, at: rows, numbered: rows)
    }

    /// The values of a column whose keys are kept as they are.
    private static func numbers(_ column: Column) -> [Int64]? {
        switch column {
        case .integers(let values), .instants(let values): values.elements
        case .days(let values): values.elements.map { Int64($0) }
        default: nil
        }
    }

    package mutating func append(_ later: KeyMemory) throws(DaybookError) {
        for pack in later.packs {
            var pack = pack
            pack.first += rows
            pack.start += trail.count
            packs.append(pack)
        }
        try trail.append(later.trail)
        keys.append(later.keys, raisedBy: rows)
        try places.append(later.places)
        rows += later.rows
        unkeyed += later.unkeyed
    }

    package var footprint: Int { trail.footprint + keys.footprint + places.footprint }

    package mutating func spill(to scratch: any Scratch) throws(DaybookError) {
        try trail.spill(to: scratch)
        try keys.spill(to: scratch)
        try places.spill(to: scratch)
    }

    /// The rows whose key stands in an earlier row, of which only the first `wanted` are kept.
    ///
    /// - Parameter keepsOthers: whether it is noted which rows the others are.
    package func repeats(
        first wanted: Int,
        keepsOthers: Bool = false,
        scratch: any Scratch
    ) throws(DaybookError) -> Repeats {
        var repeats = Repeats(first: wanted, keepsOthers: keepsOthers, of: rows, scratch: scratch)
        let mixed = mixedPacks()
        // As many numbers as have their bits in a quarter of the memory.
        let windows = KeyWindow.over(mixed, size: max(scratch.memoryLimit, 4096))
        for window in windows {
            try window.findRepeats(
                among: mixed,
                trail,
                room: max(scratch.memoryLimit / 4 / MemoryLayout<Int>.stride, 1024),
                &repeats
            )
        }
        var keys = keys
        for pack in mixed where !windows.contains(where: { $0.holdsAll(of: pack) }) {
            try addStrays(of: pack, windows, to: &keys)
            if keys.footprint > scratch.memoryLimit / 4 { try keys.spill(to: scratch) }
        }
        guard !keys.isEmpty else { return repeats }
        return try keys.gather(repeats, scratch)
    }

    /// The keys of some rows, given by their numbers in ascending order, as values of a kind; nil where they are not kept as they are.
    package func values(of rows: [Int], _ kind: ColumnKind) throws(DaybookError) -> Column? {
        var keys: [Int64] = []
        keys.reserveCapacity(rows.count)
        var rest = rows[...]
        while let row = rest.first {
            guard let pack = pack(holding: row) else { return nil }
            let wanted = rest.prefix { $0 < pack.first + pack.rows }
            rest = rest.dropFirst(wanted.count)
            try trail.withBytes(pack.start..<pack.start + pack.length) { bytes in
                for row in wanted { keys.append(pack.key(of: row, bytes)) }
            }
        }
        switch kind {
        case .integer: return .integers(Values(keys))
        case .instant: return .instants(Values(keys))
        case .day: return .days(Values(keys.map { Int32(truncatingIfNeeded: $0) }))
        default: return nil
        }
    }

    private func pack(holding row: Int) -> KeyPack? {
        let low = packs.partitioningIndex { $0.first > row }
        guard low > 0, row < packs[low - 1].first + packs[low - 1].rows else { return nil }
        return packs[low - 1]
    }

    /// The packs among whose keys there may be repeats, in the order of their rows: those in no order, and those that overlap
    /// others.
    private func mixedPacks() -> [KeyPack] {
        let ordered = packs.sorted { $0.least < $1.least }
        var isMixed = ordered.map { !$0.isStrict }
        // The pack that reaches furthest of those before.
        var furthest = 0
        for place in ordered.indices.dropFirst() {
            if ordered[place].least <= ordered[furthest].most {
                isMixed[place] = true
                isMixed[furthest] = true
            }
            if ordered[place].most > ordered[furthest].most { furthest = place }
        }
        return zip(ordered, isMixed).filter(\.1).map(\.0).sorted { $0.first < $1.first }
    }

    /// Adds the keys of a pack that lie in none of the windows.
    private func addStrays(
        of pack: KeyPack,
        _ windows: [KeyWindow],
        to keys: inout PartitionedKeys
    ) throws(DaybookError) {
        let near = windows.filter { $0.meets(pack) }
        var strays: [Int64] = []
        var rows: [Int32] = []
        try trail.withBytes(pack.start..<pack.start + pack.length) { bytes in
            pack.forEachKey(bytes) { row, key in
                guard !near.contains(where: { $0.holds(key) }) else { return }
                strays.append(key)
                rows.append(Int32(truncatingIfNeeded: row - pack.first))
            }
        }
        let batch = Batch(
            Schema([Field("", .integer)]),
            [.integers(Values(strays))],
            count: strays.count,
            provenance: .made
        )
        let places = (0..<Int32(truncatingIfNeeded: strays.count)).map { $0 }
        keys.append(RowKeys(batch, by: [ColumnName("")]), at: places, numbered: rows, from: pack.first)
    }
}

/// Whole numbers stay: a bit or two of each tell those that repeat.
extension KeyMemory: KeyedPartial {
    package mutating func takeKeys(partitions: Int) -> [KeyPartition] {
        KeyPartition.taken(from: &keys, rows: rows, partitions: partitions)
    }

    package mutating func putBack(_ partition: KeyPartition, scratch: any Scratch) throws(DaybookError) {
        try keys.putBack(partition, scratch: scratch)
    }
}

extension KeyMemory {
    package func write(to bytes: Bytes) throws(DaybookError) {
        bytes.append(raw: UInt64(rows))
        bytes.append(raw: UInt64(unkeyed))
        bytes.append(array: packs)
        try trail.write(to: bytes)
        try keys.write(to: bytes)
        try places.write(to: bytes)
    }

    package init(reading reader: inout ByteReader) throws(DaybookError) {
        rows = Int(truncatingIfNeeded: try reader.raw(UInt64.self))
        unkeyed = Int(truncatingIfNeeded: try reader.raw(UInt64.self))
        packs = try reader.array()
        trail = try SpillLog(reading: &reader)
        keys = try PartitionedKeys(reading: &reader)
        places = try CompactProvenance(reading: &reader)
    }
}
