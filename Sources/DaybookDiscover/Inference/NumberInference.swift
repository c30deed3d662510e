import DaybookDates

/// The range of a column's numbers, and what of them speaks for dates.
public struct NumberInference: Sendable, Hashable {
    public private(set) var count = 0
    public private(set) var least = Double.infinity
    public private(set) var most = -Double.infinity
    /// Of those that are whole numbers of 64 bits.
    public private(set) var wholes = WholeRange()
    /// Numbers with a fraction.
    public private(set) var fractions = 0
    /// Numbers of less than 100,000,000, which as seconds of any epoch lie within three years of it.
    public private(set) var small = 0
    /// Numbers that are instants of the years 2005 to 2034 as seconds since 1970, as milliseconds since then, and as
    /// seconds since 2001. No number is in two of the ranges.
    public private(set) var recentSeconds = 0
    public private(set) var recentMillis = 0
    public private(set) var recentAppleSeconds = 0
    /// Whole multiples of 3,600, as midnights in most zones are.
    public private(set) var wholeHours = 0
    /// Whole multiples of 3,600,000.
    public private(set) var wholeMilliHours = 0

    @inline(__always)
    package mutating func add(whole number: Int64, times: Int = 1) {
        wholes.add(number)
        add(Double(number), times: times)
    }

    @inline(__always)
    package mutating func add(_ number: Double, times: Int = 1) {
        count &+= times
        if number < least { least = number }
        if number > most { most = number }
        let size = number.magnitude
        if size < 1e8 { small &+= times }
        if number >= 126_230_400, number < 1_072_915_200 { recentAppleSeconds &+= times }
        if number >= 1_104_537_600, number < 2_051_222_400 { recentSeconds &+= times }
        if number >= 1_104_537_600_000, number < 2_051_222_400_000 { recentMillis &+= times }
        guard size < 1e15 else { return }
        let whole = Int64(number)
        if Double(whole) != number {
            fractions &+= times
        } else if whole % 3_600 == 0 {
            wholeHours &+= times
            if whole % 3_600_000 == 0 { wholeMilliHours &+= times }
        }
    }

    /// How many numbers are instants of the years 2005 to 2034 in that unit.
    func recent(in unit: EpochUnit) -> Int {
        switch unit {
        case .epochSeconds: recentSeconds
        case .epochMillis: recentMillis
        case .appleSeconds: recentAppleSeconds
        }
    }

    package mutating func merge(_ later: NumberInference) {
        count += later.count
        least = min(least, later.least)
        most = max(most, later.most)
        wholes.merge(later.wholes)
        fractions += later.fractions
        small += later.small
        recentSeconds += later.recentSeconds
        recentMillis += later.recentMillis
        recentAppleSeconds += later.recentAppleSeconds
        wholeHours += later.wholeHours
        wholeMilliHours += later.wholeMilliHours
    }
}
