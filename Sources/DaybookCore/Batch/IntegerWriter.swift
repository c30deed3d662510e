/// Writes the whole numbers of a column one after another: small ones from a table, and those that lie close to the one before, as ids and
/// lines do, with the upper digits of that.
public struct IntegerWriter {
    @usableFromInline let small = WrittenIntegers.shared
    @usableFromInline let digits = FourDigits.shared
    /// The number that was written last with all of its digits.
    @usableFromInline var last: Int64 = .min
    /// The ten thousand numbers that share their upper digits with one of those before, and these digits; none of them at first.
    @usableFromInline var first: Int64 = 0
    @usableFromInline var reach: UInt64 = 0
    @usableFromInline var upper: UInt64 = 0
    @usableFromInline var upperLength = 0

    public init() {}

    /// Writes a number at `bytes` and says how many bytes it took; as many as `NumberText.maximumLength` may be written to.
    @inlinable
    public mutating func write(_ value: Int64, to bytes: UnsafeMutablePointer<UInt8>) -> Int {
        if let length = small.writeKnown(value, to: bytes) { return length }
        let place = value &- first
        if UInt64(bitPattern: place) < reach {
            let bytes = UnsafeMutableRawPointer(bytes)
            bytes.storeBytes(of: upper, as: UInt64.self)
            bytes.storeBytes(of: digits.texts[Int(place)], toByteOffset: upperLength, as: UInt32.self)
            return upperLength &+ 4
        }
        return writeFar(value, to: bytes)
    }

    @usableFromInline
    mutating func writeFar(_ value: Int64, to bytes: UnsafeMutablePointer<UInt8>) -> Int {
        let length = NumberText.write(value, to: bytes)
        // Numbers in no order are not worth the division.
        let isNear = (value &- last).magnitude < 10_000
        last = value
        guard isNear, length > 4, length <= 12, value > 0 else { return length }
        first = value / 10_000 * 10_000
        reach = 10_000
        upperLength = length - 4
        upper = UnsafeRawPointer(bytes).loadUnaligned(as: UInt64.self)
        return length
    }
}

/// The numbers below ten thousand with all four digits.
@usableFromInline
struct FourDigits: @unchecked Sendable {
    static let shared = FourDigits()

    /// Nobody writes here any more.
    @usableFromInline let texts: UnsafePointer<UInt32>

    private init() {
        let texts = UnsafeMutablePointer<UInt32>.allocate(capacity: 10_000)
        for number in 0..<10_000 as Range<UInt32> {
            // The first digit lies lowest in memory.
            let (upper, lower) = (number / 100, number % 100)
            let digits = upper / 10 | (upper % 10) << 8 | (lower / 10) << 16 | (lower % 10) << 24
            texts[Int(number)] = (digits | 0x3030_3030).littleEndian
        }
        self.texts = UnsafePointer(texts)
    }
}
