extension String {
    /// The beginning of a user's text, for a message.
    package var shortened: String { unicodeScalars.count <= 60 ? self : "\(String(unicodeScalars.prefix(60)))…" }

    /// The text with every `part` replaced, found among the Unicode scalars.
    ///
    /// Swift compares characters, and to Swift a quote followed by a combining mark is no quote. Every other program
    /// sees one, so text that is escaped for another program is searched by scalars.
    public func replacingScalars(_ part: String, with other: String) -> String {
        let (text, wanted) = (Array(utf8), Array(part.utf8))
        guard !wanted.isEmpty, text.count >= wanted.count else { return self }
        var result: [UInt8] = []
        var position = 0
        while position < text.count {
            if text[position...].starts(with: wanted) {
                result += other.utf8
                position += wanted.count
            } else {
                result.append(text[position])
                position += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
