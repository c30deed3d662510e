/// How a language writes numbers: the sign in front of decimals and the one between thousands.
///
/// A small table, rather than what the system knows, so that a page is the same on every machine.
package struct NumberSigns: Sendable, Hashable {
    package let decimal: String
    package let group: String
    /// What a page says in that language.
    package let words: PageWords

    /// - Parameter language: a tag such as `ko` or `de-CH`; what is not in the table writes numbers as English does.
    package init(language: String) {
        words = PageWords(language: language)
        let tag = language.lowercased()
        let main = tag.split(separator: "-").first.map(String.init) ?? ""
        (decimal, group) = NumberSigns.table[tag] ?? NumberSigns.table[main] ?? (".", ",")
    }

    private static let table: [String: (String, String)] = {
        let (hard, narrow) = ("\u{A0}", "\u{202F}")
        var table: [String: (String, String)] = ["fr": (",", narrow), "de-ch": (".", "’"), "de-at": (",", hard)]
        for tag in ["de", "es", "it", "nl", "pt", "id", "tr", "da", "el", "ro", "sl", "hr", "sr", "vi", "ca"] {
            table[tag] = (",", ".")
        }
        for tag in ["ru", "uk", "pl", "cs", "sk", "sv", "fi", "nb", "nn", "no", "hu", "bg", "et", "lv", "lt"] {
            table[tag] = (",", hard)
        }
        // As Spain does not, but the Americas do.
        for tag in ["es-mx", "es-us", "es-pr"] { table[tag] = (".", ",") }
        return table
    }()

    /// What `Figure` wrote, with the signs of this language.
    package func localised(_ figure: String) -> String {
        if decimal == ".", group == "," { return figure }
        return figure.reduce(into: "") { text, character in
            switch character {
            case ".": text += decimal
            case ",": text += group
            default: text.append(character)
            }
        }
    }
}
