import DaybookCore

/// Merges sorted runs into one, batch by batch. Of equal rows, those of the earlier run come first.
///
/// A tree of losers: each row that leaves costs one comparison a level. Source: D. E. Knuth, "The Art of Computer
/// Programming", volume 3, section 5.4.1.
struct RunMerger {
    /// A batch is given out when it has so many rows, or about so many bytes.
    private static let rowsInBatch = 4_096
    private static let bytesInBatch = 1 << 20

    private let keys: [SortKey]
    private let runs: [SortedRun]
    /// The batch at the head of each run, the keys of its rows, and about how long one row is.
    private var batches: [Batch] = []
    private var tables: [SortKeyTable] = []
    private var rowBytes: [Int] = []
    /// The row at the head of each run, the prefix of its key, and the batch that comes next.
    private var rows: [Int]
    private var prefixes: [UInt64]
    private var nextBatch: [Int]
    private var isUsedUp: [Bool]
    /// The loser of each match; at 0 the winner of all.
    private var tree: [Int]
    private var picks: [RowPick] = []
    private var pickedBytes = 0

    static func merge(
        _ runs: [SortedRun],
        by keys: [SortKey],
        emit: (Batch, Findings) throws(DaybookError) -> Void
    ) throws(DaybookError) {
        guard !runs.isEmpty else { return }
        var merger = RunMerger(runs, keys)
        for run in runs.indices { try merger.open(run) }
        // The mark -1 beats everything, so each run settles at the first free match on its way up.
        for run in runs.indices.reversed() { merger.replay(run) }
        while !merger.isUsedUp[merger.tree[0]] { try merger.take(merger.tree[0], emit) }
        try merger.flush(emit)
    }

    private init(_ runs: [SortedRun], _ keys: [SortKey]) {
        self.runs = runs
        self.keys = keys
        rows = Array(repeating: 0, count: runs.count)
        prefixes = Array(repeating: 0, count: runs.count)
        nextBatch = Array(repeating: 1, count: runs.count)
        isUsedUp = Array(repeating: false, count: runs.count)
        tree = Array(repeating: -1, count: runs.count)
        picks.reserveCapacity(Self.rowsInBatch)
    }

    private mutating func open(_ run: Int) throws(DaybookError) {
        let batch = try runs[run].batch(0)
        batches.append(batch)
        tables.append(SortKeyTable(batch, by: keys))
        rowBytes.append(batch.footprint / batch.count)
        prefixes[run] = tables[run].prefixes[0]
    }

    /// Picks the row at the head of a run and moves the run on.
    private mutating func take(_ run: Int, _ emit: (Batch, Findings) throws(DaybookError) -> Void) throws(DaybookError)
    {
        let next = rows[run] + 1
        picks.append(RowPick(batch: run, row: next - 1))
        pickedBytes &+= rowBytes[run]
        if next < tables[run].prefixes.count {
            rows[run] = next
            prefixes[run] = tables[run].prefixes[next]
        } else if nextBatch[run] < runs[run].batchCount {
            // What was picked still stands in the batch that is about to leave.
            try flush(emit)
            let batch = try runs[run].batch(nextBatch[run])
            nextBatch[run] += 1
            batches[run] = batch
            tables[run] = SortKeyTable(batch, by: keys)
            rowBytes[run] = batch.footprint / batch.count
            rows[run] = 0
            prefixes[run] = tables[run].prefixes[0]
        } else {
            isUsedUp[run] = true
            prefixes[run] = .max
        }
        replay(run)
        if picks.count >= Self.rowsInBatch || pickedBytes >= Self.bytesInBatch { try flush(emit) }
    }

    private mutating func flush(_ emit: (Batch, Findings) throws(DaybookError) -> Void) throws(DaybookError) {
        guard !picks.isEmpty else { return }
        try emit(Batch.gathering(picks, from: batches), Findings())
        picks.removeAll(keepingCapacity: true)
        pickedBytes = 0
    }

    /// Plays the matches from a run up to the root again.
    private mutating func replay(_ run: Int) {
        var winner = run
        var match = (run + runs.count) / 2
        while match > 0 {
            if beats(tree[match], winner) { swap(&tree[match], &winner) }
            match /= 2
        }
        tree[0] = winner
    }

    @inline(__always)
    private func beats(_ first: Int, _ second: Int) -> Bool {
        if first < 0 { return true }
        if second < 0 { return false }
        if prefixes[first] != prefixes[second] { return prefixes[first] < prefixes[second] }
        return beatsBehindPrefix(first, second)
    }

    private func beatsBehindPrefix(_ first: Int, _ second: Int) -> Bool {
        if isUsedUp[second] { return true }
        if isUsedUp[first] { return false }
        let difference = tables[first].compare(rows[first], tables[second], rows[second])
        return difference == 0 ? first < second : difference < 0
    }
}
