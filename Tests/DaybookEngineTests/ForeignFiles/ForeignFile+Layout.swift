@testable import DaybookContracts

extension ForeignFile {
    static let people = "id,name,count\n1,Kim,3\n2,Lee,4\n3,Park,5\n"

    /// Ten good rows, and one that is not between them.
    static func staff(_ row: String) -> String {
        let rows = (1...10).map { "\($0),Kim \($0),\($0 * 3)\n" }
        return "id,name,count\n\(rows[..<2].joined())\(row)\n\(rows[2...].joined())"
    }

    static let headers: [ForeignFile] = [
        ForeignFile("no byte at all", ""),
        ForeignFile("a byte-order mark alone", bytes: raw("\u{EF}\u{BB}\u{BF}")),
        ForeignFile("a byte-order mark of UTF-16 alone", bytes: raw("\u{FF}\u{FE}")),
        ForeignFile("line ends alone", "\n\n\n"),
        ForeignFile("blanks alone", "  \n \n"),
        ForeignFile("one NUL alone", "\0"),
        ForeignFile("delimiters alone", ",,\n,,\n"),
        ForeignFile("comments alone", "# made by hand\n# on Monday\n", reads: "comment: \"#\""),
        ForeignFile("a header alone", "id,name,count\n"),
        ForeignFile("a header alone, and no line end", "id,name,count"),
        ForeignFile("one cell alone", "5"),
        ForeignFile("an empty file among others", case: "an-empty-file-among-others-is-refused"),
        ForeignFile("an empty file that may be one", case: "empty-files-are-read-where-the-job-says-so"),
        ForeignFile(
            "no header",
            "1,Kim,3\n2,Lee,4\n3,Park,5\n",
            reads: "header: false",
            "header: [id, name, count]"
        ),
        ForeignFile(
            "the header once more in the middle",
            "id,name,count\n1,Kim,3\nid,name,count\n2,Lee,4\n",
            reads: "repeated_header: skip"
        ),
        ForeignFile("the header once more at the end", "\(people)id,name,count\n"),
        ForeignFile("the header once more behind a byte-order mark", "\(people)\u{FEFF}\(people)"),
        ForeignFile(
            "the header once more in another case, which may be a row",
            "id,name,count\n1,Kim,3\nID,Name,Count\n2,Lee,4\n",
            reads: "columns: { count: integer }"
        ),
        ForeignFile(
            "the header once more with its columns moved, which may be a row",
            "id,name,count\n1,Kim,3\nname,id,count\nLee,2,4\n",
            reads: "columns: { id: integer }"
        ),
        ForeignFile(
            "a header of two rows",
            "id,person,person\n,name,count\n1,Kim,3\n2,Lee,4\n",
            reads: "skip_lines: 2\nheader: [id, name, count]"
        ),
        ForeignFile(
            "a header of three rows",
            ",2025,2025\n,Q1,Q2\nname,sum,sum\nKim,3,4\nLee,4,5\n",
            reads: "skip_lines: 3\nheader: [name, q1, q2]"
        ),
        ForeignFile(
            "a row of units below the header",
            "id,name,count\nno,text,pieces\n1,Kim,3\n",
            reads: "columns: { count: integer }"
        ),
        ForeignFile(
            "a row of dashes below the header",
            "id,name,count\n---,---,---\n1,Kim,3\n",
            reads: "columns: { count: integer }"
        ),
        ForeignFile("a name that stands twice", "id,name,name\n1,Kim,3\n2,Lee,4\n"),
        ForeignFile("one name for all columns", "a,a,a\n1,2,3\n4,5,6\n"),
        ForeignFile("a name that is empty", "id,,count\n1,Kim,3\n2,Lee,4\n"),
        ForeignFile("names that are all empty", ",,\n1,Kim,3\n2,Lee,4\n"),
        ForeignFile("names that differ in case", "id,ID\n1,2\n3,4\n"),
        ForeignFile("names that are numbers", "2023,2024,2025\n1,2,3\n4,5,6\n"),
        ForeignFile(
            "a name of 5,000 characters",
            "id,\(String(repeating: "n", count: 5000)),count\n1,Kim,3\n2,Lee,4\n"
        ),
        ForeignFile(
            "names with blanks around them",
            " id , name , count \n1,Kim,3\n2,Lee,4\n",
            reads: "columns: { count: integer }"
        ),
        ForeignFile("a name of two lines in quotes", "id,\"full\nname\",count\n1,Kim,3\n2,Lee,4\n"),
        ForeignFile("a name that is a formula", "id,=1+2\n1,2\n3,4\n"),
        ForeignFile(
            "a header that begins like a comment",
            "#id,name,count\n1,Kim,3\n2,Lee,4\n",
            reads: "comment: \"#\""
        ),
        ForeignFile("a control character in a name", "id,na\u{1}me\n1,Kim\n2,Lee\n"),
        ForeignFile(
            "a zero width space in a name",
            "id,\u{200B}count\n1,3\n2,4\n",
            reads: "columns: { count: integer }"
        ),
        ForeignFile("a no-break space in a name", "id,full\u{A0}name\n1,Kim\n2,Lee\n"),
        ForeignFile("a second byte-order mark in the first name", "\u{FEFF}\u{FEFF}id,name\n1,Kim\n2,Lee\n"),
        ForeignFile("a name that the job does not expect", case: "a-declared-column-that-the-data-lack-is-their-fault"),
        ForeignFile(
            "a name that is nearly the expected one",
            case: "a-declared-column-that-is-nearly-a-key-is-refused"
        ),
        ForeignFile("columns that drift from file to file", case: "columns-that-drifted-are-told-without-any-row"),
        ForeignFile("a header that is no text", case: "a-header-that-is-no-text-is-refused"),
    ]

    static let surroundings: [ForeignFile] = [
        ForeignFile("a title above the header", "Staff of 2026\n\(people)", reads: "skip_lines: 1"),
        ForeignFile("a title with a comma", "Staff, Seoul\n\(people)", reads: "skip_lines: 1"),
        ForeignFile("a title and a blank line", "Staff of 2026\n\n\(people)", reads: "skip_lines: 2"),
        ForeignFile("a title that is padded with delimiters", "Staff of 2026,,\n,,\n\(people)", reads: "skip_lines: 2"),
        ForeignFile(
            "a preamble of keys and values",
            "Report: staff\nDay: 2026-11-21\n\n\(people)",
            reads: "skip_lines: 3"
        ),
        ForeignFile(
            "a preamble longer than the table",
            "a\nb\nc\nd\ne\nid,name,count\n1,Kim,3\n",
            reads: "skip_lines: 5"
        ),
        ForeignFile("blank lines above the header", "\n\n\n\(people)"),
        ForeignFile("comments above the header", "# made by hand\n# on Monday\n\(people)", reads: "comment: \"#\""),
        ForeignFile(
            "a line that tells spreadsheets the delimiter",
            "sep=;\nid;name\n1;Kim\n2;Lee\n",
            reads: "delimiter: \";\"\nskip_lines: 1"
        ),
        ForeignFile("the same line with a comma", "sep=,\n\(people)"),
        ForeignFile("a footer", "\(people)Source: city of Seoul\n"),
        ForeignFile(
            "a footer that is padded, which may be a row",
            "\(people)Source: city of Seoul,,\n",
            reads: "columns: { id: integer }"
        ),
        ForeignFile("a row of totals, which may be a row", "\(people)Total,,12\n", reads: "columns: { id: integer }"),
        ForeignFile("a row of totals that is short", "\(people)Total 12\n"),
        ForeignFile("blank lines in between", "id,name,count\n1,Kim,3\n\n\n2,Lee,4\n"),
        ForeignFile("blank lines at the end", "\(people)\n\n\n"),
        ForeignFile("a blank line behind each row", people.replacing("\n", with: "\n\n")),
        ForeignFile("a line of blanks", "id,name,count\n1,Kim,3\n   \n2,Lee,4\n"),
        ForeignFile("rows without any value", "\(people),,\n,,\n"),
        ForeignFile(
            "titles of groups between the rows",
            "id,name,count\nSeoul,,\n1,Kim,3\nBusan,,\n2,Lee,4\n",
            reads: "columns: { id: integer }"
        ),
        ForeignFile("two tables, one below the other", "\(people)\nday,place\n2026-01-01,Seoul\n2026-01-02,Busan\n"),
        ForeignFile(
            "two tables of one width, one below the other",
            "\(people)\nday,place,cost\n2026-01-01,Seoul,1\n2026-01-02,Busan,2\n",
            reads: "columns: { id: integer, count: integer }"
        ),
        ForeignFile("two tables side by side", "id,name,,id,name\n1,Kim,,7,Oh\n2,Lee,,8,An\n"),
        ForeignFile("a table that begins in the second column", ",,\n,id,name\n,1,Kim\n,2,Lee\n"),
        ForeignFile("rows that stand twice", "id,name,count\n1,Kim,3\n1,Kim,3\n2,Lee,4\n"),
        ForeignFile("rows that stand twice, where they must not", case: "duplicates-are-told-with-the-row-that-stays"),
    ]

    static let widths: [ForeignFile] = [
        ForeignFile("a cell too few", "id,name,count\n1,Kim\n2,Lee,4\n", reads: "ragged: pad"),
        ForeignFile("a cell too many", "id,name,count\n1,Kim,3,9\n2,Lee,4\n", reads: "ragged: pad"),
        ForeignFile("a delimiter at the end of all rows", "id,name,count,\n1,Kim,3,\n2,Lee,4,\n"),
        ForeignFile("a delimiter at the end of all rows but the header", "id,name,count\n1,Kim,3,\n2,Lee,4,\n"),
        ForeignFile(
            "a delimiter at the end of the header alone",
            "id,name,count,\n1,Kim,3\n2,Lee,4\n",
            reads: "ragged: pad"
        ),
        ForeignFile("a delimiter at the end of some rows", "id,name,count\n1,Kim,3,\n2,Lee,4\n"),
        ForeignFile("a delimiter before all rows", ",id,name\n,1,Kim\n,2,Lee\n"),
        ForeignFile("a row moved to the right", "id,name,count\n1,Kim,3\n,2,Lee,4\n"),
        ForeignFile(
            "a row moved to the right, its last cell lost",
            "id,name,count\n1,Kim,3\n,2,Lee\n",
            reads: "columns: { count: integer }"
        ),
        ForeignFile("a row moved to the left", "id,name,count\n1,Kim,3\nLee,4,\n", reads: "columns: { id: integer }"),
        ForeignFile("all rows shorter than the header", "id,name,count\n1,Kim\n2,Lee\n3,Park\n", reads: "ragged: pad"),
        ForeignFile("all rows longer than the header", "id,name,count\n1,Kim,3,x\n2,Lee,4,y\n"),
        ForeignFile("a name too few, as where rows have numbers of their own", "name,count\n1,Kim,3\n2,Lee,4\n"),
        ForeignFile("a name too many", "id,name,count,more\n1,Kim,3\n2,Lee,4\n"),
        ForeignFile("rows that grow", "a\n1,2\n1,2,3\n1,2,3,4\n"),
        ForeignFile("decimal commas without quotes", "id,price,name\n1,2,50,Kim\n2,3,50,Lee\n"),
        ForeignFile("one column", "name\nKim\nLee\nPark\n"),
        ForeignFile(
            "the cell where a row goes wrong, for 600 kinds of rows",
            standsIn: "DaybookEngineTests/Faults/FaultPlacesTests.swift",
            "struct FaultPlacesTests"
        ),
    ]
}
