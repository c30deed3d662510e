import DaybookCore

/// The range of a column's numbers, and what of them speaks for dates.
public struct NumberLook: Sendable, Hashable {
    public private(set) var count = 0
    public private(set) var least = Double.infinity
    public private(set) var most = -Double.infinity
    /// Numbers with a fraction.
    public private(set) var fractions = 0
    /// Numbers of less than 100,000,000, which as seconds of any epoch lie within three years of it.
    public private(set) var small = 0
    /// Whole multiples of 3,600, as midnights in most zones are.
    public private(set) var wholeHours = 0
    /// Whole multiples of 3,600,000.
    public private(set) var wholeMilliHours = 0

    @inline(__always)
    mutating func add(_ number: Double) {
        count &+= 1
        if number < least { least = number }
        if number > most { most = number }
        let size = number.magnitude
        if size < 1e8 { small &+= 1 }
        guard size < 1e15 else { return }
        let whole = Int64(number)
        if Double(whole) != number {
            fractions &+= 1
        } else if whole % 3_600 == 0 {
            wholeHours &+= 1
            if whole % 3_600_000 == 0 { wholeMilliHours &+= 1 }
        }
    }

    mutating func merge(_ later: NumberLook) {
        count += later.count
        least = min(least, later.least)
        most = max(most, later.most)
        fractions += later.fractions
        small += later.small
        wholeHours += later.wholeHours
        wholeMilliHours += later.wholeMilliHours
    }
}
