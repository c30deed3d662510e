/// A character encoding, found by the name that a job gives it.
///
/// Names are compared without case, hyphens, underscores, dots and spaces. Where the world at large reads an older
/// name as its later superset (EUC-KR as CP949, Shift JIS as CP932, GB 2312 as GB 18030), so does Daybook; it writes
/// the narrower one, so that every reader understands it.
public struct TextEncoding: Sendable, Hashable {
    /// The name that Daybook uses for it.
    public let name: String
    /// What the C library calls it when reading.
    let reading: String
    /// What the C library calls it when writing.
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
    /// UTF-8 that is written with a byte-order mark, as spreadsheet programs want it.
    public static let utf8WithMark = TextEncoding("utf-8-bom", reading: "UTF-8", mark: [0xef, 0xbb, 0xbf])
    static let utf16LittleEndian = TextEncoding("utf-16le", unit: 2)
    static let utf16BigEndian = TextEncoding("utf-16be", unit: 2)
    static let utf32LittleEndian = TextEncoding("utf-32le", unit: 4)
    static let utf32BigEndian = TextEncoding("utf-32be", unit: 4)

    /// Whether text in it is UTF-8 already, apart from a byte-order mark.
    public var isUTF8: Bool { reading == "UTF-8" }
    /// Whether it is one of the Unicode encodings, in which any byte-order mark is believed.
    public var isUnicode: Bool { reading.hasPrefix("UTF-") }

    /// Whether its lines end with the bytes that end those of ASCII, which mean nothing else.
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

    private static let byPlainName: [String: TextEncoding] = {
        var found: [String: TextEncoding] = [:]
        for (encoding, aliases) in table {
            for name in [encoding.name] + aliases { found[plain(name)] = encoding }
        }
        return found
    }()

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
        // The C library's SHIFT_JIS reads a backslash as a yen sign; CP932 does what is meant.
        (TextEncoding("shift_jis", reading: "CP932"), ["sjis", "cp932", "ms932", "windows-31j"]),
        (TextEncoding("euc-jp"), []),
        (TextEncoding("gb18030"), []),
        (TextEncoding("gbk", reading: "GB18030", writing: "GBK"), ["cp936", "gb2312", "euc-cn"]),
        (TextEncoding("big5", reading: "CP950"), ["cp950"]),
    ]
}

extension TextEncoding {
    /// The encoding that the byte-order mark at the start of `bytes` tells, and how long the mark is.
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

extension TextEncoding: OptionValue {
    public static var kind: OptionKind { .text }
    public static var placeholder: TextEncoding { .utf8 }

    public init(reading node: OptionNode) throws(DaybookError) {
        guard let name = node.text else { throw node.expected("the name of an encoding") }
        try self.init(named: name)
    }

    public var written: String { name }
}
