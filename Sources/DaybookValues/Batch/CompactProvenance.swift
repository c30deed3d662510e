/// The origins of many rows, in a byte or two each, for messages that name rows no longer in memory.
///
/// Rows that follow one another line by line take only their lengths. For other rows, the differences from row to row
/// are written in LEB128 (DWARF 5, section 7.6), where they change.
public struct CompactProvenance: Sendable {
    /// The rows of one batch.
    private struct Chunk: Sendable, BitwiseCopyable {
        /// The number of its first row.
        var first = 0
        var count: Int
        /// Offset of the bytes in the spill log.
        var start = 0
        var length: Int
        /// How many bytes the length of a row has, where nothing but lengths is written; 0 elsewhere.
        var width = 0
        /// The origin of the first row. Rows that a stage made have no origin and no bytes.
        var origin = RowOrigin(source: 0, offset: 0, length: 0, line: 0, record: 0)

        var hasProvenance: Bool { length > 0 }
    }

    private var chunks: [Chunk] = []
    private var trail = SpillLog()
    public private(set) var count = 0

    /// The places of all rows of a batch.
    public init(_ batch: Batch) {
        guard batch.count > 0 else { return }
        if case .morsel(let morsel, let spans, let records) = batch.provenance,
            let (chunk, lengths) = CompactProvenance.lines(morsel, spans, records)
        {
            add(chunk, lengths)
        } else if case .gathered(let provenance) = batch.provenance.gathered() {
            var steps = RowSteps()
            var bytes: [UInt8] = []
            bytes.reserveCapacity(provenance.count * 2 + 32)
            for origin in provenance { steps.put(origin, &bytes) }
            add(Chunk(count: batch.count, length: bytes.count), bytes)
        } else {
            add(Chunk(count: batch.count, length: 0), [])
        }
    }

    private mutating func add(_ chunk: Chunk, _ bytes: [UInt8]) {
        var chunk = chunk
        chunk.first = count
        chunk.start = trail.count
        trail.append(bytes)
        chunks.append(chunk)
        count += chunk.count
    }

    /// The lengths of records that follow one another, one on each line; nil when they do not, or are too long.
    private static func lines(_ morsel: Morsel, _ spans: [RecordSpan], _ records: [UInt32]) -> (Chunk, [UInt8])? {
        let base = morsel.bytes.base
        func lineEnds(_ start: Int, _ end: Int) -> Int {
            morsel.lineEnd.count(in: Cell(start: base + start, count: end - start), next: base[end])
        }
        var faults: UInt32 = 0
        var longest: UInt32 = 0
        let last = spans.count - 1
        spans.withUnsafeBufferPointer { spans in
            records.withUnsafeBufferPointer { records in
                for row in 0..<last {
                    let (start, end) = (spans[row].start, spans[row].end)
                    guard end > start else {
                        faults = 1
                        return
                    }
                    faults |= end ^ spans[row + 1].start
                    faults |= (records[row] &+ 1) ^ records[row + 1]
                    faults |= UInt32(base[Int(end) - 1] ^ UInt8(ascii: "\n"))
                    longest = max(longest, end &- start)
                }
            }
        }
        longest = max(longest, spans[last].end - spans[last].start)
        let (start, end) = (Int(spans[0].start), Int(spans[last].start))
        // Each record but the last ends with a line end, so as many line ends as these leave none inside of one.
        guard faults == 0, longest <= UInt32(UInt16.max), start <= end else { return nil }
        // Where these are all records of the morsel, that has been counted.
        let areAll = records[0] == 0 && start == 0 && morsel.hasALinePerRecord(spans, records)
        guard areAll || lineEnds(start, end) == last else { return nil }
        let width = longest <= UInt32(UInt8.max) ? 1 : 2
        let lengths = [UInt8](unsafeUninitializedCapacity: spans.count * width) { bytes, filled in
            spans.withUnsafeBufferPointer { spans in
                for row in 0..<spans.count {
                    let length = spans[row].end &- spans[row].start
                    if width == 1 {
                        bytes[row] = UInt8(truncatingIfNeeded: length)
                    } else {
                        bytes[row * 2] = UInt8(truncatingIfNeeded: length)
                        bytes[row * 2 + 1] = UInt8(truncatingIfNeeded: length >> 8)
                    }
                }
            }
            filled = spans.count * width
        }
        var first = RowOrigin(
            source: morsel.source.index,
            offset: morsel.offset + start,
            length: 0,
            line: morsel.firstLine + lineEnds(0, start),
            record: morsel.firstRecord + Int(records[0])
        )
        // The last record may still hold line ends.
        let rest = spans[last].bytes(of: morsel).withoutLineEnd
        first.isOneLine = morsel.holder == nil && morsel.lineEnd.count(in: rest) == 0
        return (Chunk(count: spans.count, length: lengths.count, width: width, origin: first), lengths)
    }

    /// Adds the places of later rows.
    public mutating func append(_ later: CompactProvenance) throws(DaybookError) {
        for chunk in later.chunks {
            var chunk = chunk
            chunk.first += count
            chunk.start += trail.count
            chunks.append(chunk)
        }
        try trail.append(later.trail)
        count += later.count
    }

    /// Bytes in memory.
    public var footprint: Int { trail.footprint + chunks.count * MemoryLayout<Chunk>.stride }

    /// Moves the bytes in memory to disk, except a few for each batch.
    public mutating func spill(to scratch: any Scratch) throws(DaybookError) { try trail.spill(to: scratch) }

    /// The origins of rows with these ascending numbers; nil for a row that a stage made.
    public func provenance(of rows: [Int]) throws(DaybookError) -> [RowOrigin?] {
        let (provenance, made) = try read(rows)
        return provenance.enumerated().map { made.isMissing($0) ? nil : $1 }
    }

    /// Splits row numbers, in ascending order, into stretches in which either all rows have an origin or none has.
    public func stretches(of rows: [Int]) -> [Range<Int>] {
        var stretches: [(range: Range<Int>, isKnown: Bool)] = []
        var start = 0
        while start < rows.count {
            let chunk = chunk(holding: rows[start])
            let end = start + rows[start...].prefix { $0 < chunk.first + chunk.count }.count
            if let last = stretches.last, last.isKnown == chunk.hasProvenance {
                stretches[stretches.count - 1].range = last.range.lowerBound..<end
            } else {
                stretches.append((start..<end, chunk.hasProvenance))
            }
            start = end
        }
        return stretches.map(\.range)
    }

    /// The origins of rows with these ascending numbers; `made` if a stage made one of the rows.
    public func gathered(_ rows: [Int]) throws(DaybookError) -> Provenance {
        let (provenance, made) = try read(rows)
        return made == nil ? .gathered(provenance) : .made
    }

    /// The origins of some rows, and the rows that stages made.
    private func read(_ rows: [Int]) throws(DaybookError) -> (provenance: [RowOrigin], made: Mask?) {
        var made: Mask?
        let nowhere = RowOrigin(source: 0, offset: 0, length: 0, line: 0, record: 0)
        var provenance = [RowOrigin](repeating: nowhere, count: rows.count)
        try provenance.withUnsafeMutableBufferPointer { (provenance) throws(DaybookError) in
            var next = 0
            while next < rows.count {
                let chunk = chunk(holding: rows[next])
                let start = next
                while next < rows.count, rows[next] < chunk.first + chunk.count { next += 1 }
                guard chunk.hasProvenance else {
                    for place in start..<next { made.insert(place, of: rows.count) }
                    continue
                }
                let found = UnsafeMutableBufferPointer(rebasing: provenance[start..<next])
                try trail.withBytes(chunk.start..<chunk.start + chunk.length) { bytes in
                    if chunk.width > 0 {
                        CompactProvenance.readLines(rows[start..<next], of: chunk, bytes, to: found)
                    } else {
                        CompactProvenance.readSteps(rows[start..<next], of: chunk, bytes, to: found)
                    }
                }
            }
        }
        return (provenance, made)
    }

    private func chunk(holding row: Int) -> Chunk {
        let next = chunks.partitioningIndex { $0.first > row }
        precondition(next > 0 && row < count, "a row was asked for that was never there")
        return chunks[next - 1]
    }

    private static func readSteps(
        _ wanted: ArraySlice<Int>,
        of chunk: Chunk,
        _ bytes: UnsafeBufferPointer<UInt8>,
        to provenance: UnsafeMutableBufferPointer<RowOrigin>
    ) {
        var steps = RowSteps()
        var next = chunk.first
        for (place, row) in wanted.enumerated() {
            while next <= row {
                steps.take(bytes)
                next += 1
            }
            provenance[place] = steps.origin
        }
    }

    private static func readLines(
        _ wanted: ArraySlice<Int>,
        of chunk: Chunk,
        _ bytes: UnsafeBufferPointer<UInt8>,
        to provenance: UnsafeMutableBufferPointer<RowOrigin>
    ) {
        var origin = chunk.origin
        var row = 0
        let isWide = chunk.width == 2
        let bytes = UnsafeRawBufferPointer(bytes)
        for (place, number) in wanted.enumerated() {
            let target = number &- chunk.first
            origin.line &+= Int64(target &- row)
            origin.record &+= Int64(target &- row)
            origin.offset &+= CompactProvenance.sum(bytes, row &* chunk.width, target &* chunk.width, isWide)
            row = target
            origin.length =
                isWide
                ? UInt32(bytes.loadUnaligned(fromByteOffset: row &* 2, as: UInt16.self).littleEndian)
                : UInt32(bytes[row])
            provenance[place] = origin
        }
    }

    /// The sum of the lengths in some bytes.
    ///
    /// The number of skipped rows cannot be predicted, so sixteen bytes are added without checking it.
    @inline(__always)
    private static func sum(_ bytes: UnsafeRawBufferPointer, _ start: Int, _ end: Int, _ isWide: Bool) -> Int64 {
        var sum: UInt64 = 0
        var next = start
        while next &+ 16 <= bytes.count {
            let (low, high) = (word(bytes, next, before: end), word(bytes, next &+ 8, before: end))
            if isWide {
                let fours = low & 0x0000_FFFF_0000_FFFF &+ low &>> 16 & 0x0000_FFFF_0000_FFFF
                let others = high & 0x0000_FFFF_0000_FFFF &+ high &>> 16 & 0x0000_FFFF_0000_FFFF
                let lengths = fours &+ others
                sum &+= lengths & 0xFFFF_FFFF &+ lengths &>> 32
            } else {
                let pairs = low & 0x00FF_00FF_00FF_00FF &+ low &>> 8 & 0x00FF_00FF_00FF_00FF
                let others = high & 0x00FF_00FF_00FF_00FF &+ high &>> 8 & 0x00FF_00FF_00FF_00FF
                // The product has the sum of all lanes in its highest.
                sum &+= ((pairs &+ others) &* 0x0001_0001_0001_0001) &>> 48
            }
            next &+= 16
            if next >= end { return Int64(bitPattern: sum) }
        }
        for place in stride(from: next, to: end, by: 1) {
            sum &+= UInt64(bytes[place]) &<< UInt64(isWide ? place & 1 &* 8 : 0)
        }
        return Int64(bitPattern: sum)
    }

    /// Eight bytes, with zeros from `end` on.
    @inline(__always)
    private static func word(_ bytes: UnsafeRawBufferPointer, _ start: Int, before end: Int) -> UInt64 {
        let count = UInt64(truncatingIfNeeded: min(max(end &- start, 0), 8))
        let word = bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self).littleEndian
        return word & (.max >> (64 &- 8 &* count))
    }
}

extension CompactProvenance: BinaryForm {
    public func write(to out: Bytes) throws(DaybookError) {
        out.append(array: chunks)
        try trail.write(to: out)
    }

    public init(reading reader: inout ByteReader) throws(DaybookError) {
        chunks = try reader.array()
        trail = try SpillLog(reading: &reader)
        for chunk in chunks {
            guard chunk.first == count, chunk.count > 0, chunk.length >= 0, chunk.start >= 0,
                chunk.start <= trail.count - chunk.length, chunk.width == 0 || chunk.length == chunk.count * chunk.width
            else { throw ByteReader.damaged }
            count += chunk.count
        }
    }
}

/// Writes and reads origins as differences from row to row.
///
/// A row that lies to the row before it as that one lies to its own is only its length.
public struct RowSteps: Sendable {
    /// The row that was written or read last.
    public private(set) var origin = RowOrigin(source: 0, offset: 0, length: 0, line: 0, record: 0)
    /// The distance from the end of the row before it, in bytes, lines and records.
    private var gap: Int64 = 0
    private var lines: Int64 = 1
    private var records: Int64 = 1
    /// Where the next byte is read.
    public private(set) var next = 0

    public init() {}

    /// A row has at most so many bytes.
    private static let mostBytes = 50

    /// Appends the next row to the bytes.
    public mutating func put(_ new: RowOrigin, _ bytes: inout [UInt8]) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: RowSteps.mostBytes) { target in
            guard let start = target.baseAddress else { return }
            bytes.append(contentsOf: UnsafeBufferPointer(start: start, count: put(new, to: start)))
        }
    }

    /// Writes the next row, and returns its number of bytes.
    private mutating func put(_ new: RowOrigin, to target: UnsafeMutablePointer<UInt8>) -> Int {
        var end = target
        let source = Int64(new.source) - Int64(origin.source)
        let newGap = new.offset &- origin.offset &- Int64(origin.length)
        let newLines = new.line &- origin.line
        let newRecords = new.record &- origin.record
        let isRegular = source == 0 && newGap == gap && newLines == lines && newRecords == records
        LEB128.put(UInt64(new.length) << 1 | (isRegular ? 0 : 1), &end)
        if !isRegular {
            LEB128.put(zigzag(source), &end)
            LEB128.put(zigzag(newGap), &end)
            LEB128.put(zigzag(newLines), &end)
            LEB128.put(zigzag(newRecords), &end)
            (gap, lines, records) = (newGap, newLines, newRecords)
        }
        origin = new
        return end - target
    }

    /// So that small negative differences stay small.
    @inline(__always)
    private func zigzag(_ step: Int64) -> UInt64 { UInt64(bitPattern: (step << 1) ^ (step >> 63)) }

    /// Reads the next row.
    public mutating func take(_ bytes: UnsafeBufferPointer<UInt8>) {
        let head = number(bytes)
        if head & 1 == 1 {
            origin.source &+= Int32(truncatingIfNeeded: step(bytes))
            gap = step(bytes)
            lines = step(bytes)
            records = step(bytes)
        }
        origin.offset = origin.offset &+ Int64(origin.length) &+ gap
        origin.line &+= lines
        origin.record &+= records
        origin.length = UInt32(truncatingIfNeeded: head >> 1)
    }

    private mutating func step(_ bytes: UnsafeBufferPointer<UInt8>) -> Int64 {
        let value = number(bytes)
        return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
    }

    private mutating func number(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while next < bytes.count {
            let byte = bytes[next]
            next += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { break }
            shift += 7
        }
        return value
    }
}

/// Numbers in as many bytes as they need, seven bits in each. Source: DWARF 5, section 7.6.
public enum LEB128 {
    @inlinable @inline(__always)
    public static func length(of value: UInt64) -> Int { (70 &- (value | 1).leadingZeroBitCount) / 7 }

    @inlinable @inline(__always)
    public static func put(_ value: UInt64, _ end: inout UnsafeMutablePointer<UInt8>) {
        var rest = value
        while rest >= 0x80 {
            end.pointee = UInt8(truncatingIfNeeded: rest) | 0x80
            end += 1
            rest >>= 7
        }
        end.pointee = UInt8(truncatingIfNeeded: rest)
        end += 1
    }

    @inlinable @inline(__always)
    public static func take(_ next: inout UnsafePointer<UInt8>) -> UInt64 {
        var value = UInt64(next.pointee & 0x7F)
        var shift: UInt64 = 0
        while next.pointee >= 0x80, shift < 63 {
            next += 1
            shift &+= 7
            value |= UInt64(next.pointee & 0x7F) << shift
        }
        next += 1
        return value
    }
}
