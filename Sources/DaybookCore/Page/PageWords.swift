/// What a page of `export_html` says by itself, in Korean where that is the language of the page, and in English otherwise.
///
/// A text is looked up by what it says in English. Kept here rather than asked of the system, so that a page is the same on every machine.
package struct PageWords: Sendable, Hashable {
    package let isKorean: Bool

    /// - Parameter language: a tag such as `ko` or `en-GB`, or empty.
    package init(language: String = "") {
        isKorean = language.split(separator: "-").first.map { $0.lowercased() == "ko" } ?? false
    }

    /// The language of what it says.
    package var tag: String { isKorean ? "ko" : "en" }

    /// A text, in which `{0}`, `{1}` and so on stand for the parts.
    package func callAsFunction(_ english: String, _ parts: String...) -> String {
        filled(english, parts) { $0 }
    }

    /// The same with markup as parts.
    package func markup(_ english: String, _ parts: HTML...) -> HTML {
        "\(own: filled(english, parts.map(\.text)) { HTMLText.escaped($0) })"
    }

    /// `1 row`, `2,000 rows`, `행 2,000개`.
    package func count(_ count: Int, _ noun: String) -> String {
        isKorean ? self("{0} \(noun)", Figure.grouped(count)) : Figure.counted(count, noun)
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
