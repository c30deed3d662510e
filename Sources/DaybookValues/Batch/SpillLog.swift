/// An append-only run of bytes with random access, in memory or moved to disk.
///
/// A spill log is a value. Copies share the bytes on disk, which never change.
public struct SpillLog: Sendable {
    /// The blocks in memory, after the blocks on disk, and the start of each.
    private var blocks: [[UInt8]] = []
    private var starts: [Int] = []
    private var file: (any ScratchFile)?
    private var onDisk = 0
    public private(set) var count = 0

    /// Smaller blocks are merged, so that many small batches do not cost a block each.
    private static let blockSize = 1 << 14
    /// How much is read at a time if all of it is needed.
    private static let stepSize = 1 << 20

    public init() {}

    /// Bytes in memory.
    public var footprint: Int { count - onDisk }

    public mutating func append(_ block: [UInt8]) {
        guard !block.isEmpty else { return }
        if let last = blocks.indices.last, blocks[last].count + block.count <= SpillLog.blockSize {
            blocks[last] += block
        } else {
            starts.append(count)
            blocks.append(block)
        }
        count += block.count
    }

    /// Appends values in their memory layout.
    public mutating func append<Value: BitwiseCopyable>(values: [Value]) {
        values.withUnsafeBytes { append(Array($0)) }
    }

    /// The values of a range, if all appended values have one size.
    public func values<Value: BitwiseCopyable>(_ range: Range<Int>) throws(DaybookError) -> [Value] {
        let size = MemoryLayout<Value>.stride
        return try withBytes(range.lowerBound * size..<range.upperBound * size) { bytes in
            let bytes = UnsafeRawBufferPointer(bytes)
            return range.indices.map {
                bytes.loadUnaligned(fromByteOffset: ($0 - range.lowerBound) * size, as: Value.self)
            }
        }
    }

    /// Appends the content of another spill log, which is read again if it is on disk.
    public mutating func append(_ later: SpillLog) throws(DaybookError) {
        try later.forEachPart(in: 0..<later.onDisk) { append(Array($0)) }
        for block in later.blocks { append(block) }
    }

    /// Moves the bytes in memory to disk.
    public mutating func spill(to scratch: any Scratch) throws(DaybookError) {
        guard count > onDisk else { return }
        let file = try ownFile(scratch)
        for block in blocks { try file.append(Bytes(block)) }
        self.file = file
        onDisk = count
        blocks = []
        starts = []
    }

    /// The file to append to. If a copy of this spill log has appended to the present file, that copy owns it.
    private func ownFile(_ scratch: any Scratch) throws(DaybookError) -> any ScratchFile {
        if let file, file.length == onDisk { return file }
        let own = try scratch.makeFile()
        try forEachPart(in: 0..<onDisk) { (part) throws(DaybookError) in try own.append(Bytes(part)) }
        return own
    }

    /// Calls `body` with the bytes of a range, which are copied only where they are not in one piece.
    public func withBytes<Result>(
        _ range: Range<Int>,
        _ body: (UnsafeBufferPointer<UInt8>) -> Result
    ) throws(DaybookError) -> Result {
        if let block = block(holding: range) {
            let start = range.lowerBound - starts[block]
            return blocks[block].withUnsafeBufferPointer {
                body(UnsafeBufferPointer(rebasing: $0[start..<start + range.count]))
            }
        }
        let bytes = Bytes(capacity: range.count)
        let split = min(max(range.lowerBound, onDisk), range.upperBound)
        if range.lowerBound < split, let file {
            try file.read(split - range.lowerBound, at: range.lowerBound, into: bytes)
        }
        for (block, start) in zip(blocks, starts) {
            let (from, to) = (max(split, start) - start, min(range.upperBound - start, block.count))
            guard from < to else { continue }
            block.withUnsafeBufferPointer { bytes.append(UnsafeBufferPointer(rebasing: $0[from..<to])) }
        }
        guard bytes.count == range.count else { throw ByteReader.damaged }
        defer { withExtendedLifetime(bytes) {} }
        return body(bytes.filled)
    }

    private func block(holding range: Range<Int>) -> Int? {
        guard range.lowerBound >= onDisk, !blocks.isEmpty else { return nil }
        let next = starts.partitioningIndex { $0 > range.lowerBound }
        return next > 0 && range.upperBound <= starts[next - 1] + blocks[next - 1].count ? next - 1 : nil
    }

    private func forEachPart(
        in range: Range<Int>,
        _ body: (UnsafeBufferPointer<UInt8>) throws(DaybookError) -> Void
    ) throws(DaybookError) {
        for piece in range.pieces(of: SpillLog.stepSize) {
            let part = try withBytes(piece) { Array($0) }
            try part.withUnsafeBufferPointer { (bytes) throws(DaybookError) in try body(bytes) }
        }
    }
}

extension SpillLog: BinaryForm {
    public func write(to out: Bytes) throws(DaybookError) {
        out.append(raw: UInt64(count))
        try forEachPart(in: 0..<count) { out.append($0) }
    }

    public init(reading reader: inout ByteReader) throws(DaybookError) {
        append(Array(try reader.take(Int(truncatingIfNeeded: try reader.raw(UInt64.self)))))
    }
}

extension RandomAccessCollection where Index == Int {
    /// The first index of the second part of a partitioned collection: first all elements for which `isInSecond` is
    /// false, then all for which it is true. `endIndex` if the second part is empty.
    @inlinable
    @inline(__always)
    public func partitioningIndex(where isInSecond: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = low &+ (high &- low) / 2
            if isInSecond(self[middle]) { high = middle } else { low = middle &+ 1 }
        }
        return low
    }
}
