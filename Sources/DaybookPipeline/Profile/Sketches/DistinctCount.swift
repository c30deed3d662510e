/// How many different values there are: counted up to a bound, and estimated beyond it.
///
/// What it says depends on the values alone, neither on their order nor on how they were divided before merging.
struct DistinctCount: Sendable, Hashable {
    /// Up to how many values are counted.
    let bound: Int
    /// Hashes that are not sorted in yet; some may be there twice.
    private var waiting: [UInt64] = []
    /// Hashes by their place, 0 for a free one; nil past the bound.
    private var table: [UInt64]? = []
    private var counted = 0
    /// For each of 16,384 parts of the values, how rare the rarest hash is; empty up to the bound.
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
        settle()
        for hash in later.waiting { insert(hash) }
        for hash in later.table ?? [] where hash != 0 { insert(hash) }
        guard !later.registers.isEmpty else { return }
        giveUp()
        for index in registers.indices { registers[index] = max(registers[index], later.registers[index]) }
    }

    /// The count, and whether it is one; else it is the estimate.
    var result: (count: Int, isExact: Bool) {
        var settled = self
        settled.settle()
        return settled.table == nil ? (settled.estimate, false) : (settled.counted, true)
    }

    // MARK: - Counting

    private mutating func settle() {
        let hashes = waiting
        waiting = []
        for hash in hashes { insert(hash) }
    }

    private mutating func insert(_ hash: UInt64) {
        // A free place is 0; that the hash 0 counts as 1 loses a value in 2^64.
        let hash = max(hash, 1)
        guard table != nil else { return register(hash) }
        if counted * 2 >= table?.count ?? 0 { grow() }
        if DistinctCount.put(hash, into: &table!) { counted += 1 }
        if counted > bound { giveUp() }
    }

    /// Whether the hash was not there yet.
    private static func put(_ hash: UInt64, into table: inout [UInt64]) -> Bool {
        var slot = Int(truncatingIfNeeded: hash >> 3) & (table.count - 1)
        while table[slot] != 0 {
            if table[slot] == hash { return false }
            slot = (slot + 1) & (table.count - 1)
        }
        table[slot] = hash
        return true
    }

    private mutating func grow() {
        var larger = [UInt64](repeating: 0, count: max(16, (table?.count ?? 0) * 2))
        for hash in table ?? [] where hash != 0 { _ = DistinctCount.put(hash, into: &larger) }
        table = larger
    }

    // MARK: - Estimating

    private mutating func giveUp() {
        guard let hashes = table else { return }
        table = nil
        registers = [UInt8](repeating: 0, count: 1 << DistinctCount.precision)
        for hash in hashes where hash != 0 { register(hash) }
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
        // What was counted before the bound is certain.
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
