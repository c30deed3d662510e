/// Makes text safe to stand in Markdown, also in a cell of a table: nothing in it becomes a tag, a link, a mention or a mark.
enum MarkdownText {
    /// What GitHub's Markdown may take for its own; a reference to the character is never taken for it.
    private static let special = Set("&<>\\`*_{}[]()#+-!|~@$:\"'^=".unicodeScalars)

    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in PrintableText.of(text).unicodeScalars {
            if special.contains(scalar) { result += "&#\(scalar.value);" } else { result.unicodeScalars.append(scalar) }
        }
        // The one link that begins without any of these.
        return result.replacing("www.", with: "www&#46;")
    }
}
