import CScan

/// Finds out in which encoding a text is written, from its bytes alone.
///
/// UTF-8 and the Unicode encodings with a byte-order mark are told beyond doubt. Of the older encodings every one that
/// has no fault is weighed by how much of what it reads is at home in it: syllables in CP949, kana in Shift JIS,
/// letters among letters in Windows-1252.
public struct EncodingSearch: Sendable {
    /// One encoding that fits.
    public struct Candidate: Sendable, Hashable {
        public var encoding: TextEncoding
        /// How much of what is not ASCII is at home in the encoding, 0 to 1.
        public var likeness: Double
        /// Bytes that are not of the encoding, as a share of those that are not ASCII.
        public var faults: Double
        /// Some words as the encoding reads them.
        public var sample: String
    }

    /// How the encoding is known.
    public enum Evidence: Sendable, Hashable {
        case ascii
        /// All of it is UTF-8, or nearly all.
        case utf8(isWhole: Bool)
        case mark(TextEncoding)
        /// Every other byte is zero.
        case zeros(TextEncoding)
        /// The most likely first; never none.
        case weighed([Candidate])
        /// The bytes are those of no text.
        case none
    }

    /// Bytes looked at so far.
    public private(set) var byteCount = 0
    private var start: [UInt8] = []
    private var zeros = (even: 0, odd: 0)
    private var controls = 0
    private var high = 0
    private var validHigh = 0
    /// Lines that have bytes which are not ASCII.
    private var sample: [UInt8] = []
    private var line: [UInt8] = []
    private var lineHasHigh = false
    private var pending: [UInt8] = []

    private static let sampleLimit = 256 << 10
    private static let lineLimit = 4 << 10

    public init() {}

    /// Looks at further bytes of the file.
    public mutating func add(_ bytes: Bytes) {
        if start.count < 4 { start += bytes.cell(..<min(bytes.count, 4 - start.count)) }
        for index in 0..<bytes.count {
            let byte = bytes[index]
            if byte == 0 {
                if (byteCount + index) & 1 == 0 { zeros.even += 1 } else { zeros.odd += 1 }
            } else if byte < 0x20, byte < 9 || byte > 13, byte != 0x1B {
                controls += 1
            }
            gather(byte)
        }
        byteCount += bytes.count
        countUTF8(bytes)
    }

    private mutating func gather(_ byte: UInt8) {
        guard sample.count < EncodingSearch.sampleLimit else { return }
        if byte >= 0x80 { lineHasHigh = true }
        line.append(byte)
        guard byte == 10 || line.count == EncodingSearch.lineLimit else { return }
        if lineHasHigh { sample += line }
        line.removeAll(keepingCapacity: true)
        lineHasHigh = false
    }

    /// Counts bytes that are not ASCII, and how many of them stand in UTF-8 characters.
    private mutating func countUTF8(_ bytes: Bytes) {
        let text = Bytes(capacity: pending.count + bytes.count)
        text.append(pending)
        text.append(bytes)
        pending = []
        var position = 0
        while position < text.count {
            let valid = Int(scan_utf8_valid(text.base + position, text.count - position))
            for place in position..<position + valid where text[place] >= 0x80 {
                high += 1
                validHigh += 1
            }
            position += valid
            guard position < text.count else { break }
            // A character that the end cuts is looked at again with what follows.
            if text.count - position < 4, text[position] >= 0xC0 {
                pending = Array(text.cell(position...))
                break
            }
            high += 1
            position += 1
        }
        withExtendedLifetime(text) {}
    }

    /// What the bytes tell. `isWhole` says that there are no others.
    public mutating func evidence(isWhole: Bool) -> Evidence {
        if lineHasHigh {
            sample += line
            line = []
            lineHasHigh = false
        }
        if isWhole {
            high += pending.count { $0 >= 0x80 }
            pending = []
        }
        let marked = TextEncoding.utf8.resolved(by: start)
        if marked.markLength > 0 { return .mark(marked.encoding) }
        let zeroCount = zeros.even + zeros.odd
        if zeroCount > 0 {
            let half = byteCount / 2
            if zeros.odd > half / 4, zeros.even < zeros.odd / 8 { return .zeros(.utf16LittleEndian) }
            if zeros.even > half / 4, zeros.odd < zeros.even / 8 { return .zeros(.utf16BigEndian) }
        }
        // Text has next to no control characters; in a short one a stray one or two weigh more than they mean.
        let odd = zeroCount + controls
        if odd > byteCount / (odd > 2 ? 200 : 10) { return .none }
        if high == 0 { return .ascii }
        if validHigh == high { return .utf8(isWhole: true) }
        // No other encoding is valid UTF-8 by chance for long, so a few bad bytes are bad bytes.
        if validHigh * 10 >= high * 9 { return .utf8(isWhole: false) }
        var candidates = EncodingLikeness.candidates(of: sample)
        // What is nearly all ASCII is text, whatever the rest of it is.
        if candidates.isEmpty, high * 10 <= byteCount { candidates = EncodingLikeness.western(sample) }
        return candidates.isEmpty ? .none : .weighed(candidates)
    }
}
