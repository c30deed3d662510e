/// Names of params and variables that speak of secrets.
enum SecretName {
    private static let words: Set = [
        "password", "passwords", "passwd", "passphrase", "secret", "secrets", "token", "tokens", "key", "keys",
        "apikey",
        "credential", "credentials",
    ]

    /// Whether one of the words of `name` is such: `DB_PASSWORD`, `apiKey` and `token2` are, `keyboard` is not.
    static func speaks(_ name: String) -> Bool { parts(of: name).contains { words.contains($0) } }

    /// The words of a name, in lower case: what `_`, `-`, digits and a change from small to capital letters part.
    private static func parts(of name: String) -> [String] {
        var parts = [""]
        var last: Character = "_"
        for letter in name {
            if !letter.isLetter || (letter.isUppercase && last.isLowercase) { parts.append("") }
            if letter.isLetter { parts[parts.count - 1] += letter.lowercased() }
            last = letter
        }
        return parts
    }
}
