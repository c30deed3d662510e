import DaybookCore

/// Records of bytes in 256 parts, to be read back part by part: in memory, or on disk where they were brought there.
///
/// Within a part they stand in the order in which they were added, in runs. A record that names a row counts it from the base of its
/// run, so that what was made of a batch can be put behind others without being written anew.
package struct PartitionedBytes: Sendable {
    private enum Content: Sendable {
        case memory([UInt8])
        case file(any ScratchFile)
    }

    /// Runs in the order of their parts, each behind its base in 8 bytes and its length in 4.
    private struct Block: Sendable {
        var content: Content
        /// Where each part ends.
        var ends: [Int]
        /// What is added to the base of each run.
        var base = 0

        func range(of part: Int) -> Range<Int> { (part == 0 ? 0 : ends[part - 1])..<ends[part] }

        var footprint: Int {
            guard case .memory(let bytes) = content else { return 0 }
            return bytes.count + ends.count * MemoryLayout<Int>.stride
        }
    }

    private static let headSize = 12
    /// How much is read from disk or written at a time.
    private static let stepSize = 1 << 20

    private var blocks: [Block] = []
    /// Bytes in memory.
    package private(set) var footprint = 0

    package init() {}

    package var isEmpty: Bool { blocks.isEmpty }
    var isOnDisk: Bool { blocks.contains { $0.footprint == 0 } }

    /// Adds records, which are numbered from 0, in any order of their parts.
    ///
    /// - Parameters:
    ///   - base: the row from which they count theirs.
    ///   - part: the part of a record.
    ///   - length: how many bytes it has.
    ///   - write: writes it.
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
                head.storeBytes(of: UInt32(ends[part] - places[part]), toByteOffset: 8, as: UInt32.self)
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
        add(Block(content: .memory(bytes), ends: ends))
    }

    private mutating func add(_ block: Block) {
        footprint += block.footprint
        blocks.append(block)
    }

    /// Adds all records of another, whose rows are raised by so many.
    package mutating func append(_ later: PartitionedBytes, raisedBy rows: Int) {
        for var block in later.blocks {
            block.base += rows
            add(block)
        }
    }

    /// How many bytes the records of a part take.
    package func length(of part: Int) -> Int { blocks.reduce(0) { $0 + $1.range(of: part).count } }

    typealias Body = (_ records: UnsafeRawBufferPointer, _ base: Int) throws(DaybookError) -> Void

    /// Calls `body` with the records of a part, run by run: those of a run stand one behind another and have one base.
    func forEachRun(of part: Int, _ body: Body) throws(DaybookError) {
        for block in blocks { try Self.forEachRun(of: part, in: block, body) }
    }

    private static func forEachRun(of part: Int, in block: Block, _ body: Body) throws(DaybookError) {
        var rest = block.range(of: part)
        switch block.content {
        case .memory(let bytes):
            let done = try bytes.withUnsafeBufferPointer { (bytes) throws(DaybookError) in
                try forEachRun(in: UnsafeRawBufferPointer(Cell(rebasing: bytes[rest])), block.base, body)
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
                let done = try forEachRun(in: UnsafeRawBufferPointer(bytes.filled), block.base, body)
                guard done > 0 || wanted < rest.count else { throw .lostScratch }
                // A run longer than what was read is read again, with more behind it.
                step = done == 0 ? step * 2 : stepSize
                rest = rest.dropFirst(done)
            }
        }
    }

    /// Calls `body` with the runs that begin and end among some bytes, and says how many bytes these take.
    private static func forEachRun(
        in bytes: UnsafeRawBufferPointer,
        _ base: Int,
        _ body: Body
    ) throws(DaybookError) -> Int {
        var place = 0
        while place + headSize <= bytes.count {
            let own = bytes.loadUnaligned(fromByteOffset: place, as: Int64.self)
            let start = place + headSize
            let end = start + Int(bytes.loadUnaligned(fromByteOffset: place + 8, as: UInt32.self))
            guard end <= bytes.count else { break }
            try body(UnsafeRawBufferPointer(rebasing: bytes[start..<end]), base &+ Int(own))
            place = end
        }
        return place
    }

    /// Brings what is in memory to disk, neighbours as one block.
    package mutating func spill(to scratch: any Scratch) throws(DaybookError) {
        var result: [Block] = []
        var rest = blocks[...]
        while let block = rest.first {
            let neighbours = rest.prefix { $0.footprint > 0 }
            result.append(neighbours.isEmpty ? block : try Self.spilled(neighbours, to: try scratch.makeFile()))
            rest = rest.dropFirst(max(neighbours.count, 1))
        }
        blocks = result
        footprint = 0
    }

    private static func spilled(
        _ blocks: ArraySlice<Block>,
        to file: any ScratchFile
    ) throws(DaybookError) -> Block {
        let bytes = Bytes(capacity: stepSize)
        defer { withExtendedLifetime(bytes) {} }
        var ends: [Int] = []
        for part in 0..<Parts.count {
            for block in blocks {
                try forEachRun(of: part, in: block) { (records, base) throws(DaybookError) in
                    write(records, base, to: bytes)
                    guard bytes.count >= stepSize else { return }
                    try file.append(bytes.filled)
                    bytes.removeAll()
                }
            }
            ends.append(file.length + bytes.count)
        }
        try file.append(bytes.filled)
        return Block(content: .file(file), ends: ends)
    }

    private static func write(_ records: UnsafeRawBufferPointer, _ base: Int, to bytes: Bytes) {
        bytes.append(raw: Int64(base))
        bytes.append(raw: UInt32(records.count))
        bytes.append(records.bindMemory(to: UInt8.self))
    }
}

/// Only with the seed of their hashes, by which they lie in their parts.
extension PartitionedBytes {
    package func write(to out: Bytes) throws(DaybookError) {
        out.append(raw: KeyHash.seed)
        let bytes = Bytes()
        var ends: [Int] = []
        for part in 0..<Parts.count {
            try forEachRun(of: part) { (records, base) throws(DaybookError) in Self.write(records, base, to: bytes) }
            ends.append(bytes.count)
        }
        out.append(array: ends)
        out.append(bytes)
    }

    /// Reads what `write(to:)` has written in this run. Hashes of another seed would tell equal keys apart.
    package init(reading reader: inout ByteReader) throws(DaybookError) {
        guard try reader.raw(UInt64.self) == KeyHash.seed else { throw .foreignKeys }
        let ends: [Int] = try reader.array()
        guard ends.count == Parts.count, zip([0] + ends, ends).allSatisfy(<=) else { throw ByteReader.damaged }
        let bytes = Array(try reader.take(ends[Parts.count - 1]))
        if !bytes.isEmpty { add(Block(content: .memory(bytes), ends: ends)) }
    }
}

extension DaybookError {
    /// What was written to disk cannot be read back.
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
