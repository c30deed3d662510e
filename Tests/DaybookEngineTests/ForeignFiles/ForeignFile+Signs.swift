@testable import DaybookContracts

extension ForeignFile {
    private static func separated(by delimiter: String) -> String { people.replacing(",", with: delimiter) }

    static let delimiters: [ForeignFile] = [
        ForeignFile("a comma", people),
        ForeignFile("a semicolon", separated(by: ";"), reads: "delimiter: \";\"", "delimiter: auto"),
        ForeignFile("a tab", separated(by: "\t"), reads: "delimiter: tab"),
        ForeignFile("a bar", separated(by: "|"), reads: "delimiter: \"|\""),
        ForeignFile("a space", separated(by: " "), reads: "delimiter: \" \""),
        ForeignFile("a colon", separated(by: ":"), reads: "delimiter: \":\""),
        ForeignFile("a caret", separated(by: "^"), reads: "delimiter: \"^\""),
        ForeignFile("a tilde", separated(by: "~"), reads: "delimiter: \"~\""),
        ForeignFile("a backslash", separated(by: "\\"), reads: "delimiter: '\\'"),
        ForeignFile("a unit separator", separated(by: "\u{1F}"), reads: "delimiter: \"\\x1f\""),
        ForeignFile("a start of heading, as Hive writes it", separated(by: "\u{1}"), reads: "delimiter: \"\\x01\""),
        ForeignFile("a comma and a space", separated(by: ", "), reads: "delimiter: \", \""),
        ForeignFile("two semicolons", separated(by: ";;"), reads: "delimiter: \";;\""),
        ForeignFile("two bars", separated(by: "||"), reads: "delimiter: \"||\""),
        ForeignFile("two colons", separated(by: "::"), reads: "delimiter: \"::\""),
        ForeignFile("a section sign", separated(by: "§"), reads: "delimiter: \"§\""),
        ForeignFile("a full-width comma", separated(by: "，")),
        ForeignFile("columns aligned with spaces", "id  name   count\n1   Kim    3\n22  Lee    4\n"),
        ForeignFile("columns of fixed width", "id name   count\n 1 Kim       3\n22 Lee       4\n"),
        ForeignFile(
            "another delimiter in one row",
            "id,name,count\n1,Kim,3\n2;Lee;4\n3,Park,5\n",
            reads: "ragged: pad"
        ),
        ForeignFile(
            "another delimiter from the middle on",
            "id,name,count\n1,Kim,3\n2,Lee,4\n3;Park;5\n4;Oh;6\n5;An;7\n"
        ),
        ForeignFile(
            "another delimiter in the header",
            "id;name;count\n1,Kim,3\n2,Lee,4\n",
            reads: "skip_lines: 1\nheader: [id, name, count]"
        ),
        ForeignFile("another delimiter within a row", "id,name,count\n1,Kim;3\n2,Lee,4\n"),
        ForeignFile("commas in cells that semicolons separate", "id;note\n1;a, b\n2;c, d\n"),
        ForeignFile("a header that is one cell", case: "a-header-that-is-one-cell-is-refused"),
        ForeignFile("one column that holds other delimiters", case: "one-column-may-hold-other-delimiters"),
        ForeignFile("a word for a delimiter in a job", case: "a-delimiter-is-no-word"),
    ]

    static let quotes: [ForeignFile] = [
        ForeignFile("all cells in quotes", "\"id\",\"name\"\n\"1\",\"Kim\"\n\"2\",\"Lee\"\n"),
        ForeignFile(
            "apostrophes for quotes",
            "'id','name','count'\n'1','Kim, J','3'\n'2','Lee','4'\n",
            reads: "quote: \"'\""
        ),
        ForeignFile("bars for quotes", "id,name,count\n1,|Kim, J|,3\n2,|Lee|,4\n", reads: "quote: \"|\""),
        ForeignFile("typographic quotes", "id,name,count\n1,“Kim, J”,3\n2,“Lee”,4\n", reads: "quote: \"“\""),
        ForeignFile("quotes of two kinds", "id,name,place\n1,\"Kim, A\",'Seoul, KR'\n2,\"Lee\",'Busan'\n"),
        ForeignFile("a quote that is missing at the end of a cell", staff("0,\"Lee,4")),
        ForeignFile("a quote that is missing at the beginning of a cell", staff("0,Lee\",4")),
        ForeignFile("a stray quote in a cell", staff("0,Le\"e,4"), reads: "quote: none"),
        ForeignFile("quotes in quotes that are not doubled", staff("0,\"Lee \"J\" K\",4")),
        ForeignFile("quotes in quotes around a delimiter", staff("0,\"Lee \"J, K\" L\",4")),
        ForeignFile("quotes in quotes that are doubled", staff("0,\"\"\"Lee\"\"\",4")),
        ForeignFile("quotes behind a backslash", staff("0,\"Lee \\\"J\\\"\",4")),
        ForeignFile("quotes behind a backslash, and a delimiter", staff("0,\"Lee\\\", \\\"J\",4")),
        ForeignFile("a backslash before a delimiter", staff("0,Lee\\, J,4")),
        ForeignFile("a backslash before the last quote", staff("0,\"C:\\\",4")),
        ForeignFile(
            "quotes doubled here and behind a backslash there",
            "id,name\n1,\"Kim \"\"J\"\"\"\n2,\"Lee \\\"J\\\"\"\n"
        ),
        ForeignFile("text behind the closing quote", staff("0,\"Lee\" J,4")),
        ForeignFile("a blank behind the closing quote", staff("0,\"Lee\" ,4")),
        ForeignFile("a blank before the opening quote", staff("0, \"Lee, J\",4")),
        ForeignFile("a cell that is one quote", staff("0,\",4")),
        ForeignFile("a quote that is open to the end of the file", "\(people)4,\"Oh,6\n5,An,7\n"),
        ForeignFile("a quote that opens in the last row", "\(people)4,Oh,\"6\n"),
        ForeignFile(
            "a quote that opens in the header",
            "id,\"name,count\n1,Kim,3\n2,Lee,4\n",
            reads: "skip_lines: 1\nheader: [id, name, count]"
        ),
        ForeignFile(
            "whole rows in quotes",
            "\"id,name,count\"\n\"1,Kim,3\"\n\"2,\"\"Lee, J\"\",4\"\n",
            reads: "delimiter: \",\""
        ),
        ForeignFile("line ends in quotes", "id,name\n1,\"Kim\nJ\"\n2,Lee\n"),
        ForeignFile("line ends in cells without quotes", "id,name,count\n1,Kim\n J,3\n2,Lee,4\n"),
        ForeignFile("a pair of stray quotes around rows", case: "a-pair-of-stray-quotes-swallows-no-rows"),
        ForeignFile(
            "memory behind a quote that never closes",
            standsIn: "DaybookEngineTests/Run/BoundedMemoryTests.swift",
            "short lines behind a quote that is never closed"
        ),
    ]

    private static func ending(_ end: String) -> String { people.replacing("\n", with: end) }

    static let ends: [ForeignFile] = [
        ForeignFile("LF", people),
        ForeignFile("CR LF", ending("\r\n")),
        ForeignFile("CR", ending("\r")),
        ForeignFile("LF CR", ending("\n\r")),
        ForeignFile("CR CR LF", ending("\r\r\n")),
        ForeignFile("a record separator", ending("\u{1E}")),
        ForeignFile("NEL, as mainframes write it", ending("\u{85}")),
        ForeignFile("a line separator", ending("\u{2028}")),
        ForeignFile("a form feed", ending("\u{C}")),
        ForeignFile("a semicolon, on one line", ending(";")),
        ForeignFile("LF and CR LF by turns", "id,name,count\r\n1,Kim,3\n2,Lee,4\r\n3,Park,5\n"),
        ForeignFile("CR in one place", "id,name,count\n1,Kim,3\r2,Lee,4\n3,Park,5\n"),
        ForeignFile("CR in the first half", "id,name,count\r1,Kim,3\r2,Lee,4\n3,Park,5\n"),
        ForeignFile("no line end at the end", String(people.dropLast())),
        ForeignFile("a line end too many", "\(people)\n"),
        ForeignFile("LF in quotes, where lines end with CR LF", "id,name\r\n1,\"a\nb\"\r\n2,c\r\n"),
        ForeignFile("CR in quotes", case: "a-carriage-return-in-quotes-is-no-line"),
        ForeignFile("the end of file of DOS", "\(people)\u{1A}"),
    ]
}
