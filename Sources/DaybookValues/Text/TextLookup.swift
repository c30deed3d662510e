/// Finds short texts in a fixed list, such as the names of emotions, without making a `String` of the cell.
///
/// An open-addressed hash table over the first 16 bytes and the length; longer texts are compared in full.
public struct TextLookup: Sendable {
    private struct Entry: BitwiseCopyable {
        var low: UInt64
        var high: UInt64
        var length: UInt32
        /// The index of the text in the list, or -1 for a free slot.
        var value: Int32
    }

    private let entries: [Entry]
    private let mask: Int
    private let longTexts: [[UInt8]: Int]

    /// Each text maps to its index in the list, or to `values[index]`. Of two equal texts the first counts.
    public init(_ texts: [String], values: [Int]? = nil) {
        var size = 16
        while size < texts.count * 4 { size *= 2 }
        mask = size - 1
        var entries = [Entry](repeating: Entry(low: 0, high: 0, length: 0, value: -1), count: size)
        for (place, text) in texts.enumerated() {
            // The cell is read eight bytes at a time, so it needs the slack of `Bytes` behind it.
            let bytes = Bytes(text)
            let (low, high) = TextLookup.words(bytes.filled)
            var slot = TextLookup.hash(low, high, bytes.count) & mask
            while entries[slot].value >= 0 { slot = (slot + 1) & mask }
            withExtendedLifetime(bytes) {}
            entries[slot] = Entry(
                low: low,
                high: high,
                length: UInt32(bytes.count),
                value: Int32(values?[place] ?? place)
            )
        }
        self.entries = entries
        longTexts = Dictionary(
            texts.enumerated().filter { $1.utf8.count > 16 }.map { (Array($1.utf8), values?[$0] ?? $0) }
        ) { first, _ in first }
    }

    /// The value of the text, or -1. The cell must be in a `Bytes`: up to 15 bytes behind it are read.
    public func find(_ cell: Cell) -> Int {
        if cell.count > 16 { return longTexts.isEmpty ? -1 : longTexts[Array(cell)] ?? -1 }
        let (low, high) = TextLookup.words(cell)
        var slot = TextLookup.hash(low, high, cell.count) & mask
        let entries = entries.span
        while entries[slot].value >= 0 {
            let entry = entries[slot]
            if entry.low == low, entry.high == high, entry.length == cell.count { return Int(entry.value) }
            slot = (slot + 1) & mask
        }
        return -1
    }

    /// The first 16 bytes as two numbers, padded with zeros.
    @inline(__always)
    private static func words(_ cell: Cell) -> (UInt64, UInt64) {
        guard cell.count > 0 else { return (0, 0) }
        let low = cell.word(at: 0)
        if cell.count <= 8 { return (low & (.max >> UInt64(64 - cell.count * 8)), 0) }
        let high = cell.word(at: 8)
        return (low, cell.count >= 16 ? high : high & (.max >> UInt64(128 - cell.count * 8)))
    }

    @inline(__always)
    private static func hash(_ low: UInt64, _ high: UInt64, _ length: Int) -> Int {
        let mixed = (low ^ high &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(length)) &* 0xD6E8_FEB8_6659_FD93
        return Int(truncatingIfNeeded: mixed >> 40)
    }
}
