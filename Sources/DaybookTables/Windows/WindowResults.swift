/// Where the rows of each batch of results begin, by their numbers.
struct ResultBatches: Sendable {
    let starts: [Int]
    /// The batch of the first of so many rows, for each such stretch: a batch is found in a step or two from there.
    private let lookup: [Int32]
    private static let shift = 10

    init(_ ranges: [Range<Int>]) {
        starts = ranges.map(\.lowerBound)
        var lookup: [Int32] = []
        var batch = 0
        for first in stride(from: 0, to: ranges.last?.upperBound ?? 0, by: 1 << Self.shift) {
            while batch + 1 < ranges.count, starts[batch + 1] <= first { batch += 1 }
            lookup.append(Int32(truncatingIfNeeded: batch))
        }
        self.lookup = lookup
    }

    @inline(__always)
    func batch(of number: Int64) -> Int {
        let number = Int(number)
        var batch = Int(lookup[number >> Self.shift])
        while batch + 1 < starts.count, starts[batch + 1] <= number { batch += 1 }
        return batch
    }
}

/// Some columns of results, and the rows to which they belong: those of the slice, or of a column the rows before them.
private struct ResultSection {
    let columns: [ResultColumn]
    let numbers: [Int64]
    /// The rows with a result, batch by batch, and where those of each batch end.
    private let order: [Int32]
    private let ends: [Int]

    init(_ columns: [ResultColumn], _ numbers: [Int64], _ batches: ResultBatches) {
        (self.columns, self.numbers) = (columns, numbers)
        var ends = [Int](repeating: 0, count: batches.starts.count)
        let places = numbers.map { $0 < 0 ? -1 : Int32(truncatingIfNeeded: batches.batch(of: $0)) }
        for place in places where place >= 0 { ends[Int(place)] += 1 }
        for batch in ends.indices.dropFirst() { ends[batch] += ends[batch - 1] }
        self.ends = ends
        var next = [0] + ends.dropLast()
        var order = [Int32](repeating: 0, count: ends.last ?? 0)
        for (row, place) in places.enumerated() where place >= 0 {
            order[next[Int(place)]] = Int32(truncatingIfNeeded: row)
            next[Int(place)] += 1
        }
        self.order = order
    }

    func rows(of batch: Int) -> ArraySlice<Int32> { order[(batch == 0 ? 0 : ends[batch - 1])..<ends[batch]] }
}

extension PackedResults {
    /// The results of a slice, to be found batch by batch.
    init(_ outputs: [WindowOutput], of slice: WindowSlice, _ columns: [WindowColumn], _ batches: ResultBatches) {
        func column(_ place: Int) -> ResultColumn {
            let output = outputs[place]
            return ResultColumn(
                columns[place].kind,
                words: output.words,
                isThere: output.isThere,
                text: slice.bytes,
                tooLarge: output.tooLarge
            )
        }
        let own = outputs.indices.filter { outputs[$0].targets == nil }
        var sections = own.isEmpty ? [] : [ResultSection(own.map(column), slice.numbers, batches)]
        for place in outputs.indices {
            guard let targets = outputs[place].targets else { continue }
            sections.append(ResultSection([column(place)], targets, batches))
        }
        let bytes = Bytes(capacity: 1 << 12)
        var (ends, rejects): ([Int], Set<Int>) = ([], [])
        for batch in batches.starts.indices {
            for section in sections {
                let rows = section.rows(of: batch)
                bytes.append(raw: UInt32(rows.count))
                guard !rows.isEmpty else { continue }
                bytes.append(packed: rows.map { section.numbers[Int($0)] }[...])
                for column in section.columns {
                    column.write(rows, to: bytes)
                    if !column.tooLarge.isEmpty, rows.contains(where: { column.tooLarge[$0] != nil }) {
                        rejects.insert(batch)
                    }
                }
            }
            ends.append(bytes.count)
        }
        self.init(bytes, ends: ends, rejects: rejects)
    }

    /// Fills in the results of a batch.
    ///
    /// - Parameters:
    ///   - columns: those of the batch, in the order of the window's.
    ///   - kinds: whether the results of a column belong to rows before.
    ///   - first: the number of the batch's first row.
    func read(
        _ batch: Int,
        into columns: [ResultColumn],
        areForOthers: [Bool],
        first: Int
    ) throws(DaybookError) {
        let (bytes, range) = try bytes(of: batch)
        var reader = ByteReader(bytes.cell(range))
        defer { withExtendedLifetime(bytes) {} }
        let own = columns.indices.filter { !areForOthers[$0] }.map { columns[$0] }
        let others = columns.indices.filter { areForOthers[$0] }.map { [columns[$0]] }
        for section in (own.isEmpty ? [] : [own]) + others {
            let count = Int(try reader.raw(UInt32.self))
            guard count > 0 else { continue }
            let numbers: [Int64] = try reader.packed(count)
            let rows = numbers.map { Int32(truncatingIfNeeded: Int($0) - first) }
            for column in section { try column.read(&reader, to: rows[...]) }
        }
    }
}
