/// The keys of many rows, with the places of the rows.
///
/// Whole numbers are stored as such, packed batch by batch; other keys as bytes, partitioned by hash, with their rows.
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
    ///   - asked: the rows that have to be unique; nil for all rows.
    ///   - comparesMissing: whether a key with missing parts counts, with all missing values of a part equal.
    package init(_ batch: Batch, by columns: [ColumnName], asked: Mask?, comparesMissing: Bool = false) {
        rows = batch.count
        places = CompactProvenance(batch)
        if !comparesMissing, var lacking = batch.gaps(in: columns) {
            if let asked { lacking.formIntersection(asked) }
            unkeyed = lacking.setCount
        }
        let left = asked.map { asked in Mask(count: asked.count) { !asked[$0] } }
        if columns.count == 1, let numbers = KeyMemory.numbers(batch.column(columns[0])) {
            let gaps = left.union(batch.gaps(in: columns))
            guard let (pack, bytes) = KeyPack.make(numbers, gaps: gaps) else { return }
            packs = [pack]
            trail.append(bytes)
            return
        }
        let own = RowKeys(batch, by: columns)
        let gaps = comparesMissing ? left : left.union(own.gaps)
        let rows = (0..<Int32(truncatingIfNeeded: batch.count)).filter { !gaps.isMissing(Int($0)) }
        keys.append(own, at: rows, numbered: rows)
    }

    /// The values of a column whose keys are stored as values.
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

    /// The rows whose key an earlier row has; only the first `wanted` are stored.
    ///
    /// - Parameter keepsOthers: whether the other rows are recorded.
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
                capacity: max(scratch.memoryLimit / 4 / MemoryLayout<Int>.stride, 1024),
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

    /// The keys of some rows, given by ascending numbers, as values of a kind; nil if keys are not stored as values.
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

    /// The packs that may have repeated keys, in row order: unsorted packs, and packs that overlap others.
    private func mixedPacks() -> [KeyPack] {
        let ordered = packs.sorted { $0.least < $1.least }
        var isMixed = ordered.map { !$0.isStrict }
        // The earlier pack that reaches furthest.
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

    /// Adds the keys of a pack that are outside all windows.
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
        let schema = Schema([Field("", .integer)])
        let batch = Batch(schema, [.integers(Values(strays))], count: strays.count, provenance: .made)
        let places = (0..<Int32(truncatingIfNeeded: strays.count)).map { $0 }
        keys.append(RowKeys(batch, by: [ColumnName("")]), at: places, numbered: rows, from: pack.first)
    }
}

/// Whole numbers are not partitioned: a bit or two of each find the repeated ones.
extension KeyMemory: KeyedPartial {
    package mutating func takeKeys(partitions: Int) -> [KeyPartition] {
        keys.takePartitions(partitions).map { KeyPartition($0, rows: rows) }
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

/// A range of whole numbers in which keys are dense enough for a bit or two each.
struct KeyWindow {
    let first: Int64
    let last: Int64

    private var count: Int { Int(last - first) + 1 }
    func holds(_ key: Int64) -> Bool { first <= key && key <= last }
    func holdsAll(of pack: KeyPack) -> Bool { first <= pack.least && pack.most <= last }
    func meets(_ pack: KeyPack) -> Bool { pack.least <= last && first <= pack.most }

    /// The most numbers per key for which a window is worth its bits.
    private static let widestSpread = 256
    /// A window scans all packs that meet it if these have at most so many times the rows that belong to it: otherwise
    /// keys in no order, over many windows, would be scanned for each of them.
    private static let mostLooks = 8

    /// Windows over most keys of most packs, in order, none wider than `size`.
    static func over(_ packs: [KeyPack], size: Int) -> [KeyWindow] {
        var windows: [KeyWindow] = []
        var rest = packs.sorted { $0.middle < $1.middle }[...]
        while let pack = rest.first {
            // Keys before the middle belong to it, except outliers.
            let reach = pack.middle.subtractingReportingOverflow(Int64(size / 4))
            var first = max(pack.least, reach.overflow ? .min : reach.partialValue)
            if let end = windows.last?.last { first = max(first, end + 1) }
            let end = first.addingReportingOverflow(Int64(size - 1))
            let last = end.overflow ? .max : end.partialValue
            let own = rest.prefix { $0.middle <= last }
            rest = rest.dropFirst(own.count)
            let window = KeyWindow(first: first, last: min(last, own.reduce(first) { max($0, $1.most) }))
            let rows = own.reduce(0) { $0 + $1.rows }
            guard rows >= window.count / widestSpread else { continue }
            let met = packs.reduce(0) { $0 + (window.meets($1) ? $1.rows : 0) }
            if met <= rows * mostLooks { windows.append(window) }
        }
        return windows
    }

    /// Adds the rows whose key is in the window and in an earlier row.
    ///
    /// - Parameters:
    ///   - packs: in the order of their rows.
    ///   - capacity: how many repeated keys have their first rows stored at a time.
    func findRepeats(
        among packs: [KeyPack],
        _ trail: SpillLog,
        capacity: Int,
        _ repeats: inout Repeats
    ) throws(DaybookError) {
        let packs = packs.filter(meets)
        var bits = KeyBits(count: count)
        var unreported = 0
        for pack in packs {
            let start = pack.first & ~63
            let rows = try trail.withBytes(pack.start..<pack.start + pack.length) { bytes in
                let rows = marked(pack, from: start, bytes, &bits)
                // The wanted keys, whose first rows are still to be found.
                var wanted = max(0, repeats.wanted - unreported)
                for (place, word) in rows.enumerated() where wanted > 0 {
                    var rest = word
                    while rest != 0 {
                        let row = start + place << 6 | rest.trailingZeroBitCount
                        bits.want(UInt64(bitPattern: pack.key(of: row, bytes) &- first))
                        rest &= rest - 1
                    }
                    wanted -= word.nonzeroBitCount
                }
                return rows
            }
            unreported += rows.reduce(0) { $0 + $1.nonzeroBitCount }
            if repeats.keepsOthers { repeats.keep(rows: rows, from: start) }
        }
        let repeated = bits.rank()
        let mostRows = packs.reduce(0) { max($0, $1.rows) }
        // One extra element, so that a non-candidate can be written behind the candidates.
        var candidates = [(row: Int, rank: Int)](repeating: (0, 0), count: mostRows + 1)
        var found: [Repeat] = []
        for start in stride(from: 0, to: repeated, by: capacity) {
            let ranks = start..<min(start + capacity, repeated)
            var firstRows = [Int](repeating: -1, count: ranks.count)
            // Later rows are not among the first wanted ones.
            let enough = unreported - min(unreported, repeats.wanted)
            for pack in packs {
                guard unreported > enough else { break }
                // Repeated keys cannot be predicted, so the loops do not branch on them.
                var count = 0
                try trail.withBytes(pack.start..<pack.start + pack.length) { bytes in
                    candidates.withUnsafeMutableBufferPointer { candidates in
                        pack.forEachKey(bytes) { row, key in
                            let rank = bits.rank(of: UInt64(bitPattern: key &- first))
                            candidates[count] = (row, rank)
                            count &+= ranks.contains(rank) ? 1 : 0
                        }
                    }
                }
                found = [Repeat](unsafeUninitializedCapacity: count + 1) { found, end in
                    firstRows.withUnsafeMutableBufferPointer { firstRows in
                        for (row, rank) in candidates[..<count] {
                            let first = firstRows[rank - start]
                            firstRows[rank - start] = first < 0 ? row : first
                            found[end] = Repeat(row: row, first: first)
                            end &+= first < 0 ? 0 : 1
                        }
                    }
                }
                for one in found { try repeats.append(one) }
                unreported -= found.count
            }
        }
        repeats.countUnreported(unreported)
    }

    /// The rows of a pack whose key is in the window and was seen before: a bit for each, from the row `start` on.
    private func marked(
        _ pack: KeyPack,
        from start: Int,
        _ bytes: UnsafeBufferPointer<UInt8>,
        _ bits: inout KeyBits
    ) -> [UInt64] {
        // With one word more, so that 64 rows may begin anywhere.
        var rows = [UInt64](repeating: 0, count: (pack.first + pack.rows - start + 63) / 64 + 1)
        rows.withUnsafeMutableBufferPointer { rows in
            pack.forEachGroup(bytes) { group in
                rows.insert(bits.mark(group, over: first), at: UInt64(truncatingIfNeeded: group.row &- start))
            }
        }
        rows.removeLast()
        return rows
    }
}

/// Which of many neighbouring numbers were seen, and which are wanted.
private struct KeyBits: ~Copyable {
    /// A bit for each number that was seen.
    private let seen: UnsafeMutableBufferPointer<UInt64>
    private let count: UInt64
    /// A bit for each wanted number; empty if there is none.
    private var wanted: [UInt64] = []
    /// For each 64 numbers: how many wanted ones come before.
    private var ranks: [UInt32] = []

    init(count: Int) {
        self.count = UInt64(count)
        // With one word more, so that 64 numbers may begin anywhere.
        seen = .allocate(capacity: (count + 63) / 64 + 1)
        seen.initialize(repeating: 0)
    }

    deinit { seen.deallocate() }

    /// Marks the keys of some rows as seen, and returns the rows, a bit for each, whose key was seen before.
    ///
    /// - Parameter first: the key with number 0.
    @inline(__always)
    mutating func mark(_ group: KeyPack.Group, over first: Int64) -> UInt64 {
        var rest = group.keyed
        var repeated: UInt64 = 0
        let counted = group.countedUp(among: rest)
        // In whatever order the others come, they have other keys.
        if let found = mark(counted.rows, from: UInt64(bitPattern: counted.first &- first)) {
            repeated = found
            rest &= ~counted.rows
        }
        group.forEachKey(among: rest) { place, key in
            repeated |= mark(UInt64(bitPattern: key &- first)) &<< UInt64(truncatingIfNeeded: place)
        }
        return repeated
    }

    /// Marks some of 64 numbers as seen, and returns the numbers seen before; nil if some are out of range.
    @inline(__always)
    private mutating func mark(_ numbers: UInt64, from start: UInt64) -> UInt64? {
        guard numbers != 0, start < count, count &- start >= 64 else { return nil }
        return seen.insert(numbers, at: start) & numbers
    }

    /// Marks a number as seen, and returns 1 if it was seen before; a number out of range is ignored.
    @inline(__always)
    private mutating func mark(_ number: UInt64) -> UInt64 {
        guard number < count else { return 0 }
        let place = Int(truncatingIfNeeded: number >> 6)
        let word = seen[place]
        seen[place] = word | 1 &<< (number & 63)
        return word &>> (number & 63) & 1
    }

    /// Marks a number as wanted.
    mutating func want(_ number: UInt64) {
        if wanted.isEmpty { wanted = [UInt64](repeating: 0, count: seen.count) }
        wanted[Int(truncatingIfNeeded: number >> 6)] |= 1 &<< (number & 63)
    }

    /// Ranks the wanted numbers, and returns how many there are.
    mutating func rank() -> Int {
        var total = 0
        ranks = wanted.map { word in
            defer { total += word.nonzeroBitCount }
            return UInt32(truncatingIfNeeded: total)
        }
        return total
    }

    /// The rank of a wanted number; −1 of another.
    @inline(__always)
    func rank(of number: UInt64) -> Int {
        guard number < count else { return -1 }
        let place = Int(truncatingIfNeeded: number >> 6)
        let word = wanted[place]
        let rank = Int(ranks[place]) + (word & (1 &<< (number & 63) &- 1)).nonzeroBitCount
        return word &>> (number & 63) & 1 == 1 ? rank : -1
    }
}

extension UnsafeMutableBufferPointer<UInt64> {
    /// Sets some of 64 bits that begin anywhere, and returns the bits that were set.
    @discardableResult
    @inline(__always)
    fileprivate func insert(_ bits: UInt64, at start: UInt64) -> UInt64 {
        let place = Int(truncatingIfNeeded: start >> 6)
        let shift = start & 63
        let (low, high) = (self[place], self[place + 1])
        self[place] = low | bits &<< shift
        // A shift by 64 leaves nothing.
        self[place + 1] = high | bits >> (64 - shift)
        return low &>> shift | high << (64 - shift)
    }
}
