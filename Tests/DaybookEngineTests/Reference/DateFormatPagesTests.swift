import DaybookContracts
import DaybookStandard
import Testing

@testable import DaybookDates
@testable import DaybookJobTools

/// Every stage that takes a date format says on its page how one is written.
@Suite struct DateFormatPagesTests {
    @Test func `the letters stand on the pages of the stages that take date formats, and on no others`() throws {
        let pages = StagePages(StageTable.builtIn)
        var holding: [String] = []
        for name in StageTable.builtIn.names.sorted() {
            let (text, markdown) = (try pages.page(name, .text), try pages.page(name, .markdown))
            let json = try pages.page(name, .json)
            let isTold = text.contains("Date formats")
            #expect(markdown.contains("**Date formats.**") == isTold && json.contains("\"date_letters\"") == isTold)
            guard isTold else { continue }
            holding.append(name)
            for letters in DatePattern.letters {
                #expect(text.contains("\(letters.meaning.split(separator: " ")[0...1].joined(separator: " "))"))
                #expect(markdown.contains("| \(letters.meaning) (\(letters.example)) |"))
            }
            let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            #expect(words.contains("20261121T050000") && words.contains("So 'Z' is a letter and not UTC: write X"))
        }
        #expect(holding == ["check_rows", "list_anniversaries", "normalise_dates"])
    }
}
