import CScan

/// Detects the encoding of a text from its bytes alone.
///
/// UTF-8 and the Unicode encodings with a byte-order mark are certain. Every older encoding without a fault is scored
/// by how many of its characters are typical of it: syllables in CP949, kana in Shift JIS, letters among letters in
/// Windows-1252.
public struct EncodingSearch: Sendable {
    /// One encoding that fits.
    public struct Candidate: Sendable, Hashable {
        public var encoding: TextEncoding
        /// How typical the characters outside ASCII are of the encoding, 0 to 1.
        public var likeness: Double
        /// The share of invalid bytes among the bytes that are not ASCII.
        public var faults: Double
        /// Some words as the encoding reads them.
        public var sample: String
    }

    /// The evidence for an encoding.
    public enum Evidence: Sendable, Hashable {
        case ascii
        /// All of it is UTF-8, or nearly all.
        case utf8(isWhole: Bool)
        case mark(TextEncoding)
        /// Every other byte is zero.
        case zeros(TextEncoding)
        /// The most likely first; never none.
        case weighed([Candidate])
        /// The bytes are text in no encoding.
        case none
    }

    /// Bytes examined so far.
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

    /// Examines further bytes of the file.
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

    /// Counts the bytes outside ASCII, and how many of them belong to UTF-8 characters.
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
            // A character cut at the end is examined again with the next bytes.
            if text.count - position < 4, text[position] >= 0xC0 {
                pending = Array(text.cell(position...))
                break
            }
            high += 1
            position += 1
        }
        withExtendedLifetime(text) {}
    }

    /// The evidence of the bytes. `isWhole` means that there are no others.
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
        // A file that is nearly all ASCII is text, whatever the rest is.
        if candidates.isEmpty, high * 10 <= byteCount { candidates = EncodingLikeness.western(sample) }
        return candidates.isEmpty ? .none : .weighed(candidates)
    }
}

/// Weighs how well the older encodings fit some bytes.
enum EncodingLikeness {
    private typealias Candidate = EncodingSearch.Candidate

    /// Common encodings, in the order in which they win a tie.
    private static let names = [
        "cp949", "shift_jis", "windows-1252", "euc-jp", "gb18030", "big5", "windows-1251", "koi8-r", "iso-8859-7",
        "windows-1253", "macintosh",
    ]
    /// The encodings for bytes that are nearly all ASCII, the likeliest first.
    private static let western = ["windows-1252", "macintosh", "iso-8859-1"]
    /// A share of faults that a text of the encoding does not have.
    private static let mostFaults = 0.02
    /// Below this, the decoded text is no language.
    private static let leastLikeness = 0.2

    /// The encodings that read `bytes` as text, the most likely first.
    static func candidates(of bytes: [UInt8]) -> [EncodingSearch.Candidate] {
        let high = bytes.count { $0 >= 0x80 }
        guard high > 0 else { return [] }
        var found: [EncodingSearch.Candidate] = []
        var texts: Set<String> = []
        for name in names {
            guard let (encoding, text, faultLength) = read(bytes, as: name) else { continue }
            let faults = Double(faultLength) / Double(high)
            guard faults <= mostFaults else { continue }
            var likeness = likeness(of: text, in: name) * (1 - faults * 10) * (1 - rareness(of: bytes, in: name))
            // Rarely written any more.
            if name == "macintosh" { likeness *= 0.85 }
            // Two encodings with the same result need no choice.
            guard likeness >= leastLikeness, texts.insert(text).inserted else { continue }
            found.append(Candidate(encoding: encoding, likeness: likeness, faults: faults, sample: sample(of: text)))
        }
        // A long text is typical of one encoding only; a short one often fits several.
        let best = found.map(\.likeness).max() ?? 0
        found.removeAll { $0.likeness < best * (high < 60 ? 0.5 : 0.85) }
        // Stable, so that of equals the more common one is first.
        return found.sorted { $0.likeness > $1.likeness }
    }

    /// The first Western encoding without a fault, for an English text with a sign or two outside ASCII.
    static func western(_ bytes: [UInt8]) -> [EncodingSearch.Candidate] {
        for name in western {
            guard let (encoding, text, faultLength) = read(bytes, as: name), faultLength == 0 else { continue }
            return [Candidate(encoding: encoding, likeness: 0, faults: 0, sample: sample(of: text))]
        }
        return []
    }

    /// The text of some bytes, and how many of them do not belong to it; nil for an encoding that is not there.
    private static func read(
        _ bytes: [UInt8],
        as name: String
    ) -> (encoding: TextEncoding, text: String, faultLength: Int)? {
        guard let encoding = try? TextEncoding(named: name), let decoder = try? TextDecoder(encoding) else {
            return nil
        }
        let text = Bytes(capacity: 2 * bytes.count)
        decoder.decode(Bytes(bytes), into: text, isLast: true)
        return (encoding, text.text(0..<text.count), decoder.takeFaults().reduce(0) { $0 + $1.length })
    }

    /// The share of characters that an encoding only has for completeness, and that hardly any text uses: characters
    /// outside the two-byte square that CP949 and GB 18030 have extended.
    private static func rareness(of bytes: [UInt8], in encoding: String) -> Double {
        guard encoding == "cp949" || encoding == "gb18030" else { return 0 }
        var position = 0
        var (pairs, rare) = (0, 0)
        while position + 1 < bytes.count {
            guard bytes[position] > 0x80 else {
                position += 1
                continue
            }
            pairs += 1
            if bytes[position] < 0xA1 || bytes[position + 1] < 0xA1 { rare += 1 }
            position += 2
        }
        return pairs == 0 ? 0 : Double(rare) / Double(pairs) * 0.9
    }

    /// The average score of the characters outside ASCII.
    private static func likeness(of text: String, in encoding: String) -> Double {
        var worth = 0.0
        var count = 0.0
        var before: Unicode.Scalar = " "
        let letters = alphabet(of: encoding)
        let scalars = text.unicodeScalars
        for place in scalars.indices {
            let scalar = scalars[place]
            defer { before = scalar }
            guard !scalar.isASCII, scalar != "\u{FFFD}" else { continue }
            count += 1
            var one = Self.worth(of: scalar, after: before, in: encoding)
            // A lone letter of an alphabet is more likely a sign of another one: £, × and ½ of Western text.
            if let letters, one > 0.3, !letters.contains(before.value) {
                let next = scalars.index(after: place)
                if next == scalars.endIndex || !letters.contains(scalars[next].value) { one = 0.3 }
            }
            worth += one
        }
        return count == 0 ? 0 : worth / count
    }

    private static func worth(of scalar: Unicode.Scalar, after before: Unicode.Scalar, in encoding: String) -> Double {
        let value = scalar.value
        let isIdeograph = (0x4E00...0x9FFF).contains(value)
        let isKana = (0x3041...0x30FF).contains(value)
        // Punctuation and full-width forms that all of East Asia writes.
        let isCommon =
            (0x3000...0x303F).contains(value) || (0xFF01...0xFF5E).contains(value)
            || "·…‘’“”℃".unicodeScalars.contains(scalar)
        switch encoding {
        case "cp949": return (0xAC00...0xD7A3).contains(value) ? 1 : isCommon ? 0.8 : 0.1
        case "shift_jis", "euc-jp": return isKana ? 1 : isIdeograph ? 0.7 : isCommon ? 0.8 : 0.05
        case "gb18030": return isIdeograph ? 0.75 : isCommon ? 0.8 : 0.05
        case "big5": return isIdeograph ? 0.7 : isCommon ? 0.8 : 0.05
        default:
            guard let letters = alphabet(of: encoding) else { return latinWorth(of: scalar, after: before) }
            return alphabetWorth(of: scalar, after: before, letters)
        }
    }

    /// The letters of an encoding that has an alphabet of its own; nil for others.
    private static func alphabet(of encoding: String) -> ClosedRange<UInt32>? {
        switch encoding {
        case "windows-1251", "koi8-r": 0x400...0x45F
        case "iso-8859-7", "windows-1253": 0x386...0x3CE
        default: nil
        }
    }

    /// Small letters follow letters; capitals in the middle of a word mean that the cases are swapped. The Greek sigma
    /// that ends words ends them.
    private static func alphabetWorth(
        of scalar: Unicode.Scalar,
        after before: Unicode.Scalar,
        _ letters: ClosedRange<UInt32>
    ) -> Double {
        guard letters.contains(scalar.value) else { return 0.1 }
        // No word is written in two alphabets.
        if before.isASCII, before.properties.isAlphabetic { return 0.1 }
        let isCapital = scalar.properties.isUppercase
        guard letters.contains(before.value) else { return isCapital ? 0.9 : 0.8 }
        if before == "ς" { return 0.1 }
        return isCapital ? (before.properties.isUppercase ? 0.6 : 0.1) : 0.95
    }

    /// In Western text a letter with a mark is alone among plain ones.
    private static func latinWorth(of scalar: Unicode.Scalar, after before: Unicode.Scalar) -> Double {
        guard scalar.properties.isAlphabetic else {
            return "€–—‘’“”„…°«»·£§²³½%©®™×±µ¼¾¹¿¡¥¢÷•†".unicodeScalars.contains(scalar) ? 0.85 : 0.15
        }
        if scalar.properties.isUppercase, before.properties.isLowercase { return 0.2 }
        return before.isASCII ? 0.95 : 0.3
    }

    /// The first few words that are not ASCII.
    private static func sample(of text: String) -> String {
        let words = text.split { $0.isWhitespace || ",;\t|\"".contains($0) }.lazy
            .filter { $0.unicodeScalars.contains { !$0.isASCII } }.prefix(3)
        return String(words.joined(separator: " ").prefix(40))
    }
}
