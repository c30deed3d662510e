/// Writes texts such that a job file reads back exactly those texts.
package enum YAMLScalar {
    /// The text as a scalar that is valid anywhere, also inside brackets: plain if that is unambiguous, else in double
    /// quotes.
    package static func of(_ text: String) -> String {
        // In a value, two dollars and a brace are the text of one dollar and a brace.
        isPlain(text) ? text : quoted(text).replacingScalars("${", with: "$${")
    }

    /// The text as a key, in which dollar signs are literal.
    package static func key(_ text: String) -> String { isPlain(text) ? text : quoted(text) }

    /// A value on one line.
    package static func of(_ value: SuggestedValue) -> String {
        switch value {
        case .text(let text): of(text)
        case .plain(let text): text
        case .list(let values): "[\(values.map { of($0) }.joined(separator: ", "))]"
        case .map(let options):
            options.isEmpty
                ? "{}" : "{ \(options.map { "\(key($0.key)): \(of($0.value))" }.joined(separator: ", ")) }"
        }
    }

    private static let words: Set<String> = ["null", "true", "false", "yes", "no", "on", "off"]
    /// Characters without a meaning in the middle of a scalar, beside letters and digits.
    private static let harmless = Set("_-./+ ()=".unicodeScalars)

    private static func isPlain(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first, let last = text.unicodeScalars.last else { return false }
        guard
            first.properties.isAlphabetic || "0"..."9" ~= first || first == "/" || first == "_" || text.hasPrefix("./")
                || text.hasPrefix("../")
        else { return false }
        guard last != " ", !words.contains(text.lowercased()) else { return false }
        return text.unicodeScalars.allSatisfy { scalar in
            let isWord = scalar.isASCII ? scalar.properties.isAlphabetic || "0"..."9" ~= scalar : isLetter(scalar)
            return isWord || harmless.contains(scalar)
        }
    }

    private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isAlphabetic && PrintableText.of(scalar) == scalar
    }

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            if let escape = escapes[scalar] {
                result += escape
            } else if CommentText.isShown(scalar) {
                result.unicodeScalars.append(scalar)
            } else {
                let isLong = scalar.value > 0xFFFF
                result += (isLong ? "\\U" : "\\u") + scalar.value.padded(to: isLong ? 8 : 4, radix: 16)
            }
        }
        return result + "\""
    }

    private static let escapes: [Unicode.Scalar: String] = [
        "\"": "\\\"", "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r",
    ]
}

/// Texts in the comments of a job, where a line break of the data would end the comment.
package enum CommentText {
    package static func of(_ text: String) -> String {
        let scalars = text.unicodeScalars.map { scalar -> Unicode.Scalar in
            if scalar.value < 0x20 { return PrintableText.of(scalar == "\t" ? " " : scalar) }
            return isShown(scalar) ? scalar : "\u{FFFD}"
        }
        return String(String.UnicodeScalarView(scalars))
    }

    /// Whether a YAML file may hold the character as it is, and a person would see it.
    package static func isShown(_ scalar: Unicode.Scalar) -> Bool {
        guard PrintableText.of(scalar) == scalar, scalar.value >= 0x20 else { return false }
        switch scalar.value {
        case 0xFEFF, 0xFFFE, 0xFFFF, 0xFFF9...0xFFFB, 0xE000...0xF8FF: return false
        default: return true
        }
    }
}

/// Value in the place of a stage's options: `sort_rows: date`.
package struct MisplacedValue {
    package let error: DaybookError

    package init(_ value: OptionNode, of stage: String, _ options: [OptionSpec]) {
        // Option that the author probably meant.
        let option = options.first { $0.isRequired } ?? options.first
        let hint = option.flatMap { option in
            MisplacedValue.text(of: value, as: option.kind).map { written in
                "write '\(stage): { \(option.key): \(written.utf8.count > 60 ? "…" : written) }'"
            }
        }
        error = value.expected("a map with the options of \(stage.quotedForMessage)", hint: hint)
    }

    /// Text of the value for an option of this kind; nil if the value is of another kind.
    private static func text(of node: OptionNode, as kind: OptionKind) -> String? {
        switch kind {
        case .list(let kind):
            guard let items = node.list else { return text(of: node, as: kind) }
            let texts = items.prefix(20).compactMap { text(of: $0, as: kind) }
            return texts.count == items.count ? "[\(texts.joined(separator: ", "))]" : nil
        case .either(let kinds): return kinds.lazy.compactMap { text(of: node, as: $0) }.first
        case .map, .object, .schema: return nil
        case .integer, .decimal, .flag, .day: return node.plainText
        case .text, .column, .expression, .path, .dateFormat, .choice: return node.text.map { YAMLScalar.of($0) }
        }
    }
}
