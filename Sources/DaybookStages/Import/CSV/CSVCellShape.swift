/// What a cell looks like, whatever it says: `9-9-9` for a date, `9` for a number, `a a` for two words.
struct CSVCellShape: Hashable, Sendable {
    /// A hash of the kinds of characters in their order, a run of one kind taken once.
    private var code: UInt64 = 0xCBF2_9CE4_8422_2325
    /// Whether it has digits: words stand in too many columns to tell one from another.
    private(set) var hasDigits = false

    /// The shape of a cell. Quotes do not belong to it, so a quote out of place does not change it.
    /// `left` is a byte that is read as if it were not there.
    init(_ cell: UnsafeBufferPointer<UInt8>, quote: UInt8, without left: UInt8? = nil) {
        var last: UInt8 = 0
        var isColour = false
        for byte in cell where byte != quote && byte != CSVDialect.carriageReturn && byte != left {
            var kind: UInt8
            switch byte {
            case 0x30...0x39:
                kind = 0x39
                hasDigits = true
            case 0x41...0x5A, 0x61...0x7A, 0x80...0xFF: kind = 0x61
            default: kind = byte
            }
            // The digits of a colour are both.
            if isColour, kind == 0x61 || kind == 0x39 {
                kind = 0x39
                hasDigits = true
            } else {
                isColour = byte == UInt8(ascii: "#")
            }
            guard kind != last else { continue }
            last = kind
            // Source: Fowler, Noll, Vo, "FNV Hash", variant 1a of 64 bits.
            code = (code ^ UInt64(kind)) &* 0x0000_0100_0000_01B3
        }
    }
}
