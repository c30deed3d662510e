/// A token of Swift source.
struct SwiftToken: Sendable {
    enum Kind: Sendable, BitwiseCopyable { case word, text, number, mark, end }

    var kind: Kind
    /// Its characters; those between the quotes of a string, those between backticks of a name.
    var text: String
    /// The byte at which it begins.
    var at: Int
    /// The byte behind it.
    var end: Int
    var isFirstOnLine = false
    /// Whether it stands between `#if` and `#endif`.
    var isConditional = false
    /// Whether a name stands in backticks, or a string has neither escapes nor interpolations.
    var isPlain = false

    func `is`(_ mark: String) -> Bool { kind == .mark && text == mark }

    /// Whether it is this keyword, or a word that means something in this place only.
    func isWord(_ word: String) -> Bool { kind == .word && !isPlain && text == word }

    /// Whether it begins what observes a stored property.
    var isObserver: Bool { isWord("willSet") || isWord("didSet") }

    /// Whether a value may end before it.
    var endsValue: Bool { isFirstOnLine || kind == .end || ["}", ",", ";", "{"].contains(text) }
}

/// Cuts Swift source into tokens, without comments and without the insides of strings.
struct SwiftLexer {
    /// The longest source that is read.
    static let limit = 8 << 20
    /// How deep comments, and strings within interpolations, may be nested.
    private static let deepest = 64

    private let bytes: [UInt8]
    private let name: String
    private var position = 0
    private(set) var tokens: [SwiftToken] = []
    private var isFirstOnLine = true
    private var conditions = 0

    init(_ bytes: [UInt8], name: String) throws(DaybookError) {
        (self.bytes, self.name) = (bytes, name)
        guard bytes.count <= SwiftLexer.limit else {
            let message = "'\(name)' has more than \(SwiftLexer.limit >> 20) MiB, which is no source of an app's models"
            throw DaybookError("swift-model", message)
        }
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
        if bytes[position...].starts(with: Array("#!".utf8)) { skipLine() }
        while try readToken() {}
        append(.end, "", from: bytes.count)
    }

    /// The place of a byte, in lines and characters from 1.
    static func place(_ at: Int, in bytes: [UInt8], name: String) -> SourcePlace {
        let before = bytes[..<min(at, bytes.count)]
        let line = before.count { $0 == 0x0A } + 1
        let start = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        // A byte that continues a character is none of its own.
        let column = bytes[start..<before.endIndex].count { $0 & 0xC0 != 0x80 } + 1
        return SourcePlace(file: name, line: line, column: column)
    }

    private func byte(_ ahead: Int = 0) -> UInt8 {
        position + ahead < bytes.count ? bytes[position + ahead] : 0
    }

    private func fault(_ message: String, at: Int) -> DaybookError {
        let place = SwiftLexer.place(at, in: bytes, name: name)
        return DaybookError("swift-model", message, at: place, hint: "the file must be one that Swift compiles")
    }

    private func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    private mutating func append(_ kind: SwiftToken.Kind, _ text: String, from start: Int, isPlain: Bool = false) {
        var token = SwiftToken(kind: kind, text: text, at: start, end: position, isPlain: isPlain)
        (token.isFirstOnLine, token.isConditional) = (isFirstOnLine, conditions > 0)
        tokens.append(token)
        isFirstOnLine = false
    }

    private mutating func skipLine() {
        while position < bytes.count, byte() != 0x0A, byte() != 0x0D { position += 1 }
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte) || byte == 0x5F
            || byte >= 0x80
    }

    /// Reads a token or steps over what is none; false at the end.
    private mutating func readToken() throws(DaybookError) -> Bool {
        guard position < bytes.count else { return false }
        let start = position
        switch byte() {
        case 0x0A, 0x0D:
            isFirstOnLine = true
            position += 1
        case 0x00...0x20: position += 1
        case UInt8(ascii: "/") where byte(1) == UInt8(ascii: "/"): skipLine()
        case UInt8(ascii: "/") where byte(1) == UInt8(ascii: "*"): try skipComment()
        case UInt8(ascii: "/") where skipRegex(): append(.text, "", from: start)
        case UInt8(ascii: "\""): try readString(hashes: 0)
        case UInt8(ascii: "#"): try readHash()
        case UInt8(ascii: "`"):
            position += 1
            while position < bytes.count, byte() != UInt8(ascii: "`"), byte() != 0x0A { position += 1 }
            let end = position
            if byte() == UInt8(ascii: "`") { position += 1 }
            append(.word, text(start + 1..<end), from: start, isPlain: true)
        case 48...57: readNumber()
        case let byte where SwiftLexer.isWordByte(byte):
            while SwiftLexer.isWordByte(self.byte()) { position += 1 }
            append(.word, text(start..<position), from: start)
        case UInt8(ascii: "-") where byte(1) == UInt8(ascii: ">"):
            position += 2
            append(.mark, "->", from: start)
        default:
            position += 1
            append(.mark, text(start..<position), from: start)
        }
        return true
    }

    private mutating func readNumber() {
        let start = position
        while true {
            while SwiftLexer.isWordByte(byte()) { position += 1 }
            // A point belongs to the number only before a digit, and a sign only behind an exponent.
            let isExponent =
                bytes[position - 1] | 0x20 == UInt8(ascii: "e") && !text(start..<position).lowercased().hasPrefix("0x")
            let goesOn = byte() == UInt8(ascii: ".") || isExponent && "+-".utf8.contains(byte())
            guard goesOn, (48...57).contains(byte(1)) else { break }
            position += 1
        }
        append(.number, text(start..<position), from: start)
    }

    private mutating func skipComment() throws(DaybookError) {
        let start = position
        var depth = 0
        repeat {
            guard position < bytes.count else { throw fault("a comment opens here and is never closed", at: start) }
            let opens = byte() == UInt8(ascii: "/") && byte(1) == UInt8(ascii: "*")
            if opens || byte() == UInt8(ascii: "*") && byte(1) == UInt8(ascii: "/") {
                depth += opens ? 1 : -1
                position += 2
            } else {
                if byte() == 0x0A { isFirstOnLine = true }
                position += 1
            }
        } while depth > 0
    }

    /// Steps over `/…/` where a value may begin, as Swift takes it for a regular expression.
    private mutating func skipRegex() -> Bool {
        guard !(0x00...0x20).contains(byte(1)) else { return false }
        if let last = tokens.last {
            let begins = ["(", "[", "{", ",", "=", ":", ";"]
            let isValue = last.kind != .mark || !begins.contains(last.text)
            if isValue, !last.isWord("return"), !last.isWord("in") { return false }
        }
        var place = position + 1
        while place < bytes.count, bytes[place] != 0x0A {
            if bytes[place] == UInt8(ascii: "/") {
                position = place + 1
                return true
            }
            place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1
        }
        return false
    }

    /// Reads `#"…"#`, `#/…/#`, `#if` and its kin; any other `#` is a mark.
    private mutating func readHash() throws(DaybookError) {
        let start = position
        var hashes = 0
        while byte(hashes) == UInt8(ascii: "#") { hashes += 1 }
        if byte(hashes) == UInt8(ascii: "\"") {
            position += hashes
            return try readString(hashes: hashes)
        }
        if byte(hashes) == UInt8(ascii: "/") {
            position += hashes + 1
            let closing = [UInt8(ascii: "/")] + [UInt8](repeating: UInt8(ascii: "#"), count: hashes)
            while position < bytes.count, !bytes[position...].starts(with: closing) { position += 1 }
            guard position < bytes.count else {
                throw fault("a regular expression opens here and is never closed", at: start)
            }
            position += closing.count
            return append(.text, "", from: start)
        }
        var end = position + 1
        while end < bytes.count, SwiftLexer.isWordByte(bytes[end]) { end += 1 }
        switch text(position + 1..<end) {
        case "if":
            conditions += 1
            skipLine()
        case "elseif", "else", "sourceLocation": skipLine()
        case "endif":
            conditions = max(0, conditions - 1)
            skipLine()
        default:
            position += 1
            append(.mark, "#", from: start)
        }
    }

    /// Reads a string, at its first quote, which so many `#` precede.
    private mutating func readString(hashes: Int) throws(DaybookError) {
        let (start, isFirst) = (position, isFirstOnLine)
        let (content, isPlain) = try skipString(hashes: hashes, depth: 0)
        // A comment in an interpolation may have line ends.
        isFirstOnLine = isFirst
        append(.text, text(content), from: start, isPlain: isPlain)
    }

    private mutating func skipString(
        hashes: Int,
        depth: Int
    ) throws(DaybookError) -> (content: Range<Int>, isPlain: Bool) {
        let opening = position
        guard depth < SwiftLexer.deepest else { throw fault("strings are nested too deeply here", at: opening) }
        let quote = UInt8(ascii: "\"")
        let isLong = byte(1) == quote && byte(2) == quote
        position += isLong ? 3 : 1
        let start = position
        let marks = [UInt8](repeating: UInt8(ascii: "#"), count: hashes)
        let closing = [UInt8](repeating: quote, count: isLong ? 3 : 1) + marks
        var isPlain = !isLong
        while position < bytes.count {
            switch byte() {
            case quote where bytes[position...].starts(with: closing):
                let content = start..<position
                position += closing.count
                return (content, isPlain)
            case UInt8(ascii: "\\") where bytes[(position + 1)...].starts(with: marks):
                isPlain = false
                position += 1 + hashes
                if byte() == UInt8(ascii: "(") { try skipInterpolation(depth: depth + 1) } else { position += 1 }
            case 0x0A where !isLong: throw fault("a string opens here and is not closed on its line", at: opening)
            default: position += 1
            }
        }
        throw fault("a string opens here and is never closed", at: opening)
    }

    /// Steps over the parentheses of an interpolation.
    private mutating func skipInterpolation(depth: Int) throws(DaybookError) {
        let start = position
        var open = 0
        while position < bytes.count {
            switch byte() {
            case UInt8(ascii: "("), UInt8(ascii: ")"):
                open += byte() == UInt8(ascii: "(") ? 1 : -1
                position += 1
                if open == 0 { return }
            case UInt8(ascii: "/") where byte(1) == UInt8(ascii: "*"): try skipComment()
            case UInt8(ascii: "\""):
                var hashes = 0
                while hashes < position, bytes[position - hashes - 1] == UInt8(ascii: "#") { hashes += 1 }
                _ = try skipString(hashes: hashes, depth: depth)
            default: position += 1
            }
        }
        throw fault("an interpolation opens here and is never closed", at: start)
    }
}
