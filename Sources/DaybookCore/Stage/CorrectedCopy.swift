/// A record that is read from a JSON text in which it was corrected, instead of from the source where it stood first.
public struct CorrectedCopy: Sendable, Hashable {
    /// The source where the record stood, and its line there, as far as they are known.
    public var firstSource: String?
    public var firstLine: Int?
    /// What counts as the first byte of the record in the offsets of its morsel.
    public var offset: Int
    /// Where the JSON text begins, behind its opening quote: the line and column from 1, the byte of the file from 0.
    public var line: Int
    public var column: Int
    public var byte: Int
    /// The JSON text as it is written, escapes and all, without its quotes.
    public var written: [UInt8]

    public init(
        firstSource: String?,
        firstLine: Int?,
        offset: Int,
        line: Int,
        column: Int,
        byte: Int,
        written: [UInt8]
    ) {
        self.firstSource = firstSource
        self.firstLine = firstLine
        self.offset = offset
        self.line = line
        self.column = column
        self.byte = byte
        self.written = written
    }

    /// Where the byte of the record at `target`, as its morsel counts, stands in the file.
    public func place(of target: Int) -> (line: Int, column: Int, byte: Int) {
        var left = target - offset
        var position = 0
        var characters = 0
        while left > 0, position < written.count {
            let (length, decoded) = piece(at: position)
            for byte in written[position..<min(written.count, position + length)] where byte & 0xC0 != 0x80 {
                characters += 1
            }
            position += length
            left -= decoded
        }
        return (line, column + characters, byte + position)
    }

    /// How many bytes the next character or escape has, and how many it stands for.
    private func piece(at position: Int) -> (length: Int, decoded: Int) {
        guard written[position] == UInt8(ascii: "\\"), position + 1 < written.count else { return (1, 1) }
        guard written[position + 1] == UInt8(ascii: "u") else { return (2, 1) }
        let digits = written[min(position + 2, written.count)..<min(position + 6, written.count)]
        switch UInt32(String(decoding: digits, as: UTF8.self), radix: 16) ?? 0 {
        case ..<0x80: return (6, 1)
        case ..<0x800: return (6, 2)
        // Half of a character that two escapes write.
        case 0xD800..<0xDC00: return (12, 4)
        default: return (6, 3)
        }
    }
}
