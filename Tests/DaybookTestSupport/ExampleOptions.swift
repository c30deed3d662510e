import DaybookCore

/// Reads the options of an example, written as they would stand in a job.
///
/// Stands in until the pipeline's reader of YAML is there: block maps and lists by indentation, flow lists and maps on
/// one line, quotes, comments.
struct ExampleOptions {
    private struct Line {
        var indent: Int
        var text: Substring
        var number: Int
    }

    static let file = "example.yaml"
    private var lines: [Line] = []
    private var next = 0

    static func entries(_ text: String) throws(DaybookError) -> [OptionNode.Entry] {
        var reader = ExampleOptions()
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let content = line.drop { $0 == " " }
            guard !content.isEmpty, !content.hasPrefix("#") else { continue }
            reader.lines.append(Line(indent: line.count - content.count, text: content, number: index + 1))
        }
        guard !reader.lines.isEmpty else { return [] }
        return try reader.block().map ?? []
    }

    private func place(_ line: Line) -> SourcePlace {
        SourcePlace(file: Self.file, line: line.number, column: line.indent + 1)
    }

    private mutating func block() throws(DaybookError) -> OptionNode {
        let first = lines[next]
        var items: [OptionNode] = []
        var entries: [OptionNode.Entry] = []
        while next < lines.count, lines[next].indent == first.indent {
            let line = lines[next]
            if line.text == "-" || line.text.hasPrefix("- ") {
                let rest = line.text.dropFirst().drop { $0 == " " }
                if Self.colon(in: rest) != nil, !rest.hasPrefix("{"), !rest.hasPrefix("[") {
                    lines[next] = Line(
                        indent: line.indent + line.text.count - rest.count,
                        text: rest,
                        number: line.number
                    )
                    items.append(try block())
                } else {
                    items.append(try value(rest, below: line))
                }
            } else if let colon = Self.colon(in: line.text) {
                let key = Self.unquoted(line.text[..<colon]).text
                let rest = line.text[colon...].dropFirst().drop { $0 == " " }
                entries.append(OptionNode.Entry(key: key, keyPlace: place(line), value: try value(rest, below: line)))
            } else {
                throw BatchText.mistake("the options of an example have no key in '\(line.text)'")
            }
        }
        return OptionNode(items.isEmpty ? .map(entries) : .list(items), at: place(first))
    }

    /// The value behind a key or a dash: on the same line, or in the deeper lines below it.
    private mutating func value(_ text: Substring, below line: Line) throws(DaybookError) -> OptionNode {
        next += 1
        if !text.isEmpty { return try flow(text, at: place(line)) }
        guard next < lines.count, lines[next].indent > line.indent || lines[next].text.hasPrefix("-") else {
            return OptionNode(.nothing, at: place(line))
        }
        return try block()
    }

    private func flow(_ text: Substring, at place: SourcePlace) throws(DaybookError) -> OptionNode {
        if text.hasPrefix("[") && text.hasSuffix("]") {
            var items: [OptionNode] = []
            for part in Self.parts(text.dropFirst().dropLast()) { items.append(try flow(part, at: place)) }
            return OptionNode(.list(items), at: place)
        }
        if text.hasPrefix("{") && text.hasSuffix("}") {
            var entries: [OptionNode.Entry] = []
            for part in Self.parts(text.dropFirst().dropLast()) {
                guard let colon = Self.colon(in: part) else { throw BatchText.mistake("no colon in '\(part)'") }
                let value = try flow(Self.trimmed(part[colon...].dropFirst()), at: place)
                let key = Self.unquoted(part[..<colon]).text
                entries.append(OptionNode.Entry(key: key, keyPlace: place, value: value))
            }
            return OptionNode(.map(entries), at: place)
        }
        let (content, quoted) = Self.unquoted(text)
        if !quoted, ["", "~", "null"].contains(content) { return OptionNode(.nothing, at: place) }
        return OptionNode(.text(content, quoted: quoted), at: place)
    }

    /// The first colon that ends a key: outside quotes, before a space or the end.
    private static func colon(in text: Substring) -> Substring.Index? {
        scan(text).first {
            text[$0] == ":" && (text.index(after: $0) == text.endIndex || text[text.index(after: $0)] == " ")
        }
    }

    private static func parts(_ text: Substring) -> [Substring] {
        var parts: [Substring] = []
        var start = text.startIndex
        for index in scan(text) where text[index] == "," {
            parts.append(trimmed(text[start..<index]))
            start = text.index(after: index)
        }
        let last = trimmed(text[start...])
        return last.isEmpty ? parts : parts + [last]
    }

    /// The places outside quotes and brackets.
    private static func scan(_ text: Substring) -> [Substring.Index] {
        var depth = 0
        var quote: Character?
        return text.indices.filter { index in
            let character = text[index]
            if let open = quote {
                if character == open { quote = nil }
                return false
            }
            if character == "\"" || character == "'" { quote = character }
            if "[{".contains(character) { depth += 1 }
            if "]}".contains(character) { depth -= 1 }
            return depth == 0 && quote == nil
        }
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop { $0 == " " }
        while text.last == " " { text.removeLast() }
        return text
    }

    private static func unquoted(_ text: Substring) -> (text: String, quoted: Bool) {
        let text = trimmed(text)
        guard text.count >= 2, let mark = text.first, mark == "\"" || mark == "'", text.last == mark else {
            return (String(text), false)
        }
        return (String(text.dropFirst().dropLast()), true)
    }
}
