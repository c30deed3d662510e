@testable import DaybookContracts

extension ForeignFile {
    private static let names = "id,name,count\n1,김하나,3\n2,이두리,4\n"

    private static func utf16(_ text: String, bigEndian: Bool = false, marked: Bool = false) -> [UInt8] {
        let whole = marked ? "\u{FEFF}\(text)" : text
        return whole.utf16.flatMap { unit -> [UInt8] in
            let unit = bigEndian ? unit.byteSwapped : unit
            return [UInt8(unit & 0xFF), UInt8(unit >> 8)]
        }
    }

    /// Ten rows in UTF-8, and then some whose bytes the scalars of `others` are.
    private static func hangul(_ others: String) -> [UInt8] {
        let rows = (1...10).map { "\($0),김하나 \($0)\n" }.joined()
        return Array("id,name\n\(rows)".utf8) + raw(others)
    }

    private static let cp949 = raw(
        "id,name\n1,\u{B1}\u{E8}\u{C7}\u{CF}\u{B3}\u{AA}\n2,\u{C0}\u{CC}\u{B5}\u{CE}\u{B8}\u{AE}\n"
    )
    private static let shiftJIS = raw("id,name\n1,\u{97}\u{E9}\u{96}\u{D8}\n2,\u{93}\u{63}\u{92}\u{86}\n")
    /// An UTF-16 text whose second row holds the first half of a surrogate pair.
    private static let half = utf16("id,name\n1,", marked: true) + raw("\0\u{D8}") + utf16("\n2,b\n")

    static let encodings: [ForeignFile] = [
        ForeignFile("UTF-8", names),
        ForeignFile("UTF-8 with a byte-order mark", "\u{FEFF}\(names)"),
        ForeignFile("UTF-16, little-endian, with its mark", bytes: utf16(names, marked: true)),
        ForeignFile("UTF-16, big-endian, with its mark", bytes: utf16(names, bigEndian: true, marked: true)),
        ForeignFile("UTF-16, little-endian, without a mark", bytes: utf16(names), reads: "encoding: utf-16le"),
        ForeignFile(
            "UTF-16, big-endian, without a mark",
            bytes: utf16(names, bigEndian: true),
            reads: "encoding: utf-16be"
        ),
        ForeignFile("UTF-16 with a byte too few", bytes: utf16(names, marked: true).dropLast()),
        ForeignFile("UTF-16 with half a surrogate pair", bytes: half),
        ForeignFile("CP949", bytes: cp949, reads: "encoding: cp949"),
        ForeignFile("EUC-KR by its name", bytes: cp949, reads: "encoding: euc-kr"),
        ForeignFile("Shift JIS", bytes: shiftJIS, reads: "encoding: shift_jis"),
        ForeignFile("Latin-1", bytes: raw("id,name\n1,José\n2,Zoë\n"), reads: "encoding: latin1"),
        ForeignFile("Windows-1252", bytes: raw("id,name\n1,José\n2,5 \u{80}\n"), reads: "encoding: cp1252"),
        ForeignFile("UTF-8 with a broken byte in one cell", bytes: hangul("11,K\u{FF}m\n")),
        ForeignFile("UTF-8 that was cut within its last character", bytes: hangul("11,\u{EA}\u{B9}")),
        ForeignFile(
            "UTF-8 with overlong characters and surrogates",
            bytes: hangul("11,\u{C0}\u{AF}\n12,\u{ED}\u{A0}\u{80}\n")
        ),
        ForeignFile("UTF-8 with a row in CP949", bytes: hangul("11,\u{B1}\u{E8}\u{C7}\u{CF}\n")),
        ForeignFile("UTF-8 that was read as Latin-1 and written again", "id,name\n1,JosÃ©\n2,ZoÃ«\n"),
        ForeignFile("a broken byte in the header", bytes: raw("id,n\u{FF}me\n1,a\n2,b\n")),
        ForeignFile("most rows in another encoding", case: "most-rows-in-another-encoding-are-noticed"),
        ForeignFile("an encoding that nobody knows", case: "an-encoding-that-is-not-known-is-refused-unread"),
        ForeignFile("places in converted text", case: "converted-text-tells-line-and-column-but-no-byte"),
        ForeignFile(
            "a mark of UTF-8 in a legacy encoding",
            standsIn: "DaybookEngineTests/Input/InputTextTests.swift",
            "aMarkOfUTF8IsBelievedInALegacyEncoding"
        ),
    ]

    static let characters: [ForeignFile] = [
        ForeignFile("a NUL in a cell", staff("0,a\0b,4")),
        ForeignFile("a NUL in the header", bytes: raw("id,na\0me\n1,a\n2,b\n")),
        ForeignFile("NULs at the end, as a crash leaves them", people + String(repeating: "\0", count: 40)),
        ForeignFile("NULs at the beginning", String(repeating: "\0", count: 40) + people),
        ForeignFile("control characters in cells", "id,name\n1,a\u{7}b\n2,\u{1B}[31mred\n"),
        ForeignFile(
            "a zero width space in a number",
            "id,count\n1,\u{200B}3\n2,4\n",
            reads: "columns: { count: integer }"
        ),
        ForeignFile(
            "a no-break space in a number",
            "id,count\n1,1\u{A0}234\n2,4\n",
            reads: "columns: { count: integer }"
        ),
        ForeignFile("blanks around values", "id,count\n1, 3\n2,4 \n", reads: "columns: { count: integer }"),
        ForeignFile("a character that changes the direction", "id,name\n1,\u{202E}abc\n2,d\n"),
        ForeignFile("the replacement character", "id,name\n1,K\u{FFFD}m\n2,Lee\n"),
        ForeignFile("decomposed Hangul", "id,name\n1,\u{1112}\u{1161}\u{11AB}\n2,한\n"),
        ForeignFile(
            "a date with a character that nobody sees",
            case: "a-date-with-a-character-that-nobody-sees-is-told-with-its-name"
        ),
        ForeignFile(
            "a formula, where a spreadsheet opens it",
            standsIn: "DaybookDelimitedTests/CSVRowWriterTests.swift",
            "formulas"
        ),
    ]

    private static func column(_ values: [String], as kind: String = "integer") -> (text: String, option: String) {
        let rows = values.enumerated().map { "\($0 + 1),\($1.contains(",") ? "\"\($1)\"" : $1)\n" }
        return ("id,value\n" + rows.joined(), "columns: { value: \(kind) }")
    }

    private init(_ name: String, values: [String], as kind: String = "integer") {
        let column = ForeignFile.column(values, as: kind)
        self.init(name, column.text, reads: column.option)
    }

    static let values: [ForeignFile] = [
        ForeignFile("decimal commas", values: ["3,5", "4,25", "5,0"], as: "decimal"),
        ForeignFile("thousands with commas", values: ["1,234", "5,678", "9"]),
        ForeignFile(
            "thousands with points and decimal commas",
            values: ["1.234,50", "5.678,00", "9,25"],
            as: "decimal"
        ),
        ForeignFile("thousands with apostrophes", values: ["1'234", "5"]),
        ForeignFile("per cent", values: ["3 %", "45%", "7"], as: "decimal"),
        ForeignFile("currencies", values: ["$3.50", "€4", "₩5,000"], as: "decimal"),
        ForeignFile("units", values: ["3 kg", "4 kg"]),
        ForeignFile("a minus in brackets or behind", values: ["(3)", "3-", "4"]),
        ForeignFile("a typographic minus", values: ["−3", "4"]),
        ForeignFile("a plus", values: ["+3", "4"]),
        ForeignFile("exponents", values: ["1e3", "2E-2"], as: "decimal"),
        ForeignFile("leading zeros", values: ["007", "08"]),
        ForeignFile("digits of other scripts", values: ["３", "٣", "4"]),
        ForeignFile("a number beyond 64 bits", values: ["9223372036854775808", "4"]),
        ForeignFile("digits beyond a double", values: ["0.1000000000000000055511151231257827", "4"], as: "decimal"),
        ForeignFile("no numbers, as floats write them", values: ["NaN", "Inf", "3"], as: "decimal"),
        ForeignFile("hexadecimal numbers", values: ["0x1F", "3"]),
        ForeignFile("decimals among whole numbers", values: ["3", "4.0"]),
        ForeignFile("errors of spreadsheets", values: ["#N/A", "#DIV/0!", "#REF!", "3"]),
        ForeignFile("a word after many numbers", values: (1...30).map(String.init) + ["many"]),
        ForeignFile("words for a missing value", values: ["NA", "N/A", "null", "-", "None", "3"]),
        ForeignFile("a number for a missing value", values: ["9999", "3", "9999", "4"]),
        ForeignFile("flags of several kinds", values: ["yes", "No", "TRUE", "0", "1", "t"], as: "flag"),
        ForeignFile(
            "dates of several kinds",
            values: ["2026-01-03", "03/04/2026", "20260105", "13/01/2026"],
            as: "day"
        ),
        ForeignFile("dates that can be read in two ways", values: ["03/04/2026", "04/05/2026"], as: "day"),
        ForeignFile("years of two digits", values: ["03.01.26", "04.01.26"], as: "day"),
        ForeignFile("days that are none", values: ["2026-02-30", "2026-01-01"], as: "day"),
        ForeignFile("days with a time", values: ["2026-01-03 10:00", "2026-01-04"], as: "day"),
        ForeignFile("days as a spreadsheet counts them", values: ["45992", "45993"], as: "day"),
        ForeignFile(
            "money in the German way, whose rows nobody may drop",
            case: "where-many-rows-fail-the-way-to-keep-them-comes-first"
        ),
    ]
}
