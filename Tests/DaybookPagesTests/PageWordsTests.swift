import DaybookContracts
import DaybookTestSupport
import Testing

@testable import DaybookPages

/// What a page says by itself, in the language of the page.
@Suite struct PageWordsTests {
    /// A text and what stands for it have the same parts.
    @Test func everyTextHasItsParts() {
        func parts(_ text: String) -> Set<String> { Set(text.matches(of: /\{\d\}/).map { String($0.0) }) }
        #expect(PageWords.korean.count > 80)
        for (english, korean) in PageWords.korean {
            #expect(parts(english) == parts(korean), "\(english)")
            #expect(!korean.isEmpty)
        }
    }

    @Test func partsAreNotReadAgain() {
        let words = PageWords(language: "ko-KR")
        #expect(words("{0} to {1}", "{1}", "{0}") == "{1} ~ {0}")
        #expect(words("what nobody has put into Korean, {0}", "x") == "what nobody has put into Korean, x")
        #expect(PageWords(language: "en-GB")("{0} to {1}", "a", "b") == "a to b")
        #expect(words.count(1, "row") == "행 1개" && PageWords().count(1, "row") == "1 row")
        let markup = words.markup("As of {0}, by the job {1}", "<b>x</b>", "\("<i>")")
        #expect(markup.text == "<b>x</b> 기준, 작업 &lt;i&gt;")
        #expect(!PageWords(language: "kok").isKorean && PageWords(language: "KO").isKorean)
    }

    /// A page of everything that a page can say has no word of English.
    @Test func aKoreanPageIsKorean() throws {
        let options = """
            title: 보고서
            language: ko
            sections:
              - { from: rows, title: 쌓음, chart: stacked, x: 달, y: 횟수, by: 감정, top: 1, to_date: hatch }
              - { from: rows, chart: heat, x: 달, y: 감정, value: 횟수 }
              - { from: rows, chart: bars, x: 감정, y: 횟수 }
              - { from: rows, chart: line, x: 달, y: 횟수, by: 감정 }
              - { from: rows, chart: scatter, x: 횟수, y: 몫, by: 감정 }
              - { from: rows, title: 달력, chart: calendar, x: 날, value: 횟수 }
              - { from: rows, title: 표, table: { rows: 2, order: newest } }
              - { from: none, chart: line, x: 달, y: 횟수 }
            """
        let rows = """
            달:text,감정:text,횟수:integer,몫:decimal,날:day
            2026-10,행복해,3,0.5,2026-10-02
            2026-10,심심해,9,,2026-10-02
            2026-11,,5,1.5,
            2026-11,우울해,1,1.5,2026-11-21
            2026-11,우울해,1,1.5,2026-11-21
            아님,우울해,1,1.5,2026-11-20
            """
        var line = LedgerLine(id: "정리", stage: "정리하기")
        (line.rowsIn, line.rowsOut, line.rejected, line.folded) = (10, 5, 2, 1)
        line.dropped = ["duplicates": 1, "blank lines": 1]
        line.skipped = ["comments": 3]
        var source = LedgerLine(id: "읽기", stage: "읽기")
        (source.rowsIn, source.rowsOut) = (10, 10)
        let page = try HTMLPages.page(
            [("rows", rows), ("none", "달:text,횟수:integer")],
            options: options,
            job: "보고서",
            ledger: [source, line]
        )
        #expect(page.contains("<html lang=\"ko\">"))
        let body = try #require(page.firstRange(of: "</style>").map { String(page[$0.upperBound...]) })
        // What is seen, and what is heard in its place.
        let text = body.replacing(/<[^>]*aria-label="([^"]*)"[^>]*>/) { " \($0.1) " }
            .replacing(/<[^>]*>/, with: " ")
        let words = Set(text.matches(of: /[A-Za-z]{2,}/).map { String($0.0) })
        #expect(words == ["Daybook"], "\(words)")
    }
}
