extension YAMLFailure {
    /// The failure in words that describe what should have been written.
    ///
    /// - Parameter lastEnd: The scalar at the end of the last readable part.
    func error(in source: SourceText, after lastEnd: Int) -> DaybookError {
        if isMemory {
            return .machine("out-of-memory", "the machine has no memory left to read the job file")
        }
        if let byte { return unreadableByte(byte, in: source) }
        if let needsQuotes = unquotedParam(in: source) { return needsQuotes }
        if let noComma = missingComma(in: source, after: lastEnd) { return noComma }
        var (message, hint) = Self.rewordings[problem] ?? (problem, nil)
        var scalar = scalar
        if Self.problemsNoticedLate.contains(problem), let contextScalar {
            // libyaml reports where it gives up; the person looks for the bracket, quote or key that began it.
            if problem.hasPrefix("did not find") {
                hint =
                    "expected \(problem.dropFirst("did not find expected ".count)) by line \(line(of: scalar, in: source))"
            }
            scalar = contextScalar
        } else if context.contains("anchor") || context.contains("alias") {
            message = "expected a name of letters and digits after '&' or '*'"
            hint = "a text that begins with & or * needs quotes, such as \"*.csv\""
        } else if problem == "found character that cannot start any token" {
            (message, hint) = badBeginning(in: source)
        } else if problem == "did not find expected key", lastEnd > 0,
            line(of: scalar, in: source) == line(of: lastEnd, in: source)
        {
            message = "expected the end of the line here"
            hint = "a value that only begins with a quote or a bracket needs quotes around all of it"
        }
        return DaybookError("yaml-syntax", message, at: source.place(ofScalars: scalar..<scalar + 1), hint: hint)
    }

    private static let problemsNoticedLate: Set<String> = [
        "found unexpected end of stream", "could not find expected ':'", "did not find expected ',' or ']'",
        "did not find expected ',' or '}'",
    ]

    private func badBeginning(in source: SourceText) -> Wording {
        let byte = source.byte(ofScalar: scalar)
        guard byte < source.bytes.count, source.bytes[byte] != .tab else {
            return Self.tab
        }
        let character = Character(Unicode.Scalar(source.bytes[byte]))
        return ("a value cannot begin with '\(character)'", "put the value in quotes")
    }

    private func line(of scalar: Int, in source: SourceText) -> Int {
        source.place(ofScalars: scalar..<scalar + 1).line
    }

    private func unreadableByte(_ byte: Int, in source: SourceText) -> DaybookError {
        // libyaml tells the byte at which it noticed.
        let isControl = problem.hasPrefix("control characters")
        let byte = isControl ? byte : YAMLFailure.firstInvalidByte(of: source.bytes) ?? byte
        let value = byte < source.bytes.count ? source.bytes[byte] : 0
        let place = source.place(ofBytes: byte..<byte + 1)
        if isControl {
            return DaybookError(
                "control-character",
                value == 0
                    ? "a NUL character stands in the file"
                    : "a control character stands in the file (byte 0x\(value.padded(to: 2, radix: 16, uppercase: true)))",
                at: place,
                hint: "a job file is text in UTF-8; in \"double quotes\" write such a character as \\x.."
            )
        }
        return DaybookError(
            "bad-encoding",
            "the file is not UTF-8 (byte 0x\(String(value, radix: 16, uppercase: true)))",
            at: place,
            hint: "save it as UTF-8"
        )
    }

    /// Where UTF-8 text ends to be that; nil if all of it is.
    private static func firstInvalidByte(of bytes: [UInt8]) -> Int? {
        var (parser, rest, position) = (Unicode.UTF8.ForwardParser(), bytes.makeIterator(), 0)
        while true {
            switch parser.parseScalar(from: &rest) {
            case .valid(let scalar): position += scalar.count
            case .error: return position
            case .emptyInput: return nil
            }
        }
    }

    /// `{ path: ${diary} }`: to YAML the second `{` opens a map.
    private func unquotedParam(in source: SourceText) -> DaybookError? {
        let byte = source.byte(ofScalar: scalar)
        guard byte > 0, byte < source.bytes.count, source.bytes[byte] == UInt8(ascii: "{"),
            source.bytes[byte - 1] == UInt8(ascii: "$")
        else { return nil }
        var end = byte
        while end < source.bytes.count, source.bytes[end] != UInt8(ascii: "}"), !source.bytes[end].endsLine { end += 1 }
        let isClosed = end < source.bytes.count && source.bytes[end] == UInt8(ascii: "}")
        let range = byte - 1..<(isClosed ? end + 1 : byte + 1)
        let written = isClosed ? String(decoding: source.bytes[range], as: UTF8.self).shortened(to: 80) : "${…}"
        return DaybookError(
            "yaml-syntax",
            "inside { } or [ ] a value with ${…} needs quotes",
            at: source.place(ofBytes: range),
            hint: "write \"\(written)\""
        )
    }

    private typealias Wording = (message: String, hint: String?)
    private static let tab: Wording = ("a tab stands where a space has to", "indent with spaces")
    private static let noEscape: Wording = (
        "this is no escape in double quotes", "in 'single quotes' a backslash is a plain character"
    )
    private static let blockText: Wording = (
        "only a comment can stand behind '|' or '>' on this line", "a text that begins with | or > needs quotes"
    )

    private static let rewordings: [String: Wording] = [
        "mapping values are not allowed in this context": (
            "a ':' cannot stand here",
            "a value that holds ': ' needs quotes; a new key begins on a line of its own"
        ),
        "found unexpected end of stream": ("the quote that opens here is never closed", nil),
        "could not find expected ':'": ("expected ':' after this key", "a key and its value are written 'key: value'"),
        "did not find expected '-' indicator": (
            "expected '- ' here, as before the other entries of the list",
            "entries of one list begin in the same column"
        ),
        "did not find expected key": ("expected a key here", "keys of one map begin in the same column"),
        "did not find expected ',' or ']'": ("the '[' that opens here is not closed", nil),
        "did not find expected ',' or '}'": ("the '{' that opens here is not closed", nil),
        "did not find expected node content": ("expected a value here", nil),
        "did not find expected <document start>": (
            "expected the end of the file here", "a job is one map: every line belongs to a key at the left margin"
        ),
        "block sequence entries are not allowed in this context": (
            "a '- ' cannot stand here", "an entry of a list begins on a line of its own"
        ),
        "block mapping keys are not allowed in this context": (
            "a key cannot stand here", "a key begins on a line of its own"
        ),
        "mapping keys are not allowed in this context": (
            "a '? ' cannot stand here", "a text that begins with ? needs quotes"
        ),
        "found unknown escape character": noEscape,
        "found invalid Unicode character escape code": noEscape,
        "did not find expected hexdecimal number": noEscape,
        "found unknown directive name": ("a line that begins with % is not read", nil),
        "found incompatible YAML document": ("expected YAML 1.1 or 1.2", "take out this line"),
        "found a tab character where an indentation space is expected": tab,
        "found a tab character that violates indentation": tab,
        "found unexpected document indicator": ("the file's '---' or '...' stands inside a quoted text", nil),
        "did not find expected comment or line break": blockText,
        "did not find expected digit or '-' indicator": blockText,
        "found undefined tag handle": ("the tag is not read", "a text that begins with ! needs quotes"),
    ]
}

/// An entry inside `{ }` or `[ ]` without a comma after the entry before it.
///
/// libyaml only reports that it expected a comma or the closing bracket. If another entry follows inside the bracket,
/// the comma is missing; if the value only continues, its quotes are missing; elsewhere the bracket is not closed.
extension YAMLFailure {
    /// The error that a comma is missing, or that a value has no quotes; nil where the bracket is not closed.
    ///
    /// - Parameter lastEnd: The scalar where the last thing that could be read ended.
    func missingComma(in source: SourceText, after lastEnd: Int) -> DaybookError? {
        guard problem == "did not find expected ',' or '}'" || problem == "did not find expected ',' or ']'",
            let contextScalar
        else { return nil }
        let bytes = source.bytes
        let found = source.byte(ofScalar: scalar)
        guard found < bytes.count, !"]}".utf8.contains(bytes[found]) else { return nil }
        var entry = found..<found + 1
        if bytes[found] == UInt8(ascii: ":") {
            // A value may hold blanks: `a.csv delimiter` was read as one, and its last word is the next key.
            entry = lastWord(before: source.byte(ofScalar: lastEnd), in: bytes)
            let before = bytes[..<entry.lowerBound].last { !$0.isSpace }
            guard let before, !"{[,:".utf8.contains(before) else { return unquotedColon(found, in: source) }
        } else {
            entry = found..<wordEnd(from: found, in: bytes)
        }
        guard !entry.isEmpty, isInside(entry.lowerBound, source.byte(ofScalar: contextScalar), in: source) else {
            return nil
        }
        let isList = bytes[source.byte(ofScalar: contextScalar)] == UInt8(ascii: "[")
        guard bytes[found] == UInt8(ascii: ":") || (isList ? beginsItem(found, bytes) : isKey(entry, bytes)) else {
            return unquotedRest(found, after: source.byte(ofScalar: lastEnd), in: source)
        }
        let word = String(decoding: bytes[entry], as: UTF8.self).shortened(to: 40)
        let brackets = isList ? "[ ]" : "{ }"
        return DaybookError(
            "yaml-syntax",
            "a comma is missing before '\(word)'",
            at: source.place(ofBytes: entry),
            hint: "inside \(brackets) a comma and a blank separate entries"
        )
    }

    /// `{ note: a: b }`
    private func unquotedColon(_ byte: Int, in source: SourceText) -> DaybookError {
        DaybookError(
            "yaml-syntax",
            "a ':' cannot stand here",
            at: source.place(ofBytes: byte..<byte + 1),
            hint: "a value that holds ': ' needs quotes; inside { } a comma stands before the next key"
        )
    }

    /// `{ path: 'it's' }`, `{ path: a[1].csv }`, `{ where: "a" = "b" }`
    private func unquotedRest(_ byte: Int, after end: Int, in source: SourceText) -> DaybookError? {
        let bytes = source.bytes
        guard end <= byte, !bytes[end..<byte].contains(where: { $0 == 0x0A || $0 == 0x0D }) else { return nil }
        let length = bytes[byte...].prefix { !$0.isSpace && !",}".utf8.contains($0) }.count
        let rest = byte..<byte + max(1, length)
        return DaybookError(
            "yaml-syntax",
            "a value cannot go on with '\(String(decoding: bytes[rest], as: UTF8.self).shortened(to: 40))'",
            at: source.place(ofBytes: rest),
            hint: "put all of the value in \"double quotes\", or in 'single quotes' where it holds double ones"
        )
    }

    /// Whether a key is there: a word, or a text in quotes, followed by a colon.
    private func isKey(_ entry: Range<Int>, _ bytes: [UInt8]) -> Bool {
        var end = entry.upperBound
        let first = bytes[entry.lowerBound]
        if "\"'".utf8.contains(first) {
            guard let closing = bytes[(entry.lowerBound + 1)...].firstIndex(of: first) else { return false }
            end = closing + 1
        }
        while end < bytes.count, bytes[end] == 0x20 { end += 1 }
        guard end < bytes.count, bytes[end] == UInt8(ascii: ":") else { return false }
        return end + 1 == bytes.count || bytes[end + 1].isSpace
    }

    /// Whether another list item is there, rather than more of the item before it.
    private func beginsItem(_ byte: Int, _ bytes: [UInt8]) -> Bool {
        let (before, first) = (bytes[byte - 1], bytes[byte])
        let opens = "\"'{[".utf8.contains(first)
        if opens, "\"'}]".utf8.contains(before) { return true }
        let isWord = first >= 0x80 || Character(Unicode.Scalar(first)).isLetter || (0x30...0x39).contains(first)
        return before.isSpace && (opens || isWord)
    }

    /// Whether an entry is on the line of the open bracket, or is indented deeper than that line.
    private func isInside(_ entry: Int, _ bracket: Int, in source: SourceText) -> Bool {
        let lines = (source.place(ofBytes: bracket..<bracket + 1).line, source.place(ofBytes: entry..<entry + 1).line)
        guard lines.0 != lines.1 else { return true }
        func indentation(_ line: Int) -> Int { source.line(line)?.prefix { $0 == UInt8(ascii: " ") }.count ?? 0 }
        return indentation(lines.1) > indentation(lines.0)
    }

    private func lastWord(before end: Int, in bytes: [UInt8]) -> Range<Int> {
        let end = min(end, bytes.count)
        let start = bytes[..<end].lastIndex { $0.isSpace || "{[,".utf8.contains($0) }.map { $0 + 1 }
        return (start ?? 0)..<end
    }

    private func wordEnd(from start: Int, in bytes: [UInt8]) -> Int {
        max(bytes[start...].firstIndex { $0.isSpace || ",:]}".utf8.contains($0) } ?? bytes.count, start + 1)
    }
}

/// Finds colours such as `#EC007F` that YAML takes for comments, because they have no quotes.
///
/// A `#` with 3 to 8 hex digits counts if it is where a value was expected. Words such as `#add` are hex digits too, so
/// with more text after it a digit must be among them.
enum UnquotedColour {
    /// The colour, with its `#`, after a key or a dash without a value; `byte` is where the value was expected.
    static func inPlaceOfValue(at byte: Int, in bytes: [UInt8]) -> Range<Int>? {
        var index = byte
        while index < bytes.count, bytes[index] == .space || bytes[index] == .tab { index += 1 }
        return colour(at: index, in: bytes, needsDigitAtLineEnd: false)
    }

    /// The colours in the punctuation and comments that begin at `byte`, between two values in `[ ]` or `{ }`.
    ///
    /// - Parameter needsDigit: Whether a colour at the end of its line needs a digit; `#add` may be a word.
    static func amongPunctuation(from byte: Int, in bytes: [UInt8], needsDigit: Bool = true) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var isValueDue = byte > 0 && [UInt8(ascii: "["), UInt8(ascii: ",")].contains(bytes[byte - 1])
        var index = byte
        while index < bytes.count {
            switch bytes[index] {
            case .space, .tab, 10, 13: break
            case UInt8(ascii: ","), UInt8(ascii: "["), UInt8(ascii: ":"), UInt8(ascii: "-"): isValueDue = true
            case UInt8(ascii: "]"), UInt8(ascii: "}"), UInt8(ascii: "{"), UInt8(ascii: "?"): isValueDue = false
            case .hash:
                let needsDigit = needsDigit && found.isEmpty
                if isValueDue, let colour = colour(at: index, in: bytes, needsDigitAtLineEnd: needsDigit) {
                    found.append(colour)
                }
                while index < bytes.count, !bytes[index].endsLine { index += 1 }
                continue
            default: return found
            }
            index += 1
        }
        return found
    }

    /// The error for the author of the job.
    static func error(_ range: Range<Int>, in source: SourceText) -> DaybookError {
        let colour = String(decoding: source.bytes[range], as: UTF8.self)
        return DaybookError(
            "unquoted-colour",
            "an unquoted # starts a comment, so '\(colour)' is not read",
            at: source.place(ofBytes: range),
            hint: "write \"\(colour)\" in quotes"
        )
    }

    private static func colour(at hash: Int, in bytes: [UInt8], needsDigitAtLineEnd: Bool) -> Range<Int>? {
        guard hash < bytes.count, bytes[hash] == .hash else { return nil }
        let digits = bytes[(hash + 1)...].prefix { Character(Unicode.Scalar($0)).isHexDigit }
        guard (3...8).contains(digits.count) else { return nil }
        let end = digits.endIndex
        let hasDigit = digits.contains { $0 < 58 }
        let next = bytes[end...].firstIndex { $0 != .space && $0 != .tab } ?? bytes.count
        let isSure: Bool
        if next == bytes.count || bytes[next].endsLine {
            isSure = hasDigit || !needsDigitAtLineEnd
        } else if [UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}")].contains(bytes[next]) {
            isSure = true
        } else {
            // Another comment, or words. `#EC007Fx` is neither.
            isSure = next > end && (bytes[next] == .hash || hasDigit)
        }
        return isSure ? hash..<end : nil
    }
}

extension UInt8 {
    package static let space = UInt8(ascii: " ")
    static let tab = UInt8(ascii: "\t")
    package static let hash = UInt8(ascii: "#")
    package var endsLine: Bool { self == 10 || self == 13 }
}
