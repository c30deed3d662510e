import Foundation

/// The style sheet of a page. All pages of a kind have the same one, so expectations keep it once, in `Sheets`, and the pages
/// without it: a change of style is one diff to review.
struct PageSheet {
    /// What the page shows: `report`, `run` or `profile`; `report-compared` with measures beside earlier runs.
    var kind: String
    var text: String
    /// The page with `…` in place of the sheet.
    var rest: Data

    /// Nil for what has no sheet.
    init?(of page: Data) {
        let page = String(decoding: page, as: UTF8.self)
        guard let start = page.firstRange(of: "<style>\n")?.upperBound,
            let end = page[start...].firstRange(of: "</style>")?.lowerBound
        else { return nil }
        text = String(page[start..<end])
        rest = Data((page[..<start].dropLast() + "…" + page[end...]).utf8)
        let word = page[end...].firstMatch(of: /<p class="kicker">Daybook ([a-z보고서]+)<\/p>/).map { String($0.1) }
        let shown = word == "보고서" ? "report" : word ?? "unknown"
        kind = shown == "report" && text.contains(".tiles .delta") ? "report-compared" : shown
    }

    /// Where the sheet of this kind of page is kept.
    var file: URL {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Sheets/\(kind).css")
    }
}
