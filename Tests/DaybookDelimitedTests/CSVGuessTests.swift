import DaybookTestSupport
import Testing

@testable import DaybookContracts
@testable import DaybookDelimited

/// How a delimited text that nobody has described is read.
@Suite struct CSVGuessTests {
    /// The only table of a text, and the import that it calls for.
    private func found(_ text: String) throws -> (guess: CSVGuess, import: SuggestedImport) {
        let text = FoundText(bytes: Bytes(text), isWhole: true)
        let tables = try CSVGuess.tables(of: text, in: "in.csv")
        try #require(tables.count == 1)
        return (tables[0], tables[0].detection(text).imports[0])
    }

    private func guess(_ text: String) throws -> (guess: CSVGuess, options: [String: SuggestedValue]) {
        let (guess, found) = try found(text)
        return (guess, Dictionary(uniqueKeysWithValues: found.options.map { ($0.key, $0.value) }))
    }

    private func reason(_ key: String, _ text: String) throws -> String? {
        try #require(found(text).import.options.first { $0.key == key }).reason
    }

    private func lines(_ header: String, _ count: Int, _ row: (Int) -> String) -> String {
        header + "\n" + (0..<count).map { row($0) + "\n" }.joined()
    }

    // MARK: - Quotes

    @Test("stray quotes do not make text of the quotes around other cells", arguments: [1, 2, 5, 20, 38])
    func strayQuotes(_ percent: Int) throws {
        let text = lines("id,note,place", 100) { row in
            row % 100 < percent ? "\(row),a \"stray\" one,x" : "\(row),\"quoted \(row)\",\"Seoul, \(row)\""
        }
        let (guess, options) = try guess(text)
        #expect(options["quote"] == nil)
        #expect(guess.reading.width == 3)
    }

    @Test("a cell in quotes counts for them in a row that a stray quote spoils")
    func spoiltRows() throws {
        // Every fourth row is spoilt, and each has a cell in quotes all the same.
        let text = lines("id,note,place", 40) { row in
            row % 4 == 0 ? "\(row),5\" wide,\"Seoul\"" : "\(row),plain,Busan"
        }
        #expect(try guess(text).options["quote"] == nil)
    }

    @Test("quotes that stand around no cell are text")
    func inches() throws {
        let text = lines("id;size;kind", 40) { "\($0);\($0)/2\" pipe;5\" long" }
        #expect(try guess(text).options["quote"] == .text("none"))
        // A title in quotes now and then is no quoting.
        let titles = lines("id\ttitle", 40) { $0 % 10 == 0 ? "\($0)\t\"Whole\"" : "\($0)\t\"The\" one" }
        #expect(try guess(titles).options["quote"] == .text("none"))
    }

    @Test("quotes around cells hold where every cell has others inside, which are taken for text")
    func quotesInQuotes() throws {
        let text = lines("a,b", 20) { "\"He said \"hi\" \($0)\",\"x\"" }
        let (guess, options) = try guess(text)
        #expect(options["quote"] == nil)
        #expect(options["quotes"] == .plain("lenient"))
        #expect(guess.reading.width == 2)
        #expect(
            try reason("quotes", text) == "20 rows have quotes inside a cell, the first in line 2: 'He said \"hi\" 0'"
        )
    }

    @Test(
        "an apostrophe around most cells of a column is their quote",
        arguments: [
            "0,'a.wav','x'", "0,'it''s, a.wav',plain", "0,'Seoul, Korea',", "'0, b',1,2", "0,'don't','x'",
        ]
    )
    func apostrophes(_ row: String) throws {
        let text = lines("id,file,kind", 30) { $0 == 7 ? row : "\($0),'a, \($0).wav','x'" }
        let (guess, options) = try guess(text)
        #expect(options["quote"] == .text("'"))
        #expect(guess.reading.width == 3)
    }

    @Test(
        "an apostrophe that stands elsewhere is text",
        arguments: ["0,don't", "0,'tis", "0,rock 'n' roll", "0,\"'quoted'\""]
    )
    func plainApostrophes(_ row: String) throws {
        #expect(try guess(lines("id,note", 30) { _ in row }).options["quote"] == nil)
    }

    @Test("a value a line, each in quotes, is one column whatever stands in it")
    func oneColumn() throws {
        let (guess, options) = try guess(lines("place", 30) { "\"Seoul, Korea \($0)\"" })
        #expect(guess.reading.width == 1)
        #expect(options["quote"] == nil)
        let other = try self.guess(lines("place", 30) { "'Seoul, Korea \($0)'" })
        #expect(other.guess.reading.width == 1)
        #expect(other.options["quote"] == .text("'"))
    }

    @Test("prose broken at one width is no column, and notes in lower case are one")
    func prose() throws {
        let words = [
            "the", "ledger", "balances", "when", "every", "row", "of", "a", "job", "is", "counted", "twice", "and",
        ]
        var (prose, line) = ([String](), "")
        for number in 0..<400 {
            let word = words[number * 5 % 13]
            if line.count + 1 + word.count > 60 { (prose, line) = (prose + [line], word) } else { line += " " + word }
        }
        let text = prose.map { $0.drop { $0 == " " } }.joined(separator: "\n") + "\n"
        #expect(CSVGuess.of(FoundText(bytes: Bytes(text), isWhole: true)) == nil)

        let notes = lines("note", 30) { row in
            "went for a walk with the dog in the park" + String(repeating: " again", count: row % 5)
        }
        #expect(try guess(notes).guess.reading.width == 1)
    }

    // MARK: - Titles

    @Test(
        "the header is the first row that is filled like those below it",
        arguments: [
            ("Meetings held,,,\n,,,\n", 2), ("Meetings held,,,\n", 1), (",,,\n,,,\n", 2),
            ("\"Meetings\",\"\",\"\",\"\"\n", 1),
            ("Meetings held,,,\nCreated,2026-01-05,,\n\n,,,\n", 4), (",Who and when,,\n", 1), ("Title\n,,,\n", 2),
            ("\"Meetings\nheld\",,,\n,,,\n", 3), (" , ,,\n", 1), ("", 0),
        ]
    )
    func titles(_ above: String, _ skipped: Int) throws {
        let table = "Name,Date,Place,Cost\nKim,2026-01-02,Seoul,12\nLee,2026-01-03,,3\nPark,2026-02-03,Busan,\n"
        let (guess, options) = try guess(above + table)
        #expect(guess.preamble == skipped)
        #expect(options["skip_lines"] == (skipped == 0 ? nil : .plain(String(skipped))))
        #expect(guess.header.verdict == .present)
        #expect(guess.reading.regular == guess.reading.records.count)
    }

    @Test("a title stands above words as well, and above rows without a header")
    func titlesAboveWords() throws {
        let words = try guess("Members,,,\n,,,\nName,City,Team,Role\nKim,Seoul,a,x\nLee,Busan,b,y\nPark,Jeju,c,z\n")
        #expect(words.guess.preamble == 2)
        #expect(words.guess.header.verdict == .likely)
        let bare = try guess("Measured,,\n1,2.5,3\n2,3.5,4\n3,4.5,5\n")
        #expect(bare.guess.preamble == 1)
        #expect(bare.guess.header.verdict == .absent)
    }

    @Test("what other lines part from the header is a title, though it has as many words")
    func titlesOfAsManyWords() throws {
        let rows = (1...9).map { "\($0) Kim 0.\($0)\n" }.joined()
        let parted = try guess("Export of shops\nCreated: 2026-01-05\n\nid shop price\n" + rows)
        #expect(parted.options["skip_lines"] == .plain("3"))
        #expect(parted.options["header_rows"] == nil)
        // Right above the header it may as well be a row of it, and the job says so.
        let notes = try found("Export of shops\nid shop price\n" + rows).import.notes
        #expect(notes.contains { $0.hasPrefix("not sure: of the rows of the header") })
    }

    @Test("a row of units belongs to a header that is too short")
    func unitsOfAShortHeader() throws {
        let text = lines("day,weight\n,(kg)", 9) { "2026-01-0\($0 + 1),\($0).5,\($0 * 7)" }
        let (guess, options) = try guess(text)
        #expect(options["header_rows"] == .plain("2") && options["ragged"] == .plain("extend"))
        #expect(guess.preamble == 0)
    }

    @Test(
        "a header with gaps stays the header, and a row with gaps a row",
        arguments: [
            ",value\n0,3.4\n1,2.5\n2,7\n", "Name,,Date,\nKim,a,2026-01-02,b\nLee,b,2026-01-02,c\nPark,b,2026-01-02,d\n",
            "1,,,\n2,3,4,5\n3,4,5,6\n4,5,6,7\n", "name,\nKim,Lee\nPark,Choi\n", "a,b,c,d\n1,,,\n2,,,\n3,,,4\n",
            "a,b,c,d\n,,,\n1,2,3,4\n5,6,7,8\n",
        ]
    )
    func gaps(_ text: String) throws {
        let (guess, options) = try guess(text)
        #expect(guess.preamble == 0)
        #expect(options["skip_lines"] == nil)
    }

    // MARK: - Names that look like values

    private func header(_ text: String) throws -> SuggestedOption? {
        try found(text).import.options.first { $0.key == "header" }
    }

    @Test(
        "years and months above other numbers are likely names, and a person chooses",
        arguments: [
            "region,2024,2025", ",2024,2025", "2023,2024,2025", "id,name,2024", "region,2024-01,2024-02",
            "region,01/2024,02/2024",
        ]
    )
    func years(_ names: String) throws {
        let text = lines(names, 5) { "\($0),\($0 + 10),\($0 * 7)" }
        let header = try #require(try header(text))
        #expect(header.value == .plain("true"))
        #expect(header.others.map(\.value) == [.list((1...3).map { .text("column_\($0)") })])
    }

    @Test(
        "a first row of a word and numbers is a row, and a person chooses",
        arguments: ["class,1,2", ",1,2", "Kim,1984,3", "Kim,2024,2024"]
    )
    func numbersAboveNumbers(_ first: String) throws {
        let rows = lines(first, 5) { "\($0 == 2 ? "x" : "y\($0)"),\(1990 + $0),\($0 * 7)" }
        let header = try #require(try header(rows))
        #expect(header.value != .plain("true"))
        // What stands there twice names nothing.
        #expect(header.others.map(\.value) == (first.hasSuffix("2024,2024") ? [] : [.plain("true")]))
    }

    @Test("a first row like the others is a row, for sure", arguments: ["9,8,7", "2024-01-09,1,2", "1900,12,13"])
    func rowsAlone(_ first: String) throws {
        let isDay = first.contains("-")
        let text = lines(first, 5) { isDay ? "2024-01-0\($0 + 1),\($0),4" : "\(1990 + $0),\($0),4" }
        #expect(try header(text)?.others.isEmpty == true)
    }

    @Test(
        "a long remark above a table, and a last cell that many rows lack, leave no row out",
        arguments: [false, true]
    )
    func remarksAbove(_ beginsShort: Bool) throws {
        let remarks = (1...14).map { "# The table, by its keeper: one row for each zone, \($0)\n" }.joined()
        let rows = (0..<60).map {
            "A\($0)\t+\(100 + $0)-00\($0)\tEurope/Town\($0)\(($0 % 5 < 3) == beginsShort ? "" : "\tpart")\n"
        }
        let found = try found(remarks + "#\n#codes\tplace\tzone\tcomments\n" + rows.joined())
        let options = Dictionary(found.import.options.map { ($0.key, $0.value) }) { first, _ in first }
        #expect(options["delimiter"] == .text("tab") || options["delimiter"] == .plain("tab"), "\(options)")
        #expect(options["comment"] == .text("#") && options["skip_lines"] == nil, "\(options)")
        #expect(options["ragged"] == .plain("pad") || options["ragged"] == .plain("extend"), "\(options)")
    }

    @Test("where all texts are quoted, one that holds nothing is none")
    func quotedTexts() throws {
        let rows = (1...20).map { "\($0),\"n\($0)\",\"\($0 % 3 == 0 ? "AA" : "")\"\n" }.joined()
        #expect(
            try reason("missing_quoted", "\"id\",\"name\",\"code\"\n" + rows)
                == "all texts are quoted, also those that hold nothing, as in line 2"
        )
        // Where a cell without quotes holds nothing, quotes may tell an empty text from it.
        #expect(try guess("\"id\",\"name\",\"code\"\n" + rows + "21,,\"\"\n").options["missing_quoted"] == nil)
    }

    @Test(
        "a name that its members repeat is a name, and a word that stands among others further down is none",
        arguments: [
            ("name,code,EU\nAustria,AT,EU\nCuba,CU,\nSpain,ES,EU\n", true),
            ("name,EU27_2007,iso,un,fao\na,x,12,13,14\nb,y,22,23,24\nc,x,32,33,34\n", true),
            ("EU27_2007,12,a\nEU28_2013,13,b\nEU15_1995,14,c\n", false),
            ("seoul,KR,open\nbusan,KR,\njeju,KR,open\n", false), ("a,b,open\nc,d,\ne,f,open\ng,h,shut\n", false),
            ("n,a,b,c,d,e,f,g,h,i,EU\nx,q,q,q,q,q,q,q,q,q,EU\ny,q,q,q,q,q,q,q,q,q,EEA\n", true),
        ]
    )
    func memberships(_ text: String, _ isHeader: Bool) throws {
        let header = try header(text)
        // A header that is sure needs no option.
        #expect((header == nil || header?.value == .plain("true")) == isHeader, "\(String(describing: header))")
    }

    @Test("years stand above the names of months, and below a header they may belong to it")
    func yearsInSeveralRows() throws {
        let rows = (1...8).map { "\($0),1,2,3,4\n" }.joined()
        let above = "id,2025,,2026,\n,jan,feb,mar,apr\n" + rows
        #expect(try guess(above).options["header_rows"] == .plain("2"))
        #expect(try reason("header_rows", above)?.hasPrefix("the first 2 rows have words or years where") == true)
        let notes = try found(",Sales,,Costs,\nid,2024,2025,2024,2025\n" + rows).import.notes
        #expect(
            notes == ["not sure: line 2 may be a row of the header, since years stand there above other numbers"]
        )
        #expect(try found("id,a,b,c,d\n0,2000,2001,2002,2003\n" + rows).import.notes.isEmpty)
    }

    // MARK: - Several tables

    /// Tables that stand one below the other, with the line at which the next begins; nil where there is one.
    static let stacks: [(text: String, line: Int?)] = [
        ("id,name,count\n1,Kim,3\n2,Lee,4\n\nday,place\n2026-01-01,Seoul\n2026-01-02,Busan\n", 5),
        ("id,name,count\n1,Kim,3\n2,Lee,4\nday,place\n2026-01-01,Seoul\n2026-01-02,Busan\n", 4),
        ("id;name;count\n1;Kim;3\n2;Lee;4\n\nday;place;cost\n2026-01-01;Seoul;1\n2026-01-02;Busan;2\n", 5),
        ("id,name\n1,Kim\n2,Lee\n\nday,place\n2026-01-01,Seoul\n", 5),
        ("Staff\n\nid,name\n1,Kim\n2,Lee\n\nday,place,n\n2026-01-01,Seoul,3\n", 7),
        ("id,note\n1,6\" wide\n2,\"a, b\"\n3,c\n4,d\n\nday,place,n\n2026-01-01,Seoul,3\n", 7),
        ("id\tnote\n1\t\"a\nb\"\n2\tc\n\nday\tplace\tn\n2026-01-01\tSeoul\t3\n", 6),
        ("id,name,count\n1,Kim,3\n2,Lee,4\n\n3,Park,5\n4,Choi,6\n", nil),
        ("id,name,count\n1,Kim,3\n2,Lee,4\n\nid,name,count\n4,Choi,6\n", nil),
        ("id,name,count\n1,Kim,3\n2,Lee,4\n\nSource: city of Seoul\n", nil),
        ("a,b,c,d\n1,x,2,y\n2,x\n3,x,3,y\n4,x,4\n5,x,3,y\n", nil),
    ]

    @Test("each table below another is found by its header, and read by itself", arguments: stacks)
    func tables(_ text: String, _ line: Int?) throws {
        let text = FoundText(bytes: Bytes(text), isWhole: true)
        let tables = try CSVGuess.tables(of: text, in: "in.csv")
        try #require(tables.count == (line == nil ? 1 : 2))
        let detection = try #require(CSVGuess.detection(of: tables, text))
        guard let line else { return #expect(!detection.imports[0].notes.contains { $0.contains("second table") }) }
        #expect(detection.imports.map(\.part) == ["table 1", "table 2"])
        #expect(detection.imports[0].notes.contains { $0.contains("a second table begins on line \(line)") })
        #expect(tables[0].reading.width > 1 && tables[1].reading.width > 1)
        func value(_ key: String, _ table: Int) -> SuggestedValue? {
            detection.imports[table].options.first { $0.key == key }?.value
        }
        #expect(value("skip_lines", 1) == .plain("\(line - 1)"))
        #expect(value("skip_footer", 0) == .plain("\(tables[1].reading.records.count)"))
    }

    @Test("three tables are three, and the parts of a file that goes on are one with a doubt")
    func moreTables() throws {
        let part = "id,name,count\n1,Kim,3\n2,Lee,4\n\n"
        let other = "day,place\n2026-01-01,Seoul\n2026-01-02,Busan\n\n"
        let all = FoundText(bytes: Bytes(part + other + part), isWhole: true)
        #expect(try CSVGuess.tables(of: all, in: "in.csv").count == 3)
        let head = FoundText(bytes: Bytes(part.dropLast() + "3,Oh,1\n4,Yu,1\n5,Ra,1\n\n" + other), isWhole: false)
        let tables = try CSVGuess.tables(of: head, in: "in.csv")
        #expect(tables.count == 1)
        #expect(tables[0].detection(head).imports[0].notes.contains { $0.contains("cut the file in two before it") })
        // Where no reading of the whole makes sense, the line is told.
        let even = FoundText(bytes: Bytes(part + other), isWhole: false)
        do {
            _ = try CSVGuess.tables(of: even, in: "in.csv")
            Issue.record("a file that cannot be imported was guessed")
        } catch {
            #expect(error.code == "stacked-tables" && error.place?.line == 5)
        }
    }

    @Test("a table of one row above another one is left out with a doubt, and a title without", arguments: [1, 4])
    func tableOfOneRowAbove(_ blank: Int) throws {
        let below = String(repeating: "\n", count: blank) + "c,d,e\n3,4,5\n6,7,8\n"
        #expect(
            try found("a,b\n1,2\n" + below).import.notes
                == [
                    "not sure: line 1 and the one below it, which are left out, have 2 cells each and may be a table too"
                ]
        )
        #expect(try found("Report, 2026\n" + below).import.notes.isEmpty)
    }

    @Test("rows that commas would split are not taken for one column without a doubt")
    func oneColumnOfMany() throws {
        let text = "name,place\nKim,Seoul\nLee,Busan\n\nmood,colour,thing\nglad,red,cup\nsad,blue,pen\n"
        let (guess, found) = try found(text)
        #expect(guess.reading.width == 1)
        #expect(found.notes.contains("not sure: ',' stands in 6 of 6 rows, and may separate cells"))
    }

    // MARK: - What else is written

    @Test(
        "a delimiter is found that is none of the common ones",
        arguments: ["||", "::", "§", "~", "^", " ", ":", "~|~", "\u{1}", "¦"]
    )
    func delimiters(_ delimiter: String) throws {
        let rows = [["id", "name", "count", "share"]] + (1...9).map { ["\($0)", "Kim", "\($0 * 7)", "0.\($0)"] }
        let text = rows.map { $0.joined(separator: delimiter) + "\n" }.joined()
        let (guess, options) = try guess(text)
        #expect(options["delimiter"] == .text(delimiter))
        #expect(guess.reading.width == 4)
        #expect(guess.header.verdict == .present)
    }

    @Test(
        "a delimiter of two signs is found where cells hold one of them",
        arguments: ["id", "word"],
        [["v"], ["v", "w"]]
    )
    func doubledDelimiters(_ first: String, _ others: [String]) throws {
        let rows = (1...40).map { row in
            (["\(first == "id" ? "\(row)" : "Kim")"] + others.map { _ in row % 3 == 0 ? "a|b" : "x" }).joined(
                separator: "||"
            ) + "\n"
        }
        let (guess, options) = try guess(([first] + others).joined(separator: "||") + "\n" + rows.joined())
        #expect(options["delimiter"] == .text("||") && options["ragged"] == nil)
        #expect(guess.reading.width == others.count + 1)
    }

    @Test("an empty column between bars is one") func emptyColumns() throws {
        let text = "id|gap|v\n" + (1...40).map { "\($0)||x\n" }.joined()
        let (guess, options) = try guess(text)
        #expect(options["delimiter"] == .text("|") && guess.reading.width == 3)
    }

    @Test(
        "a column of times, of links or of names is no table",
        arguments: ["12:3@", "https://a.org/@", "Kim L@"]
    )
    func noDelimiter(_ value: String) throws {
        let text = lines("what", 9) { value.replacing("@", with: "\($0)") }
        #expect(try guess(text).guess.reading.width == 1)
    }

    @Test("a decimal comma separates no cells", arguments: [";", "|", " ", "§"])
    func decimalCommas(_ delimiter: String) throws {
        let text =
            ["Ort", "Breite", "Höhe"].joined(separator: delimiter) + "\n"
            + (1...9).map { ["Kiel", "\($0),25", "1\($0),5"].joined(separator: delimiter) + "\n" }.joined()
        #expect(try guess(text).options["delimiter"] == .text(delimiter))
    }

    @Test(
        "what separates cells stands in the header too, and not only inside the cells of a column",
        arguments: [
            ("id,tags", ",", "@,a;b;c", ""), ("city,phone", ",", "Seoul,+82 10 000@ 0000", ""),
            ("score\tplace", "tab", "@\t36.8@, 128.4@", ""), ("a;zip;b", ";", "\"x;blue;blue\";2330@;x|red|red", ""),
            ("id,day", ",", "@,2@ Jan 2024", ""), ("id,at", ",", "@,01/2@/2024 09:03 PM", ""),
            ("id,tags", ",", "@,a;b;c", "9,x,y\n"), ("id,tags", ",", "@,a;b;c", "Total,9\n"),
        ]
    )
    func marksInsideCells(_ header: String, _ delimiter: String, _ row: String, _ below: String) throws {
        let text = lines(header, 20) { row.replacing("@", with: "\($0 % 10)") } + below
        let (guess, options) = try guess(text)
        #expect(options["delimiter"] == (delimiter == "," ? nil : .text(delimiter)))
        #expect(options["skip_lines"] == nil)
        #expect(guess.header.verdict != .absent)
    }

    @Test("a delimiter that the first line lacks is doubted where another one stands in it")
    func titlesWithMarks() throws {
        // Four of twenty rows have a comma more, so the header alone speaks for it.
        let text = lines("id,tags", 20) { $0 % 5 == 0 ? "\($0),a;b;c,\"x\"" : "\($0),a;b;c" }
        let (guess, found) = try found(text)
        let isRight = guess.reading.dialect.delimiter == [UInt8(ascii: ",")]
        #expect(isRight || found.notes.contains { $0.hasPrefix("not sure: ") })
        // As many blanks in the header as in the phone numbers.
        let phones = try self.found(lines("id no 0\tphone, all", 20) { "\($0)\t+82 10 900\($0) 0000" })
        #expect(phones.guess.reading.dialect.isBlank)
        #expect(phones.import.notes.contains { $0.hasPrefix("not sure: 'tab' would separate cells") })
        let dates = try self.found(lines("id,day", 20) { "\($0),\($0 + 1) Jan 2024" }).import.notes
        #expect(dates == ["not sure: below the first line, ' ' would separate cells nearly as well as ','"])
    }

    /// Each file with the option that it calls for, and how the reason begins.
    static let signs: [(text: String, key: String, value: SuggestedValue, reason: String)] = [
        (
            "id,a,b\n1,2,3\n2,3,4,5\n3,4,5\n4,5\n", "ragged", .plain("extend"),
            "line 3 has 4 cells, the header 3; 1 row is longer; line 5 has 2 cells, the header 3; 1 row is shorter"
        ),
        (
            "id,a\n1,2,\n2,3,\n3,4,\n", "ragged", .plain("extend"),
            "line 2 has 3 cells, the header 2; 3 rows are longer by an empty cell"
        ),
        (
            "id,note\n1,6\" tall\n2,\"a, b\"\n3,x\n", "quotes", .plain("lenient"),
            "1 row has a quote inside a cell, the first in line 2: '6\" tall'"
        ),
        (
            "id,note\n1,\"say \\\"hi\\\", twice\"\n2,x\n3,\"a, b\"\n", "escape", .text("\\"),
            "it keeps quotes and delimiters inside cells, as in line 2: 'say \"hi\", twice'"
        ),
        (
            "id, note, n\n1, \"a, b\", 2\n2, x, 3\n", "trim", .plain("true"),
            "blanks stand around 6 of the first 6 cells, as in line 2"
        ),
        (
            "\"id\",\"a\"\n\"1\",\"\"\n\"2\",\"x\"\n", "missing_quoted", .plain("true"),
            "all cells are quoted, also those that hold nothing, as in line 2"
        ),
        (
            "id,n\n1,2\n2,3\n3,\"\"\n4,5\n", "missing_quoted", .plain("true"),
            "among numbers and dates, cells in quotes hold nothing, as in line 4"
        ),
        (
            "id,\"a\"\n1,\"N/A\"\n2,3\n3,4\n", "missing_quoted", .plain("true"), "'N/A' stands in quotes, as in line 2"
        ),
        (
            ",Sales,Sales\nid,first,last\n1,2,3\n2,3,4\n3,4,5\n", "header_rows", .plain("2"),
            "the first 2 rows have words where the others have numbers or dates: line 3 is the first with values"
        ),
        (
            "id,weight,height\n,(kg),(m)\n1,2,3\n2,3,4\n3,4,5\n", "header_rows", .plain("2"),
            "the first 2 rows have words where the others have numbers or dates: line 3 is the first with values"
        ),
        (
            "id,a,b\n1,2,3\n2,3,4\n3,4,5\n3 rows\n", "skip_footer", .plain("1"),
            "the last line is no row of the table: line 5 begins with '3 rows'"
        ),
        (
            "id,a,b\n1,2,3\n2,3,4\n3,4,5\nTotal,,12\n", "skip_footer", .plain("1"),
            "the last line is no row of the table: line 5 begins with 'Total'"
        ),
    ]

    @Test("each option is found, with the line on which it was seen", arguments: signs.indices)
    func options(_ index: Int) throws {
        let (text, key, value, reason) = CSVGuessTests.signs[index]
        #expect(try guess(text).options[key] == value)
        #expect(try self.reason(key, text) == reason)
    }

    @Test("a dump of a database keeps signs by backslashes, and its NULL is told by its line")
    func dumps() throws {
        let nulls = "id\tname\n1\tKim\n2\t\\N\n3\tLee\n"
        #expect(try guess(nulls).options["escape"] == .text("\\"))
        #expect(
            try reason("escape", nulls)
                == "'\\N' stands for no value, as in line 3, so a backslash is no sign of its own"
        )
        let kept = "id,name,city\n1,Kim,Seoul\n2,Lee\\, A,Busan\n3,Park,Jeju\n4,Han,Ulsan\n"
        #expect(try guess(kept).options["escape"] == .text("\\"))
        #expect(
            try reason("escape", kept) == "it keeps quotes and delimiters inside cells, as in line 3: 'Lee, A'"
        )
        let long = "id,note\n1,one\\\ntwo\n2,three\n3,four\n4,five\n"
        let (guess, options) = try guess(long)
        #expect(options["escape"] == .text("\\"))
        #expect(guess.reading.records.count == 5)
    }

    @Test("backslashes of paths and of texts are characters as others are")
    func paths() throws {
        let paths = lines("id,file,size", 9) { "\($0),C:\\new\\\($0).txt,\($0)" }
        #expect(try guess(paths).options["escape"] == nil)
        let folders = lines("id,folder,size", 9) { "\($0),C:\\new\\,\($0)" }
        #expect(try guess(folders).options["escape"] == nil)
    }

    @Test("columns that are filled up with blanks leave it to import_fixed_width")
    func aligned() throws {
        let text = FoundText(
            bytes: Bytes("id  name   price\n 1  pen     3,50\n 2  paper  12,00\n 3  ink     8,25\n"),
            isWhole: true
        )
        let tables = try CSVGuess.tables(of: text, in: "in.csv")
        #expect(tables.allSatisfy { $0.detection(text).confidence == .possible })
    }

    @Test(
        "signs that most lines have, and that were taken for none between cells, are told",
        arguments: ["~", "§", "^", ";"]
    )
    func splitting(_ sign: String) throws {
        let text = lines("term\(sign)meaning", 9) { $0 % 3 == 0 ? "word" : "word\(sign)other words\(sign)more" }
        let notes = try found(text).import.notes
        let guess = try guess(text).guess
        #expect(guess.reading.width > 1 || notes.contains { $0.hasPrefix("not sure: '\(sign)' stands in ") })
    }

    @Test("an even table has none of these options")
    func plain() throws {
        #expect(try guess("id,a,b\n1,2,3\n2,3,4\n3,4,5\n").options.isEmpty)
    }

    @Test("where two delimiters would do, the job says that it is not sure")
    func rivals() throws {
        let notes = try found((1...9).map { "a\($0);b,c\n" }.joined()).import.notes
        #expect(notes.contains { $0.hasPrefix("not sure: ") })
    }

    @Test(
        "hostile text ends soon",
        arguments: ["\"", ",", "\"a", "\\\"", "|", "a\"b\n", "\",\"\n\"", ",\"\n", "a,b\n1,2\n\nc,d,e\n3,4,5\n\n"]
    )
    func hostile(_ unit: String) {
        let text = FoundText(
            bytes: Bytes(String(repeating: unit, count: TestSize.rounds(90_000, of: 300_000))),
            isWhole: true
        )
        let tables = (try? CSVGuess.tables(of: text, in: "in.csv")) ?? []
        #expect(tables.allSatisfy { $0.reading.records.count <= 500 })
    }
}
