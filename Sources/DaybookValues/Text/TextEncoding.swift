/// A character encoding, found by its name in a job.
///
/// Names are compared without case, hyphens, underscores, dots and spaces. Where common practice reads an older name as
/// its later superset (EUC-KR as CP949, Shift JIS as CP932, GB 2312 as GB 18030), so does Daybook; it writes the
/// narrower one, so that every reader understands it.
public struct TextEncoding: Sendable, Hashable {
    /// Its name in Daybook.
    public let name: String
    /// Its name in the C library for reading.
    let reading: String
    /// Its name in the C library for writing.
    let writing: String
    /// The bytes that every character has a multiple of: 1, or 2 and 4 for UTF-16 and UTF-32.
    let unit: Int
    /// The byte-order mark that is written first.
    public let mark: [UInt8]

    private init(_ name: String, reading: String? = nil, writing: String? = nil, unit: Int = 1, mark: [UInt8] = []) {
        self.name = name
        self.reading = reading ?? name.uppercased()
        self.writing = writing ?? reading ?? name.uppercased()
        self.unit = unit
        self.mark = mark
    }

    /// UTF-8 as it is: nothing is converted.
    public static let utf8 = TextEncoding("utf-8")
    /// UTF-8 with a byte-order mark, as spreadsheet programs expect it.
    public static let utf8WithMark = TextEncoding("utf-8-bom", reading: "UTF-8", mark: [0xef, 0xbb, 0xbf])
    static let utf16LittleEndian = TextEncoding("utf-16le", unit: 2)
    static let utf16BigEndian = TextEncoding("utf-16be", unit: 2)
    static let utf32LittleEndian = TextEncoding("utf-32le", unit: 4)
    static let utf32BigEndian = TextEncoding("utf-32be", unit: 4)

    /// Whether text in it is UTF-8 already, apart from a byte-order mark.
    public var isUTF8: Bool { reading == "UTF-8" }
    /// Whether it is one of the Unicode encodings, in which any byte-order mark is trusted.
    public var isUnicode: Bool { reading.hasPrefix("UTF-") }

    /// Whether its line ends are the bytes of ASCII line ends, and these bytes mean nothing else.
    public var endsLinesAsASCII: Bool { unit == 1 }

    /// The encoding called `name`, or an error with the nearest name.
    public init(named name: String) throws(DaybookError) {
        guard let found = TextEncoding.byPlainName[TextEncoding.plain(name)] else {
            let names = TextEncoding.table.flatMap { [$0.encoding.name] + $0.aliases }
            throw DaybookError(
                "unknown-encoding",
                "there is no encoding '\(name)'",
                hint: NearestName.hint(for: name, among: names)
                    ?? "some that there are: utf-8, utf-16, latin1, windows-1252, cp949, euc-kr, shift_jis, gb18030"
            )
        }
        self = found
    }

    /// The names of all encodings, one each.
    public static var names: [String] { table.map(\.encoding.name) }

    private static func plain(_ name: String) -> String {
        String(decoding: name.lowercased().utf8.filter { !"-_. ".utf8.contains($0) }, as: UTF8.self)
    }

    private static let byPlainName: [String: TextEncoding] = table.reduce(into: [:]) { found, entry in
        for name in [entry.encoding.name] + entry.aliases { found[plain(name)] = entry.encoding }
    }

    private static let table: [(encoding: TextEncoding, aliases: [String])] =
        unicode + eastAsian + [
            (TextEncoding("us-ascii"), ["ascii"]),
            (TextEncoding("iso-8859-1"), ["latin1", "l1", "cp819"]),
            (TextEncoding("iso-8859-2"), ["latin2"]),
            (TextEncoding("iso-8859-15"), ["latin9"]),
            (TextEncoding("macintosh"), ["mac-roman"]),
            (TextEncoding("koi8-r"), []),
            (TextEncoding("koi8-u"), []),
            (TextEncoding("tis-620"), []),
        ]
        + [3, 4, 5, 6, 7, 8, 9, 10, 13, 14, 16].map { (TextEncoding("iso-8859-\($0)"), []) }
        // 1258 (Vietnamese) composes characters and so has no exact place for a bad byte.
        + (1250...1257).map { (TextEncoding("windows-\($0)", reading: "CP\($0)"), ["cp\($0)"]) }
        + [437, 850, 852, 866, 874].map { (TextEncoding("cp\($0)"), ["ibm\($0)", "windows-\($0)"]) }

    /// Without a mark, `utf-16` and `utf-32` are read as little endian, as the Web does.
    private static let unicode: [(encoding: TextEncoding, aliases: [String])] = [
        (utf8, []),
        (utf8WithMark, ["utf-8-sig"]),
        (TextEncoding("utf-16", reading: "UTF-16LE", unit: 2, mark: [0xff, 0xfe]), ["ucs-2", "unicode"]),
        (utf16LittleEndian, []),
        (utf16BigEndian, []),
        (TextEncoding("utf-32", reading: "UTF-32LE", unit: 4, mark: [0xff, 0xfe, 0, 0]), ["ucs-4"]),
        (utf32LittleEndian, []),
        (utf32BigEndian, []),
    ]

    private static let eastAsian: [(encoding: TextEncoding, aliases: [String])] = [
        (TextEncoding("cp949"), ["uhc", "ms949", "windows-949", "ks_c_5601-1987"]),
        (TextEncoding("euc-kr", reading: "CP949", writing: "EUC-KR"), []),
        // The C library's SHIFT_JIS reads a backslash as a yen sign; CP932 reads a backslash.
        (TextEncoding("shift_jis", reading: "CP932"), ["sjis", "cp932", "ms932", "windows-31j"]),
        (TextEncoding("euc-jp"), []),
        (TextEncoding("gb18030"), []),
        (TextEncoding("gbk", reading: "GB18030", writing: "GBK"), ["cp936", "gb2312", "euc-cn"]),
        (TextEncoding("big5", reading: "CP950"), ["cp950"]),
    ]

    /// The encoding that the byte-order mark at the start of `bytes` names, and the length of the mark.
    ///
    /// A UTF-8 mark is believed in every encoding, for in no other does a text begin like that. The marks of UTF-16
    /// and UTF-32 are believed where a Unicode encoding is expected; `FF FE 00 00` is UTF-32 unless UTF-16 was named.
    public func resolved(by bytes: some Collection<UInt8>) -> (encoding: TextEncoding, markLength: Int) {
        if bytes.starts(with: [0xef, 0xbb, 0xbf]) { return (.utf8, 3) }
        guard isUnicode else { return (self, 0) }
        if unit != 2, bytes.starts(with: [0xff, 0xfe, 0, 0]) { return (.utf32LittleEndian, 4) }
        if bytes.starts(with: [0, 0, 0xfe, 0xff]) { return (.utf32BigEndian, 4) }
        if bytes.starts(with: [0xff, 0xfe]) { return (.utf16LittleEndian, 2) }
        if bytes.starts(with: [0xfe, 0xff]) { return (.utf16BigEndian, 2) }
        return (self, 0)
    }
}

/// Converts bytes of one encoding to another, piece by piece, with the C library's `iconv`.
///
/// It stops exactly at what it cannot convert, so that the caller can report the place. A character cut off at the end
/// of a piece is not consumed: the caller passes its bytes again with the next piece.
final class TextConverter {
    enum Stop {
        /// All input is converted, or the output is full.
        case finished
        /// The bytes at the start of the rest are invalid in the encoding, or the other encoding has no such character.
        case refused
        /// The rest is the beginning of a character.
        case incomplete
    }

    private let state: iconv_t
    private let scratch = Bytes()

    init(from source: String, to target: String) throws(DaybookError) {
        // Both failures of iconv_open return -1, which is no pointer.
        guard let opened = iconv_open(target, source), Int(bitPattern: opened) != -1 else {
            let missing = source.hasPrefix("UTF-") ? target : source
            throw .machine(
                "missing-encoding",
                "this machine's C library does not know the encoding \(missing)",
                hint: "install its converters: part of libc6 on Debian and Ubuntu, glibc-gconv-extra on Fedora"
            )
        }
        state = opened
    }

    deinit { iconv_close(state) }

    /// Converts as much of a part of `input` as makes at most `count` bytes, and appends these to `output`; then moves
    /// the start of the part behind the converted bytes.
    func convert(_ input: Bytes, _ part: inout Range<Int>, into output: Bytes, upTo count: Int) -> Stop {
        guard !part.isEmpty else { return .finished }
        var next = TextConverter.characters(input.cell(part).baseAddress)
        var room = TextConverter.characters(output.reserve(count))
        var (inputLeft, outputLeft) = (part.count, count)
        let result = iconv(state, &next, &inputLeft, &room, &outputLeft)
        let problem = errno
        part = part.suffix(inputLeft)
        output.count += count - outputLeft
        guard result == -1 else { return .finished }
        switch problem {
        case E2BIG: return .finished
        case EINVAL: return .incomplete
        default: return .refused
        }
    }

    private static func characters(_ place: UnsafePointer<UInt8>?) -> UnsafeMutablePointer<CChar>? {
        UnsafeMutableRawPointer(mutating: place)?.assumingMemoryBound(to: CChar.self)
    }

    /// Whether a part could be the beginning of a character; it is not converted.
    func couldBegin(_ bytes: Bytes, _ part: Range<Int>) -> Bool {
        var part = part
        scratch.removeAll()
        return convert(bytes, &part, into: scratch, upTo: 16) == .incomplete
    }
}

/// Decodes bytes of an encoding to UTF-8, piece by piece, and reports where bytes are invalid.
public final class TextDecoder {
    /// Bytes that are invalid in the encoding; U+FFFD replaces them in the text.
    public struct Fault: Sendable, Hashable {
        /// Where they begin, counted in bytes from the first that was decoded.
        public var rawOffset: Int
        public var length: Int
        /// Offset of U+FFFD in the UTF-8 text.
        public var decodedOffset: Int

        public init(rawOffset: Int, length: Int, decodedOffset: Int) {
            self.rawOffset = rawOffset
            self.length = length
            self.decodedOffset = decodedOffset
        }
    }

    /// The least output capacity for `decode`.
    public static let leastCapacity = 16

    private let converter: TextConverter
    private let unit: Int
    private var faults: [Fault] = []
    private var rawOffset: Int
    private var decodedOffset = 0

    /// A decoder whose first byte is byte `offset` of its source.
    public init(_ encoding: TextEncoding, startingAt offset: Int = 0) throws(DaybookError) {
        converter = try TextConverter(from: encoding.reading, to: "UTF-8")
        unit = encoding.unit
        rawOffset = offset
    }

    /// Decodes as much of a part of `input` as makes at most `count` bytes of text, and appends these to `output`.
    ///
    /// Some bytes at the end may be left over, the beginning of a character: pass them again before the next piece.
    /// With `isLast` nothing follows, and they are a fault.
    ///
    /// - Returns: how many bytes of the part were used and how many were appended.
    public func decode(
        _ input: Bytes,
        _ part: Range<Int>,
        into output: Bytes,
        upTo count: Int,
        isLast: Bool
    ) -> (used: Int, filled: Int) {
        precondition(count >= TextDecoder.leastCapacity, "a decoder needs room for a character")
        let (rawStart, decodedStart, start) = (rawOffset, decodedOffset, output.count)
        var rest = part
        while true {
            let stop = converter.convert(input, &rest, into: output, upTo: count - (output.count - start))
            let done = (used: rest.lowerBound - part.lowerBound, filled: output.count - start)
            rawOffset = rawStart + done.used
            decodedOffset = decodedStart + done.filled
            let length: Int
            switch stop {
            case .refused: length = faultLength(in: input, rest)
            case .incomplete where isLast: length = rest.count
            default: return done
            }
            guard count - done.filled >= 3 else { return done }
            faults.append(Fault(rawOffset: rawOffset, length: length, decodedOffset: decodedOffset))
            output.append([0xef, 0xbf, 0xbd] as [UInt8])
            rest = rest.dropFirst(length)
        }
    }

    /// Decodes all of `input` from `start` on, except the left-over bytes at the end.
    public func decode(_ input: Bytes, from start: Int = 0, into output: Bytes, isLast: Bool) {
        var rest = start..<input.count
        while !rest.isEmpty {
            let (used, filled) = decode(input, rest, into: output, upTo: 64 << 10, isLast: isLast)
            if used == 0, filled == 0 { return }
            rest = rest.dropFirst(used)
        }
    }

    /// The faults since the last time, in order.
    public func takeFaults() -> [Fault] {
        defer { faults = [] }
        return faults
    }

    /// How many bytes to skip, so that the text after them is in step again.
    ///
    /// A pair that is no character is skipped whole, unless its second byte is ASCII: a quote or a line break after a
    /// stray lead byte is still a quote or a line break.
    private func faultLength(in bytes: Bytes, _ rest: Range<Int>) -> Int {
        if unit > 1 { return min(unit, rest.count) }
        guard rest.count > 1, bytes[rest.lowerBound + 1] >= 0x80 else { return 1 }
        return converter.couldBegin(bytes, rest.prefix(1)) ? 2 : 1
    }
}

/// Encodes UTF-8 in the encoding of an output.
///
/// Each is used by one thread at a time; every call receives whole text, so several can share the work on one output.
public final class EncodingWriter {
    public let encoding: TextEncoding
    /// The bytes before the output: a byte-order mark, or nothing.
    public var mark: [UInt8] { encoding.mark }

    private let converter: TextConverter?
    private let replacement: [UInt8]

    public init(_ encoding: TextEncoding) throws(DaybookError) {
        self.encoding = encoding
        guard !encoding.isUTF8 else {
            (converter, replacement) = (nil, [])
            return
        }
        let converter = try TextConverter(from: "UTF-8", to: encoding.writing)
        self.converter = converter
        let made = Bytes()
        let input = Bytes(encoding.isUnicode ? "\u{FFFD}" : "?")
        var part = 0..<input.count
        _ = converter.convert(input, &part, into: made, upTo: 16)
        replacement = made.array
    }

    /// Adds a part of `text` to `output` in the encoding.
    ///
    /// A character that the encoding does not have is written as `?`, and `report` receives the range of its bytes in
    /// the part; likewise for bytes that are not UTF-8. UTF-8 itself is copied and not checked.
    public func encode(_ text: Bytes, _ part: Range<Int>, into output: Bytes, reporting report: (Range<Int>) -> Void) {
        guard let converter else { return output.append(part, of: text) }
        var rest = part
        while !rest.isEmpty {
            let stop = converter.convert(text, &rest, into: output, upTo: max(rest.count + rest.count / 4, 64))
            guard stop == .refused || stop == .incomplete else { continue }
            let length = EncodingWriter.characterLength(text, rest)
            let start = rest.lowerBound - part.lowerBound
            report(start..<start + length)
            output.append(replacement)
            rest = rest.dropFirst(length)
        }
    }

    /// The bytes of the first character: the lead byte and the continuations that are there.
    private static func characterLength(_ bytes: Bytes, _ rest: Range<Int>) -> Int {
        let most = min(bytes[rest.lowerBound].utf8Length, rest.count)
        var length = 1
        while length < most, bytes[rest.lowerBound + length] & 0xc0 == 0x80 { length += 1 }
        return length
    }
}

extension UInt8 {
    /// The length of a UTF-8 character with this first byte; 1 for a byte that begins none.
    package var utf8Length: Int {
        switch self {
        case 0xC2...0xDF: 2
        case 0xE0...0xEF: 3
        case 0xF0...0xF4: 4
        default: 1
        }
    }
}
