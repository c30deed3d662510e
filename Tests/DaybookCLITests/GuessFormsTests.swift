import DaybookContracts
import DaybookTestSupport
import Foundation
import Testing

/// What `daybook guess` makes of small files as people have them: one column, one row, ragged rows, printed tables, notes.
@Suite struct GuessFormsTests: GuessingSuite {
    let place: TemporaryDirectory
    let command: CommandTrial

    init() throws {
        place = try TemporaryDirectory()
        command = CommandTrial(in: place.url)
    }

    @Test(arguments: [
        "full name\nJohn Smith\nMinah Kim\nSora Lee\n", "at\n2026-11-21 05:00:00 UTC\n2026-11-22 17:30:00 UTC\n",
        "d\n22nd Jan 2022\n1st March 2024\n", "at\n05:00:00\n17:30:00\n08:15:30\n",
    ])
    func oneColumnIsNotCut(_ text: String) throws {
        let job = try guess(text)
        #expect(job.contains("Text with one value a line with a header"), "\(job)")
        let written = try #require(place.text("out/in.csv"))
        #expect(written.split(separator: "\n").count == text.split(separator: "\n").count, "\(written)")
        #expect(written.prefix { $0 != "\n" } == text.prefix { $0 != "\n" })
    }

    @Test func aFewRaggedRowsHaveTheCellsOfTheirHeader() throws {
        let job = try guess("id,name,age\n1,John\n2,Julie,26,Potatoes\n3,Kim,31\n")
        #expect(job.contains("Comma-separated text with a header"), "\(job)")
        #expect(job.contains("ragged: extend") && job.contains(" ragged: reject "), "\(job)")
        #expect(place.text("out/in.csv")?.hasPrefix("id,name,age,column_4\n1,John,,\n") == true)
    }

    @Test func aPrintedTableKeepsItsHeader() throws {
        let rows = (1...10).map { row in
            let numbers = [row, row * 3 % 14, row * 7 % 11].map { String($0) }
            let cells = numbers.map { String(repeating: " ", count: 3 - $0.count) + $0 }.joined(separator: " ")
            let team = ["Alpha St", "Bravo", "Echo", "Delta U"][row % 4]
            return "\(cells) \(team)\(String(repeating: " ", count: 9 - team.count))X\(row)\n"
        }
        let job = try guess("AAA BBB CCC Team     Conf\n\(rows.joined())", as: "in.txt")
        #expect(!job.contains("skip_lines") && job.contains("with a header"), "\(job)")
        #expect(job.contains("        AAA: integer") && job.contains("        CCC: integer"), "\(job)")
    }

    @Test func formulasDoNotHideTheHeader() throws {
        try place.write("id,code,amt\n1,=\"00123\",=\"1,200\"\n2,=\"00456\",=\"3,400\"\n", to: "in.csv")
        let outcome = try command.run("guess", "in.csv")
        let job = outcome.output.replacing(#/\n *# /#, with: " ")
        #expect(!job.contains("skip_lines") && !job.contains("delimiter:"), "\(job)")
        #expect(job.contains("cells such as '=\"00123\"' on line 2 are formulas"), "\(job)")
    }

    @Test(arguments: ["1, 0.5, 0.25, 3\n2, 0.5, 0.125, 4\n", "1, 0.5, 0.25, 3\n", "A, 0.5, 0.25, 3\n"])
    func namesOfNumbersAreNames(_ rows: String) throws {
        let job = try guess("RUN, 1_ 1, 1_ 2, 1_ 3\n" + rows)
        #expect(job.contains("with a header"), "\(job)")
        #expect(place.text("out/in.csv")?.hasPrefix("RUN,1_ 1,1_ 2,1_ 3\n") == true, "\(job)")
    }

    @Test(arguments: [
        "\"line one\nline two\"", "line one\nline two\nline three",
        "\"a \\\"b\\\"\nc\"",
    ])
    func aSecondLineOfTheOnlyRowIsNoReasonToGiveUp(_ last: String) throws {
        try place.write("id,place,note\n7,Kiel,\(last)\n", to: "in.csv")
        let outcome = try command.run("guess", "in.csv")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output.contains("Comma-separated text with a header"), "\(outcome.output)")
    }

    @Test func rowsOfNothingButDelimitersAreLeftOut() throws {
        let job = try guess("id,name,age\n1101,John,30\n1102,Julie,26\n,,\n1103,Kim,31\n,,\n,,\n")
        #expect(job.contains("3 rows hold nothing but delimiters, the first on line 4"), "\(job)")
        #expect(place.text("out/in.csv") == "id,name,age\n1101,John,30\n1102,Julie,26\n1103,Kim,31\n")
    }

    @Test func aNoteThatIsPaddedToTheWidthOfTheTableIsNoRow() throws {
        let rows = (1...9).map { "A\($0),name \($0),\($0)\n" }.joined()
        let job = try guess("Symbol,Security Name,Lot\n\(rows)File Creation Time: 1121202517:01,,\n")
        #expect(job.contains("skip_footer: 1"), "\(job)")
        #expect(job.contains("line 11 begins with 'File Creation Time"), "\(job)")
        #expect(place.text("out/in.csv")?.contains("Creation") == false)
    }

    /// A cell in quotes that the head of a file cuts is no quote out of place.
    @Test(arguments: TestSize.most(of: [0, 7, 14, 21, 28, 35, 42, 49, 56]))
    func aCellThatCrossesTheEndOfTheHeadIsNoFault(_ shift: Int) throws {
        let note = "\"first, line\nsecond \"\"line\"\" and more of it, which goes on\""
        var text = "id,note,count\n"
        while text.utf8.count < (1 << 20) - 30 - shift { text += "1,\"plain, text\",3\n" }
        text += String(repeating: "2,\(note),4\n", count: 40)
        let job = try guess(text)
        #expect(!job.contains("lenient") && !job.contains("ragged:"), "\(job)")
        #expect(job.contains("  allow: 0  "), "\(job)")
    }

    @Test func wordsAboveNumbersMayBeNamesToo() throws {
        let job = try guess(",group A,group B\nRUN,1_ 1,1_ 2\n,(kg),(m)\n1,1.5,2.5\n2,2.5,3.5\n3,2.5,3.5\n")
        #expect(job.contains("line 2 may be a row of the header, since words stand there above numbers"), "\(job)")
        #expect(try !guess("site,length,weight\nOslo,3,4\nKiel,1.5,2.5\n").contains("may be a row of the header"))
    }

    @Test func linesInsideOfQuotesDoNotHideTheDelimiter() throws {
        let rows = (1...4).map { "\($0)^Kiel^\"one line of it\nanother line of it\nand a last line, too\"\n" }
        let job = try guess("id^place^remarks\n\(rows.joined())")
        #expect(job.contains("delimiter: ^") || job.contains("delimiter: \"^\""), "\(job)")
        #expect(job.contains("4 rows, 3 columns"), "\(job)")
    }
}
