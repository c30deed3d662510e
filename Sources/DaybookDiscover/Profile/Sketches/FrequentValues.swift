import DaybookTables

/// The most frequent values with their counts: all values while they are few, and then those that must be among the most frequent.
///
/// Source: Agarwal et al., "Mergeable Summaries" (PODS 2012): the counters of Misra and Gries. After values were dropped, a count
/// may be too low by at most `undercount`, and no dropped value is more frequent than that.
struct FrequentValues: Sendable {
    /// One value with its first bytes.
    struct Value: Sendable {
        var hash: UInt64
        var count: Int
        /// The length of the whole value, in bytes.
        var length: Int
        /// Where its kept bytes begin.
        var start: Int
        var kept: Int

        var isWhole: Bool { kept == length }
    }

    /// How many values are kept.
    let limit: Int
    private(set) var values: [Value] = []
    private var bytes: [UInt8] = []
    private var places: [UInt64: Int32] = [:]
    /// By how much a count may be too low.
    private(set) var undercount = 0

    /// How many bytes of a value are kept.
    static let mostBytes = 200

    init(limit: Int) { self.limit = limit }

    var isExact: Bool { undercount == 0 }

    // MARK: - Adding

    /// Adds the values of one column of one batch.
    mutating func add(_ column: Column, _ tally: borrowing ColumnTally) {
        precondition(values.isEmpty, "a column is added to a summary that holds nothing yet")
        let least = tally.count > limit ? FrequentValues.threshold(tally, limit) : 0
        undercount = least
        let scratch = Bytes(capacity: 64)
        for index in 0..<tally.count where Int(tally[index].count) > least {
            let entry = tally[index]
            let count = Int(entry.count) - least
            switch column {
            case .text(let texts), .json(let texts): texts.withCell(Int(entry.row)) { append($0, entry.hash, count) }
            case .integers, .decimals, .flags, .days, .instants:
                scratch.removeAll()
                column.appendValue(Int(entry.row), to: scratch)
                append(scratch.filled, entry.hash, count)
            }
        }
        withExtendedLifetime(scratch) {}
    }

    /// The count of the value after the first `limit`, by falling counts.
    private static func threshold(_ tally: borrowing ColumnTally, _ limit: Int) -> Int {
        var counts: [UInt32] = []
        for index in 0..<tally.count where tally[index].count > 1 { counts.append(tally[index].count) }
        guard counts.count > limit else { return 1 }
        counts.sort(by: >)
        return Int(counts[limit])
    }

    private mutating func append(_ cell: Cell, _ hash: UInt64, _ count: Int) {
        let kept = FrequentValues.kept(cell)
        values.append(Value(hash: hash, count: count, length: cell.count, start: bytes.count, kept: kept))
        bytes.append(contentsOf: cell[..<kept])
    }

    /// The kept bytes of a long value, cut between characters.
    private static func kept(_ cell: Cell) -> Int {
        guard cell.count > mostBytes else { return cell.count }
        var kept = mostBytes
        while kept > mostBytes - 4, cell[kept] & 0xC0 == 0x80 { kept -= 1 }
        return kept
    }

    mutating func merge(_ later: FrequentValues) {
        precondition(limit == later.limit, "summaries of one size are merged")
        if places.isEmpty { for index in values.indices { place(index) } }
        for value in later.values {
            if let index = find(value, later) {
                values[index].count += value.count
            } else {
                var mine = value
                mine.start = bytes.count
                bytes.append(contentsOf: later.bytes[value.start..<value.start + value.kept])
                values.append(mine)
                place(values.count - 1)
            }
        }
        undercount += later.undercount
        if values.count > limit { letGo() }
    }

    /// Finds a value by linear probing from its hash.
    private func find(_ value: Value, _ other: FrequentValues) -> Int? {
        var key = value.hash
        while let index = places[key] {
            let mine = values[Int(index)]
            if mine.hash == value.hash, mine.length == value.length, mine.kept == value.kept,
                bytes[mine.start..<mine.start + mine.kept] == other.bytes[value.start..<value.start + value.kept]
            {
                return Int(index)
            }
            key &+= 1
        }
        return nil
    }

    private mutating func place(_ index: Int) {
        var key = values[index].hash
        while places[key] != nil { key &+= 1 }
        places[key] = Int32(index)
    }

    private mutating func letGo() {
        let least = values.map(\.count).sorted(by: >)[limit]
        undercount += least
        var left = FrequentValues(limit: limit)
        for var value in values where value.count > least {
            let text = bytes[value.start..<value.start + value.kept]
            value.start = left.bytes.count
            value.count -= least
            left.bytes.append(contentsOf: text)
            left.values.append(value)
        }
        values = left.values
        bytes = left.bytes
        places = [:]
        for index in values.indices { place(index) }
    }

    /// A value as text, cut if long.
    func text(of value: Value) -> String {
        String(decoding: bytes[value.start..<value.start + value.kept], as: UTF8.self)
    }

    /// By falling counts, then by bytes, independent of their arrival.
    var sorted: [Value] {
        func content(_ value: Value) -> ArraySlice<UInt8> { bytes[value.start..<value.start + value.kept] }
        return values.sorted { one, other in
            if one.count != other.count { return one.count > other.count }
            if content(one) != content(other) { return content(one).lexicographicallyPrecedes(content(other)) }
            return (one.length, one.hash) < (other.length, other.hash)
        }
    }

    /// The values that `read` reads as numbers, in their order; nil after values were dropped.
    func numbers(_ read: (Cell) -> Double?) -> [(number: Double, count: Int)]? {
        guard isExact else { return nil }
        var numbers: [(number: Double, count: Int)] = []
        for value in values where value.isWhole {
            let cell = Bytes(text(of: value))
            if let number = read(cell.filled) { numbers.append((number, value.count)) }
            withExtendedLifetime(cell) {}
        }
        return numbers.sorted { $0.number < $1.number }
    }
}

/// The number of distinct values: exact up to a bound, and estimated beyond it.
///
/// The result depends on the values alone, not on their order or on how they were divided before merging.
struct DistinctCount: Sendable, Hashable {
    /// How many values are counted exactly.
    let bound: Int
    /// Hashes that are not inserted yet; some may repeat.
    private var waiting: [UInt64] = []
    /// Nil past the bound.
    private var hashes: Set<UInt64>? = []
    /// The highest rank of a hash in each of 16,384 parts; empty up to the bound.
    private var registers: [UInt8] = []

    private static let precision: UInt64 = 14
    /// The standard error of an estimate, as a share: 1.04 / √16384.
    static let error = 0.008_125

    init(bound: Int) { self.bound = bound }

    /// Hashes of values that are about to be added.
    mutating func reserve(_ count: Int) { waiting.reserveCapacity(waiting.count + count) }

    @inline(__always)
    mutating func add(_ hash: UInt64) { waiting.append(hash) }

    mutating func merge(_ later: DistinctCount) {
        precondition(bound == later.bound, "counts with one bound are merged")
        insertWaiting()
        for hash in later.waiting { insert(hash) }
        for hash in later.hashes ?? [] { insert(hash) }
        guard !later.registers.isEmpty else { return }
        giveUp()
        for index in registers.indices { registers[index] = max(registers[index], later.registers[index]) }
    }

    /// The count, and whether it is exact or an estimate.
    var result: (count: Int, isExact: Bool) {
        var counted = self
        counted.insertWaiting()
        return counted.hashes.map { ($0.count, true) } ?? (counted.estimate, false)
    }

    // MARK: - Counting

    private mutating func insertWaiting() {
        let hashes = waiting
        waiting = []
        for hash in hashes { insert(hash) }
    }

    private mutating func insert(_ hash: UInt64) {
        guard hashes != nil else { return register(hash) }
        hashes!.insert(hash)
        if hashes!.count > bound { giveUp() }
    }

    // MARK: - Estimating

    private mutating func giveUp() {
        guard let counted = hashes else { return }
        hashes = nil
        registers = [UInt8](repeating: 0, count: 1 << DistinctCount.precision)
        for hash in counted { register(hash) }
    }

    private mutating func register(_ hash: UInt64) {
        let index = Int(hash >> (64 - DistinctCount.precision))
        let rank = UInt8(min((hash << DistinctCount.precision).leadingZeroBitCount, 50) + 1)
        if registers[index] < rank { registers[index] = rank }
    }

    /// Source: Otmar Ertl, "New cardinality estimation algorithms for HyperLogLog sketches" (arXiv:1702.01284), the improved
    /// raw estimator, which needs no tables of corrections.
    private var estimate: Int {
        let (size, last) = (Double(registers.count), 51)
        var counts = [Int](repeating: 0, count: last + 1)
        for register in registers { counts[Int(register)] += 1 }
        var sum = size * DistinctCount.tau(1 - Double(counts[last]) / size)
        for rank in (1..<last).reversed() { sum = 0.5 * (sum + Double(counts[rank])) }
        sum += size * DistinctCount.sigma(Double(counts[0]) / size)
        // α∞ is 1 / (2 ln 2).
        let estimate = (0.721_347_520_444_481_7 * size * size / sum).rounded()
        // The exact count up to the bound is a lower limit.
        return max(bound + 1, estimate < 9e18 ? Int(estimate) : Int.max)
    }

    private static func sigma(_ share: Double) -> Double {
        var (x, y, z) = (share, 1.0, share)
        guard x < 1 else { return .infinity }
        while true {
            x *= x
            let before = z
            z += x * y
            y += y
            if z == before { return z }
        }
    }

    private static func tau(_ share: Double) -> Double {
        guard share > 0, share < 1 else { return 0 }
        var (x, y, z) = (share, 1.0, 1 - share)
        while true {
            x = x.squareRoot()
            let before = z
            y *= 0.5
            z -= (1 - x) * (1 - x) * y
            if z == before { return z / 3 }
        }
    }
}
