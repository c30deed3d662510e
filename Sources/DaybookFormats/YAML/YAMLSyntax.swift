extension YAMLFailure {
    /// The failure in words that say what the person should have written.
    ///
    /// - Parameter lastEnd: The scalar where the last thing that could be read ended.
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
            // libyaml notices where it gives up; the person looks for the bracket, quote or key that began it.
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
        return DaybookError(
            "yaml-syntax",
            message,
            at: source.place(ofScalars: scalar..<scalar + 1),
            hint: hint
        )
    }

    private static let problemsNoticedLate: Set<String> = [
        "found unexpected end of stream", "could not find expected ':'", "did not find expected ',' or ']'",
        "did not find expected ',' or '}'",
    ]

    private func badBeginning(in source: SourceText) -> (message: String, hint: String?) {
        let byte = source.byte(ofScalar: scalar)
        guard byte < source.bytes.count, source.bytes[byte] != .tab else {
            return ("a tab stands where a space has to", "indent with spaces")
        }
        let character = Character(Unicode.Scalar(source.bytes[byte]))
        return ("a value cannot begin with '\(character)'", "put the value in quotes")
    }

    private func line(of scalar: Int, in source: SourceText) -> Int {
        source.place(ofScalars: scalar..<scalar + 1).line
    }

    private func unreadableByte(_ byte: Int, in source: SourceText) -> DaybookError {
        let value = byte < source.bytes.count ? source.bytes[byte] : 0
        let place = source.place(ofBytes: byte..<byte + 1)
        let hex = String(value, radix: 16, uppercase: true)
        if problem.hasPrefix("control characters") {
            return DaybookError(
                "control-character",
                value == 0
                    ? "a NUL character stands in the file"
                    : "a control character stands in the file (byte 0x\(value < 16 ? "0" : "")\(hex))",
                at: place,
                hint: "a job file is text in UTF-8; in \"double quotes\" write such a character as \\x.."
            )
        }
        return DaybookError(
            "bad-encoding",
            "the file is not UTF-8 (byte 0x\(hex))",
            at: place,
            hint: "save it as UTF-8"
        )
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

    private static let rewordings: [String: (message: String, hint: String?)] = [
        "mapping values are not allowed in this context": (
            "a ':' cannot stand here",
            "a value that holds ': ' needs quotes; a new key begins on a line of its own"
        ),
        "found unexpected end of stream": ("the quote that opens here is never closed", nil),
        "could not find expected ':'": (
            "expected ':' after this key", "a key and its value are written 'key: value'"
        ),
        "did not find expected '-' indicator": (
            "expected '- ' here, as before the other entries of the list",
            "entries of one list begin in the same column"
        ),
        "did not find expected key": (
            "expected a key here", "keys of one map begin in the same column"
        ),
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
        "found unknown escape character": (
            "this is no escape in double quotes", "in 'single quotes' a backslash is a plain character"
        ),
        "found invalid Unicode character escape code": (
            "this is no escape in double quotes", "in 'single quotes' a backslash is a plain character"
        ),
        "did not find expected hexdecimal number": (
            "this is no escape in double quotes", "in 'single quotes' a backslash is a plain character"
        ),
        "found unknown directive name": ("a line that begins with % is not read", nil),
        "found incompatible YAML document": ("expected YAML 1.1 or 1.2", "take out this line"),
        "found a tab character where an indentation space is expected": (
            "a tab stands where a space has to", "indent with spaces"
        ),
        "found a tab character that violates indentation": (
            "a tab stands where a space has to", "indent with spaces"
        ),
        "found unexpected document indicator": (
            "the file's '---' or '...' stands inside a quoted text", nil
        ),
        "did not find expected comment or line break": (
            "only a comment can stand behind '|' or '>' on this line", "a text that begins with | or > needs quotes"
        ),
        "did not find expected digit or '-' indicator": (
            "only a comment can stand behind '|' or '>' on this line", "a text that begins with | or > needs quotes"
        ),
        "found undefined tag handle": ("the tag is not read", "a text that begins with ! needs quotes"),
    ]
}
