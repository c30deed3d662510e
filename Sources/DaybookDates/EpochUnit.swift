/// Numbers that count time from a fixed instant.
public enum EpochUnit: String, Sendable, Hashable, CaseIterable, BitwiseCopyable {
    /// Seconds since 1970-01-01T00:00:00Z.
    case epochSeconds = "epoch_seconds"
    /// Milliseconds since 1970-01-01T00:00:00Z.
    case epochMillis = "epoch_millis"
    /// Seconds since 2001-01-01T00:00:00Z, as Swift's `JSONEncoder` and Core Data write dates.
    case appleSeconds = "apple_seconds"

    /// Instants of years 1 to 9999.
    static let range: ClosedRange<Int64> = -62_135_596_800_000_000...253_402_300_799_999_999

    /// Foundation's `Date.distantPast`, "never" in apps: 0000-12-30T00:00:00Z. The one instant outside the range.
    package static let distantPast: Int64 = -62_135_769_600_000_000

    /// Microseconds in one unit.
    var micros: Int64 { self == .epochMillis ? 1_000 : 1_000_000 }
    /// Digits after the point that a microsecond needs.
    var decimals: Int { self == .epochMillis ? 3 : 6 }
    /// Microseconds from 1970 to the instant that counts as 0.
    var reference: Int64 { self == .appleSeconds ? 978_307_200_000_000 : 0 }

    /// Reads a whole or decimal number, `-?digits` and perhaps `.digits`, and nothing else: no `+`, no exponent.
    ///
    /// Digits finer than a microsecond are cut off, towards the past: rounding would carry the last moment of a day
    /// into the next one.
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
            guard let value = text.fraction(decimals: decimals, &reading.isFiner) else { return .unreadable }
            fraction = value
        }
        guard text.isAtEnd else { return .unreadable }
        let (scaled, overflows) = whole.multipliedReportingOverflow(by: micros)
        let (magnitude, overflowsToo) = scaled.addingReportingOverflow(fraction)
        guard !isTooLarge, !overflows, !overflowsToo else { return .outOfRange }
        // Before the unit's zero, the past is away from zero.
        let floored = isNegative ? 0 &- magnitude &- (reading.isFiner ? 1 : 0) : magnitude
        let (sum, overflowsLast) = floored.addingReportingOverflow(reference)
        guard !overflowsLast, EpochUnit.range.contains(sum) || (self == .appleSeconds && sum == EpochUnit.distantPast)
        else { return .outOfRange }
        reading.form = .instant
        reading.micros = sum
        return .read
    }
}

extension EpochUnit {
    /// Writes an instant in this unit with all its digits, and returns the number of bytes.
    ///
    /// - Parameters:
    ///   - seconds: seconds since 1970-01-01T00:00:00Z, for any Int32 day.
    ///   - micros: microseconds after them, 0 to 999,999.
    public func write(seconds: Int64, micros: Int64, to bytes: UnsafeMutablePointer<UInt8>) -> Int {
        var whole = seconds &- reference / 1_000_000
        var rest = micros
        var end = bytes
        if whole < 0 {
            end[0] = UInt8(ascii: "-")
            end += 1
            // Digits count away from 0, while `micros` counts ahead in time.
            whole = 0 &- whole
            if rest > 0 {
                whole &-= 1
                rest = 1_000_000 &- rest
            }
        }
        if self == .epochMillis {
            whole = whole &* 1_000 &+ rest / 1_000
            rest = rest % 1_000 &* 1_000
        }
        end += NumberText.write(whole, to: end)
        guard rest > 0 else { return end - bytes }
        end[0] = UInt8(ascii: ".")
        Digits.writeDigits(UInt32(truncatingIfNeeded: rest), count: 6, to: end + 1)
        end += 7
        while end[-1] == UInt8(ascii: "0") { end -= 1 }
        return end - bytes
    }
}

/// Writes numbers so that the same readers read them as text.
enum EpochText {
    static let maximumLength = 40

    /// Writes the three or six decimals whose nearest double is the number. If there are none, writes its first six
    /// decimals and a seventh, so that a reader sees that there is more and cuts off what a text would have cut off; a
    /// number too large for any date becomes digits as large.
    ///
    /// Never rounds across a whole number, and so never across midnight: a double is either a whole number or none.
    static func write(_ number: Double, to bytes: UnsafeMutablePointer<UInt8>) -> Int {
        guard number.isFinite else { return 0 }
        let size = min(number.magnitude, 1e18)
        let whole = Int64(size)
        var end = bytes
        if number < 0 {
            end[0] = UInt8(ascii: "-")
            end += 1
        }
        end += NumberText.write(whole, to: end)
        let fraction = size - Double(whole)
        guard fraction > 0 else { return end - bytes }
        end[0] = UInt8(ascii: ".")
        // Three first: numbers of milliseconds are so large that six decimals would show the double, and not the time.
        let millis = (fraction * 1_000).rounded()
        if isNearest(size, whole, millis, of: 1_000) {
            Digits.writeDigits(UInt32(millis), count: 3, to: end + 1)
            return end - bytes + 4
        }
        let scaled = fraction * 1_000_000
        let micros = scaled.rounded()
        if isNearest(size, whole, micros, of: 1_000_000) {
            Digits.writeDigits(UInt32(micros), count: 6, to: end + 1)
            return end - bytes + 7
        }
        // The product is rounded, and may have reached a whole number that the fraction lies below.
        var floored = scaled.rounded(.down)
        if floored == scaled, (-scaled).addingProduct(fraction, 1_000_000) < 0 { floored -= 1 }
        Digits.writeDigits(UInt32(floored), count: 6, to: end + 1)
        end[7] = UInt8(ascii: "1")
        return end - bytes + 8
    }

    /// Whether a number is the double nearest to `whole` and so many `parts` of one.
    private static func isNearest(_ number: Double, _ whole: Int64, _ count: Double, of parts: Double) -> Bool {
        // As long as all the parts are fewer than 2⁵³, their sum is exact and the quotient the nearest double. Above,
        // doubles are so far apart that rounding the fraction first does not change which is the nearest.
        Double(whole) < 9_000_000_000_000_000 / parts
            ? (Double(whole) * parts + count) / parts == number
            : Double(whole) + count / parts == number
    }
}

/// How an app's model encodes its dates. Each but `iso` is a number.
package enum CodableDates: String, CaseIterable, BitwiseCopyable, Sendable {
    case iso
    case appleSeconds = "apple_seconds"
    case epochSeconds = "epoch_seconds"
    case epochMillis = "epoch_millis"

    /// The unit of the numbers; nil if dates are text.
    package var unit: EpochUnit? { EpochUnit(rawValue: rawValue) }
}

extension CodableDates: OptionChoice {
    /// The names of the strategies of Swift's `JSONEncoder`, and the names in other tools.
    package static let otherWords = [
        "deferredtodate": "apple_seconds", "default": "apple_seconds", "reference_date": "apple_seconds",
        "secondssince1970": "epoch_seconds", "unix": "epoch_seconds", "epoch": "epoch_seconds",
        "millisecondssince1970": "epoch_millis", "millis": "epoch_millis", "iso8601": "iso",
    ]
}
