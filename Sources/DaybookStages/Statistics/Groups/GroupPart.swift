import DaybookCore

/// The groups of one part of all keys, in the order in which they were met; earlier ones may be on disk.
struct GroupPart: Sendable {
    /// Groups on disk.
    struct Segment: Sendable {
        let file: any ScratchFile
        let range: Range<Int>
        /// How many rows came before its first one.
        var base: Int64 = 0
    }

    private(set) var keys = KeyIndex()
    /// How many rows came before the one in which each group was met.
    private(set) var met: [Int64] = []
    private(set) var origins = OriginLog()
    private(set) var values: [any GroupValues]
    private(set) var segments: [Segment] = []

    /// - Parameter values: what is known of no groups.
    init(_ values: [any GroupValues]) { self.values = values }

    /// What is known of no groups.
    private var nothing: [any GroupValues] { values.map { $0.emptied as any GroupValues } }

    var count: Int { keys.count }
    var isEmpty: Bool { count == 0 && segments.isEmpty }

    var footprint: Int {
        count == 0
            ? 0 : keys.footprint + met.footprint + origins.footprint + values.reduce(0) { $0 + $1.footprint }
    }

    /// Adds the groups of a later batch.
    mutating func add(_ block: GroupBlock, _ groups: Range<Int>) {
        guard !groups.isEmpty else { return }
        let places = [Int32](unsafeUninitializedCapacity: groups.count) { places, filled in
            block.forEach(groups) { key, hash, met, origin in
                places.initializeElement(at: filled, to: place(of: key, hash, met: met, origin))
                filled += 1
            }
        }
        merge(block.values, groups, places)
    }

    /// Adds what another knows of later rows, which come behind `base` others.
    mutating func merge(_ later: GroupPart, base: Int64, _ scratch: any Scratch) throws(DaybookError) {
        if !later.segments.isEmpty {
            if count > 0 { try spill(to: try scratch.makeFile()) }
            segments += later.segments.map { segment in
                var segment = segment
                segment.base += base
                return segment
            }
        }
        add(later, base: base)
    }

    /// Adds what of another is in memory.
    private mutating func add(_ later: GroupPart, base: Int64) {
        guard later.count > 0 else { return }
        var places: [Int32] = []
        places.reserveCapacity(later.count)
        later.origins.forEach((0..<later.count).map { Int32(truncatingIfNeeded: $0) }) { group, origin in
            later.keys.withKey(group) { key in
                places.append(place(of: key, KeyIndex.hash(key), met: later.met[group] + base, origin))
            }
        }
        let values = later.values.map { values in
            var values = values
            values.finish()
            return values
        }
        merge(values, 0..<later.count, places)
    }

    @inline(__always)
    private mutating func place(of key: Cell, _ hash: UInt64, met: Int64, _ origin: RowOrigin?) -> Int32 {
        let number = keys.number(of: key, hash)
        if number == self.met.count {
            self.met.append(met)
            origins.append(origin)
        }
        return Int32(truncatingIfNeeded: number)
    }

    private mutating func merge(_ later: [any GroupValues], _ groups: Range<Int>, _ places: [Int32]) {
        for index in values.indices {
            values[index].grow(to: keys.count)
            values[index].merge(later[index], groups, places)
        }
    }

    /// Brings to disk what is in memory.
    mutating func spill(to file: any ScratchFile) throws(DaybookError) {
        guard count > 0 else { return }
        let segments = segments + [try segment(in: file)]
        self = GroupPart(nothing)
        self.segments = segments
    }

    /// What is in memory, written behind what the file holds.
    private func segment(in file: any ScratchFile) throws(DaybookError) -> Segment {
        let bytes = Bytes()
        write(to: bytes)
        let start = file.length
        try file.append(bytes.filled)
        withExtendedLifetime(bytes) {}
        return Segment(file: file, range: start..<file.length)
    }

    /// All its groups, read into memory.
    func whole() throws(DaybookError) -> GroupPart {
        guard !segments.isEmpty else { return self }
        var whole = GroupPart(nothing)
        for segment in segments { whole.add(try GroupPart(segment, isSearched: false), base: segment.base) }
        whole.add(self, base: 0)
        return whole
    }

    /// The groups in some order, on disk in segments of about `size` bytes, to be read one after the other.
    func written(in order: [Int32], to file: any ScratchFile, size: Int) throws(DaybookError) -> [Segment] {
        let step = max(16, Int(Double(size) / (Double(max(footprint, 1)) / Double(max(count, 1)))))
        var result: [Segment] = []
        for start in stride(from: 0, to: order.count, by: step) {
            let groups = Array(order[start..<min(start + step, order.count)])
            var piece = GroupPart(values.map { $0.taking(groups) })
            origins.forEach(groups) { place, origin in
                let group = Int(groups[place])
                keys.withKey(group) { piece.keys.append($0) }
                piece.met.append(met[group])
                piece.origins.append(origin)
            }
            result.append(try piece.segment(in: file))
        }
        return result
    }

    /// Brings values into the shape in which results are made of them.
    mutating func finish() { for index in values.indices { values[index].finish() } }

    /// About how many bytes the results of a group take at most.
    var longestResult: Int { values.reduce(keys.longest) { $0 + $1.longestText } }

    /// About how many bytes the results of a group take.
    func resultLength(_ group: Int) -> Int {
        values.reduce(keys.length(of: group)) { $0 + $1.textLength(group) }
    }
}

extension GroupPart {
    /// Writes what is in memory.
    func write(to out: Bytes) {
        keys.write(to: out)
        out.append(array: met)
        origins.write(to: out)
        out.append(raw: UInt32(values.count))
        for values in values {
            out.append(raw: type(of: values).code.rawValue)
            values.write(to: out)
        }
    }

    /// - Parameter isSearched: whether more groups will be added.
    init(reading reader: inout ByteReader, isSearched: Bool = true) throws(DaybookError) {
        keys = try KeyIndex(reading: &reader, isSearched: isSearched)
        met = try reader.array(of: keys.count)
        origins = try OriginLog(reading: &reader)
        guard origins.count == keys.count else { throw ByteReader.damaged }
        values = []
        for _ in 0..<(try reader.raw(UInt32.self)) {
            guard let code = GroupValuesCode(rawValue: try reader.raw()) else { throw ByteReader.damaged }
            values.append(try code.read(&reader, groups: keys.count))
        }
    }

    init(_ segment: Segment, isSearched: Bool = true) throws(DaybookError) {
        let bytes = Bytes(capacity: segment.range.count)
        try segment.file.read(segment.range.count, at: segment.range.lowerBound, into: bytes)
        guard bytes.count == segment.range.count else { throw .lostScratch }
        var reader = ByteReader(bytes.filled)
        self = try GroupPart(reading: &reader, isSearched: isSearched)
        withExtendedLifetime(bytes) {}
    }
}
