/// Names of Swift source, made of the keys of JSON.
enum SwiftName {
    private static let keywords: Set<String> = [
        "Any", "as", "associatedtype", "async", "await", "break", "case", "catch", "class", "continue", "default",
        "defer", "deinit", "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func",
        "guard", "if", "import", "in", "inout", "internal", "is", "let", "nil", "operator", "precedencegroup",
        "private", "protocol", "public", "repeat", "rethrows", "return", "static", "struct", "subscript", "super",
        "switch", "throw", "throws", "true", "try", "typealias", "var", "where", "while",
    ]
    /// Names that Swift or the coding that it makes has for something else.
    private static let taken: Set<String> = ["_", "init", "self", "Self", "Type", "Protocol", "CodingKeys", "encode"]
    /// Types that a model may name, beside those that have values.
    static let knownTypes: Set<String> = [
        "Any", "AnyObject", "Array", "CaseIterable", "Codable", "CodingKey", "ContiguousArray", "Decodable", "Decoder",
        "Dictionary", "Encodable", "Encoder", "Foundation", "Optional", "Records", "Set", "Swift",
    ]

    private static func begins(_ scalar: Unicode.Scalar) -> Bool { scalar == "_" || scalar.properties.isXIDStart }
    private static func goesOn(_ scalar: Unicode.Scalar) -> Bool { scalar == "_" || scalar.properties.isXIDContinue }

    /// Whether a key is a name as it stands, perhaps in backticks.
    static func isPlain(_ key: String) -> Bool {
        guard let first = key.unicodeScalars.first, begins(first), !taken.contains(key) else { return false }
        return key.unicodeScalars.allSatisfy(goesOn)
    }

    static func quoted(_ name: String) -> String { keywords.contains(name) ? "`\(name)`" : name }

    static func raised(_ word: String) -> String { word.prefix(1).uppercased() + word.dropFirst() }

    /// The parts of a key that may stand in a name.
    static func words(_ key: String, cutting mark: Unicode.Scalar? = nil) -> [String] {
        key.unicodeScalars.split { !goesOn($0) || $0 == mark }.map { String(String.UnicodeScalarView($0)) }
    }

    /// A name for a key that is none: `dueDate` for `due-date`, `_1st` for `1st`.
    static func property(_ key: String) -> String {
        if taken.contains(key), key != "_" { return key.prefix(1).lowercased() + key.dropFirst() + "Value" }
        var name = words(key).enumerated().map { $0.offset == 0 ? $0.element : raised($0.element) }.joined()
        if name.unicodeScalars.allSatisfy({ $0.isASCII }) { name = name.prefix(1).lowercased() + name.dropFirst() }
        if isPlain(name) { return name }
        return isPlain("_" + name) && !name.isEmpty ? "_" + name : "field"
    }

    /// A key as a string without escapes; nil where only escapes can spell it.
    static func literal(_ key: String) -> String? {
        let isShown = key.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F || $0 == "\t" }
        guard isShown, !key.hasPrefix("\""), key.utf8.count < 1_000 else { return nil }
        var marks = ""
        // More marks than stand anywhere behind a quote or a backslash.
        while key.utf8.contains(where: { $0 == 0x22 || $0 == 0x5C }), marks.count < 64 {
            if !marks.isEmpty, !key.contains("\"" + marks), !key.contains("\\" + marks) { break }
            marks += "#"
        }
        return marks.count < 64 ? "\(marks)\"\(key)\"\(marks)" : nil
    }
}
