@testable import DaybookContracts

extension ForeignFile {
    private static let json = "[\n  {\"id\": 1, \"name\": \"Kim\"},\n  {\"id\": 2, \"name\": \"Lee\"}\n]\n"

    static let forms: [ForeignFile] = [
        ForeignFile(
            "a ZIP archive",
            bytes: raw("PK\u{3}\u{4}\u{14}\0\0\0\0\0people.csv")
        ),
        ForeignFile(
            "a spreadsheet of old",
            bytes: raw("\u{D0}\u{CF}\u{11}\u{E0}\u{A1}\u{B1}\u{1A}\u{E1}", zeros: 500)
        ),
        ForeignFile("a PDF document", "%PDF-1.4\n1 0 obj\n<<>>\nendobj\n"),
        ForeignFile("a picture", bytes: raw("\u{89}PNG\r\n\u{1A}\n\0\0\0\rIHDR")),
        ForeignFile(
            "a Parquet file",
            bytes: raw("PAR1\u{15}\u{4}\u{15}", zeros: 60)
        ),
        ForeignFile("an SQLite database", bytes: raw("SQLite format 3", zeros: 85)),
        ForeignFile("a Realm database", bytes: raw(String(repeating: "\0", count: 16) + "T-DB\u{18}\u{18}", zeros: 40)),
        ForeignFile("a binary property list", bytes: raw("bplist00", zeros: 40)),
        ForeignFile("a file compressed with bzip2", bytes: raw("BZh91AY&SY\u{1}\u{2}\u{FF}\u{FE}\u{80}")),
        ForeignFile("a file compressed with xz", bytes: raw("\u{FD}7zXZ\0\u{1}\u{2}\u{FF}\u{FE}\u{80}")),
        ForeignFile(
            "gzip under the name of CSV",
            standsIn: "DaybookEngineTests/Input/InputTextTests.swift",
            "gzipIsDecompressed"
        ),
        ForeignFile(
            "gzip that was cut off",
            standsIn: "DaybookEngineTests/Input/InputTextTests.swift",
            "damagedGzipIsSaid"
        ),
        ForeignFile(
            "a web page in place of the file",
            "<!DOCTYPE html>\n<html><head><title>404, not found</title></head></html>\n"
        ),
        ForeignFile("a table of a web page", "<table>\n<tr><td>1</td><td>2</td></tr>\n</table>\n"),
        ForeignFile("XML", "<?xml version=\"1.0\"?>\n<people><name>Kim</name></people>\n"),
        ForeignFile("JSON", json, reads: "header: [id, name]"),
        ForeignFile("JSON on one line", "[{\"id\":1,\"name\":\"Kim\"}]"),
        ForeignFile("JSON Lines", "{\"id\":1,\"name\":\"Kim\"}\n{\"id\":2,\"name\":\"Lee\"}\n"),
        ForeignFile("rich text", "{\\rtf1\\ansi hello, world}\n"),
        ForeignFile("a table of Markdown", "| id | name |\n| --- | --- |\n| 1 | Kim |\n| 2 | Lee |\n"),
        ForeignFile("statements of SQL", "INSERT INTO a VALUES (1,'Kim',3);\nINSERT INTO a VALUES (2,'Lee',4);\n"),
        ForeignFile("settings", "[server]\nport=80\nname=a\n"),
        ForeignFile("a calling card", "BEGIN:VCARD\nVERSION:3.0\nEND:VCARD\n"),
        ForeignFile("a message in place of the file", "Error: connection refused, try again later\n"),
        ForeignFile(
            "both sides of a merge",
            "id,name,count\n<<<<<<< HEAD\n1,Kim,3\n=======\n1,Kim,4\n>>>>>>> b\n2,Lee,4\n"
        ),
        ForeignFile(
            "a pointer to a file that was not fetched",
            "version https://git-lfs.github.com/spec/v1\noid sha256:abc\nsize 123\n"
        ),
    ]

    private static func row(of count: Int, _ cell: (Int) -> String) -> String {
        (0..<count).map(cell).joined(separator: ",") + "\n"
    }

    static let sizes: [ForeignFile] = [
        ForeignFile("a cell of 2,500,000 characters", "id,name\n1,\(String(repeating: "x", count: 2_500_000))\n2,b\n"),
        ForeignFile("a row of 500,000 cells", "id,name\n1,b\n\(String(repeating: "x,", count: 500_000))\n2,b\n"),
        ForeignFile("a line that does not end", String(repeating: "x", count: 3_000_000)),
        ForeignFile(
            "20,001 columns",
            row(of: 20_001) { "c\($0)" } + row(of: 20_001) { _ in "1" }
        ),
        ForeignFile("100,000 rows of one column", "n\n\(String(repeating: "1\n", count: 100_000))"),
        ForeignFile("a file that was cut within a row", "\(people)4,Oh"),
        ForeignFile("a file that was cut within its last cell, which may be its value", "\(people)4,Oh,1"),
        ForeignFile("a file that was cut within quotes", "\(people)4,\"Oh"),
        ForeignFile(
            "a file that changes while it is read",
            standsIn: "DaybookEngineTests/Input/FileSourceTests.swift",
            "aFileThatChangesWhileItIsReadIsAnError"
        ),
        ForeignFile(
            "a file that nobody may read",
            standsIn: "DaybookEngineTests/Input/FileSourceTests.swift",
            "whatMayNotBeReadIsSaid"
        ),
        ForeignFile(
            "a directory, and a link to nothing",
            standsIn: "DaybookEngineTests/Input/FileSourceTests.swift",
            "whatCannotBeReadIsSaid"
        ),
        ForeignFile("a file that is not there", case: "a-missing-input-ends-the-run"),
        ForeignFile("a file that is named twice", case: "a-file-that-is-named-twice-is-refused"),
        ForeignFile("one bad file among good ones", case: "many-good-rows-of-one-file-hide-no-bad-ones-of-another"),
    ]
}
