/// A cursor over a text, front to back, never past its end.
struct TextScanner: BitwiseCopyable {
    let start: UnsafePointer<UInt8>
    let end: UnsafePointer<UInt8>
    var position: UnsafePointer<UInt8>

    /// Nil for a text of no bytes, which may have no address.
    @inline(__always)
    init?(_ cell: Cell) {
        guard let base = cell.baseAddress, cell.count > 0 else { return nil }
        start = base
        end = base + cell.count
        position = base
    }

    @inline(__always)
    var isAtEnd: Bool { position == end }

    @inline(__always)
    var remaining: Int { end - position }

    /// The next byte, or 0 at the end.
    @inline(__always)
    var next: UInt8 { position < end ? position.pointee : 0 }

    /// The next eight bytes, the first lowest, with zeros past the end.
    @inline(__always)
    var word: UInt64 {
        let left = end - position
        if left >= 8 { return UnsafeRawPointer(position).loadUnaligned(as: UInt64.self).littleEndian }
        if left > 0, end - start >= 8 {
            let last = UnsafeRawPointer(end - 8).loadUnaligned(as: UInt64.self).littleEndian
            return last &>> UInt64(64 &- 8 &* left)
        }
        return shortWord
    }

    @inline(never)
    private var shortWord: UInt64 {
        var word: UInt64 = 0
        var place = end
        while place > position {
            place -= 1
            word = word << 8 | UInt64(place.pointee)
        }
        return word
    }

    /// The digit `offset` bytes ahead, or a number above 9.
    @inline(__always)
    func digit(_ offset: Int) -> UInt32 { offset < end - position ? UInt32(position[offset]) ^ 0x30 : 255 }

    /// One or two digits, as many as there are.
    @inline(__always)
    mutating func oneOrTwoDigits() -> Int32? {
        let first = digit(0)
        guard first <= 9 else { return nil }
        let second = digit(1)
        guard second <= 9 else {
            position += 1
            return Int32(bitPattern: first)
        }
        position += 2
        return Int32(bitPattern: first &* 10 &+ second)
    }

    @inline(__always)
    mutating func twoDigits() -> Int32? {
        let first = digit(0)
        let second = digit(1)
        guard first <= 9, second <= 9 else { return nil }
        position += 2
        return Int32(bitPattern: first &* 10 &+ second)
    }

    /// Digits up to `maximum`, at most nine, and at least `minimum`.
    @inline(__always)
    mutating func digits(_ minimum: Int, _ maximum: Int) -> Int32? {
        var value: UInt32 = 0
        var count = 0
        while count < maximum {
            let next = digit(count)
            guard next <= 9 else { break }
            value = value &* 10 &+ next
            count &+= 1
        }
        guard count >= minimum else { return nil }
        position += count
        return Int32(bitPattern: value)
    }

    /// All digits of a fraction as a number of so many decimals, at most 18; sets `isFiner` if further digits are not
    /// all 0. Nil without a digit.
    mutating func fraction(decimals: Int, _ isFiner: inout Bool) -> Int64? {
        var fraction: Int64 = 0
        var count = 0
        while digit(0) <= 9 {
            if count < decimals {
                fraction = fraction &* 10 &+ Int64(digit(0))
            } else if digit(0) > 0 {
                isFiner = true
            }
            count &+= 1
            position += 1
        }
        guard count > 0 else { return nil }
        while count < decimals {
            fraction &*= 10
            count &+= 1
        }
        return fraction
    }

    @inline(__always)
    mutating func skip(_ byte: UInt8) -> Bool {
        guard next == byte, position < end else { return false }
        position += 1
        return true
    }
}
