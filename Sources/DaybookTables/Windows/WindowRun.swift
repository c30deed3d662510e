/// Computes the columns of a window over rows that are sorted by group and order, and gives each row its results in the order of the
/// input.
///
/// Slices of the order are sorted side by side, and computed from the first group on that begins in each; the rows before it, which
/// belong to a group of the slice before, are computed one slice after the other. So many groups go to all threads, and one that spans
/// many slices is still right. Results are laid batch by batch of the input, as those of groups are: see `PackedResults`.
package struct WindowRun: Sendable {
    /// How many of the keys tell groups apart.
    let by: [ColumnKind]
    let columns: [WindowColumn]
    /// The column that places rows in time, among those that are read.
    let times: Int?
    /// About how many bytes of rows are worked on at a time.
    let sliceBytes: Int

    package init(by: [ColumnKind], columns: [WindowColumn], times: Int?, sliceBytes: Int) {
        (self.by, self.columns, self.times, self.sliceBytes) = (by, columns, times, sliceBytes)
    }

    /// A slice, what was computed of it, and what functions know behind it.
    private struct Work: Sendable {
        var slice: WindowSlice
        var outputs: [WindowOutput]
        var functions: [any WindowFunction]
        /// The first row that was computed.
        var start: Int
    }

    /// The results of all rows.
    ///
    /// - Parameters:
    ///   - runs: sorted rows, numbered, of the form.
    ///   - batches: the numbers of the rows of each batch that results are wanted for.
    func results(
        of runs: [PackedRun],
        _ form: PackedForm,
        _ batches: ResultBatches,
        _ store: ResultStore,
        _ scratch: any Scratch
    ) throws(DaybookError) -> [PackedResults] {
        let wave = max(1, scratch.threads) * 2
        let ranges = RunRange.ranges(of: runs, size: sliceBytes, threads: wave)
        let kinds = form.restKinds
        var results: [PackedResults] = []
        var functions = columns.map { $0.start(kinds, times: times) }
        var edge: WindowSlice.Edge?
        for first in stride(from: 0, to: ranges.count, by: wave) {
            let part = ranges[first..<min(first + wave, ranges.count)]
            var works: [Work?] = try scratch.map(part.count) { (number) throws(DaybookError) in
                try begin(part[first + number], form, kinds)
            }
            for number in works.indices {
                guard var work = works[number].take() else { continue }
                work.slice.follow(edge)
                edge = work.slice.last
                for place in functions.indices {
                    try functions[place].enter(work.slice)
                    functions[place].compute(0..<work.start, of: work.slice, into: &work.outputs[place])
                    functions[place].leave(work.slice)
                }
                if work.start < work.slice.count { functions = work.functions }
                works[number] = work
            }
            results += try scratch.map(works.count) { [works] (number) throws(DaybookError) -> PackedResults? in
                guard let work = works[number] else { return nil }
                return try store.keep(PackedResults(work.outputs, of: work.slice, columns, batches))
            }
            .compactMap(\.self)
        }
        return results
    }

    /// Sorts a slice, and computes what does not need the slice before. Nil when it has no rows.
    private func begin(_ range: RunRange, _ form: PackedForm, _ kinds: [ColumnKind]) throws(DaybookError) -> Work? {
        let rows = try range.rows()
        guard !rows.order.isEmpty else { return nil }
        let slice = WindowSlice(rows, form, by: by)
        let start = slice.firstGroup ?? slice.count
        var work = Work(slice: slice, outputs: [], functions: [], start: start)
        for column in columns {
            var output = WindowOutput(rows: slice.count)
            var function = column.start(kinds, times: times)
            function.compute(start..<slice.count, of: slice, into: &output)
            function.leave(slice)
            work.outputs.append(output)
            work.functions.append(function)
        }
        return work
    }
}
