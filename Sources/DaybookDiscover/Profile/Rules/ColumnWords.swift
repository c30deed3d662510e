/// The words of a column's name.
enum NameWords {
    static func of(_ name: String) -> Set<String> {
        // `tMin` is two words as `t_min` is.
        var words: [String] = [""]
        var before: Character = " "
        for letter in name {
            if !letter.isLetter && !letter.isNumber {
                words.append("")
            } else {
                if letter.isUppercase, before.isLowercase { words.append("") }
                words[words.count - 1].append(letter)
            }
            before = letter
        }
        return Set(words.filter { !$0.isEmpty }.map { $0.lowercased() })
    }
}

/// Words in the names of keys.
enum KeyWords {
    private static let words: Set<String> = [
        "id", "ids", "key", "code", "no", "nr", "num", "number", "uuid", "ref", "index", "serial", "번호", "아이디", "코드",
    ]

    /// Words that end with `id` and name no key, as `geonameid` does.
    private static let others: Set<String> = [
        "acid", "bid", "covid", "fluid", "grid", "humid", "hybrid", "invalid", "lipid", "liquid", "mid", "paid",
        "prepaid",
        "repaid", "solid", "unpaid", "valid", "void",
    ]

    static func are(in name: String) -> Bool {
        NameWords.of(name).contains { words.contains($0) || ($0.hasSuffix("id") && !others.contains($0)) }
    }
}

/// A column's name in an expression.
enum ExpressionName {
    static func of(_ name: String) -> String {
        let isPlain = name.utf8.allSatisfy {
            (97...122).contains($0) || (65...90).contains($0) || (48...57).contains($0) || $0 == 95
        }
        let isWord = name.utf8.contains(95) || name.utf8.contains { (48...57).contains($0) } || name.utf8.count == 1
        let beginsWell = name.utf8.first.map { !(48...57).contains($0) } ?? false
        // A word may be a keyword of the language: `in`, `between`.
        return isPlain && isWord && beginsWell ? name : "`\(name.replacingScalars("`", with: "``"))`"
    }
}
