/// Numbers that count time from a fixed instant.
public enum EpochUnit: String, Sendable, Hashable, CaseIterable, BitwiseCopyable {
    /// Seconds since 1970-01-01T00:00:00Z.
    case epochSeconds = "epoch_seconds"
    /// Milliseconds since 1970-01-01T00:00:00Z.
    case epochMillis = "epoch_millis"
    /// Seconds since 2001-01-01T00:00:00Z, as Swift's `JSONEncoder` and Core Data write dates.
    case appleSeconds = "apple_seconds"

    /// Days of years 1 to 9999.
    static let days: ClosedRange<Int32> = -719_162...2_932_896
    /// Instants of years 1 to 9999.
    static let range: ClosedRange<Int64> = -62_135_596_800_000_000...253_402_300_799_999_999

    /// Microseconds in one unit.
    var micros: Int64 { self == .epochMillis ? 1_000 : 1_000_000 }
    /// Digits after the point that a microsecond needs.
    var decimals: Int { self == .epochMillis ? 3 : 6 }
    /// Microseconds from 1970 to the instant that counts as 0.
    var reference: Int64 { self == .appleSeconds ? 978_307_200_000_000 : 0 }

    /// Reads a whole or decimal number, `-?digits` and perhaps `.digits`, and nothing else: no `+`, no exponent.
    ///
    /// What is finer than a microsecond is rounded to the nearest, halves away from zero.
    func read(_ cell: Cell, into reading: inout DateReading) -> DateOutcome {
        guard var text = TextScanner(cell) else { return .unreadable }
        let isNegative = text.skip(UInt8(ascii: "-"))
        guard text.digit(0) <= 9 else { return .unreadable }
        var whole: Int64 = 0
        var isTooLarge = false
        while text.digit(0) <= 9 {
            // 15 digits hold every millisecond of years 1 to 9999, and times 1,000,000 still fit 128 bits only; so
            // the bound is checked before multiplying.
            if whole > 99_999_999_999_999 { isTooLarge = true } else { whole = whole &* 10 &+ Int64(text.digit(0)) }
            text.position += 1
        }
        var fraction: Int64 = 0
        if text.skip(UInt8(ascii: ".")) {
            guard let value = readFraction(&text, &reading.isFiner) else { return .unreadable }
            fraction = value
        }
        guard text.isAtEnd else { return .unreadable }
        let (scaled, overflows) = whole.multipliedReportingOverflow(by: micros)
        let (magnitude, overflowsToo) = scaled.addingReportingOverflow(fraction)
        guard !isTooLarge, !overflows, !overflowsToo else { return .outOfRange }
        let (sum, overflowsLast) = (isNegative ? 0 &- magnitude : magnitude).addingReportingOverflow(reference)
        guard !overflowsLast, EpochUnit.range.contains(sum) else { return .outOfRange }
        reading.form = .instant
        reading.micros = sum
        return .read
    }

    private func readFraction(_ text: inout TextScanner, _ isFiner: inout Bool) -> Int64? {
        guard text.digit(0) <= 9 else { return nil }
        var fraction: Int64 = 0
        var count = 0
        while text.digit(0) <= 9 {
            if count < decimals {
                fraction = fraction &* 10 &+ Int64(text.digit(0))
            } else if text.digit(0) > 0 {
                isFiner = true
                if count == decimals, text.digit(0) >= 5 { fraction &+= 1 }
            }
            count &+= 1
            text.position += 1
        }
        while count < decimals {
            fraction &*= 10
            count &+= 1
        }
        return fraction
    }
}

/// Writes numbers so that the same readers read them as text.
enum EpochText {
    static let maximumLength = 40

    /// Writes a number with up to six decimals, and a seventh where it has more; a number too large for any date becomes
    /// digits that are as large.
    static func write(_ number: Double, to bytes: UnsafeMutablePointer<UInt8>) -> Int {
        guard number.isFinite else { return 0 }
        let size = min(number.magnitude, 1e18)
        var whole = Int64(size)
        var fraction = ((size - Double(whole)) * 1_000_000).rounded()
        if fraction >= 1_000_000 {
            whole += 1
            fraction = 0
        }
        let isExact = isSame(size, whole, fraction)
        var end = bytes
        if number < 0 {
            end[0] = UInt8(ascii: "-")
            end += 1
        }
        end += NumberText.write(whole, to: end)
        guard fraction > 0 || !isExact else { return end - bytes }
        end[0] = UInt8(ascii: ".")
        Digits.writeDigits(UInt32(fraction), count: 6, to: end + 1)
        guard !isExact else { return end - bytes + 7 }
        // Too small to change how the reader rounds, and enough for it to see that there was more.
        end[7] = UInt8(ascii: "1")
        return end - bytes + 8
    }

    /// Whether a number is the one that `whole` and `fraction` millionths are read as.
    private static func isSame(_ number: Double, _ whole: Int64, _ fraction: Double) -> Bool {
        // Below 2⁵³ the sum of millionths is exact and the quotient the nearest double. Above, the steps between doubles are
        // so wide that rounding the fraction first does not change which is the nearest.
        whole < 9_000_000_000
            ? (Double(whole) * 1_000_000 + fraction) / 1_000_000 == number
            : Double(whole) + fraction / 1_000_000 == number
    }
}
