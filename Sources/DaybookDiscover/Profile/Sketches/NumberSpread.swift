/// The distribution of numbers between minimum and maximum: counts in at most 1,024 steps of equal width.
///
/// The width is a power of two that follows from minimum and maximum alone, and every step lies inside a step of the next width,
/// so the counts do not depend on the order of the numbers or on how they were divided before merging.
struct NumberSpread: Sendable, Hashable {
    /// The width of a step is 2 to the power of this.
    private(set) var exponent = 0
    /// The index of the first step, which begins at `first` times the width.
    private(set) var first = 0
    private(set) var counts: [Int] = []
    private(set) var least = Double.infinity
    private(set) var most = -Double.infinity
    private(set) var total = 0

    static let mostSteps = 1024

    init() {}

    /// The spread of some finite numbers.
    init(_ numbers: [(number: Double, count: Int)]) {
        guard !numbers.isEmpty else { return }
        for one in numbers {
            least = min(least, one.number)
            most = max(most, one.number)
        }
        (exponent, first) = NumberSpread.frame(least, most)
        counts = [Int](repeating: 0, count: NumberSpread.step(most, exponent) - first + 1)
        let factor = NumberSpread.factor(exponent)
        for one in numbers { counts[NumberSpread.step(one.number, by: factor) &- first] &+= one.count }
        total = numbers.reduce(0) { $0 + $1.count }
    }

    mutating func merge(_ later: NumberSpread) {
        guard later.total > 0 else { return }
        guard total > 0 else {
            self = later
            return
        }
        least = min(least, later.least)
        most = max(most, later.most)
        total += later.total
        let (exponent, first) = NumberSpread.frame(least, most)
        var merged = [Int](repeating: 0, count: NumberSpread.step(most, exponent) - first + 1)
        for part in [self, later] {
            let shift = exponent - part.exponent
            for (index, count) in part.counts.enumerated() where count > 0 {
                merged[((part.first + index) >> shift) - first] += count
            }
        }
        (self.exponent, self.first, counts) = (exponent, first, merged)
    }

    /// The smallest width with few enough steps, and the first step.
    private static func frame(_ least: Double, _ most: Double) -> (exponent: Int, first: Int) {
        let size = max(least.magnitude, most.magnitude)
        // Indices of steps stay below 2^52, where doubles are exact.
        var exponent = size == 0 ? -1022 : max(-1022, Int(size.exponent) - 51)
        while step(most, exponent) - step(least, exponent) >= mostSteps { exponent += 1 }
        return (exponent, step(least, exponent))
    }

    /// Exact, since all exponents are those of normal numbers.
    private static func factor(_ exponent: Int) -> Double { Double(sign: .plus, exponent: -exponent, significand: 1) }

    private static func step(_ number: Double, _ exponent: Int) -> Int { step(number, by: factor(exponent)) }

    @inline(__always)
    private static func step(_ number: Double, by factor: Double) -> Int {
        let scaled = number * factor
        // A product too small for a double is still in the step below 0.
        if scaled == 0, number < 0 { return -1 }
        return Int(scaled.rounded(.down))
    }

    /// The beginning of a step.
    func start(of step: Int) -> Double {
        max(least, Double(sign: .plus, exponent: exponent, significand: Double(first + step)))
    }

    /// The beginning of the next step.
    func end(of step: Int) -> Double { Double(sign: .plus, exponent: exponent, significand: Double(first + step + 1)) }

    /// The bounds of the number of a rank, counted from 0 in rising order.
    func bounds(ofRank rank: Int) -> ClosedRange<Double> {
        var seen = 0
        for (index, count) in counts.enumerated() {
            seen += count
            if seen > rank { return start(of: index)...max(start(of: index), min(most, start(of: index + 1))) }
        }
        return least...most
    }
}

/// The distribution of numbers over their magnitudes: counts in steps whose width is a fixed share of their numbers.
///
/// A step covers the doubles with equal sign, exponent and first bits: seven bits are 1/128, and fewer for numbers with more than
/// 64 exponents. The precision depends on the numbers alone, so neither order nor division shows.
struct NumberOctaves: Sendable, Hashable {
    /// How many bits of the fraction distinguish steps.
    private(set) var precision = 7
    /// The signs and exponents that occur, in rising order of the numbers.
    private var octaves: [UInt16] = []
    /// The counts of the steps, exponent by exponent.
    private var counts: [Int] = []

    private var mostOctaves: Int { 64 << (7 - precision) }

    init() {}

    init(_ numbers: [(number: Double, count: Int)]) {
        // By exponent, where its counts begin; 0 for an unused one.
        var places = [Int32](repeating: 0, count: 4096)
        for one in numbers { places[Int(NumberOctaves.key(one.number) >> 52)] = 1 }
        octaves = places.indices.filter { places[$0] > 0 }.map { UInt16($0) }
        while octaves.count > mostOctaves { precision -= 1 }
        for (index, octave) in octaves.enumerated() { places[Int(octave)] = Int32(index << precision) }
        counts = [Int](repeating: 0, count: octaves.count << precision)
        let shift = UInt64(52 - precision)
        let mask = UInt64(1) << UInt64(precision) - 1
        for one in numbers {
            let key = NumberOctaves.key(one.number)
            counts[Int(places[Int(key >> 52)]) + Int(key >> shift & mask)] += one.count
        }
    }

    mutating func merge(_ later: NumberOctaves) {
        if octaves == later.octaves, precision == later.precision {
            for index in counts.indices { counts[index] += later.counts[index] }
            return
        }
        var merged = NumberOctaves()
        merged.octaves = Set(octaves).union(later.octaves).sorted()
        while merged.octaves.count > merged.mostOctaves { merged.precision -= 1 }
        merged.counts = [Int](repeating: 0, count: merged.octaves.count << merged.precision)
        for part in [self, later] {
            var target = 0
            for (index, octave) in part.octaves.enumerated() {
                while merged.octaves[target] < octave { target += 1 }
                for step in 0..<(1 << part.precision) {
                    let place = target << merged.precision + step >> (part.precision - merged.precision)
                    merged.counts[place] += part.counts[index << part.precision + step]
                }
            }
        }
        self = merged
    }

    /// Numbers in the order of their values; both zeros are one.
    @inline(__always)
    private static func key(_ number: Double) -> UInt64 {
        let bits = (number + 0).bitPattern
        return bits >> 63 == 1 ? ~bits : bits | 1 << 63
    }

    private static func number(_ key: UInt64) -> Double { Double(bitPattern: key >> 63 == 1 ? key & ~(1 << 63) : ~key) }

    /// The bounds of the number of a rank, counted from 0 in rising order.
    func bounds(ofRank rank: Int) -> ClosedRange<Double>? {
        var seen = 0
        for (index, count) in counts.enumerated() {
            seen += count
            guard seen > rank else { continue }
            let step = UInt64(index & (1 << precision - 1))
            let start = UInt64(octaves[index >> precision]) << 52 | step << UInt64(52 - precision)
            let end = start | (1 << UInt64(52 - precision) - 1)
            let (low, high) = (NumberOctaves.number(start), NumberOctaves.number(end))
            return low.isFinite && high.isFinite ? low...high : nil
        }
        return nil
    }
}
