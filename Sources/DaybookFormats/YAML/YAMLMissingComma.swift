/// An entry inside `{ }` or `[ ]` that no comma separates from the one before it.
///
/// libyaml only says that a comma or the closing bracket was expected. Where another entry follows inside the bracket, it is the
/// comma that is missing; where the value only goes on, it lacks quotes; elsewhere the bracket is not closed.
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
            let before = bytes[..<entry.lowerBound].last { !$0.isBlankOrLineEnd }
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
        let length = bytes[byte...].prefix { !$0.isBlankOrLineEnd && !",}".utf8.contains($0) }.count
        let rest = byte..<byte + max(1, length)
        return DaybookError(
            "yaml-syntax",
            "a value cannot go on with '\(String(decoding: bytes[rest], as: UTF8.self).shortened(to: 40))'",
            at: source.place(ofBytes: rest),
            hint: "put all of the value in \"double quotes\", or in 'single quotes' where it holds double ones"
        )
    }

    /// Whether a key stands there: a word, or a text in quotes, with a colon behind it.
    private func isKey(_ entry: Range<Int>, _ bytes: [UInt8]) -> Bool {
        var end = entry.upperBound
        let first = bytes[entry.lowerBound]
        if "\"'".utf8.contains(first) {
            guard let closing = bytes[(entry.lowerBound + 1)...].firstIndex(of: first) else { return false }
            end = closing + 1
        }
        while end < bytes.count, bytes[end] == 0x20 { end += 1 }
        guard end < bytes.count, bytes[end] == UInt8(ascii: ":") else { return false }
        return end + 1 == bytes.count || bytes[end + 1].isBlankOrLineEnd
    }

    /// Whether another item of a list stands there, and not more of the one before it.
    private func beginsItem(_ byte: Int, _ bytes: [UInt8]) -> Bool {
        let (before, first) = (bytes[byte - 1], bytes[byte])
        let opens = "\"'{[".utf8.contains(first)
        if opens, "\"'}]".utf8.contains(before) { return true }
        let isWord = first >= 0x80 || Character(Unicode.Scalar(first)).isLetter || (0x30...0x39).contains(first)
        return before.isBlankOrLineEnd && (opens || isWord)
    }

    /// Whether an entry stands on the line of the bracket that is open, or is indented deeper than that line.
    private func isInside(_ entry: Int, _ bracket: Int, in source: SourceText) -> Bool {
        let lines = (source.place(ofBytes: bracket..<bracket + 1).line, source.place(ofBytes: entry..<entry + 1).line)
        guard lines.0 != lines.1 else { return true }
        func indentation(_ line: Int) -> Int { source.line(line)?.prefix { $0 == UInt8(ascii: " ") }.count ?? 0 }
        return indentation(lines.1) > indentation(lines.0)
    }

    private func lastWord(before end: Int, in bytes: [UInt8]) -> Range<Int> {
        var start = min(end, bytes.count)
        while start > 0, !bytes[start - 1].isBlankOrLineEnd, !"{[,".utf8.contains(bytes[start - 1]) { start -= 1 }
        return start..<min(end, bytes.count)
    }

    private func wordEnd(from start: Int, in bytes: [UInt8]) -> Int {
        var end = start
        while end < bytes.count, !bytes[end].isBlankOrLineEnd, !",:]}".utf8.contains(bytes[end]) { end += 1 }
        return max(end, start + 1)
    }
}

extension UInt8 {
    fileprivate var isBlankOrLineEnd: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }
}
