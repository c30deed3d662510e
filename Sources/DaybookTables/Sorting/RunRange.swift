/// A part of the merge of several sorted runs: rows between two places in the total order.
///
/// Ranges are independent, so that several threads merge side by side. Their ends come from samples of the runs, which
/// put about as many bytes into each; equal rows are ordered by their places, so that they too can be cut. Source: H.
/// Shi, J. Schaeffer, "Parallel Sorting by Regular Sampling", Journal of Parallel and Distributed Computing 14 (1992).
package struct RunRange: Sendable {
    /// A row of one of the runs.
    private struct Cut: Sendable {
        var run: Int
        var place: Int
        var key: [UInt8]
    }

    private let runs: [PackedRun]
    /// The first row, and the first row after the range; nil at either end of the whole.
    private let first: Cut?
    private let end: Cut?
    /// About how many bytes its rows take.
    private let size: Int

    /// About how many bytes of ranges all threads hold, and the least of one.
    private static let (mostBytes, leastShare) = (8 << 20, 128 << 10)

    /// The ranges of some runs, in order.
    ///
    /// - Parameters:
    ///   - size: about how many bytes the rows of each take; more if many files are read, so that each read is worth
    ///     it, and less with many threads, each of which holds one range.
    package static func ranges(of runs: [PackedRun], size: Int, threads: Int) -> [RunRange] {
        guard !runs.isEmpty else { return [] }
        let size = min(size, max(leastShare, mostBytes / threads))
        let most = size + size / 16 * runs.count { !$0.isInMemory }
        let keys = Bytes()
        var spans: [KeySpan] = []
        var marks: [(run: Int, mark: Int)] = []
        for run in runs.indices {
            for mark in runs[run].marks.places.indices {
                let start = UInt32(keys.count)
                runs[run].marks.withKey(mark) { keys.append($0) }
                spans.append(KeySpan(start: start, end: UInt32(keys.count)))
                marks.append((run, mark))
            }
        }
        var ranges: [RunRange] = []
        var first: Cut?
        var length = 0
        for number in KeySorter.order(of: spans, in: keys) {
            let (run, mark) = marks[Int(number)]
            let places = runs[run].marks.places
            if length >= most {
                let key = runs[run].marks.withKey(mark) { Array($0) }
                let cut = Cut(run: run, place: places[mark], key: key)
                ranges.append(RunRange(runs: runs, first: first, end: cut, size: length))
                (first, length) = (cut, 0)
            }
            length += (mark + 1 < places.count ? places[mark + 1] : runs[run].length) - places[mark]
        }
        return ranges + [RunRange(runs: runs, first: first, end: nil, size: length)]
    }

    /// The rows of the range in order; of equal rows, the row of the earlier run comes first.
    package func rows() throws(DaybookError) -> PackedRows {
        let bytes = Bytes(capacity: size + size / 4)
        var rows = PackedRows(bytes: bytes)
        for run in runs.indices {
            let begin = first.map { bracket($0, run) } ?? 0..<0
            let stop = end.map { bracket($0, run) } ?? runs[run].length..<runs[run].length
            let low = try boundary(first, run, begin)
            let high = try boundary(end, run, max(low, stop.lowerBound)..<max(low, stop.upperBound))
            guard low < high else { continue }
            let base = bytes.count
            try runs[run].read(low..<high, into: bytes)
            rows.add(base, bytes.count, raise: runs[run].raise)
        }
        rows.order = KeySorter.order(of: rows.keys, in: bytes)
        return rows
    }

    /// Whether a row of a run comes before a cut; in the cut's own run the place alone decides.
    @inline(__always)
    private static func comes(_ key: Cell, of run: Int, before cut: Cut) -> Bool {
        let difference = cut.key.withUnsafeBufferPointer { PackedRow.compare(key, $0) }
        return difference < 0 || difference == 0 && run < cut.run
    }

    /// The marks of a run around the first row that does not come before a cut.
    private func bracket(_ cut: Cut, _ run: Int) -> Range<Int> {
        guard run != cut.run else { return cut.place..<cut.place }
        let marks = runs[run].marks
        let low = marks.places.indices.partitioningIndex { mark in
            !marks.withKey(mark) { Self.comes($0, of: run, before: cut) }
        }
        guard low > 0 else { return 0..<0 }
        return marks.places[low - 1]..<(low < marks.places.count ? marks.places[low] : runs[run].length)
    }

    /// The first row in a bracket that does not come before a cut. From a file, the rows of the bracket are read a few
    /// at a time: long rows take many bytes, and each thread reads every file.
    private func boundary(_ cut: Cut?, _ run: Int, _ bracket: Range<Int>) throws(DaybookError) -> Int {
        guard let cut, run != cut.run else { return bracket.upperBound }
        if case .memory(let bytes) = runs[run].storage {
            var place = bracket.lowerBound
            while place < bracket.upperBound {
                let row = PackedRow(bytes.base + place)
                if !Self.comes(row.key, of: run, before: cut) { break }
                place = row.end - bytes.base
            }
            withExtendedLifetime(bytes) {}
            return place
        }
        var cursor = RunCursor(runs[run], from: bracket.lowerBound, step: RunMarks.stepOnDisk)
        while cursor.place < bracket.upperBound, let row = try cursor.next(),
            Self.comes(row.key, of: run, before: cut)
        { cursor.pass(row) }
        return cursor.place
    }
}

/// Iterates over the rows of a run, with a piece of the run in memory at a time.
package struct RunCursor {
    private let run: PackedRun
    /// About how many bytes are read at a time.
    private let step: Int
    private let piece = Bytes()
    /// Where the piece begins in the run, and where the next row does.
    private var start: Int
    private(set) var place: Int
    /// The last mark that was passed.
    private var mark = 0

    /// The lengths at the beginning of a row, at most.
    private static let longestHead = 20

    /// - Parameter place: where the first row begins.
    package init(_ run: PackedRun, from place: Int = 0, step: Int) {
        self.run = run
        self.step = step
        (start, self.place) = (place, place)
    }

    /// Moves to a mark before the first row with a key, if one is further on. Keys have to come in order.
    mutating func seek(_ key: Cell) {
        let marks = run.marks
        func isBefore(_ candidate: Int) -> Bool { marks.withKey(candidate) { PackedRow.compare($0, key) < 0 } }
        // By doubling steps and then by halving, for the mark is mostly near.
        var (low, step) = (mark, 1)
        while low + step < marks.places.count, isBefore(low + step) {
            low += step
            step *= 2
        }
        let rest = low..<min(low + step, marks.places.count)
        mark = max(low, rest.partitioningIndex { !isBefore($0) } - 1)
        if mark < marks.places.count { place = max(place, marks.places[mark]) }
    }

    /// The next row, which is valid until the following row is requested; nil at the end.
    mutating func next() throws(DaybookError) -> PackedRow? {
        guard place < run.length else { return nil }
        if !isHere(Self.longestHead) { try read(Self.longestHead) }
        var row = PackedRow(piece.base + (place - start))
        let length = row.end - (piece.base + (place - start))
        guard length <= run.length - place else { throw ByteReader.damaged }
        if !isHere(length) {
            try read(length)
            row = PackedRow(piece.base + (place - start))
        }
        return row
    }

    /// Moves past the row that `next` returned.
    @inline(__always)
    mutating func pass(_ row: PackedRow) { place = start + (row.end - piece.base) }

    /// Whether `count` bytes from the next row on are in memory, or all that remain.
    @inline(__always)
    private func isHere(_ count: Int) -> Bool {
        place >= start && place + min(count, run.length - place) <= start + piece.count
    }

    private mutating func read(_ count: Int) throws(DaybookError) {
        piece.removeAll()
        start = place
        try run.read(place..<min(place + max(count, step), run.length), into: piece)
    }
}

extension PackedRun {
    /// Rows that were found by keys.
    package struct Found {
        package var rows: PackedRows
        /// The number of each sought row's key; −1 where no row has it.
        package var keys: [Int32] = []
        /// Where the rows of each key begin, and where the last end.
        package var starts: [Int32] = [0]
    }

    /// Which of the rows with one key are meant.
    package enum Choice: Sendable { case all, first, last }

    /// The rows with the keys of some others; nil if they take more than `limit` bytes.
    ///
    /// - Parameters:
    ///   - order: all rows by their keys.
    ///   - sought: which of them are sought.
    package func find(
        _ keys: RowKeys,
        in order: [UInt32],
        _ sought: Range<Int>,
        _ choice: Choice,
        limit: Int
    ) throws(DaybookError) -> Found? {
        var found = Found(rows: PackedRows(bytes: Bytes()))
        found.keys = [Int32](repeating: -1, count: sought.count)
        let bytes = found.rows.bytes
        var cursor = RunCursor(self, step: RunMarks.stepForKeys + RunMarks.stepForKeys / 4)
        let key = Bytes()
        var last: (row: Int, number: Int32)?
        for row in order where sought.contains(Int(row)) && !keys.gaps.isMissing(Int(row)) {
            let row = Int(row)
            if let last, keys.isSame(last.row, row) {
                found.keys[row - sought.lowerBound] = last.number
                continue
            }
            key.removeAll()
            keys.withKey(row) { key.append($0) }
            cursor.seek(key.filled)
            let start = bytes.count
            while let packed = try cursor.next() {
                let order = PackedRow.compare(packed.key, key.filled)
                if order > 0 { break }
                cursor.pass(packed)
                guard order == 0, choice != .first || bytes.count == start else { continue }
                if choice == .last { bytes.count = start }
                bytes.append(packed.whole)
                if bytes.count > limit { return nil }
            }
            var number: Int32 = -1
            if bytes.count > start {
                number = Int32(truncatingIfNeeded: found.starts.count - 1)
                found.rows.add(start, bytes.count, raise: raise)
                found.starts.append(Int32(truncatingIfNeeded: found.rows.starts.count))
            }
            found.keys[row - sought.lowerBound] = number
            last = (row, number)
        }
        found.rows.order = found.rows.starts.indices.map { UInt32(truncatingIfNeeded: $0) }
        return found
    }

    /// Calls `body` for each repeated key, in key order, with the number of its row, of the row before, and of the
    /// first row with that key.
    package func forEachRepeat(_ body: (_ number: Int, _ previous: Int, _ first: Int) -> Void) throws(DaybookError) {
        var cursor = RunCursor(self, step: 1 << 20)
        let key = Bytes()
        var (first, previous) = (-1, -1)
        while let row = try cursor.next() {
            let number = row.number + (raise ?? 0)
            if first >= 0, PackedRow.compare(row.key, key.filled) == 0 {
                body(number, previous, first)
            } else {
                key.removeAll()
                key.append(row.key)
                first = number
            }
            previous = number
            cursor.pass(row)
        }
    }
}

extension PackedRows {
    /// The numbers of rows that have one, in their order.
    package var numbers: [Int] {
        defer { withExtendedLifetime(bytes) {} }
        return order.map { PackedRow(bytes.base + Int(starts[Int($0)])).number }
    }
}
