/// Writes decimal digits of known number.
@usableFromInline
enum Digits {
    /// Writes two digits of a number below 100.
    @inlinable
    static func writePair(_ value: UInt32, to bytes: UnsafeMutablePointer<UInt8>) {
        // 103/1024 is a tenth closely enough for all numbers below 100.
        let tens = (value &* 103) >> 10
        let pair = UInt16(truncatingIfNeeded: tens | (value &- tens &* 10) << 8 | 0x3030)
        UnsafeMutableRawPointer(bytes).storeBytes(of: pair.littleEndian, as: UInt16.self)
    }

    /// Writes a year with at least four digits and gives the place after it.
    @inlinable
    static func writeYear(_ year: UInt32, to bytes: UnsafeMutablePointer<UInt8>) -> UnsafeMutablePointer<UInt8> {
        guard year <= 9_999 else { return writeLongYear(year, to: bytes) }
        let century = year / 100
        writePair(century, to: bytes)
        writePair(year &- century &* 100, to: bytes + 2)
        return bytes + 4
    }

    @usableFromInline
    static func writeLongYear(_ year: UInt32, to bytes: UnsafeMutablePointer<UInt8>) -> UnsafeMutablePointer<UInt8> {
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
    static func writeDigits(_ value: UInt32, count: Int, to bytes: UnsafeMutablePointer<UInt8>) {
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
    static func writeFraction(_ micros: UInt32, to bytes: UnsafeMutablePointer<UInt8>) -> UnsafeMutablePointer<UInt8> {
        bytes[0] = UInt8(ascii: ".")
        if micros % 1_000 == 0 {
            writeDigits(micros / 1_000, count: 3, to: bytes + 1)
            return bytes + 4
        }
        writeDigits(micros, count: 6, to: bytes + 1)
        return bytes + 7
    }
}
