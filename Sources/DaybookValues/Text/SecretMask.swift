/// Replaces the values of secret params by `••••` in every text that leaves the run.
///
/// If one secret begins another, the longer is masked whole. The mask finds values as they are, in their CSV, YAML,
/// JSON Pointer and terminal spellings, and in all JSON spellings; still, mask a text before it is escaped. Without
/// secrets, no text is searched or copied.
public struct SecretMask: Sendable {
    /// Replacement of a secret.
    public static let mark = "••••"

    /// Minimum length of a secret. A shorter one cannot be hidden, since unrelated words contain it.
    public static let leastLength = 4

    /// Secrets, longest first.
    private let secrets: [[UInt8]]
    /// Flags of the 256 bytes: whether a secret begins with the byte.
    private let begins: [Bool]

    /// Ignores empty values, which every text contains.
    public init(_ secrets: [String]) {
        self.secrets = Set(secrets.filter { !$0.isEmpty }.flatMap(SecretMask.spellings)).sorted {
            $0.count > $1.count
        }
        var begins = [Bool](repeating: false, count: 256)
        for secret in self.secrets { begins[Int(secret[0])] = true }
        self.begins = begins
    }

    /// Spellings of a secret: as it is, and in quoted CSV fields, JSON Pointers, YAML strings, and on terminals.
    private static func spellings(of secret: String) -> [[UInt8]] {
        let texts = [
            secret, secret.replacingScalars("\"", with: "\"\""),
            secret.replacingScalars("~", with: "~0").replacingScalars("/", with: "~1"),
            secret.replacingScalars("'", with: "''"), PrintableText.of(secret),
        ]
        return texts.map { Array($0.utf8) }
    }

    /// Whether there are no secrets.
    public var isEmpty: Bool { secrets.isEmpty }

    public func masking(_ text: String) -> String {
        guard !isEmpty else { return text }
        var text = text
        let masked = text.withUTF8 { masking($0) }
        return masked.map { String(decoding: $0, as: UTF8.self) } ?? text
    }

    /// Bytes with every secret masked; nil if they contain none.
    public func masking(_ bytes: Cell) -> [UInt8]? {
        let found = ranges(in: bytes)
        guard !found.isEmpty else { return nil }
        var result: [UInt8] = []
        var copied = 0
        for range in found {
            result.append(contentsOf: bytes[copied..<range.lowerBound])
            result.append(contentsOf: SecretMask.mark.utf8)
            copied = range.upperBound
        }
        result.append(contentsOf: bytes[copied...])
        return result
    }

    /// Ranges of secrets in the bytes, in order.
    package func ranges(in bytes: ArraySlice<UInt8>) -> [Range<Int>] {
        let start = bytes.startIndex
        return bytes.withUnsafeBufferPointer { ranges(in: $0) }.map { start + $0.lowerBound..<start + $0.upperBound }
    }

    /// Nesting limit of escapes: JSON may contain JSON as text.
    private static let mostEscaped = 3

    private func ranges(in bytes: Cell, escaped times: Int = mostEscaped) -> [Range<Int>] {
        guard !isEmpty else { return [] }
        let plain = plainRanges(in: bytes)
        guard times > 0, let unescaped = JSONUnescaped(bytes) else { return plain }
        let escaped = unescaped.bytes.withUnsafeBufferPointer { ranges(in: $0, escaped: times - 1) }
        if escaped.isEmpty { return plain }
        var found: [Range<Int>] = []
        let all = plain + escaped.map(unescaped.stretch)
        for range in all.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = found.last, range.lowerBound < last.upperBound {
                found[found.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                found.append(range)
            }
        }
        return found
    }

    private func plainRanges(in bytes: Cell) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var index = 0
        while index < bytes.count {
            guard begins[Int(bytes[index])], let secret = secrets.first(where: bytes[index...].starts(with:)) else {
                index += 1
                continue
            }
            found.append(index..<index + secret.count)
            index += secret.count
        }
        return found
    }
}

/// Names of params and variables that indicate secrets.
package enum SecretName {
    private static let words: Set<String> = [
        "password", "passwords", "passwd", "passphrase", "secret", "secrets", "token", "tokens", "key", "keys",
        "apikey", "credential", "credentials",
    ]

    /// Whether a word of `name` indicates a secret: `DB_PASSWORD`, `apiKey` and `token2` do, `keyboard` does not.
    package static func speaks(_ name: String) -> Bool {
        !words.isDisjoint(with: NameWords.of(name, splitsAtDigits: true))
    }
}

package enum NameWords {
    /// Words of a name, in lower case, separated by signs and a change from small to capital letters, so that `tMin` is
    /// two words as `t_min` is.
    ///
    /// - Parameter splitsAtDigits: whether digits separate words too, and else belong to them.
    package static func of(_ name: String, splitsAtDigits: Bool = false) -> Set<String> {
        var words = [""]
        var last: Character = "_"
        for letter in name {
            let isPart = letter.isLetter || !splitsAtDigits && letter.isNumber
            if !isPart || (letter.isUppercase && last.isLowercase) { words.append("") }
            if isPart { words[words.count - 1] += letter.lowercased() }
            last = letter
        }
        return Set(words.filter { !$0.isEmpty })
    }
}

extension DaybookError {
    /// Error without its hint if its message contains a secret: the hint may contain a part of it, which the mask
    /// cannot find.
    package func withoutPartsOfSecrets(_ mask: SecretMask) -> DaybookError {
        guard mask.masking(message) != message else { return self }
        var error = self
        error.hint = nil
        return error
    }
}
