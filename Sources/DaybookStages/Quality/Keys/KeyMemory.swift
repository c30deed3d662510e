import DaybookCore

/// The keys of many rows, and where the rows stand.
///
/// Whole numbers that rise or fall are kept as intervals, one for each batch; other keys each with its row.
struct KeyMemory: RuleMemory {
    private(set) var rows: Int
    private var runs: [KeyRun] = []
    /// The steps of the runs.
    private var steps = ByteTrail()
    private var hashed = HashedKeys()
    private(set) var places: RowPlaces

    /// - Parameter asked: the rows that have to be unique; all of them when nil.
    init(_ batch: Batch, by columns: [ColumnName], asked: Mask?) {
        rows = batch.count
        places = RowPlaces(batch)
        var gaps: Mask?
        for column in columns {
            guard let missing = batch.column(column).missing else { continue }
            if gaps == nil { gaps = missing } else { gaps?.formUnion(missing) }
        }
        let hasNone = { (row: Int) in gaps.isMissing(row) || asked?[row] == false }
        let isWhole = gaps == nil && asked == nil
        guard columns.count == 1, let keys = KeyMemory.numbers(batch.column(columns[0])) else {
            let words = KeyHash.hashes(of: batch, columns)
            let seconds = KeyHash.secondHashes(of: batch, columns)
            take(words.indices) {
                isWhole || !hasNone($0)
            } key: {
                HashedKey(word: words[$0], second: seconds[$0], row: $0)
            }
            return
        }
        var rest = Array(keys.indices)
        if let (run, bytes, leftOut) = KeyRun.find(keys, hasNone: hasNone, isWhole: isWhole) {
            runs = [run]
            steps.append(bytes)
            rest = leftOut.map { Int($0) }
        }
        take(rest) {
            isWhole || !hasNone($0)
        } key: {
            HashedKey(word: UInt64(bitPattern: keys[$0]), row: $0)
        }
    }

    @inline(__always)
    private mutating func take(_ rows: some Collection<Int>, where hasKey: (Int) -> Bool, key: (Int) -> HashedKey) {
        guard !rows.isEmpty else { return }
        var new: [HashedKey] = []
        new.reserveCapacity(rows.count)
        for row in rows where hasKey(row) { new.append(key(row)) }
        hashed.append(new)
    }

    /// The values of a column whose keys are kept as they are.
    private static func numbers(_ column: Column) -> [Int64]? {
        switch column {
        case .integers(let values), .instants(let values): values.elements
        case .days(let values): values.elements.map { Int64($0) }
        default: nil
        }
    }

    mutating func append(_ later: KeyMemory) throws(DaybookError) {
        for run in later.runs {
            var run = run
            run.first += rows
            run.start += steps.count
            runs.append(run)
        }
        try steps.append(later.steps)
        hashed.append(later.hashed, raisedBy: rows)
        try places.append(later.places)
        rows += later.rows
    }

    var footprint: Int { steps.footprint + hashed.footprint + places.footprint }

    mutating func spill(to scratch: any Scratch) throws(DaybookError) {
        try steps.spill(to: scratch)
        try places.spill(to: scratch)
        // Few keys stay at hand: only then are they looked up one by one, however many rows the runs have.
        if hashed.footprint > scratch.memoryLimit / 16 { try hashed.spill(to: scratch) }
    }

    /// The rows whose key stands in an earlier row, of which only the first `wanted` are kept.
    func repeats(first wanted: Int, scratch: any Scratch) throws(DaybookError) -> Repeats {
        var repeats = Repeats(first: wanted, of: rows, scratch: scratch)
        let (apart, mixed) = sortedOut()
        guard hashed.count > 0 || !mixed.isEmpty else { return repeats }
        // Few keys are looked up in the runs one by one; of many, all are laid in parts.
        let few = hashed.count + mixed.reduce(0) { $0 + $1.count }
        if !apart.isEmpty, !hashed.isOnDisk, few <= rows / 8,
            few * MemoryLayout<HashedKey>.stride <= scratch.memoryLimit
        {
            var loose = hashed
            for run in mixed { loose.append(try keys(of: run)) }
            try KeyMemory.lookUp(try loose.sorted(), in: apart, keys(of:)) { (found) throws(DaybookError) in
                try repeats.append(found)
            }
            return repeats
        }
        var others = HashedKeys()
        let reached = apart.filter { $0.most >= hashed.least && $0.least <= hashed.most } + mixed
        for run in reached.sorted(by: { $0.first < $1.first }) {
            others.append(try keys(of: run))
            if others.footprint > scratch.memoryLimit / 4 { try others.spill(to: scratch) }
        }
        try KeyTable<HashedKey>.repeats(among: hashed.inParts, and: others.inParts, threads: scratch.threads) {
            (found) throws(DaybookError) in try repeats.append(found)
        }
        return repeats
    }

    /// The runs that overlap no other, in the order of their keys, and those that do.
    private func sortedOut() -> (apart: [KeyRun], mixed: [KeyRun]) {
        let ordered = runs.sorted { $0.least < $1.least }
        var isMixed = [Bool](repeating: false, count: ordered.count)
        // The run that reaches furthest of those before.
        var furthest = 0
        for place in ordered.indices.dropFirst() {
            if ordered[place].least <= ordered[furthest].most {
                isMixed[place] = true
                isMixed[furthest] = true
            }
            if ordered[place].most > ordered[furthest].most { furthest = place }
        }
        return (
            ordered.indices.filter { !isMixed[$0] }.map { ordered[$0] },
            ordered.indices.filter { isMixed[$0] }.map { ordered[$0] }
        )
    }

    private func keys(of run: KeyRun) throws(DaybookError) -> [HashedKey] {
        try steps.withBytes(run.start..<run.start + run.length) { run.keys($0) }
    }

    /// Looks keys up, which are sorted, among themselves and in runs that overlap nowhere.
    private static func lookUp(
        _ keys: [HashedKey],
        in runs: [KeyRun],
        _ keysOfRun: (KeyRun) throws(DaybookError) -> [HashedKey],
        _ body: (Repeat) throws(DaybookError) -> Void
    ) throws(DaybookError) {
        var rest = runs[...]
        // The keys of the run that was looked up in last, rising.
        var opened: (start: Int, keys: [HashedKey])?
        var next = keys[...]
        while let key = next.first {
            let same = next.prefix { $0.word == key.word }
            next = next.dropFirst(same.count)
            let value = Int64(bitPattern: key.word)
            while let run = rest.first, run.most < value { rest.removeFirst() }
            var all = same.map(\.row)
            if let run = rest.first, run.least <= value {
                if opened?.start != rest.startIndex {
                    let keys = try keysOfRun(run)
                    opened = (rest.startIndex, run.falls ? keys.reversed() : keys)
                }
                if let keys = opened?.keys, let row = KeyMemory.row(of: value, in: keys) { all.append(row) }
            }
            guard all.count > 1, let first = all.min() else { continue }
            for row in all where row != first { try body(Repeat(row: row, first: first)) }
        }
    }

    private static func row(of value: Int64, in keys: [HashedKey]) -> Int? {
        var low = 0
        var high = keys.count
        while low < high {
            let middle = (low + high) / 2
            if Int64(bitPattern: keys[middle].word) < value { low = middle + 1 } else { high = middle }
        }
        return low < keys.count && Int64(bitPattern: keys[low].word) == value ? keys[low].row : nil
    }
}

extension KeyMemory {
    func write(to bytes: Bytes) throws(DaybookError) {
        bytes.append(raw: KeyHash.seed)
        bytes.append(raw: UInt64(rows))
        bytes.append(array: runs)
        try steps.write(to: bytes)
        try hashed.write(to: bytes)
        try places.write(to: bytes)
    }

    init(reading reader: inout ByteReader) throws(DaybookError) {
        // Hashes of another process say nothing here.
        guard try reader.raw(UInt64.self) == KeyHash.seed else { throw .lostScratch }
        rows = Int(truncatingIfNeeded: try reader.raw(UInt64.self))
        runs = try reader.array()
        steps = try ByteTrail(reading: &reader)
        hashed = try HashedKeys(reading: &reader)
        places = try RowPlaces(reading: &reader)
    }
}
