/// How numbers spread over their sizes: counts in steps that are a fixed share of their numbers wide, however large they are.
///
/// A step is what the sign, the exponent and the first bits of a double leave open: seven bits are 1/128, and fewer where the
/// numbers are of more than 64 exponents. How many depends on the numbers alone, so neither order nor division shows.
struct NumberOctaves: Sendable, Hashable {
    /// How many bits of the fraction tell steps apart.
    private(set) var precision = 7
    /// The exponents that occur, and their signs, in rising order of the numbers.
    private var octaves: [UInt16] = []
    /// The counts of the steps, exponent by exponent.
    private var counts: [Int] = []

    private var mostOctaves: Int { 64 << (7 - precision) }

    init() {}

    init(_ numbers: [(number: Double, count: Int)]) {
        // By exponent, where its counts begin; 0 for one that does not occur.
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

    private static func number(_ key: UInt64) -> Double {
        Double(bitPattern: key >> 63 == 1 ? key & ~(1 << 63) : ~key)
    }

    /// The bounds between which the number of that rank lies, counted from 0 in rising order.
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
