import CXXHash

/// A digest of rows that does not depend on their order: the sums of both halves of their XXH128 digests.
///
/// The digest of rows of a table, which have no order. Detects accidents and edits, but no forgery.
package struct DigestSum: Sendable, Hashable {
    private var high: UInt64 = 0
    private var low: UInt64 = 0

    package init() {}

    package mutating func add(_ row: Cell) {
        var (first, second): (UInt64, UInt64) = (0, 0)
        xxh128_whole(row.baseAddress, row.count, &first, &second)
        high &+= first
        low &+= second
    }

    /// 32 hexadecimal digits.
    package var text: String {
        let bytes = [high, low].flatMap { half in (0..<8).map { UInt8(truncatingIfNeeded: half >> (56 - 8 * $0)) } }
        return Hexadecimal.text(of: bytes)
    }
}
