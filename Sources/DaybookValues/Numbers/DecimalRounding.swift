/// Rounds decimals as written: the shortest digits that read back as the number are rounded, halves away from 0, and
/// the result is the double nearest to the rounded digits.
///
/// 1.005 is stored a little below its text, and rounds to 1.01 all the same: that is what people wrote and see.
package struct DecimalRounding {
    /// The number of digits after the point; if negative, so many before the point become 0.
    private let places: Int
    /// Ten to the power of the places without their sign; not a number where no double is exactly that.
    private let power: Double

    package init(places: Int64) {
        // No double has a digit that lies farther from the point.
        self.places = Int(max(-400, min(places, 400)))
        let exponent = abs(self.places)
        power = exponent < CellReading.powersOfTen.count ? CellReading.powersOfTen[exponent] : .nan
    }

    @inline(__always)
    package func rounded(_ number: Double) -> Double {
        let scaled = places < 0 ? number / power : number * power
        let whole = scaled.rounded(.toNearestOrAwayFromZero)
        // The text is within 2^-53 of the number, and the scaled number within 2^-53 of the product. Further than that
        // from a half, both round to the same whole number. It and the power are exact, so the result is rounded once.
        let distance = 0.5 - (scaled - whole).magnitude
        guard distance > scaled.magnitude * 0x1p-51 else { return roundedByDigits(number) }
        return places < 0 ? whole * power : whole / power
    }

    /// The same for a number near a half, or with all the digits of a double.
    private func roundedByDigits(_ number: Double) -> Double {
        if !number.isFinite || (places >= 0 && number == number.rounded()) { return number }
        var (digits, exponent) = DecimalRounding.digits(of: number.magnitude)
        let dropped = -places - exponent
        guard dropped > 0 else { return number }
        // Of 17 digits and a zero after the point, all less than half of 10^18, nothing is left.
        guard dropped < 18 else { return 0 }
        digits = DecimalRounding.quotient(digits, DecimalRounding.powerOfTen(dropped))
        guard digits <= 1 << 53, power.isFinite else {
            let rounded = Double("\(digits)e\(-places)") ?? .infinity
            return number < 0 ? -rounded : rounded
        }
        let rounded = places < 0 ? Double(digits) * power : Double(digits) / power
        return number < 0 ? -rounded : rounded
    }

    /// Rounds a whole number; nil where 64 bits do not hold the result.
    package func rounded(_ number: Int64) -> Int64? {
        guard places < 0 else { return number }
        // Half of 10^20 is more than 64 bits hold.
        guard places > -20 else { return 0 }
        let unit = DecimalRounding.powerOfTen(-places)
        let magnitude = Int128(DecimalRounding.quotient(number.magnitude, unit) * unit)
        return Int64(exactly: number < 0 ? -magnitude : magnitude)
    }

    /// The nearest whole quotient, halves up.
    private static func quotient(_ value: UInt64, _ divisor: UInt64) -> UInt64 { (value + divisor / 2) / divisor }

    private static func powerOfTen(_ exponent: Int) -> UInt64 { (0..<exponent).reduce(1) { power, _ in power * 10 } }

    /// The shortest digits of a number of no sign, as a whole number times ten to the power of the exponent.
    private static func digits(of number: Double) -> (digits: UInt64, exponent: Int) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 32) { room in
            guard let start = room.baseAddress else { return (0, 0) }
            let text = Cell(start: start, count: NumberText.write(number, to: start))
            var digits: UInt64 = 0
            var exponent = 0
            var hasPoint = false
            for (place, byte) in text.enumerated() {
                switch byte {
                case UInt8(ascii: "."): hasPoint = true
                case UInt8(ascii: "e"):
                    let power = CellReading.integer(Cell(rebasing: text[(place + 1)...])) ?? 0
                    return (digits, exponent + Int(power))
                default:
                    digits = digits * 10 + UInt64(byte - 48)
                    if hasPoint { exponent -= 1 }
                }
            }
            return (digits, exponent)
        }
    }
}
