/// Tells the keys of dates in JSON by their names.
package enum DateKey {
    /// Whether the last word of a key is one for dates: `date`, `savedDate`, `startdate`, `createdAt`, `updated_at`.
    package static func saysDate(_ key: [UInt8]) -> Bool {
        var start = key.count
        while start > 0, isLetter(key[start - 1]) {
            start -= 1
            // A capital begins a word, unless all of them are capitals.
            if isCapital(key[start]), start + 1 < key.count, !isCapital(key[start + 1]) { break }
        }
        let word = String(decoding: key[start...], as: UTF8.self).lowercased()
        switch word {
        case "at": return start > 0
        case "timestamp": return true
        // Words of another meaning that end alike.
        case "update", "candidate", "mandate", "validate": return false
        default: return word.hasSuffix("date")
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (97...122).contains(byte | 0x20) }
    private static func isCapital(_ byte: UInt8) -> Bool { (65...90).contains(byte) }
}
