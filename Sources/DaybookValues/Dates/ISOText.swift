/// Writes days as ISO 8601 does, `2026-11-21`, and instants as RFC 3339 does, `2026-11-21T05:00:00Z`.
///
/// Years outside 0 to 9999 take the expanded form with a sign: `-0001-12-31`, `+12026-01-01`. A fraction of a second is
/// written only when there is one, with three digits where they suffice and six where they do not.
public enum ISOText {
    /// The most bytes that any of the writers may write.
    public static let maximumLength = 40

    /// Writes the day at `bytes` and returns its length: 10 for years 0 to 9999.
    @inlinable
    public static func write(day: Int32, to bytes: UnsafeMutablePointer<UInt8>) -> Int {
        let date = CivilDate(day: day)
        let start = UInt32(bitPattern: date.year) <= 9_999 ? bytes : writeSign(of: date.year, to: bytes)
        let end = Digits.writeYear(date.year.magnitude, to: start)
        end[0] = UInt8(ascii: "-")
        Digits.writePair(UInt32(bitPattern: date.month), to: end + 1)
        end[3] = UInt8(ascii: "-")
        Digits.writePair(UInt32(bitPattern: date.day), to: end + 4)
        return end - bytes + 6
    }

    @usableFromInline
    static func writeSign(of year: Int32, to bytes: UnsafeMutablePointer<UInt8>) -> UnsafeMutablePointer<UInt8> {
        bytes[0] = year < 0 ? UInt8(ascii: "-") : UInt8(ascii: "+")
        return bytes + 1
    }

    /// Writes the instant in UTC at `bytes` and returns its length, at most 32.
    @inlinable
    public static func write(instant: Int64, to bytes: UnsafeMutablePointer<UInt8>) -> Int {
        let end = writeLocal(instant, to: bytes)
        end[0] = UInt8(ascii: "Z")
        return end - bytes + 1
    }

    /// Writes the instant as clocks show it `offset` seconds ahead of UTC: `2026-11-21T14:00:00+09:00`.
    ///
    /// RFC 3339 offsets have no seconds; an offset that has some, as local mean times do, is cut to its minutes and
    /// the written time goes with it, so that the text still names the same instant.
    @inlinable
    public static func write(instant: Int64, offset: Int32, to bytes: UnsafeMutablePointer<UInt8>) -> Int {
        let minutes = offset / 60
        let end = writeLocal(instant &+ Int64(minutes) &* 60_000_000, to: bytes)
        return writeOffset(minutes: minutes, to: end) - bytes
    }

    @inlinable
    static func writeLocal(_ instant: Int64, to bytes: UnsafeMutablePointer<UInt8>) -> UnsafeMutablePointer<UInt8> {
        let (day, micros) = InstantParts.split(instant)
        var end = bytes + write(day: day, to: bytes)
        let seconds = UInt32(truncatingIfNeeded: micros / 1_000_000)
        let fraction = UInt32(truncatingIfNeeded: micros % 1_000_000)
        end[0] = UInt8(ascii: "T")
        Digits.writePair(seconds / 3_600, to: end + 1)
        end[3] = UInt8(ascii: ":")
        Digits.writePair(seconds / 60 % 60, to: end + 4)
        end[6] = UInt8(ascii: ":")
        Digits.writePair(seconds % 60, to: end + 7)
        end += 9
        if fraction != 0 { end = Digits.writeFraction(fraction, to: end) }
        return end
    }

    @usableFromInline
    static func writeOffset(minutes: Int32, to bytes: UnsafeMutablePointer<UInt8>) -> UnsafeMutablePointer<UInt8> {
        bytes[0] = minutes < 0 ? UInt8(ascii: "-") : UInt8(ascii: "+")
        Digits.writePair(minutes.magnitude / 60 % 100, to: bytes + 1)
        bytes[3] = UInt8(ascii: ":")
        Digits.writePair(minutes.magnitude % 60, to: bytes + 4)
        return bytes + 6
    }
}

/// Splits instants into days and times.
public enum InstantParts {
    public static let microsPerDay: Int64 = 86_400_000_000

    /// The UTC day and the microseconds since its start, for every Int64.
    @inlinable
    public static func split(_ instant: Int64) -> (day: Int32, micros: Int64) {
        var day = instant / microsPerDay
        var rest = instant &- day &* microsPerDay
        if rest < 0 {
            day &-= 1
            rest &+= microsPerDay
        }
        return (Int32(truncatingIfNeeded: day), rest)
    }
}

/// The texts of the days of 1970 to 2069, for loops that write millions of days.
public struct WrittenDays: @unchecked Sendable {
    public static let shared = WrittenDays()

    /// One text for each day since 1970-01-01, as `ISOText` writes it. Never written after `init`.
    @usableFromInline let texts: UnsafeMutablePointer<SIMD16<UInt8>>
    @usableFromInline static let count: UInt32 = 36_525

    private init() {
        texts = .allocate(capacity: Int(WrittenDays.count))
        texts.initialize(repeating: SIMD16(), count: Int(WrittenDays.count))
        for day in 0..<Int(WrittenDays.count) {
            let bytes = UnsafeMutableRawPointer(texts + day).assumingMemoryBound(to: UInt8.self)
            _ = ISOText.write(day: Int32(day), to: bytes)
        }
    }

    /// Writes any day at `bytes` and returns its length; up to `ISOText.maximumLength` bytes may be written to.
    @inlinable
    public func write(_ day: Int32, to bytes: UnsafeMutablePointer<UInt8>) -> Int {
        guard UInt32(bitPattern: day) < WrittenDays.count else { return ISOText.write(day: day, to: bytes) }
        UnsafeMutableRawPointer(bytes).storeBytes(of: texts[Int(day)], as: SIMD16<UInt8>.self)
        return 10
    }
}

/// Writes a known number of decimal digits.
@usableFromInline
package enum Digits {
    /// Writes two digits of a number below 100.
    @inlinable
    package static func writePair(_ value: UInt32, to bytes: UnsafeMutablePointer<UInt8>) {
        // 103/1024 is a tenth closely enough for all numbers below 100.
        let tens = (value &* 103) >> 10
        let pair = UInt16(truncatingIfNeeded: tens | (value &- tens &* 10) << 8 | 0x3030)
        UnsafeMutableRawPointer(bytes).storeBytes(of: pair.littleEndian, as: UInt16.self)
    }

    /// Writes a year with at least four digits and returns the place after it.
    @inlinable
    package static func writeYear(_ year: UInt32, to bytes: UnsafeMutablePointer<UInt8>) -> UnsafeMutablePointer<UInt8>
    {
        guard year <= 9_999 else { return writeLongYear(year, to: bytes) }
        let century = year / 100
        writePair(century, to: bytes)
        writePair(year &- century &* 100, to: bytes + 2)
        return bytes + 4
    }

    @usableFromInline
    package static func writeLongYear(_ year: UInt32, to bytes: UnsafeMutablePointer<UInt8>) -> UnsafeMutablePointer<
        UInt8
    > {
        var count = 0
        var rest = year
        while rest > 0 {
            rest /= 10
            count += 1
        }
        writeDigits(year, count: count, to: bytes)
        return bytes + count
    }

    /// Writes exactly `count` digits, with zeros in front; higher digits are left away.
    @inlinable
    package static func writeDigits(_ value: UInt32, count: Int, to bytes: UnsafeMutablePointer<UInt8>) {
        var rest = value
        var place = count
        while place > 0 {
            place &-= 1
            bytes[place] = UInt8(truncatingIfNeeded: rest % 10) | 0x30
            rest /= 10
        }
    }

    /// Writes `.` and three or six digits of a number of microseconds.
    @usableFromInline
    package static func writeFraction(_ micros: UInt32, to bytes: UnsafeMutablePointer<UInt8>) -> UnsafeMutablePointer<
        UInt8
    > {
        bytes[0] = UInt8(ascii: ".")
        if micros % 1_000 == 0 {
            writeDigits(micros / 1_000, count: 3, to: bytes + 1)
            return bytes + 4
        }
        writeDigits(micros, count: 6, to: bytes + 1)
        return bytes + 7
    }
}

/// The shape `yyyy?MM?dd`, ten bytes with one byte between: read as two words, without a loop.
///
/// Source for reading digits in parallel: Daniel Lemire, "Quickly parsing eight digits" (2018), and Wojciech Muła's
/// notes on SWAR parsing; the range check by adding 0x76 to each byte is the usual one.
public struct TenByteDay: Sendable, BitwiseCopyable {
    /// Zero digits with the separators between them, as they lie in memory.
    @usableFromInline let template: UInt64

    /// `2026-11-21`.
    package static let iso = TenByteDay(separators: UInt8(ascii: "-"), UInt8(ascii: "-"))

    package init(separators first: UInt8, _ second: UInt8) {
        template = 0x0030_3000_3030_3030 | UInt64(first) << 32 | UInt64(second) << 56
    }

    /// The byte after the year.
    package var separator: UInt8 { UInt8(truncatingIfNeeded: template >> 32) }

    /// Reads the first ten of at least ten bytes.
    @inlinable
    @inline(__always)
    public func read(_ base: UnsafePointer<UInt8>, into date: inout CivilDate) -> Bool {
        let raw = UnsafeRawPointer(base)
        let word = raw.loadUnaligned(as: UInt64.self).littleEndian ^ template
        let pair = UInt32(raw.loadUnaligned(fromByteOffset: 8, as: UInt16.self).littleEndian ^ 0x3030)
        // A digit is now 0 to 9 and a separator 0; anything else reaches the top bit of its byte.
        let bad = (word &+ 0x7F76_767F_7676_7676 | word) & 0x8080_8080_8080_8080
        let badPair = (pair &+ 0x7676 | pair) & 0x8080
        guard bad | UInt64(badPair) == 0 else { return false }
        let tens = word &* 10 &+ (word >> 8)
        date.year = Int32(truncatingIfNeeded: (tens & 0xFF) &* 100 &+ (tens >> 16 & 0xFF))
        date.month = Int32(truncatingIfNeeded: tens >> 40 & 0xFF)
        date.day = Int32(bitPattern: (pair & 0xFF) &* 10 &+ pair >> 8)
        return true
    }
}
