/// Finds a text in another.
enum TextSearch {
    /// The byte where `part` stands first in `whole`, from `start` on.
    ///
    /// A short part is looked for by its first byte. For a long one that would let a hostile cell ask for the product of both
    /// lengths, so it is looked for by a sum that rolls along.
    @inline(__always)
    static func find(_ part: Cell, in whole: Cell, from start: Int) -> Int? {
        guard let first = part.first, let needle = part.baseAddress, let base = whole.baseAddress else {
            return part.isEmpty ? start : nil
        }
        guard part.count <= 16 else { return findLong(part, in: whole, from: start) }
        let last = whole.count - part.count
        var position = start
        while position <= last {
            guard let found = memchr(base + position, Int32(first), last - position + 1) else { return nil }
            position = UnsafeRawPointer(found) - UnsafeRawPointer(base)
            if memcmp(base + position, needle, part.count) == 0 { return position }
            position += 1
        }
        return nil
    }

    /// Source: Karp and Rabin, "Efficient randomized pattern-matching algorithms" (1987).
    @inline(never)
    private static func findLong(_ part: Cell, in whole: Cell, from start: Int) -> Int? {
        let last = whole.count - part.count
        guard start <= last, let needle = part.baseAddress, let base = whole.baseAddress else { return nil }
        let factor: UInt64 = 0x9E37_79B9_7F4A_7C15
        var leading: UInt64 = 1
        var wanted: UInt64 = 0
        var sum: UInt64 = 0
        for position in 0..<part.count {
            wanted = wanted &* factor &+ UInt64(part[position])
            sum = sum &* factor &+ UInt64(whole[start + position])
            if position > 0 { leading = leading &* factor }
        }
        var position = start
        while true {
            if sum == wanted, memcmp(base + position, needle, part.count) == 0 { return position }
            guard position < last else { return nil }
            sum = (sum &- UInt64(whole[position]) &* leading) &* factor &+ UInt64(whole[position + part.count])
            position += 1
        }
    }
}
