import DaybookCore
import DaybookTestSupport
import Testing

@testable import DaybookFormats
@testable import DaybookStages
@testable import DaybookTables

/// How a delimited text that nobody has described is read.
@Suite struct CSVGuessTests {
    private func guess(_ text: String) throws -> (guess: CSVGuess, options: [String: SuggestedValue]) {
        let text = FoundText(bytes: Bytes(text), isWhole: true)
        let guess = try #require(CSVGuess.of(text))
        let options = guess.detection(text).imports[0].options
        return (guess, Dictionary(uniqueKeysWithValues: options.map { ($0.key, $0.value) }))
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

    @Test("where no row can be read with the quotes around its cells, the job says that they stay")
    func quotesThatStay() throws {
        let text = FoundText(bytes: Bytes(lines("a,b", 20) { "\"He said \"hi\" \($0)\",\"x\"" }), isWhole: true)
        let option = try #require(CSVGuess.of(text)?.detection(text).imports[0].options.first { $0.key == "quote" })
        #expect(option.value == .text("none"))
        #expect(option.reason == "quotes stand in the middle of cells, and so those around cells stay in them")
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
}
