/// The kind of a file by its first bytes, if that is neither text nor anything that a text importer reads.
public struct ForeignContent: Sendable {
    /// The name of the kind, such as `an SQLite database`.
    public let kind: String
    /// What to do with it instead.
    public let hint: String

    /// Whether it is compressed data.
    public var isCompressed: Bool { hint == ForeignContent.decompress }

    /// How many bytes of a file are examined.
    public static let length = 262

    /// The kind of a file with this beginning; nil if unknown.
    public init?(_ head: some Collection<UInt8>) {
        let head = Array(head.prefix(ForeignContent.length))
        if head.dropFirst(257).elementsEqual("ustar".utf8) {
            (kind, hint) = ("a tar archive", "unpack it first, and name the file inside")
            return
        }
        if head.dropFirst(16).starts(with: "T-DB".utf8) {
            (kind, hint) = (
                "a Realm database",
                "open it in Realm Studio and save its data as JSON or CSV, or have the app write its objects as JSON"
            )
            return
        }
        guard let found = ForeignContent.known.first(where: { $0.magics.contains(where: head.starts(with:)) }) else {
            return nil
        }
        (kind, hint) = (found.kind, found.hint)
    }

    private static let decompress = "decompress it first"
    private static let sheet = "save the sheet as CSV"

    private static let known: [(magics: [[UInt8]], kind: String, hint: String)] = [
        (
            [Array("PK\u{3}\u{4}".utf8)], "a ZIP archive or a spreadsheet",
            "add the name of a file inside, as in 'backup.zip/data.json'; of a spreadsheet, " + sheet
        ),
        ([[0x1f, 0x8b, 8]], "compressed with gzip", decompress),
        ([[0x28, 0xb5, 0x2f, 0xfd]], "compressed with zstd", decompress),
        ([[0xfd] + Array("7zXZ\u{0}".utf8)], "compressed with xz", decompress),
        ([Array("BZh91AY&".utf8)], "compressed with bzip2", decompress),
        ([Array("SQLite f".utf8)], "an SQLite database", "read it with import_sqlite or import_core_data"),
        (
            [[0x37, 0x7f, 0x06, 0x82], [0x37, 0x7f, 0x06, 0x83]], "the write-ahead log of an SQLite database",
            "name the database that it stands beside; its log is read with it"
        ),
        ([Array("bplist00".utf8)], "a binary property list", "read it with import_user_defaults"),
        ([[0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]], "an old spreadsheet or document of Office", sheet),
        ([Array("PAR1".utf8)], "a Parquet file", "write it as CSV first"),
        ([Array("%PDF-".utf8)], "a PDF document", "ask for the table that it was made of"),
        ([Array("{\\rtf1".utf8)], "a document in rich text (RTF)", "save it as plain text"),
        (
            ["<!DOCTYPE html", "<!doctype html", "<html", "<HTML", "<table", "<TABLE"].map { Array($0.utf8) },
            "a web page",
            "a server that has no file often sends such a page instead; or, as some banks do, it is a table under the name .xls: "
                + "open it in a spreadsheet and save it as CSV"
        ),
        (
            [Array("version https://git-lfs.".utf8)], "a pointer of Git LFS to a file that was not fetched",
            "fetch it with 'git lfs pull'"
        ),
    ]
}

/// A property list as `defaults read` prints it, for people and in short: `{ name = "Alexa"; }`, `( 1, 2 )`.
public enum PrintedPropertyList {
    /// How to get a list that programs read.
    public static let instead =
        "write the list itself by 'defaults export DOMAIN - > prefs.plist', or that of a file by 'plutil -convert xml1 -o prefs.plist FILE'"

    /// Whether a text that is no JSON begins like one: with a key before `=`, or with an element in parentheses.
    public static func isLikely(_ text: some Collection<UInt8>) -> Bool {
        var rest = text[...]
        /// Passes over blanks, and over `byte` behind them where it stands there.
        func skip(_ byte: UInt8) -> Bool {
            rest = rest.drop(while: isBlank)
            guard rest.first == byte else { return false }
            rest.removeFirst()
            return true
        }
        /// Passes over a word, or a text in quotes.
        func skipWord() {
            rest = rest.drop(while: isBlank)
            if skip(UInt8(ascii: "\"")) {
                rest = rest.drop { $0 != UInt8(ascii: "\"") }.dropFirst()
            } else {
                rest = rest.drop { !isBlank($0) && !ends.contains($0) }
            }
        }
        let isList = skip(UInt8(ascii: "("))
        while skip(UInt8(ascii: "(")) {}
        if skip(UInt8(ascii: "{")) {
            skipWord()
            return skip(UInt8(ascii: "="))
        }
        guard isList else { return false }
        skipWord()
        return skip(UInt8(ascii: ",")) || skip(UInt8(ascii: ")"))
    }

    private static let ends = Array("=,();{}\"".utf8)

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || 0x09...0x0D ~= byte }
}
