/// Records of bytes in 256 parts, to be read back part by part: in memory, or spilled to disk.
///
/// Within a part, records are in the order in which they were added, in runs. A record that names a row counts it from
/// the base of its run, so that the records of a batch can be appended to others without being rewritten.
package struct PartitionedBytes: Sendable {
    private enum Content: Sendable {
        /// Runs in the order of their parts, and where each part ends.
        case memory([UInt8], ends: [Int])
        /// The runs of each part separately, so that parts can be released one after the other.
        case parts([[UInt8]])
        case file(any ScratchFile, start: Int, ends: [Int])
    }

    private struct Block: Sendable {
        var content: Content
        /// The offset added to the base of each run.
        var base = 0
        /// The parts of the block that count.
        var parts = 0..<Parts.count
        /// Bytes in memory.
        let footprint: Int

        init(_ content: Content, base: Int = 0) {
            (self.content, self.base) = (content, base)
            footprint =
                switch content {
                case .memory(let bytes, let ends): bytes.count + ends.count * MemoryLayout<Int>.stride
                case .parts(let parts): parts.reduce(0) { $0 + $1.count + MemoryLayout<Int>.stride }
                case .file: 0
                }
        }

        var isInMemory: Bool { if case .file = content { false } else { true } }

        func source(of part: Int) -> Source {
            func range(_ start: Int, _ ends: [Int]) -> Range<Int> {
                let end = ends[part]
                guard parts.contains(part) else { return end..<end }
                return (part == 0 ? start : ends[part - 1])..<end
            }
            return switch content {
            case .memory(let bytes, let ends): Source(place: .memory(bytes), range: range(0, ends), base: base)
            case .parts(let all):
                Source(place: .memory(all[part]), range: parts.contains(part) ? all[part].indices : 0..<0, base: base)
            case .file(let file, let start, let ends): Source(place: .file(file), range: range(start, ends), base: base)
            }
        }
    }

    /// The place of one part's runs, each preceded by its base and its length, in 8 bytes each.
    fileprivate struct Source: Sendable {
        enum Place: Sendable {
            case memory([UInt8])
            case file(any ScratchFile)
        }

        let place: Place
        let range: Range<Int>
        /// The offset added to the base of each run.
        let base: Int
    }

    private static let headSize = 16
    /// How much is read from disk or written at a time.
    private static let stepSize = 1 << 20
    /// The limit of bytes of batches that are merged part by part at a time.
    private static let looseSize = 8 << 20

    private var blocks: [Block] = []
    /// Bytes in memory.
    package private(set) var footprint = 0
    /// The bytes of the last blocks, which are not merged yet.
    private var loose = 0
    /// The file for blocks that do not stay in memory.
    private var file: (any ScratchFile)?

    package init() {}

    package var isEmpty: Bool { blocks.isEmpty }
    var isOnDisk: Bool { blocks.contains { !$0.isInMemory } }

    /// Adds a run for each part that `write` writes something for.
    package mutating func appendRuns(_ write: (_ part: Int, Bytes) -> Void) {
        let bytes = Bytes(capacity: 1 << 12)
        let ends = (0..<Parts.count).map { part in
            Self.appendRun(to: bytes) { write(part, $0) }
            return bytes.count
        }
        add(Block(.memory(bytes.array, ends: ends)))
    }

    /// Adds the runs of each part, as returned by `run`.
    package mutating func append(parts: [[UInt8]]) { add(Block(.parts(parts))) }

    /// Adds a run to a part.
    mutating func append(_ run: [UInt8], to part: Int) {
        let ends = (0..<Parts.count).map { $0 < part ? 0 : run.count }
        if !run.isEmpty { add(Block(.memory(run, ends: ends))) }
    }

    /// A run of the bytes that `write` writes; empty if it writes nothing.
    package static func run(_ write: (Bytes) -> Void) -> [UInt8] {
        let bytes = Bytes()
        appendRun(to: bytes, write)
        return bytes.array
    }

    private static func appendRun(to bytes: Bytes, _ write: (Bytes) -> Void) {
        let start = bytes.count
        bytes.append(raw: Int64(0))
        bytes.append(raw: Int64(0))
        write(bytes)
        let length = bytes.count - start - headSize
        if length == 0 { bytes.count = start } else { bytes.replace(at: start + 8, raw: Int64(length)) }
    }

    /// Adds records, numbered from 0, in any order of their parts.
    ///
    /// - Parameters:
    ///   - base: the row from which the records count their rows.
    ///   - part: returns the part of a record.
    ///   - length: returns its length in bytes.
    ///   - write: writes the record.
    @inline(__always)
    package mutating func append(
        _ count: Int,
        base: Int = 0,
        part: (Int) -> Int,
        length: (Int) -> Int,
        write: (Int, UnsafeMutableRawPointer) -> Void
    ) {
        guard count > 0 else { return }
        var ends = [Int](repeating: 0, count: Parts.count)
        for record in 0..<count { ends[part(record)] &+= length(record) }
        var places = ends
        var end = 0
        for part in ends.indices {
            places[part] = end + Self.headSize
            if ends[part] > 0 { end += Self.headSize + ends[part] }
            ends[part] = end
        }
        let bytes = [UInt8](unsafeUninitializedCapacity: end) { bytes, filled in
            let start = UnsafeMutableRawPointer(bytes.baseAddress.unsafelyUnwrapped)
            for part in ends.indices where places[part] <= ends[part] {
                let head = start + (places[part] - Self.headSize)
                head.storeBytes(of: Int64(base), as: Int64.self)
                head.storeBytes(of: Int64(ends[part] - places[part]), toByteOffset: 8, as: Int64.self)
            }
            places.withUnsafeMutableBufferPointer { places in
                for record in 0..<count {
                    let part = part(record)
                    write(record, start + places[part])
                    places[part] &+= length(record)
                }
            }
            filled = end
        }
        add(Block(.memory(bytes, ends: ends)))
    }

    private mutating func add(_ block: Block) {
        footprint += block.footprint
        blocks.append(block)
        guard case .memory = block.content else {
            loose = 0
            return
        }
        loose += block.footprint
        if loose > Self.looseSize { putTogether() }
    }

    /// Merges the last blocks part by part.
    private mutating func putTogether() {
        let count = blocks.reversed().prefix { if case .memory = $0.content { true } else { false } }.count
        loose = 0
        guard count > 0 else { return }
        let tail = Array(blocks.suffix(count))
        blocks.removeLast(count)
        footprint -= tail.reduce(0) { $0 + $1.footprint }
        let parts = (0..<Parts.count).map { part in
            let sources = tail.map { $0.source(of: part) }
            let length = sources.reduce(0) { $0 + $1.range.count }
            return [UInt8](unsafeUninitializedCapacity: length) { bytes, filled in
                for source in sources {
                    guard case .memory(let from) = source.place, !source.range.isEmpty else { continue }
                    let start = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(bytes)[filled...])
                    from.withUnsafeBytes { start.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[source.range])) }
                    Self.raise(start, source.range.count, by: source.base)
                    filled += source.range.count
                }
            }
        }
        add(Block(.parts(parts)))
    }

    /// Raises the bases of runs.
    private static func raise(_ bytes: UnsafeMutableRawBufferPointer, _ count: Int, by base: Int) {
        var place = 0
        while place + headSize <= count {
            let own = bytes.loadUnaligned(fromByteOffset: place, as: Int64.self)
            bytes.storeBytes(of: own &+ Int64(base), toByteOffset: place, as: Int64.self)
            let length = Int(bytes.loadUnaligned(fromByteOffset: place + 8, as: Int64.self))
            // Damaged records are refused when they are read.
            guard length >= 0, length <= count - place - headSize else { return }
            place += headSize + length
        }
    }

    /// Moves all records out, in partitions: neighbouring parts, about as many in each.
    mutating func takePartitions(_ count: Int) -> [PartitionedBytes] {
        defer { self = PartitionedBytes() }
        return (0..<count).map { number in
            var partition = PartitionedBytes()
            for var block in blocks {
                block.parts = Parts.count * number / count..<Parts.count * (number + 1) / count
                partition.add(block)
            }
            return partition
        }
    }

    /// Adds all records of another, with its row numbers raised by `rows`.
    package mutating func append(_ later: PartitionedBytes, raisedBy rows: Int) {
        for var block in later.blocks {
            block.base += rows
            add(block)
        }
    }

    typealias Body = (_ records: UnsafeRawBufferPointer, _ base: Int) throws(DaybookError) -> Void

    /// The records of a part, run by run: the records of a run are adjacent and share one base.
    package struct Part: Sendable {
        fileprivate var sources: [Source] = []

        package init() {}

        /// The total length of the records.
        var length: Int { sources.reduce(0) { $0 + $1.range.count } }
        /// The bytes in memory.
        var footprint: Int {
            sources.reduce(0) { sum, source in if case .memory = source.place { sum + source.range.count } else { sum }
            }
        }

        func forEachRun(_ body: Body) throws(DaybookError) {
            for source in sources { try PartitionedBytes.forEachRun(of: source, body) }
        }
    }

    /// - Parameter inMemory: whether to return only the records behind everything on disk.
    func part(_ number: Int, inMemory: Bool = false) -> Part {
        var part = Part()
        part.sources = blocks[(inMemory ? firstInMemory : 0)...].map { $0.source(of: number) }
        return part
    }

    private var firstInMemory: Int { (blocks.lastIndex { !$0.isInMemory } ?? -1) + 1 }

    /// Moves all records out, so that the records of one part can be released after those of another.
    mutating func takeParts(inMemory: Bool = false) -> [Part] {
        putTogether()
        let parts = (0..<Parts.count).map { part($0, inMemory: inMemory) }
        blocks.removeSubrange((inMemory ? firstInMemory : 0)...)
        footprint = blocks.reduce(0) { $0 + $1.footprint }
        return parts
    }

    private static func forEachRun(of source: Source, _ body: Body) throws(DaybookError) {
        var rest = source.range
        switch source.place {
        case .memory(let bytes):
            let done = try bytes.withUnsafeBufferPointer { (bytes) throws(DaybookError) in
                try forEachRun(in: UnsafeRawBufferPointer(Cell(rebasing: bytes[rest])), source.base, body)
            }
            guard done == rest.count else { throw ByteReader.damaged }
        case .file(let file):
            let bytes = Bytes(capacity: min(rest.count, stepSize))
            defer { withExtendedLifetime(bytes) {} }
            var step = stepSize
            while !rest.isEmpty {
                let wanted = min(step, rest.count)
                bytes.removeAll()
                try file.read(wanted, at: rest.lowerBound, into: bytes)
                guard bytes.count == wanted else { throw .lostScratch }
                let done = try forEachRun(in: UnsafeRawBufferPointer(bytes.filled), source.base, body)
                guard done > 0 || wanted < rest.count else { throw .lostScratch }
                // A run longer than the bytes read is read again, with more behind it.
                step = done == 0 ? step * 2 : stepSize
                rest = rest.dropFirst(done)
            }
        }
    }

    /// Calls `body` with the runs that are whole within some bytes, and returns how many bytes these take.
    private static func forEachRun(
        in bytes: UnsafeRawBufferPointer,
        _ base: Int,
        _ body: Body
    ) throws(DaybookError) -> Int {
        var place = 0
        while place + headSize <= bytes.count {
            let own = bytes.loadUnaligned(fromByteOffset: place, as: Int64.self)
            let start = place + headSize
            let length = Int(bytes.loadUnaligned(fromByteOffset: place + 8, as: Int64.self))
            guard length >= 0 else { throw ByteReader.damaged }
            guard length <= bytes.count - start else { break }
            let end = start + length
            try body(UnsafeRawBufferPointer(rebasing: bytes[start..<end]), base &+ Int(own))
            place = end
        }
        return place
    }

    /// Moves the blocks in memory to disk, adjacent ones as one block.
    package mutating func spill(to scratch: any Scratch) throws(DaybookError) {
        guard footprint > 0 else { return }
        let file = if let file { file } else { try scratch.makeFile() }
        self.file = file
        var result: [Block] = []
        var rest = blocks[...]
        while let block = rest.first {
            let neighbours = rest.prefix { $0.isInMemory }
            result.append(neighbours.isEmpty ? block : try Self.spilled(neighbours, to: file))
            rest = rest.dropFirst(max(neighbours.count, 1))
        }
        blocks = result
        (footprint, loose) = (0, 0)
    }

    private static func spilled(_ blocks: ArraySlice<Block>, to file: any ScratchFile) throws(DaybookError) -> Block {
        let bytes = Bytes(capacity: stepSize)
        defer { withExtendedLifetime(bytes) {} }
        let start = file.length
        var ends: [Int] = []
        for part in 0..<Parts.count {
            for block in blocks {
                try forEachRun(of: block.source(of: part)) { (records, base) throws(DaybookError) in
                    write(records, base, to: bytes)
                    guard bytes.count >= stepSize else { return }
                    try file.append(bytes)
                    bytes.removeAll()
                }
            }
            ends.append(file.length + bytes.count)
        }
        try file.append(bytes)
        return Block(.file(file, start: start, ends: ends))
    }

    private static func write(_ records: UnsafeRawBufferPointer, _ base: Int, to bytes: Bytes) {
        bytes.append(raw: Int64(base))
        bytes.append(raw: Int64(records.count))
        bytes.append(records.bindMemory(to: UInt8.self))
    }
}

/// Requires the seed of the hashes by which the records are partitioned.
extension PartitionedBytes {
    package func write(to out: Bytes) throws(DaybookError) {
        out.append(raw: KeyHash.seed)
        let bytes = Bytes()
        var ends: [Int] = []
        for part in 0..<Parts.count {
            try self.part(part).forEachRun { (records, base) throws(DaybookError) in
                Self.write(records, base, to: bytes)
            }
            ends.append(bytes.count)
        }
        out.append(array: ends)
        out.append(bytes)
    }

    /// Reads what `write(to:)` has written in this run. With another seed, equal keys would be in different parts.
    package init(reading reader: inout ByteReader) throws(DaybookError) {
        guard try reader.raw(UInt64.self) == KeyHash.seed else { throw .foreignKeys }
        let ends: [Int] = try reader.array()
        guard ends.count == Parts.count, zip([0] + ends, ends).allSatisfy(<=) else { throw ByteReader.damaged }
        let bytes = Array(try reader.take(ends[Parts.count - 1]))
        if !bytes.isEmpty { add(Block(.memory(bytes, ends: ends))) }
    }
}

extension DaybookError {
    /// The error for scratch data that cannot be read back.
    static let lostScratch = DaybookError.machine(
        "scratch-failed",
        "a temporary file has lost a part of what was written"
    )

    /// Keys were hashed with the seed of another process.
    static let foreignKeys = DaybookError.machine(
        "foreign-keys",
        "a partial result holds keys that another process has hashed, and equal keys would not be found",
        hint: "make the whole result in one run"
    )
}
