/// A part of what several sorted runs come to when they are merged: rows between two places in the order of all.
///
/// Ranges need nothing of one another, so that several threads merge side by side. Where they end is told by samples of the runs,
/// which puts about as many bytes into each; equal rows are told apart by where they stand, so that they too are cut. Source: H. Shi,
/// J. Schaeffer, "Parallel Sorting by Regular Sampling", Journal of Parallel and Distributed Computing 14 (1992).
package struct RunRange: Sendable {
    /// A row of one of the runs.
    private struct Cut: Sendable {
        var run: Int
        var place: Int
        var key: [UInt8]
    }

    private let runs: [PackedRun]
    /// The first row, and the first one behind; nil at either end of the whole.
    private let first: Cut?
    private let end: Cut?
    /// About how many bytes its rows take.
    private let size: Int

    /// About how many bytes of ranges all threads hold, and the least of one.
    private static let (mostBytes, leastShare) = (8 << 20, 128 << 10)

    /// The ranges of some runs, in order.
    ///
    /// - Parameters:
    ///   - size: about how many bytes the rows of each take; more where many files are read, so that each read is worth it, and less
    ///     where there are many threads, of which each holds one.
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

    /// The rows of the range in order; of equal ones those of the earlier run come first.
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

    /// Whether a row of a run comes before a cut; for those of its own run the place alone says so.
    @inline(__always)
    private static func comes(_ key: Cell, of run: Int, before cut: Cut) -> Bool {
        let difference = cut.key.withUnsafeBufferPointer { PackedRow.compare(key, $0) }
        return difference < 0 || difference == 0 && run < cut.run
    }

    /// Between which marks of a run the first row stands that does not come before a cut.
    private func bracket(_ cut: Cut, _ run: Int) -> Range<Int> {
        guard run != cut.run else { return cut.place..<cut.place }
        let marks = runs[run].marks
        let low = marks.places.indices.partitioningIndex { mark in
            !marks.withKey(mark) { Self.comes($0, of: run, before: cut) }
        }
        guard low > 0 else { return 0..<0 }
        return marks.places[low - 1]..<(low < marks.places.count ? marks.places[low] : runs[run].length)
    }

    /// The first row in a bracket that does not come before a cut. Of a file, the rows of the bracket are read a few at a time: long ones are many
    /// bytes, and each thread looks into every file.
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
        {
            cursor.pass(row)
        }
        return cursor.place
    }
}
