/// Rows in input order, batch by batch, with their origins: in memory or on disk.
///
/// Rows are numbered from 0.
package struct RowLog: Sendable {
    /// The rows of a batch, by where they end.
    private struct StoredBatch: Sendable, BitwiseCopyable {
        /// The number of the next row.
        var rows = 0
        /// The end of their bytes in the spill log.
        var bytes = 0
    }

    private var batches: [StoredBatch] = []
    private var trail = SpillLog()
    package private(set) var places = CompactProvenance(Batch(empty: Schema()))

    package init() {}

    /// How many rows there are.
    package var count: Int { batches.last?.rows ?? 0 }
    package var batchCount: Int { batches.count }
    /// Bytes of the rows, in memory and on disk.
    package var bytes: Int { trail.count }
    /// Bytes in memory.
    package var footprint: Int { trail.footprint + places.footprint }

    /// Adds the rows of a batch to a log that has none.
    package mutating func append(_ batch: Batch) {
        precondition(batches.isEmpty, "a log takes in one batch, and then other logs")
        places = CompactProvenance(batch)
        let bytes = Bytes(capacity: batch.footprint)
        Batch(batch.schema, batch.columns, count: batch.count, provenance: .made).write(to: bytes)
        trail.append(bytes.array)
        batches = [StoredBatch(rows: batch.count, bytes: trail.count)]
    }

    /// Adds later rows.
    package mutating func append(_ later: RowLog) throws(DaybookError) {
        let last = batches.last ?? StoredBatch()
        try trail.append(later.trail)
        try places.append(later.places)
        batches += later.batches.map { StoredBatch(rows: last.rows + $0.rows, bytes: last.bytes + $0.bytes) }
    }

    /// Moves the rows to disk, but not their origins.
    package mutating func spillRows(to scratch: any Scratch) throws(DaybookError) { try trail.spill(to: scratch) }

    package mutating func spill(to scratch: any Scratch) throws(DaybookError) {
        try trail.spill(to: scratch)
        try places.spill(to: scratch)
    }

    /// Batches that follow one another, in stretches that hold at least so much, but for the last.
    package func stretches(rows: Int, bytes: Int) -> [Range<Int>] {
        var stretches: [Range<Int>] = []
        var (start, before) = (0, StoredBatch())
        for (index, batch) in batches.enumerated()
        where batch.rows - before.rows >= rows || batch.bytes - before.bytes >= bytes || index + 1 == batches.count {
            stretches.append(start..<index + 1)
            (start, before) = (index + 1, batch)
        }
        return stretches
    }

    /// The numbers of the rows of some batches.
    package func numbers(of stretch: Range<Int>) -> Range<Int> {
        (stretch.lowerBound == 0 ? 0 : batches[stretch.lowerBound - 1].rows)..<batches[stretch.upperBound - 1].rows
    }

    /// The rows of a batch, and the number of the first.
    package func rows(ofBatch index: Int) throws(DaybookError) -> (Batch, first: Int) {
        let last = index == 0 ? StoredBatch() : batches[index - 1]
        let stored = try trail.withBytes(last.bytes..<batches[index].bytes) { bytes -> Result<Batch, DaybookError> in
            var reader = ByteReader(bytes)
            do throws(DaybookError) { return .success(try Batch(reading: &reader)) } catch { return .failure(error) }
        }
        var batch = try stored.get()
        guard batch.count == batches[index].rows - last.rows else { throw ByteReader.damaged }
        if batch.count > 0 { batch.provenance = try places.gathered(Array(last.rows..<batches[index].rows)) }
        return (batch, last.rows)
    }

    /// The rows of some batches as one, or the rows that `body` selects of each.
    package func batch(
        _ stretch: Range<Int>,
        _ body: (_ batch: Batch, _ first: Int) -> Batch = { batch, _ in batch }
    ) throws(DaybookError) -> Batch {
        var kept: [Batch] = []
        for index in stretch {
            let (batch, first) = try rows(ofBatch: index)
            kept.append(body(batch, first))
        }
        if kept.count == 1 { return kept[0] }
        return Batch.take(
            kept.indices.flatMap { batch in (0..<kept[batch].count).map { RowPick(batch: batch, row: $0) } },
            from: kept
        )
    }
}

extension RowLog: BinaryForm {
    package func write(to bytes: Bytes) throws(DaybookError) {
        bytes.append(array: batches.map(\.rows))
        bytes.append(array: batches.map(\.bytes))
        try places.write(to: bytes)
        try trail.write(to: bytes)
    }

    package init(reading reader: inout ByteReader) throws(DaybookError) {
        let rows: [Int] = try reader.array()
        let ends: [Int] = try reader.array()
        places = try CompactProvenance(reading: &reader)
        trail = try SpillLog(reading: &reader)
        batches = zip(rows, ends).map { StoredBatch(rows: $0, bytes: $1) }
        guard rows.count == ends.count, (rows.last ?? 0) == places.count, (ends.last ?? 0) == trail.count,
            zip([0] + rows, rows).allSatisfy(<=), zip([0] + ends, ends).allSatisfy(<=)
        else { throw ByteReader.damaged }
    }
}
