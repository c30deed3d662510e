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
