/// The days of 1970 to 2069 written out once, for loops that write millions of them.
public struct WrittenDays: @unchecked Sendable {
    public static let shared = WrittenDays()

    /// One for each day since 1970-01-01, as `ISOText` writes it. Nobody writes here any more.
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

    /// Writes any day at `bytes` and says how many bytes it took; as many as `ISOText.maximumLength` may be written to.
    @inlinable
    public func write(_ day: Int32, to bytes: UnsafeMutablePointer<UInt8>) -> Int {
        guard UInt32(bitPattern: day) < WrittenDays.count else { return ISOText.write(day: day, to: bytes) }
        UnsafeMutableRawPointer(bytes).storeBytes(of: texts[Int(day)], as: SIMD16<UInt8>.self)
        return 10
    }
}
