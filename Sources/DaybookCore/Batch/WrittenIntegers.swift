/// The whole numbers around 0 written out once, for loops that write millions of numbers, most of which are small.
@usableFromInline
struct WrittenIntegers: @unchecked Sendable {
    static let shared = WrittenIntegers()

    /// For each number from −4,096 to 4,095 its text, and in the last byte how long that is. Nobody writes here any more.
    @usableFromInline let texts: UnsafeMutablePointer<SIMD8<UInt8>>
    @usableFromInline static let reach: Int64 = 4_096

    private init() {
        let count = Int(2 * WrittenIntegers.reach)
        // What is written behind a number is that number's length, and then the next number.
        let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: count * 8 + NumberText.maximumLength)
        for place in 0..<count {
            let length = NumberText.write(Int64(place) - WrittenIntegers.reach, to: bytes + place * 8)
            bytes[place * 8 + 7] = UInt8(length)
        }
        texts = UnsafeMutableRawPointer(bytes).assumingMemoryBound(to: SIMD8<UInt8>.self)
    }

    /// Writes one of them at `bytes` and says how many bytes it took; nil for any other. Eight bytes may be written to.
    @inlinable
    func writeKnown(_ value: Int64, to bytes: UnsafeMutablePointer<UInt8>) -> Int? {
        let place = UInt64(bitPattern: value &+ WrittenIntegers.reach)
        guard place < UInt64(2 * WrittenIntegers.reach) else { return nil }
        let text = texts[Int(place)]
        UnsafeMutableRawPointer(bytes).storeBytes(of: text, as: SIMD8<UInt8>.self)
        return Int(text[7])
    }
}
