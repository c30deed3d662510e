/// Where many rows came from, in a few bytes each, for what has to name rows that are long gone.
///
/// The origins of each batch are written as differences from row to row, in LEB128 (DWARF 5, section 7.6): rows that follow
/// one another in a file take four or five bytes instead of 32.
public struct RowPlaces: Sendable {
    private struct Chunk: Sendable, BitwiseCopyable {
        /// The number of its first row.
        var first: Int
        var count: Int
        /// Where its bytes begin.
        var start: Int
        /// False for rows that a stage made, which have no bytes.
        var hasOrigins: Bool
    }

    private var chunks: [Chunk] = []
    private var bytes: [UInt8] = []
    public private(set) var count = 0

    /// The places of all rows of a batch.
    public init(_ batch: Batch) {
        count = batch.count
        guard count > 0 else { return }
        guard case .gathered(let origins) = batch.origins.gathered() else {
            chunks = [Chunk(first: 0, count: count, start: 0, hasOrigins: false)]
            return
        }
        chunks = [Chunk(first: 0, count: count, start: 0, hasOrigins: true)]
        bytes.reserveCapacity(count * 6)
        var last = RowOrigin(source: 0, offset: 0, length: 0, line: 0, record: 0)
        for origin in origins {
            put(Int64(origin.source) - Int64(last.source))
            put(origin.offset &- last.offset &- Int64(last.length))
            put(Int64(origin.length))
            put(origin.line &- last.line)
            put(origin.record &- last.record)
            last = origin
        }
    }

    /// Adds the places of later rows.
    public mutating func append(_ later: RowPlaces) {
        for chunk in later.chunks {
            var chunk = chunk
            chunk.first += count
            chunk.start += bytes.count
            chunks.append(chunk)
        }
        bytes += later.bytes
        count += later.count
    }

    /// The origins of some rows, given by their numbers in ascending order; nil for a row that a stage made.
    public func origins(of rows: [Int]) -> [RowOrigin?] {
        var result: [RowOrigin?] = []
        result.reserveCapacity(rows.count)
        var rest = rows[...]
        for chunk in chunks {
            let end = chunk.first + chunk.count
            let wanted = rest.prefix { $0 < end }
            guard !wanted.isEmpty else { continue }
            rest = rest.dropFirst(wanted.count)
            if chunk.hasOrigins {
                append(wanted, of: chunk, to: &result)
            } else {
                result += [RowOrigin?](repeating: nil, count: wanted.count)
            }
            if rest.isEmpty { break }
        }
        return result
    }

    private func append(_ wanted: ArraySlice<Int>, of chunk: Chunk, to result: inout [RowOrigin?]) {
        var next = chunk.start
        var row = chunk.first
        var origin = RowOrigin(source: 0, offset: 0, length: 0, line: 0, record: 0)
        for number in wanted {
            while row <= number {
                origin.source += Int32(truncatingIfNeeded: take(&next))
                origin.offset = origin.offset &+ Int64(origin.length) &+ take(&next)
                origin.length = UInt32(truncatingIfNeeded: take(&next))
                origin.line = origin.line &+ take(&next)
                origin.record = origin.record &+ take(&next)
                row += 1
            }
            result.append(origin)
        }
    }

    private mutating func put(_ value: Int64) {
        // Zigzag, so that small negative differences stay small.
        var rest = UInt64(bitPattern: (value << 1) ^ (value >> 63))
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    private func take(_ next: inout Int) -> Int64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let byte = bytes[next]
            next += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { break }
            shift += 7
        }
        return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
    }
}

extension RowPlaces {
    public func write(to out: Bytes) {
        out.append(array: chunks.map { UInt64($0.count) })
        out.append(array: chunks.map { UInt64($0.start) })
        out.append(array: chunks.map(\.hasOrigins))
        out.append(array: bytes)
    }

    public init(reading reader: inout ByteReader) throws(DaybookError) {
        let counts = try reader.array(UInt64.self)
        let starts = try reader.array(UInt64.self)
        let flags = try reader.array(Bool.self)
        bytes = try reader.array(UInt8.self)
        guard counts.count == starts.count, counts.count == flags.count else { throw ByteReader.damaged }
        for index in counts.indices {
            let chunk = Chunk(
                first: count,
                count: Int(counts[index]),
                start: Int(starts[index]),
                hasOrigins: flags[index]
            )
            chunks.append(chunk)
            count += chunk.count
        }
    }
}

extension LateFindings {
    /// A batch of rows that are long gone, to say something about the field of their records that `field` names.
    ///
    /// Its column holds nothing: the value is taken from the record where that can still be read.
    public static func rows(_ origins: [RowOrigin?], field: Field?) -> Batch {
        let known = origins.compactMap { $0 }
        let count = origins.count
        let fields = field.map { [Field($0.name, .text, source: $0.source)] } ?? []
        var missing = Mask(count: count)
        for row in 0..<count { missing.insert(row) }
        let views = [TextView](repeating: TextView(offset: 0, length: 0), count: count)
        let columns = fields.map { _ in Column.text(TextColumn(Bytes(), views: views, missing: missing)) }
        return Batch(Schema(fields), columns, count: count, origins: known.count == count ? .gathered(known) : .made)
    }
}
