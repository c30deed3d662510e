/// The own texts of an `export_html` page, in Korean if that is the page's language, and in English otherwise.
///
/// The English text is the key. The table is compiled in, so that a page is the same on every machine.
package struct PageWords: Sendable, Hashable {
    package let isKorean: Bool
    /// The thousands sign.
    private let group: String

    /// - Parameter language: a tag such as `ko` or `en-GB`, or empty.
    package init(language: String = "") {
        isKorean = language.split(separator: "-").first.map { $0.lowercased() == "ko" } ?? false
        group = NumberSigns.signs(of: language).group
    }

    /// The language of the texts.
    package var tag: String { isKorean ? "ko" : "en" }

    /// A text, with the parts for `{0}`, `{1}` and so on.
    package func callAsFunction(_ english: String, _ parts: String...) -> String { filled(english, parts) { $0 } }

    /// A text with markup as parts.
    package func markup(_ english: String, _ parts: HTML...) -> HTML {
        "\(own: filled(english, parts.map(\.text)) { HTMLText.escaped($0) })"
    }

    /// `1 row`, `2,000 rows`, `행 2,000개`.
    package func count(_ count: Int, _ noun: String) -> String {
        isKorean ? self("{0} \(noun)", grouped(count)) : "\(grouped(count)) \(noun)\(count == 1 ? "" : "s")"
    }

    /// `1,234,567`, in the language of the rows.
    package func grouped(_ count: Int) -> String {
        group == "," ? Figure.grouped(count) : Figure.grouped(count).replacing(",", with: group)
    }

    private func filled(_ english: String, _ parts: [String], _ own: (String) -> String) -> String {
        let text = isKorean ? PageWords.korean[english] ?? english : english
        var result = ""
        var rest = text[...]
        while let start = rest.firstIndex(of: "{") {
            result += own(String(rest[..<start]))
            let end = rest[start...].firstIndex(of: "}") ?? rest.index(before: rest.endIndex)
            let number = Int(rest[rest.index(after: start)..<end])
            if let number, parts.indices.contains(number) { result += parts[number] }
            rest = rest[rest.index(after: end)...]
        }
        return result + own(String(rest))
    }
}

extension PageWords {
    /// The Korean texts by their English keys. A text that is missing here stays English.
    package static let korean: [String: String] = [
        // The frame of the page.
        "Daybook report": "Daybook 보고서",
        "As of {0}, by the job {1}": "{0} 기준, 작업 {1}",
        "Made by Daybook. The same input, job and date give the same page, byte for byte.":
            "Daybook이 만들었습니다. 입력, 작업, 날짜가 같으면 페이지도 바이트까지 같습니다.",
        "Made by Daybook. The same input, job, date and earlier runs give the same page, byte for byte.":
            "Daybook이 만들었습니다. 입력, 작업, 날짜, 이전 실행이 같으면 페이지도 바이트까지 같습니다.",
        "Contents": "차례",
        "Ledger": "장부",

        // Counts.
        "{0} row": "행 {0}개",
        "{0} month": "{0}개월",
        "{0} day": "{0}일",
        "{0} value": "값 {0}개",
        "{0} point": "점 {0}개",
        "{0} other stage": "다른 단계 {0}개",
        "{0} stage": "{0}단계",

        // Tables.
        "{0}.": "{0}",
        "No rows.": "행이 없습니다.",
        "Showing {0} of {1}.": "{1} 중 {0}개를 보여 줍니다.",
        "Showing the last {0} of {1}.": "{1} 중 마지막 {0}개를 보여 줍니다.",
        "missing": "없음",
        "… {0} bytes in all": "… 모두 {0}바이트",
        "Scroll in the table for all {0}.": "표를 스크롤하면 {0}를 모두 볼 수 있습니다.",
        "Scroll in the table for the first {0}.": "표를 스크롤하면 처음 {0}를 볼 수 있습니다.",
        "Scroll in the table for the last {0}.": "표를 스크롤하면 마지막 {0}를 볼 수 있습니다.",

        // Drawings.
        "Nothing to draw: no row has a day.": "그릴 것이 없습니다. 날짜가 있는 행이 없습니다.",
        "Nothing to draw: no row has {0} and a value that can be drawn.":
            "그릴 것이 없습니다. {0}과(와) 그릴 수 있는 값이 모두 있는 행이 없습니다.",
        "Nothing to draw: no row has both {0} and {1}.": "그릴 것이 없습니다. {0}과(와) {1}이(가) 모두 있는 행이 없습니다.",
        "{0} of {1}": "{1}의 {0}",
        "{0} to {1}": "{0} ~ {1}",
        "{0}, {1}.": "{0}, {1}.",
        "{0} with {1}": "{0}에 {1}",
        "{0} everywhere.": "모두 {0}.",
        "Highest: {0}.": "최고: {0}.",
        "Highest: {0}; lowest: {1}.": "최고: {0}, 최저: {1}.",
        "In all {0}.": "모두 {0}.",
        "Hatched: not over yet, up to {0}.": "빗금: 아직 끝나지 않음, {0}까지.",
        "Lines": "선",
        "Bars": "막대",
        "Stacked bars": "쌓은 막대",
        "A grid": "격자",
        "{0} of {1}, {2}, for {3}.": "{1}의 {0}, {2}: {3}.",
        "{0}: {1} by {2}.": "{0}: {2}별 {1}.",
        "The figures behind the drawing": "그림의 수치",
        "Total": "합계",
        "Total {0}": "합계 {0}",
        "Other": "기타",
        "(missing)": "(없음)",
        "no value": "값 없음",
        "{0}, to {1}": "{0}, {1}까지",
        "{0} by {1}": "{1}별 {0}",
        "{0} by {1} and {2}": "{1}·{2}별 {0}",

        // What is not drawn.
        "Not drawn: {0} of several rows each, which may be no sums and so are not added.":
            "그리지 않음: 여러 행에 걸친 {0}. 합이 아닐 수 있어 더하지 않았습니다.",
        "Not drawn: {0} of the series, without a value.": "그리지 않음: 값이 없는 계열 {0}개.",
        "Not drawn: {0} whose {1} is not written as 2026-03.": "그리지 않음: {1}이(가) 2026-03 꼴이 아닌 {0}.",
        "Not drawn: {0} without {1}.": "그리지 않음: {1}이(가) 없는 {0}.",
        "Not drawn: {0} without a day.": "그리지 않음: 날짜가 없는 {0}.",
        "Not drawn: {0} without one of the numbers.": "그리지 않음: 두 수 중 하나가 없는 {0}.",
        "Not drawn: {0} that is no number up to 1e300.": "그리지 않음: 1e300까지의 수가 아닌 {0}.",
        "Drawn at the end of the axis: {0} beyond it.": "축 끝에 그림: 축을 벗어난 {0}.",
        "Places without rows are left out.": "행이 없는 자리는 뺐습니다.",
        "The {0} largest of {1} are drawn; the others are not.": "{1}개 중 큰 {0}개만 그렸습니다.",
        "The first {0} of {1} are drawn; the figures below have them all.":
            "{1}개 중 처음 {0}개를 그렸습니다. 아래 수치에는 모두 있습니다.",
        "Other is the sum of the {0} smaller ones.": "기타는 작은 {0}개의 합입니다.",
        "Only the latest {0} places are drawn; {1} before them are not.": "최근 {0}곳만 그렸습니다. 그 전의 {1}는 그리지 않았습니다.",
        "Only the first {0} names are drawn; {1} of others are not.": "처음 {0}개 이름만 그렸습니다. 다른 이름의 {1}는 그리지 않았습니다.",
        "Only the first {0} series are kept; {1} of others are not drawn.": "처음 {0}개 계열만 남겼습니다. 다른 계열의 {1}는 그리지 않았습니다.",
        "Only the latest {0} months are drawn; {1} before them are not.": "최근 {0}개월만 그렸습니다. 그 전의 {1}는 그리지 않았습니다.",
        "Every {0}th of {1} is drawn.": "{1} 중 {0}번째마다 하나씩 그렸습니다.",

        // Calendars.
        "Entries": "기록",
        "Days with entries": "기록이 있는 날",
        "Fullest day": "가장 많은 날",
        "today": "오늘",

        // The ledger.
        "Passed": "통과",
        "The ledger is off": "장부가 맞지 않음",
        "{0} read": "{0} 읽음",
        "{0} in this report": "이 보고서에 {0}개",
        "{0} dropped": "{0}개 버림",
        "none rejected": "거부 없음",
        "{0} in {1}": "{1}에서 {0}개",
        "{0} within limits ({1})": "한도 안에서 {0} ({1})",
        "{0}, and more in {1}": "{0}, 그리고 {1}",
        "where the rows went": "행이 간 곳",
        "Every row is accounted for, in {0}.": "{0}에서 모든 행의 행방을 압니다.",
        "This run kept no ledger.": "이 실행에는 장부가 없습니다.",
        "The ledger does not balance. Rows are unaccounted for in: {0}.": "장부가 맞지 않습니다. 행방을 모르는 행이 있는 단계: {0}.",
        "The ledger balances: every row is accounted for. In the one stage, the rows in and the rows made equal the rows out, rejected, dropped and folded. What was skipped is no row, such as a blank line.":
            "장부가 맞습니다. 모든 행의 행방을 압니다. 한 단계에서 들어온 행과 만든 행은 나간 행, 거부한 행, 버린 행, 접은 행과 같습니다. 빈 줄처럼 건너뛴 것은 행이 아닙니다.",
        "The ledger balances: every row is accounted for. In each of the {0} stages, the rows in and the rows made equal the rows out, rejected, dropped and folded. What was skipped is no row, such as a blank line.":
            "장부가 맞습니다. 모든 행의 행방을 압니다. {0}단계 모두에서 들어온 행과 만든 행은 나간 행, 거부한 행, 버린 행, 접은 행과 같습니다. 빈 줄처럼 건너뛴 것은 행이 아닙니다.",
        "The ledger as a table": "장부를 표로",
        "Stage": "단계",
        "In": "들어옴",
        "Made": "만듦",
        "Out": "나감",
        "Rejected": "거부",
        "Dropped": "버림",
        "Folded": "접음",
        "Skipped": "건너뜀",

        // Measures compared with earlier runs.
        "{0} run": "실행 {0}회",
        "median of {0}": "{0}의 중앙값",
        "{0} after {1}, that of {2}": "{0}, {2}에는 {1}",
        "{0} after {1}, that of the same weekday, {2}": "{0}, 같은 요일 {2}에는 {1}",
        "{0} after {1}, the median of 1 run of {2}": "{0}, {2} 실행의 중앙값은 {1}",
        "{0} after {1}, the median of {2} from {3} to {4}": "{0}, {3}부터 {4}까지 {2}의 중앙값은 {1}",
        "{0} from {1} to {2}: {3} at first, lowest {4} on {5}, highest {6} on {7}, last {8}":
            "{1}부터 {2}까지 {0}: 처음 {3}, 최저 {4}({5}), 최고 {6}({7}), 마지막 {8}",

        // The way of the rows.
        "The way of the rows": "행의 흐름",
        "passed on": "넘김",
        "rejected": "거부",
        "dropped or folded": "버리거나 접음",
        "{0} rejected": "{0}개 거부",
        "{0} {1}": "{1} {0}개",
        "{0} dropped otherwise": "그 밖에 {0}개 버림",
        "{0} folded": "{0}개 접음",
        "duplicates": "중복",
        "blank lines": "빈 줄",
        "comments": "주석",
        "footer rows": "바닥글 행",
        "repeated values": "되풀이된 값",
        "without a value": "값 없음",
        "without a start": "시작 없음",
        "without an anniversary": "기념일 없음",
        "lone snapshots": "홀로 있는 사본",
        "after as_of": "기준일 뒤",
    ]
}
